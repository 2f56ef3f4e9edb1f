#include "grapple/control/optimal/estimator_design.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "grapple/base/error.h"
#include "grapple/control/linear/discretize.h"
#include "grapple/control/linear/eigenvalues.h"
#include "grapple/control/linear/lqr.h"

namespace grapple::control {

using spatial::MatX;
using spatial::VecX;

namespace {

MatX transition(const MatX& A, double time) {
  return zero_order_hold(A, MatX::Zero(A.rows(), 1), time).A;
}

// Integral of e^(A s) W e^(A^T s) over 0 ... time.
MatX accumulated(const MatX& A, const MatX& W, double time) {
  const Eigen::Index n = A.rows();
  if (time <= 0.0) return MatX::Zero(n, n);
  return sampled_cost(A.transpose(), MatX::Zero(n, 1), {W, MatX::Identity(1, 1)}, time).weights.Q;
}

// Columns of the efforts that disturb, times their deviations.
MatX disturbances(const Plant& plant, const PostureModel& model, const ProcessNoise& noise) {
  const auto s = static_cast<Eigen::Index>(model.coordinates.size());
  VecX forces = VecX::Zero(s);
  for (Eigen::Index k = 0; k < s; ++k) {
    const int rate = model.coordinates[static_cast<std::size_t>(k)];
    const bool modal =
        plant.model().coordinates().of_rate(rate).kind == model::CoordinateKind::kModal;
    forces[k] = k < model.joints ? noise.efforts[k] : modal ? noise.on_modes : 0.0;
  }
  MatX all = MatX::Zero(2 * s, s);
  all.bottomRows(s) = model.M.llt().solve(MatX(forces.asDiagonal()));
  return all;
}

// What the inputs do within the first `time` of a period: u_late until it is (1 - f) T old.
struct InputsWithin {
  MatX late, early;
};
InputsWithin inputs_within(const PostureModel& model, double time, double switches) {
  if (time <= switches) {
    return {zero_order_hold(model.A, model.B, time).B, MatX::Zero(model.B.rows(), model.B.cols())};
  }
  const DiscreteModel rest = zero_order_hold(model.A, model.B, time - switches);
  return {rest.A * zero_order_hold(model.A, model.B, switches).B, rest.B};
}

// Roughly the covariance of the error, by steps of the filter itself.
MatX rough_covariance(const MatX& A, const MatX& C, const Noise& noise) {
  constexpr int kFilterSteps = 200;
  MatX P = noise.W;
  for (int k = 0; k < kFilterSteps; ++k) {
    const MatX cross = A * P * C.transpose() + noise.S;
    const Eigen::LDLT<MatX> innovation(C * P * C.transpose() + noise.V);
    P = A * P * A.transpose() + noise.W - cross * innovation.solve(MatX(cross.transpose()));
    P = (0.5 * (P + P.transpose())).eval();
  }
  return P;
}

// The predictor's Riccati equation by doubling (Anderson 1978; Chu, Fan, Lin, Wang 2004): step k is
// 2^k steps of the filter from P = 0. With one disturbance and short periods W is singular but for
// rounding, which the Schur vectors of dkalman do not always survive.
Estimator doubled_kalman(const MatX& A, const MatX& C, const Noise& noise) {
  constexpr int kMostDoublings = 60;
  const Eigen::Index n = A.rows();
  const Eigen::LDLT<MatX> V(noise.V);
  MatX F = (A - noise.S * V.solve(C)).transpose();
  MatX G = C.transpose() * V.solve(C);
  MatX P = noise.W - noise.S * V.solve(MatX(noise.S.transpose()));
  for (int k = 0; k < kMostDoublings; ++k) {
    const Eigen::PartialPivLU<MatX> lu(MatX::Identity(n, n) + G * P);
    const MatX to_F = lu.solve(F), to_G = lu.solve(G);
    const MatX grown = P + F.transpose() * P * to_F;
    G = (G + F * to_G * F.transpose()).eval();
    F = (F * to_F).eval();
    const double change = (grown - P).norm();
    P = 0.5 * (grown + grown.transpose());
    G = (0.5 * (G + G.transpose())).eval();
    if (!P.allFinite() || change <= 1e-15 * P.norm()) break;
  }
  Estimator found;
  const MatX innovation = C * P * C.transpose() + noise.V;
  const MatX cross = A * P * C.transpose() + noise.S;
  found.P = P;
  found.L = innovation.llt().solve(MatX(cross.transpose())).transpose();
  const MatX moved = A * P * A.transpose(), corrected = found.L * innovation * found.L.transpose();
  found.residual = (moved - P - corrected + noise.W).norm() /
                   (moved.norm() + P.norm() + corrected.norm() + noise.W.norm());
  found.poles = eigenvalues(A - found.L * C);
  double largest = 0.0;
  for (const auto& pole : found.poles) largest = std::max(largest, std::abs(pole));
  if (found.residual <= kLargestRiccatiResidual && largest < 1.0) return found;
  throw Error(
      "GR-983", "",
      fmt::format("the estimator's Riccati equation is left with a residual of {:.2e} of its "
                  "terms (at most {:.0e} is allowed) and the largest |z| {:.9g}; give noise "
                  "of similar sizes",
                  found.residual, kLargestRiccatiResidual, largest));
}

// States in units of their errors, measurements in units of their noise: strains and angles differ
// by orders of magnitude, and the Riccati equation is then well scaled.
Estimator scaled_kalman(const MatX& A, const MatX& C, const Noise& noise) {
  const MatX P = rough_covariance(A, C, noise);
  VecX x = VecX::Ones(A.rows());
  for (Eigen::Index k = 0; k < x.size(); ++k) {
    if (std::isfinite(P(k, k)) && P(k, k) > 0.0) x[k] = std::sqrt(P(k, k));
  }
  const VecX y = noise.V.diagonal().cwiseSqrt();
  const auto X = x.asDiagonal();
  const VecX X_inverse = x.cwiseInverse(), Y_inverse = y.cwiseInverse();
  const auto Xi = X_inverse.asDiagonal(), Yi = Y_inverse.asDiagonal();
  Estimator found = doubled_kalman(Xi * A * X, Yi * C * X,
                                   {Xi * noise.W * Xi, Yi * noise.V * Yi, Xi * noise.S * Yi});
  found.L = (X * found.L * Yi).eval();
  found.P = (X * found.P * X).eval();
  return found;
}

}  // namespace

StateEstimator design_estimator(const Plant& plant, const PostureModel& model,
                                const std::vector<Measurement>& measurements,
                                const ProcessNoise& noise, double period, double delay) {
  const Eigen::Index n = model.A.rows(), m = model.B.cols();
  const auto p = static_cast<Eigen::Index>(measurements.size());
  StateEstimator found;
  const DelayedModel delayed = zero_order_hold(model.A, model.B, period, delay);
  found.Phi = delayed.A;
  found.late = delayed.late;
  found.early = delayed.early;
  const double switches = period - (delayed.samples * period - delay);
  const MatX moving = disturbances(plant, model, noise);
  const MatX W = period * moving * moving.transpose();  // intensity of a value held for a period

  found.C.resize(p, n);
  found.H.resize(p, n);
  found.H_late.resize(p, m);
  found.H_early.resize(p, m);
  found.value.resize(p);
  MatX V = MatX::Zero(p, p), S = MatX::Zero(n, p);
  const auto tau = [&](Eigen::Index k) {
    return period - measurements[static_cast<std::size_t>(k)].age;
  };
  for (Eigen::Index k = 0; k < p; ++k) {
    const Measurement& one = measurements[static_cast<std::size_t>(k)];
    const InputsWithin inputs = inputs_within(model, tau(k), switches);
    found.value[k] = one.value;
    found.C.row(k) = one.row.transpose();
    found.H.row(k) = one.row.transpose() * transition(model.A, tau(k));
    found.H_late.row(k) = one.row.transpose() * inputs.late;
    found.H_early.row(k) = one.row.transpose() * inputs.early;
    const MatX so_far = accumulated(model.A, W, tau(k));
    S.col(k) = transition(model.A, one.age) * so_far * one.row;
    V(k, k) += one.noise * one.noise;
    for (Eigen::Index j = 0; j < p; ++j) {  // of two times the later one has moved on
      if (tau(j) < tau(k) || (tau(j) == tau(k) && j < k)) continue;
      const double on = measurements[static_cast<std::size_t>(j)].row.dot(
          transition(model.A, tau(j) - tau(k)) * so_far * one.row);
      V(j, k) += on;
      if (j != k) V(k, j) += on;
    }
  }
  require_seen(model, found.C,
               "does not decay, and the sensors of the estimator do not see it; add one that does, "
               "or leave a mode out by 'modes'");
  require_reached(model, moving,
                  "does not decay, and no disturbance of the estimator moves it; give "
                  "'process_modes'");
  const Estimator gains =
      scaled_kalman(found.Phi, found.H, {accumulated(model.A, W, period), V, S});
  found.L = gains.L;
  found.poles = gains.poles;
  found.residual = gains.residual;
  return found;
}

}  // namespace grapple::control
