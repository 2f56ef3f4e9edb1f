// A sampled Kalman filter, at its steady state, of the motion about a posture. What is read at a
// controller's sample k was measured `age` before, 0 <= age <= T, that is tau = T - age after
// sample k-1; with w white of intensity W on the states' rates and v the error of a measurement,
//   x(k) = Phi x(k-1) + Gamma_late u_late + Gamma_early u_early + w_T
//   y    = C [Phi_tau x(k-1) + ... + w_tau] + v,     E[w_T w_tau^T] = e^(A age) W(tau),
// so that prediction and correction are one step with the gain of the predictor, the correlation of
// w_T and w_tau counted in. For age 0 it is the filter of y(k), for age T the
// predictor.
#pragma once

#include <complex>
#include <vector>

#include "grapple/control/optimal/posture_model.h"

namespace grapple::control {

/// A number that the estimator reads, about the posture: y = value + row x, with `age` (s) and the
/// standard deviation of its error.
struct Measurement {
  std::string name;
  spatial::VecX row;  ///< size 2 s
  double value = 0.0, age = 0.0, noise = 0.0;
};

/// Standard deviations of disturbances that change from sample to sample.
struct ProcessNoise {
  spatial::VecX efforts;  ///< per joint
  double on_modes = 0.0;  ///< generalised force on each mode
};

struct StateEstimator {
  spatial::MatX Phi, late, early;           ///< over a period
  spatial::MatX L;                          ///< states x measurements
  spatial::MatX C;                          ///< measurements x states, at the moment of each
  spatial::MatX H, H_late, H_early;         ///< the same from the last sample
  spatial::VecX value;                      ///< of the measurements at the posture
  std::vector<std::complex<double>> poles;  ///< z of Phi - L H
  double residual = 0.0;
};

/// Throws Error GR-930 (a motion that is not seen, or that no disturbance moves), GR-98x.
StateEstimator design_estimator(const Plant& plant, const PostureModel& model,
                                const std::vector<Measurement>& measurements,
                                const ProcessNoise& noise, double period, double delay);

}  // namespace grapple::control
