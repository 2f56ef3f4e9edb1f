// The matrix of a step's Newton corrections, with J made of the problem's blocks,
//   [ J   -A' ] (u     )
//   [ V    0  ] (lambda)
// Rows that follow from others are left out: their equation is lambda = right side.
//
// One dense block: an LU of the whole, whose pivots also find their way where J alone is singular.
// Otherwise the multipliers are condensed block by block (Schur complement),
//   Y = J^-1 A',   S = sum of V Y over the blocks,
//   S lambda = right side of the rows - V J^-1 right side,   u = J^-1 right side + Y lambda,
// which needs only solves with each J_b, of a block's own cost, and a dense matrix of the rows'
// size.
#pragma once

#include <Eigen/LU>
#include <variant>
#include <vector>

#include "grapple/base/saved_numbers.h"
#include "grapple/integrate/second_order.h"

namespace grapple::integrate {

/// Which rows are held, per row.
using HeldRows = std::vector<unsigned char>;

class WholeFactors {
 public:
  WholeFactors(const TangentBlock& block, const SecondOrderSizes& n);

  bool factor(const RowTangent& rows, const HeldRows& held, double rate_weight);
  void solve(const spatial::VecX& right, spatial::VecX& solution) { solution = lu_.solve(right); }
  void save(std::vector<double>& memory) const;
  void restore(SavedNumbers& saved);
  bool factor_restored(const RowTangent& rows, const HeldRows& held, double rate_weight);

 private:
  const TangentBlock& block_;
  spatial::MatX matrix_;
  Eigen::PartialPivLU<spatial::MatX> lu_;
};

class CondensedFactors {
 public:
  CondensedFactors(std::span<TangentBlock* const> blocks, const SecondOrderSizes& n);

  bool factor(const RowTangent& rows, const HeldRows& held, double rate_weight);
  void solve(const spatial::VecX& right, spatial::VecX& solution);
  void save(std::vector<double>& memory) const;
  void restore(SavedNumbers& saved);
  bool factor_restored(const RowTangent& rows, const HeldRows& held, double rate_weight) {
    return factor(rows, held, rate_weight);
  }

 private:
  struct Part {
    TangentBlock* block;
    BlockUnknowns at;
    std::vector<int> touching;         ///< held rows that move with this block
    spatial::MatX A_transposed, Y, V;  ///< of the touching rows in their order; V of all rows
    spatial::VecX right, solution;
  };
  bool condense(Part& part, const RowTangent& rows, const HeldRows& held, double rate_weight);

  SecondOrderSizes n_;
  std::vector<Part> parts_;
  spatial::MatX schur_;
  Eigen::PartialPivLU<spatial::MatX> lu_;
  spatial::VecX right_, lambda_;
};

class AlphaMatrix {
 public:
  explicit AlphaMatrix(SecondOrderProblem& problem);

  /// V is the derivative of the rows' rates divided by rate_weight. False: singular.
  bool factor(const MotionPoint& point, const TangentWeights& weights, double rate_weight);
  /// `right` and `solution`: unknowns, then rows.
  void solve(const spatial::VecX& right, spatial::VecX& solution);

  bool holds(int row) const { return held_[static_cast<std::size_t>(row)] != 0; }
  /// A of one row times a vector of unknowns.
  double row_times(int row, const spatial::VecX& u) const { return rows_.A.row(row).dot(u); }

  /// The numbers from which the factors are made again with the same bits. What the problem would
  /// give at the old place again may differ, since what elements remember has moved on.
  void save(std::vector<double>& memory) const;
  enum class Factors { kAgain, kNone };
  /// Whether there are factors now.
  bool restore(SavedNumbers& saved, Factors factors, double rate_weight);

 private:
  void choose_rows();

  SecondOrderProblem& problem_;
  SecondOrderSizes n_;
  RowTangent rows_;
  spatial::MatX row_basis_;
  HeldRows held_;
  std::variant<WholeFactors, CondensedFactors> factors_;
};

}  // namespace grapple::integrate
