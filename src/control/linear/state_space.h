// Linear systems with inputs and outputs, continuous (period 0: x' = A x + B u) or discrete
// (x+ = A x + B u), y = C x + D u: frequency response, step response, H2 norm.
#pragma once

#include <complex>
#include <vector>

#include "grapple/spatial/types.h"

namespace grapple::control {

struct StateSpace {
  spatial::MatX A, B, C, D;
  double period = 0.0;  ///< s; 0: continuous
};

/// GR-980 unless the sizes fit and all entries are finite.
void require_fitting(const StateSpace& system);

/// C (s 1 - A)^-1 B + D at s = i omega, or at z = exp(i omega period). omega: rad/s. Entries are
/// not finite where the system has a pole there.
Eigen::MatrixXcd frequency_response(const StateSpace& system, double omega);

/// y at samples 0 ... count-1 of a discrete system at rest, with u = 1 at one input from sample 0
/// on; a column per sample.
spatial::MatX step_response(const StateSpace& system, int input, int count);

/// The H2 norm: the root of the sum (integral) of the squares of all impulse responses; infinite
/// for a system that is not stable, or continuous with D not 0.
double h2_norm(const StateSpace& system);

}  // namespace grapple::control
