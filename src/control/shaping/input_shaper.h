// Input shaping: a motion divided into delayed parts whose vibrations cancel,
//   r_shaped(t) = sum A_i r(t - t_i),   A_i > 0, sum A_i = 1
// (Singer and Seering 1990; extra-insensitive: Singhose 1994). With K = exp(-zeta pi / sqrt(1 -
// zeta^2)) and Td the period of the damped oscillation, at t = 0, Td/2, Td:
//   ZV   [1, K] / (1 + K)
//   ZVD  [1, 2 K, K^2] / (1 + K)^2: the derivative by the frequency vanishes too
//   EI   [(1 + V)/4, (1 - V) K / 2, (1 + V) K^2 / 4] / sum: V of the vibration stays at the
//   modelled
//        frequency, none at one below and one above.
// Of a mode with the frequency w, undamped, what stays of the vibration of a motion shaped for w_s
// is |cos(pi w / (2 w_s))| (ZV), its square (ZVD).
#pragma once

#include <memory>
#include <vector>

#include "grapple/control/reference.h"

namespace grapple::control {

struct Impulse {
  double time = 0.0, part = 1.0;
};
/// Times from 0 on, rising.
using Shaper = std::vector<Impulse>;

enum class ShaperKind { kZeroVibration, kZeroVibrationDerivative, kExtraInsensitive };

/// omega: rad/s, undamped; damping ratio: 0 <= zeta < 1; tolerance: V of EI, 0 ... 1.
Shaper make_shaper(ShaperKind kind, double omega, double damping, double tolerance);
/// One after the other: for several modes.
Shaper convolved(const Shaper& a, const Shaper& b);

/// Part of the vibration of a mode that stays when it ends, relative to that of one impulse at its
/// end.
double residual_vibration(const Shaper& shaper, double omega, double damping);

/// The reference is at rest before t = 0.
std::shared_ptr<const JointReference> make_shaped_reference(
    std::shared_ptr<const JointReference> reference, Shaper shaper);

/// Most joints a shaped reference may have.
inline constexpr int kMostShapedJoints = 100;

}  // namespace grapple::control
