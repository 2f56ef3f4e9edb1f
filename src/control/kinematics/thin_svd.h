// Singular values and vectors of a matrix with at most six columns by one-sided Jacobi rotations
// (Hestenes): A V = U S with columns turned until they are square to each other. No squares of the
// condition number appear, small singular values keep their digits, and nothing is allocated after
// construction.
#pragma once

#include <Eigen/Core>

#include "grapple/spatial/types.h"

namespace grapple::control {

class ThinSvd {
 public:
  static constexpr int kMostColumns = 6;
  explicit ThinSvd(int most_rows) : U_(most_rows, kMostColumns) {}

  /// A: its first `rows` rows and `columns` columns.
  void compute(const spatial::MatX& A, int rows, int columns);

  int rows() const { return rows_; }
  int columns() const { return columns_; }
  /// Number of singular values above the rounding of the largest.
  int rank() const { return rank_; }
  /// Decreasing.
  double value(int k) const { return values_[k]; }
  /// Left vectors, of unit length for k < rank().
  auto left(int k) const { return U_.col(k).head(rows_); }
  auto right(int k) const { return V_.col(k).head(columns_); }
  /// Product of the min(rows, columns) largest.
  double product() const;

 private:
  spatial::MatX U_;
  Eigen::Matrix<double, kMostColumns, kMostColumns> V_;
  Eigen::Matrix<double, kMostColumns, 1> values_;
  int rows_ = 0, columns_ = 0, rank_ = 0;
};

}  // namespace grapple::control
