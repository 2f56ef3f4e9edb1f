// Friction of a patch that slides and spins: a force in its plane and a torque about its normal,
// coupled by the motion (Contensou's effect): fast spin takes the force, fast sliding the torque.
// What friction can do in a motion is a point on the limit surface of the patch:
//   kExact    Coulomb's law summed over the pressure of the patch (limit_surface.h);
//   kEllipse  the source's approximation (Gonthier 2007, 4.4): with the mean speed
//             v_a^2 = v.v + (r w)^2, force = mu N v/v_a, torque = mu N r (r w)/v_a. Its points are
//             some percent outside the exact surface, but at a given motion its torque is up to
//             twice the exact one, and force and velocity are always parallel.
// In stick both limits hold by themselves.
//
// r is the radius of gyration of the patch, an RMS value, above the mean lever of the true Coulomb
// torque; of a ball on an elastic foundation 0.577 a against 8/15 a. `lever_share` scales it in the
// ellipse: 1 the source's, kBallLeverShare exact for a ball that spins without sliding.
#pragma once

#include <memory>

#include "grapple/contact/friction_law.h"

namespace grapple::contact {

/// (8/15) / (1/sqrt 3).
inline constexpr double kBallLeverShare = 0.92376043070340130;

struct SpinFriction {
  enum class Surface { kExact, kEllipse };
  Surface surface = Surface::kExact;
  double lever_share = 1.0;  ///< of the ellipse
};

/// f = -N (mu F + c v), torque = -N (mu M + c r^2 w) with F and M on the limit surface; below
/// `transition_speed` both fall to zero.
std::shared_ptr<const FrictionLaw> make_patch_friction(const CoulombFriction& law,
                                                       const SpinFriction& spin);

/// The bristle model with a torsional bristle theta beside z (Gonthier 2007, 4.4.3 to 4.4.5). With
/// F, M on the limit surface, M_0 that of spin alone, s = exp(-v_a^2/v_S^2), C_v = s + (1 - s) |F|
/// and C_w = s + (1 - s) |M|/M_0:
///   b      = s (sigma_0 z + sigma_1 v) + (1 - s) mu_C (s dir(v) + (1 - s) F),   at most mu_max C_v
///   q      = s (sigma_0 theta + sigma_t w) + (1 - s) mu_C M/r^2,  at most mu_max C_w M_0/r^2
///   z'     = (b - sigma_0 z)/sigma_1,   theta' = (q - sigma_0 theta)/sigma_t
///   force  = -N (b + sigma_2 v),        torque = -N r^2 (q + sigma_2 w)
/// sigma_t = sigma_1 k/r with the turning radius k of the bodies, k^2 = inertia over mass: the
/// twist then has the damping ratio of the deflection. (The source has sigma_t = sigma_1, r/k of
/// that ratio: small patches ring.) States: z (3), dwell, theta.
std::shared_ptr<const FrictionLaw> make_patch_friction(const BristleFriction& law,
                                                       const SpinFriction& spin);

}  // namespace grapple::contact
