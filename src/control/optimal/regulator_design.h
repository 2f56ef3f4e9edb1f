// Gains of a sampled state feedback about a posture: u = u_0 - K [x; I; u before].
//   x: deviations of positions and rates (posture_model.h), I: sums of the joints' errors times the
//   period, u before: efforts on their way where they act `delay` late.
// By weights: without delay K is optimal for the integral of
//   sum (x_i / size_i)^2 + E / energy + sum (I_j / size_j)^2 + sum (u_j / size_j)^2
// over the motion between the samples, too (Van Loan); with delay for the sum at the samples times
// the period. By poles: K places z = exp(s T) (place.h). Or K is given.
#pragma once

#include <complex>
#include <vector>

#include "grapple/control/optimal/posture_model.h"

namespace grapple::control {

/// What costs 1 each (Bryson's rule). Infinite: costs nothing.
struct RegulatorSizes {
  spatial::VecX position, rate, integral, effort;  ///< per joint
  double passive, passive_rate;                    ///< other coordinates that are no modes
  double mode, mode_rate;                          ///< modal coordinates
  double energy;                                   ///< J, kinetic and elastic, of the modes
};

struct RegulatorSpec {
  enum class By { kWeights, kPoles, kGains } by = By::kWeights;
  RegulatorSizes sizes;                     ///< kWeights
  std::vector<std::complex<double>> poles;  ///< 1/s, kPoles
  spatial::MatX gains;                      ///< kGains
  double period = 0.0, delay = 0.0;         ///< s
};

struct Regulator {
  spatial::MatX K;                          ///< joints x (states, integrals, efforts before)
  int integrals = 0;                        ///< 0, or one per joint
  int samples_late = 0;                     ///< efforts on their way per joint
  std::vector<std::complex<double>> poles;  ///< z of the design; none: K was given
  double residual = 0.0;                    ///< of the Riccati equation
};

/// Throws Error GR-930 (a motion that the joints do not reach or the cost does not see), GR-931
/// (numbers of poles or gains that do not fit), GR-98x (lqr.h, place.h).
Regulator design_regulator(const Plant& plant, const PostureModel& model,
                           const RegulatorSpec& spec);

}  // namespace grapple::control
