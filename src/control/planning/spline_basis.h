// Clamped uniform B-splines of degree five over 0 to 1 (de Boor): values and two derivatives, and
// the same curve on a finer basis.
#pragma once

#include <vector>

#include "grapple/spatial/types.h"

namespace grapple::control {

class SplineBasis {
 public:
  static constexpr int kDegree = 5;
  using Values = Eigen::Matrix<double, 3, Eigen::Dynamic>;

  explicit SplineBasis(int segments);
  int size() const { return segments_ + kDegree; }

  /// Row 0 values, 1 and 2 derivatives, of all functions at u.
  Values at(double u) const;
  /// Control points here of a curve given by those on a basis whose knots are among these.
  spatial::VecX refined(const SplineBasis& coarse, const spatial::VecX& points) const;
  /// The control points of the first derivative are differences of neighbours times this.
  double rate_factor(int i) const { return kDegree / (knot(i + kDegree + 1) - knot(i + 1)); }

 private:
  double knot(int i) const { return knots_[static_cast<std::size_t>(i)]; }
  double value(int i, int degree, double u) const;
  double derivative(int i, int degree, int order, double u) const;

  int segments_;
  std::vector<double> knots_;
};

}  // namespace grapple::control
