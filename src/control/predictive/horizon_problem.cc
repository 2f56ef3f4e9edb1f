#include "grapple/control/predictive/horizon_problem.h"

#include "grapple/base/assert.h"
#include "grapple/control/predictive/householder.h"
#include "grapple/dynamics/cholesky.h"

namespace grapple::control {

using spatial::MatX;
using spatial::VecX;

HorizonProblem::HorizonProblem(Horizon horizon) : horizon_(std::move(horizon)) {
  if (horizon_.control_length == 0) horizon_.control_length = horizon_.length;
  GRAPPLE_ASSERT(horizon_.length > 0 && horizon_.control_length <= horizon_.length);
  GRAPPLE_ASSERT(horizon_.weights.size() == horizon_.outputs);
  GRAPPLE_ASSERT(horizon_.penalty.size() == horizon_.inputs);
  const Eigen::Index rows = horizon_.length * horizon_.outputs,
                     unknowns = horizon_.control_length * horizon_.inputs;
  G_.resize(rows, unknowns);
  f_.resize(rows);
  root_.resize(rows + unknowns, unknowns + 1);
  normal_.resize(unknowns, unknowns);
  solution_.resize(unknowns, 1);
  u_.resize(unknowns);
  rest_.resize(rows + unknowns);
  power_B_.resize(horizon_.states, horizon_.inputs);
  next_power_B_ = power_B_;
  X_.resize(horizon_.states);
  next_X_ = X_;
}

void HorizonProblem::predict(const PredictionModel& model, const VecX& X) {
  const Eigen::Index p = horizon_.outputs, m = horizon_.inputs, last = horizon_.control_length - 1;
  X_ = X;
  for (Eigen::Index j = 0; j < horizon_.length; ++j) {
    next_X_.noalias() = model.A.lazyProduct(X_);
    X_ = next_X_ + model.d;
    f_.segment(j * p, p).noalias() = model.C.lazyProduct(X_);
  }
  G_.setZero();
  power_B_ = model.B;
  for (Eigen::Index lag = 0; lag < horizon_.length; ++lag) {  // C A^lag B on a diagonal of blocks
    for (Eigen::Index j = lag; j < horizon_.length; ++j) {
      const Eigen::Index i = std::min(j - lag, last);
      G_.block(j * p, i * m, p, m) += model.C.lazyProduct(power_B_);
    }
    next_power_B_.noalias() = model.A.lazyProduct(power_B_);
    power_B_.swap(next_power_B_);
  }
}

bool HorizonProblem::solve(const VecX& wanted, const VecX& last) {
  fill_root(wanted, last);
  return horizon_.form == Horizon::Form::kRoot ? solve_root() : solve_classical();
}

// [W G, W (w - f); L D, L u_0]
void HorizonProblem::fill_root(const VecX& wanted, const VecX& last) {
  const Eigen::Index p = horizon_.outputs, m = horizon_.inputs, rows = f_.size();
  root_.setZero();
  for (Eigen::Index j = 0; j < horizon_.length; ++j) {
    for (Eigen::Index k = 0; k < p; ++k) {
      const Eigen::Index row = j * p + k;
      root_.row(row).head(u_.size()) = horizon_.weights[k] * G_.row(row);
      root_(row, u_.size()) = horizon_.weights[k] * (wanted[row] - f_[row]);
    }
  }
  const bool of_changes = horizon_.penalised == Horizon::Penalised::kChange;
  for (Eigen::Index i = 0; i < u_.size(); ++i) {
    const double penalty = horizon_.penalty[i % m];
    root_(rows + i, i) = penalty;
    if (!of_changes) continue;
    if (i >= m) root_(rows + i, i - m) = -penalty;
    if (i < m) root_(rows + i, u_.size()) = penalty * last[i];
  }
}

bool HorizonProblem::solve_root() {
  triangularise(root_, u_.size());
  if (!(diagonal_ratio(root_, u_.size()) > 0.0)) return false;
  back_substitute(root_, solution_);
  u_ = solution_.col(0);
  cost_ = root_.col(u_.size()).tail(root_.rows() - u_.size()).squaredNorm();
  return u_.allFinite();
}

bool HorizonProblem::solve_classical() {
  const Eigen::Index n = u_.size();
  const auto matrix = root_.leftCols(n);
  normal_.noalias() = matrix.transpose().lazyProduct(matrix);
  u_.noalias() = matrix.transpose().lazyProduct(root_.col(n));
  dynamics::factor_in_place(normal_, static_cast<int>(n));
  dynamics::solve_in_place(normal_, static_cast<int>(n), u_);
  rest_ = root_.col(n);
  for (Eigen::Index i = 0; i < n; ++i) rest_ -= u_[i] * root_.col(i);
  cost_ = rest_.squaredNorm();
  return u_.allFinite();
}

}  // namespace grapple::control
