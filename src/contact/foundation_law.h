// Pressure of an elastic foundation over the volume of interference (Gonthier 2007, ch. 4): springs
// of k_v [N/m^3] through the overlap, damped as point contacts are. With V, centroid and inertia J
// of the volume, approach v at the centroid and rolling rate w_t (A over B, in the plane of the
// patch):
//   f_n    = max(0, k_v V (1 + a v)),     at the centroid along the normal
//   torque = -k_v a_r T J w_t             on A: the pressure is higher where the patch closes;
//            at most 2 r f_n, r the radius of gyration: the centre of pressure stays in the patch
// a is latched at the impact, a_r is not (rolling.h).
// Two foundations act in series: 1/k_v = 1/k_a + 1/k_b. Valid for one nearly flat patch.
#pragma once

#include <cmath>

#include "grapple/contact/restitution.h"
#include "grapple/contact/rolling.h"
#include "grapple/geometry/overlap/volume_query.h"
#include "grapple/spatial/root.h"

namespace grapple::contact {

struct FoundationLaw {
  double stiffness = 0.0;  ///< k_v, N/m^3
  DampingRule rule = DampingRule::kExact;
  Restitution restitution;
  double slow_impact = 1e-3;  ///< m/s
  RollingResistance rolling = {};

  /// Share of the work of a cycle that is lost in rolling.
  double rolling_loss() const {
    return rolling.amount.value_or(1.0 - restitution.at_rest * restitution.at_rest);
  }
};

template <class T>
struct PatchPressure {
  T force{0};                                                    ///< N, >= 0
  T elastic{0};                                                  ///< N
  T energy{0};                                                   ///< J
  spatial::Vec3T<T> rolling_torque = spatial::Vec3T<T>::Zero();  ///< N m, on A
};

/// a_r of rolling with J w = `moment` across the normal. `damping`: a, as latched.
template <class T>
T rolling_factor(const FoundationLaw& law, const geometry::Overlap<T>& overlap,
                 const spatial::Vec3T<T>& rolling, const spatial::Vec3T<T>& moment,
                 double damping) {
  const double slow = kClosingSide / law.slow_impact;
  switch (law.rolling.law) {
    case RollingResistance::Law::kImpact:
      return T(damping);
    case RollingResistance::Law::kLever:
      return rolling_damping<T>(slow, law.rolling.amount.value_or(0.0),
                                spatial::length_of<T>(moment) / overlap.volume);
    case RollingResistance::Law::kLoss:
      break;
  }
  return rolling_damping<T>(slow, kClosingSide * law.rolling_loss(),
                            spatial::root_of(T(rolling.dot(moment) / overlap.volume)));
}

/// Pressure is nowhere negative, so its centre lies within the patch and the torque is at most
/// 2 r f_n, with r the radius of gyration about the torque's axis (2 r: the rim of a disc). The
/// linear law exceeds that where it would pull at the opening side; without the bound the torque
/// would jump where f_n ends, and a body could hang on that jump for ever.
template <class T>
void keep_center_in_patch(const geometry::Overlap<T>& overlap, PatchPressure<T>& p) {
  using std::sqrt;
  const spatial::Vec3T<T>& m = p.rolling_torque;
  const T square = m.squaredNorm();
  if (!(square > T(0))) return;
  const T gyration_square = m.dot(overlap.inertia_W * m) / (square * overlap.volume);
  const T most = T(4) * p.force * p.force * gyration_square;
  if (!(most > T(0))) {  // a volume so small that its inertia is rounding
    p.rolling_torque.setZero();
  } else if (square > most) {
    p.rolling_torque *= sqrt(most / square);
  }
}

/// `damping`: a of this contact, from damping_factor; 0 before it is latched. `share`: of the
/// pressure that acts, less than 1 while a volume in which the contact was found is relaxed.
template <class T>
PatchPressure<T> patch_pressure(const FoundationLaw& law, const geometry::Overlap<T>& overlap,
                                const T& approach, const spatial::Vec3T<T>& spin_W, double damping,
                                const T& share) {
  PatchPressure<T> p;
  const T k = T(law.stiffness) * share;
  p.elastic = k * overlap.volume;
  p.force = p.elastic * (T(1) + T(damping) * approach);
  if (!(p.force > T(0))) {  // letting go: no pressure, no torque
    p.force = T(0);
    return p;
  }
  const spatial::Vec3T<T>& n = overlap.normal_W;
  const spatial::Vec3T<T> rolling = spin_W - n.dot(spin_W) * n;
  spatial::Vec3T<T> moment = overlap.inertia_W * rolling;
  moment -= n.dot(moment) * n;
  p.rolling_torque = -k * rolling_factor<T>(law, overlap, rolling, moment, damping) * moment;
  keep_center_in_patch(overlap, p);
  return p;
}

}  // namespace grapple::contact
