#include "grapple/control/linear/lqr.h"

#include <Eigen/Dense>

namespace grapple::control {

namespace {

Estimator dual(const RiccatiSolution& regulator) {
  return {.L = regulator.K.transpose(),
          .P = regulator.X,
          .poles = regulator.poles,
          .residual = regulator.residual};
}

}  // namespace

RiccatiSolution lqr(const spatial::MatX& A, const spatial::MatX& B, const Weights& weights) {
  return solve_continuous_riccati(A, B, weights);
}

RiccatiSolution dlqr(const spatial::MatX& A, const spatial::MatX& B, const Weights& weights) {
  return solve_discrete_riccati(A, B, weights);
}

Estimator kalman(const spatial::MatX& A, const spatial::MatX& C, const Noise& noise) {
  return dual(solve_continuous_riccati(A.transpose(), C.transpose(), {noise.W, noise.V, noise.S},
                                       RiccatiPurpose::kEstimator));
}

Estimator dkalman(const spatial::MatX& A, const spatial::MatX& C, const Noise& noise) {
  Estimator estimator = dual(solve_discrete_riccati(
      A.transpose(), C.transpose(), {noise.W, noise.V, noise.S}, RiccatiPurpose::kEstimator));
  const spatial::MatX PC = estimator.P * C.transpose();
  estimator.M = (noise.V + C * PC).llt().solve(PC.transpose()).transpose();
  return estimator;
}

}  // namespace grapple::control
