#include "grapple/integrate/internal/alpha_matrix.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "grapple/base/assert.h"

namespace grapple::integrate {

namespace {

using spatial::MatX;
using spatial::VecX;

constexpr double kDependent = 1e-10;  // square of a sine between a row and the others

std::variant<WholeFactors, CondensedFactors> factors_for(SecondOrderProblem& problem) {
  const std::span<TangentBlock* const> blocks = problem.blocks();
  if (blocks.size() == 1 && blocks[0]->dense() != nullptr) {
    return WholeFactors(*blocks[0], problem.sizes());
  }
  return CondensedFactors(blocks, problem.sizes());
}

bool is_regular(const Eigen::PartialPivLU<MatX>& lu) {
  const auto pivots = lu.matrixLU().diagonal().array();
  return pivots.allFinite() && (pivots != 0.0).all();
}

}  // namespace

WholeFactors::WholeFactors(const TangentBlock& block, const SecondOrderSizes& n)
    : block_(block), matrix_(MatX::Identity(n.unknowns() + n.rows, n.unknowns() + n.rows)) {
  GRAPPLE_ASSERT(block.unknowns().size() == n.unknowns());
  lu_ = Eigen::PartialPivLU<MatX>(matrix_);
}

bool WholeFactors::factor(const RowTangent& rows, const HeldRows& held, double rate_weight) {
  const MatX& J = *block_.dense();
  const Eigen::Index n = J.rows(), m = rows.A.rows();
  matrix_.topLeftCorner(n, n) = J;
  for (Eigen::Index i = 0; i < m; ++i) {
    if (held[static_cast<std::size_t>(i)] != 0) {
      matrix_.col(n + i).head(n) = -rows.A.row(i).transpose();
      matrix_.row(n + i).head(n) = rows.rates.row(i) / rate_weight;
      matrix_(n + i, n + i) = 0.0;
    } else {
      matrix_.col(n + i).setZero();
      matrix_.row(n + i).setZero();
      matrix_(n + i, n + i) = 1.0;
    }
  }
  lu_.compute(matrix_);
  return true;  // numbers that are not finite show in the corrections
}

void WholeFactors::save(std::vector<double>& memory) const {
  memory.insert(memory.end(), matrix_.data(), matrix_.data() + matrix_.size());
}

void WholeFactors::restore(SavedNumbers& saved) {
  saved.copy_to({matrix_.data(), static_cast<std::size_t>(matrix_.size())});
}

bool WholeFactors::factor_restored(const RowTangent& /*rows*/, const HeldRows& /*held*/,
                                   double /*rate_weight*/) {
  lu_.compute(matrix_);
  return true;
}

CondensedFactors::CondensedFactors(std::span<TangentBlock* const> blocks, const SecondOrderSizes& n)
    : n_(n), schur_(MatX::Identity(n.rows, n.rows)), lu_(n.rows) {
  int unknowns = 0;
  for (TangentBlock* const block : blocks) {
    const BlockUnknowns at = block->unknowns();
    const int size = at.size();
    unknowns += size;
    parts_.push_back({block,
                      at,
                      {},
                      MatX::Zero(size, n.rows),
                      MatX::Zero(size, n.rows),
                      MatX::Zero(n.rows, size),
                      VecX::Zero(size),
                      VecX::Zero(size)});
    parts_.back().touching.reserve(static_cast<std::size_t>(n.rows));
  }
  GRAPPLE_ASSERT(unknowns == n.unknowns());
  right_ = lambda_ = VecX::Zero(n.rows);
}

// The part's V and Y, and what they add to the Schur complement.
bool CondensedFactors::condense(Part& part, const RowTangent& rows, const HeldRows& held,
                                double rate_weight) {
  if (!part.block->factor()) return false;
  const BlockUnknowns& at = part.at;
  const int states = n_.rates + at.first_state;
  part.touching.clear();
  for (int i = 0; i < n_.rows; ++i) {
    if (held[static_cast<std::size_t>(i)] == 0) {
      part.V.row(i).setZero();
      continue;
    }
    part.V.row(i).head(at.rates) = rows.rates.row(i).segment(at.first_rate, at.rates) / rate_weight;
    part.V.row(i).tail(at.states) = rows.rates.row(i).segment(states, at.states) / rate_weight;
    const auto moved = rows.A.row(i).segment(at.first_rate, at.rates);
    if ((moved.array() == 0.0).all()) continue;
    const auto column = static_cast<Eigen::Index>(part.touching.size());
    part.A_transposed.col(column).head(at.rates) = moved.transpose();
    part.touching.push_back(i);
  }
  const auto count = static_cast<Eigen::Index>(part.touching.size());
  if (count == 0) return true;
  part.block->solve(part.A_transposed.leftCols(count), part.Y.leftCols(count));
  for (Eigen::Index k = 0; k < count; ++k) {
    schur_.col(part.touching[static_cast<std::size_t>(k)]).noalias() += part.V * part.Y.col(k);
  }
  return true;
}

bool CondensedFactors::factor(const RowTangent& rows, const HeldRows& held, double rate_weight) {
  for (int i = 0; i < n_.rows; ++i) {
    schur_.col(i).setZero();
    if (held[static_cast<std::size_t>(i)] == 0) schur_(i, i) = 1.0;
  }
  for (Part& part : parts_) {
    if (!condense(part, rows, held, rate_weight)) return false;
  }
  if (n_.rows == 0) return true;
  lu_.compute(schur_);
  return is_regular(lu_);
}

void CondensedFactors::solve(const VecX& right, VecX& solution) {
  right_ = right.tail(n_.rows);
  for (Part& part : parts_) {
    const BlockUnknowns& at = part.at;
    part.right.head(at.rates) = right.segment(at.first_rate, at.rates);
    part.right.tail(at.states) = right.segment(n_.rates + at.first_state, at.states);
    part.block->solve(part.right, part.solution);
    right_.noalias() -= part.V * part.solution;
  }
  if (n_.rows > 0) lambda_ = lu_.solve(right_);
  for (Part& part : parts_) {
    for (std::size_t k = 0; k < part.touching.size(); ++k) {
      part.solution += lambda_[part.touching[k]] * part.Y.col(static_cast<Eigen::Index>(k));
    }
    const BlockUnknowns& at = part.at;
    solution.segment(at.first_rate, at.rates) = part.solution.head(at.rates);
    solution.segment(n_.rates + at.first_state, at.states) = part.solution.tail(at.states);
  }
  solution.tail(n_.rows) = lambda_;
}

void CondensedFactors::save(std::vector<double>& memory) const {
  for (const Part& part : parts_) {
    const std::span<const double> own = std::as_const(*part.block).saved();
    memory.insert(memory.end(), own.begin(), own.end());
  }
}

void CondensedFactors::restore(SavedNumbers& saved) {
  for (Part& part : parts_) saved.copy_to(part.block->saved());
}

AlphaMatrix::AlphaMatrix(SecondOrderProblem& problem)
    : problem_(problem),
      n_(problem.sizes()),
      rows_(n_),
      row_basis_(MatX::Zero(n_.unknowns(), n_.rows)),
      held_(static_cast<std::size_t>(n_.rows), 1),
      factors_(factors_for(problem)) {}

bool AlphaMatrix::factor(const MotionPoint& point, const TangentWeights& weights,
                         double rate_weight) {
  for (TangentBlock* const block : problem_.blocks()) block->assemble(point, weights, rows_);
  choose_rows();
  return std::visit([&](auto& f) { return f.factor(rows_, held_, rate_weight); }, factors_);
}

void AlphaMatrix::solve(const VecX& right, VecX& solution) {
  std::visit([&](auto& f) { f.solve(right, solution); }, factors_);
}

// Gram-Schmidt over the rows scaled to length one, the farthest from the others first; no more than
// are independent on the manifold, beside which the rest only seem to be.
void AlphaMatrix::choose_rows() {
  const int m = n_.rows;
  const int most = problem_.row_rank() < 0 ? m : problem_.row_rank();
  row_basis_ = rows_.A.transpose();
  double longest = 0.0;
  for (int i = 0; i < m; ++i) longest = std::max(longest, row_basis_.col(i).norm());
  for (int i = 0; i < m; ++i) {
    const double length = row_basis_.col(i).norm();
    if (length > 1e-12 * longest) row_basis_.col(i) /= length;
    held_[static_cast<std::size_t>(i)] = 0;
  }
  for (int done = 0; done < most; ++done) {
    int best = -1;
    double square = kDependent;
    for (int i = 0; i < m; ++i) {
      if (held_[static_cast<std::size_t>(i)] != 0) continue;
      if (row_basis_.col(i).squaredNorm() > square) {
        square = row_basis_.col(i).squaredNorm();
        best = i;
      }
    }
    if (best < 0) return;
    held_[static_cast<std::size_t>(best)] = 1;
    row_basis_.col(best) /= std::sqrt(square);
    for (int i = 0; i < m; ++i) {
      if (held_[static_cast<std::size_t>(i)] != 0) continue;
      const double along = row_basis_.col(best).dot(row_basis_.col(i));
      row_basis_.col(i) -= along * row_basis_.col(best);
    }
  }
}

void AlphaMatrix::save(std::vector<double>& memory) const {
  std::visit([&](const auto& f) { f.save(memory); }, factors_);
  memory.insert(memory.end(), rows_.A.data(), rows_.A.data() + rows_.A.size());
  if (std::holds_alternative<CondensedFactors>(factors_)) {
    memory.insert(memory.end(), rows_.rates.data(), rows_.rates.data() + rows_.rates.size());
  }
  memory.insert(memory.end(), held_.begin(), held_.end());
}

bool AlphaMatrix::restore(SavedNumbers& saved, Factors factors, double rate_weight) {
  std::visit([&](auto& f) { f.restore(saved); }, factors_);
  saved.copy_to({rows_.A.data(), static_cast<std::size_t>(rows_.A.size())});
  if (std::holds_alternative<CondensedFactors>(factors_)) {
    saved.copy_to({rows_.rates.data(), static_cast<std::size_t>(rows_.rates.size())});
  }
  for (unsigned char& row : held_) row = saved.flag() ? 1 : 0;
  saved.expect_end();
  if (factors == Factors::kNone) return false;
  return std::visit([&](auto& f) { return f.factor_restored(rows_, held_, rate_weight); },
                    factors_);
}

}  // namespace grapple::integrate
