#include "grapple/control/inverse_dynamics.h"

#include <Eigen/QR>
#include <algorithm>

namespace grapple::control {

using spatial::MatX;
using spatial::VecX;

InverseDynamics::InverseDynamics(const Plant& plant, std::vector<int> commanded)
    : commanded_(std::move(commanded)) {
  for (const int rate : plant.free_rates()) {
    if (std::find(commanded_.begin(), commanded_.end(), rate) == commanded_.end()) {
      passive_.push_back(rate);
    }
  }
  const auto r = static_cast<Eigen::Index>(commanded_.size());
  const auto f = static_cast<Eigen::Index>(passive_.size());
  M_rr_.resize(r, r);
  M_rf_.resize(r, f);
  M_ff_.resize(f, f);
  bias_r_.resize(r);
  bias_f_.resize(f);
  a_ = VecX::Zero(f);
  rhs_.resize(f);
  u_ = VecX::Zero(r);
}

namespace {

// Rows and columns of a matrix. (A view by lists of indices would copy the lists.)
void gather(const MatX& all, const std::vector<int>& rows, const std::vector<int>& columns,
            MatX& chosen) {
  for (Eigen::Index k = 0; k < chosen.cols(); ++k) {
    for (Eigen::Index i = 0; i < chosen.rows(); ++i) {
      chosen(i, k) = all(rows[static_cast<std::size_t>(i)], columns[static_cast<std::size_t>(k)]);
    }
  }
}
void gather(const VecX& all, const std::vector<int>& rows, VecX& chosen) {
  for (Eigen::Index i = 0; i < chosen.size(); ++i) {
    chosen[i] = all[rows[static_cast<std::size_t>(i)]];
  }
}

}  // namespace

void InverseDynamics::solve(const Plant& plant, const VecX& nu, const MatX& F) {
  gather(plant.mass_matrix(), commanded_, commanded_, M_rr_);
  gather(plant.mass_matrix(), commanded_, passive_, M_rf_);
  gather(plant.mass_matrix(), passive_, passive_, M_ff_);
  gather(plant.bias(), commanded_, bias_r_);
  gather(plant.bias(), passive_, bias_f_);
  if (plant.rows().rows() > 0) {
    solve_with_loops(plant, nu);
    return;
  }
  solve_passive(nu, F);
  u_ = bias_r_;
  u_.noalias() += M_rr_ * nu;
  u_.noalias() += M_rf_ * a_;
  if (F.size() > 0) u_.noalias() -= M_rr_ * (F * a_).eval();
}

void InverseDynamics::solve_passive(const VecX& nu, const MatX& F) {
  if (passive_.empty()) return;
  rhs_ = -bias_f_;
  rhs_.noalias() -= M_rf_.transpose() * nu;
  if (F.size() == 0) {
    cholesky_.compute(M_ff_);
    a_ = cholesky_.solve(rhs_);
    return;
  }
  M_ff_.noalias() -= M_rf_.transpose() * F;
  lu_.compute(M_ff_);
  a_ = lu_.solve(rhs_);
}

// M_ff a_f - A_f^T lambda = -(M_fr a_r + bias_f),  A_f a_f = -(A_r a_r + row_bias), with a_r = nu
// where the loops allow it, else the nearest they allow.
void InverseDynamics::solve_with_loops(const Plant& plant, const VecX& nu) {
  using Decomposition = Eigen::CompleteOrthogonalDecomposition<MatX>;
  const auto f = static_cast<Eigen::Index>(passive_.size());
  const MatX A_r = plant.rows()(Eigen::all, commanded_), A_f = plant.rows()(Eigen::all, passive_);
  const Eigen::Index m = A_r.rows();
  VecX a_r = nu;
  const VecX opening = A_r * nu + plant.row_bias();
  const VecX left = opening - A_f * Decomposition(A_f).solve(opening);
  constexpr double kClosed = 1e-9;
  if (left.norm() > kClosed * (1.0 + opening.norm())) {
    // What passive rates cannot close, the commanded ones must.
    const MatX reach = A_r - A_f * Decomposition(A_f).solve(A_r);
    a_r -= Decomposition(reach).solve(left);
  }
  MatX kkt = MatX::Zero(f + m, f + m);
  kkt.topLeftCorner(f, f) = M_ff_;
  kkt.topRightCorner(f, m) = -A_f.transpose();
  kkt.bottomLeftCorner(m, f) = A_f;
  VecX rhs(f + m);
  rhs << -(M_rf_.transpose() * a_r + bias_f_), -(A_r * a_r + plant.row_bias());
  const VecX solution = Decomposition(kkt).solve(rhs);
  a_ = solution.head(f);
  // Forces that the passive rates do not feel are free: those of the smallest efforts.
  const MatX unfelt =
      MatX::Identity(m, m) - Decomposition(A_f.transpose()).solve(MatX(A_f.transpose()));
  const VecX u = M_rr_ * a_r + M_rf_ * a_ + bias_r_ - A_r.transpose() * solution.tail(m);
  MatX reach = A_r.transpose() * unfelt;
  // Rounding is no reach: without motors to spare there is none.
  reach = (reach.array().abs() > kClosed * A_r.cwiseAbs().maxCoeff()).select(reach, 0.0);
  u_ = u - reach * Decomposition(reach).solve(u);
}

}  // namespace grapple::control
