// Optimal feedback of the flexible coordinates of an arm at a frozen configuration, the fast part
// of composite controllers. With the commanded accelerations nu as input (King 1988, eq. 4-30 to
// 4-33)
//   delta_f'' + A2 delta_f + B2 nu_f = 0,  A2 = (M_ff - M_fr F)^-1 K,  B2 = (M_ff - M_fr F)^-1
//   M_fr;
// with the efforts of the joints as input (Kim 2000, eq. 5.24, in physical units)
//   delta_f'' + A2 delta_f = B2 u,  A2 = H_ff K,  B2 = H_fr,  H = M^-1.
// The weights are energies: x^T Q x = delta^T K delta + delta'^T M delta', against the square of
// the input times a weight.
#pragma once

#include <vector>

#include "grapple/control/plant.h"

namespace grapple::control {

enum class FastInput { kAccelerations, kEfforts };

/// Second-order system delta'' = -A2 delta + B nu at the plant's evaluated state.
struct FlexibleSubsystem {
  spatial::MatX A2, B;
  spatial::MatX K, M;  ///< of the flexible coordinates
};
FlexibleSubsystem flexible_subsystem(Plant& plant, const std::vector<int>& joints,
                                     const std::vector<int>& flexible, FastInput input,
                                     const spatial::MatX& F);

/// Gain G, joints x 2 flexible, of input = -G [delta_f; delta']. Throws Error GR-980 (see lqr.h)
/// where a motion that does not decay is out of reach.
spatial::MatX flexible_gain(const FlexibleSubsystem& subsystem, double input_weight);

/// The free rates of the modes of flexible bodies, and of those the ones whose stems
/// ("body/boom/mode/bending_y_1") are listed; none listed: all.
std::vector<int> modal_rates(const Plant& plant, const std::vector<std::string>& stems);
/// Their stem.
std::string modal_stem(const Plant& plant, int rate);

}  // namespace grapple::control
