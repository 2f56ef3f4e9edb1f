// Rolling resistance of an elastic foundation. What rolls presses the foundation together on the
// closing side of the patch and lets it go on the other; a share of that work, the loss, does not
// come back (Johnson, Contact Mechanics, 9.4; Tabor 1955). With the volume's inertia J about the
// centroid, rolling rate w and the mean square closing speed v_p^2 = w.J w/V over the patch,
//   torque on A = -k_v a_r J w,      at most   loss/2 <|x|> f_n ~ loss kClosingSide f_n sqrt(<x^2>)
// in a steady roll, whatever the speed, as restitution is the same at every speed of impact. The
// loss of a cycle of load and release is 1 - e^2 unless it is given; a lever b limits the torque to
// b f_n instead. At slow rates the torque is viscous, with the a_r = kClosingSide/v_slow of a total
// loss at the speed of the slowest impact: a body does not stick in rolling, and a flat one that
// rocks comes to rest. Nothing depends on how the contact began.
// kImpact is the source's (Gonthier 2007, 4.67): a_r is the latched damping of the normal force,
// so that a body put down gently hardly rolls and the torque grows with the speed without bound.
#pragma once

#include <optional>

#include "grapple/spatial/types.h"

namespace grapple::contact {

/// <|x|>/(2 sqrt(<x^2>)): 0.416 of a round parabolic patch, 0.419 of a strip under a cylinder,
/// 0.433 of a rectangle under uniform pressure.
inline constexpr double kClosingSide = 0.42;

struct RollingResistance {
  enum class Law { kLoss, kLever, kImpact };
  Law law = Law::kLoss;
  /// Of kLoss the share lost, 0 to 1, if it is not 1 - e^2; of kLever b, m.
  std::optional<double> amount;
};

/// a_r, s/m. `limit`: of the torque over f_n, in the measure of `rate`: loss kClosingSide and v_p,
/// or b and |J w|/V; `slow`: a_r at vanishing rates. C1.
template <class T>
T rolling_damping(double slow, double limit, const T& rate) {
  if (!(limit > 0.0)) return T(0);
  const T x = rate * T(slow / limit);
  if (x >= T(1.5)) return T(limit) / rate;
  return T(slow) * (T(1) - x * x / T(6.75));
}

}  // namespace grapple::contact
