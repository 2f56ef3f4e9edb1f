// Linear-quadratic regulators and Kalman estimators, from the Riccati equations (riccati.h).
//   lqr:    x' = A x + B u,       u = -K x minimises  integral of x^T Q x + 2 x^T N u + u^T R u;
//   dlqr:   x+ = A x + B u,       u = -K x minimises  the sum of the same;
//   kalman: x' = A x + B u + w,   y = C x + D u + v,   xh' = A xh + B u + L (y - C xh - D u);
//   dkalman: x+ = A x + B u + w,  y = C x + D u + v,   predictor xh+ = A xh + B u + L (y - ...),
//            and the filter  xh(k|k) = xh(k|k-1) + M (y - ...).
// w and v are white, of intensity (covariance, discrete) W >= 0 and V > 0; the gains make the
// expected square of the error smallest. Kalman and Bucy: the estimator is the regulator of
// (A^T, C^T, W, V).
#pragma once

#include "grapple/control/linear/riccati.h"

namespace grapple::control {

/// K: m x n. Throws Error as solve_continuous_riccati.
RiccatiSolution lqr(const spatial::MatX& A, const spatial::MatX& B, const Weights& weights);
RiccatiSolution dlqr(const spatial::MatX& A, const spatial::MatX& B, const Weights& weights);

struct Noise {
  spatial::MatX W;       ///< n x n, of the states
  spatial::MatX V;       ///< p x p, of the outputs
  spatial::MatX S = {};  ///< n x p, between them; empty: zero
};

struct Estimator {
  spatial::MatX L;                          ///< n x p
  spatial::MatX M = {};                     ///< n x p, discrete only
  spatial::MatX P;                          ///< covariance of the (predicted) error
  std::vector<std::complex<double>> poles;  ///< of A - L C
  double residual = 0.0;
};

/// C: p x n. Throws Error as the Riccati equations; GR-982 names an eigenvalue that is not seen.
Estimator kalman(const spatial::MatX& A, const spatial::MatX& C, const Noise& noise);
Estimator dkalman(const spatial::MatX& A, const spatial::MatX& C, const Noise& noise);

}  // namespace grapple::control
