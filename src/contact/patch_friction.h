// Friction of a patch that slides and spins: a force in its plane and a torque about its normal,
// coupled by the mean speed  v_a^2 = v.v + (r w)^2  (Gonthier 2007, 4.4; Contensou's effect), with
// r the lever of the patch and w its spin. In slip
//   force = mu N v/v_a,   torque = mu N r (r w)/v_a:   fast spin takes the force, fast sliding the
// torque. In stick both limits hold by themselves.
//
// The lever: the source takes the radius of gyration of the patch, an RMS value, which is above the
// mean lever of the true Coulomb torque; of a ball on an elastic foundation 0.577 a against 8/15 a.
// `lever_share` scales it: 1 the source's, kBallLeverShare exact for a spinning ball.
#pragma once

#include <memory>

#include "grapple/contact/friction_law.h"

namespace grapple::contact {

/// (8/15) / (1/sqrt 3).
inline constexpr double kBallLeverShare = 0.92376043070340130;

/// f = -N (mu v/v_a + c v), torque = -N r^2 (mu w/v_a + c w); below `transition_speed` both fall to
/// zero.
std::shared_ptr<const FrictionLaw> make_patch_friction(const CoulombFriction& law,
                                                       double lever_share);

/// The bristle model with a torsional bristle theta beside z (Gonthier 2007, 4.4.3 to 4.4.5). With
/// the factors C_v = s + (1 - s) |v|/v_a and C_w = s + (1 - s) r |w|/v_a on limits and sliding:
///   z'     = s v + (1 - s)(mu_C C_v dir(v) - sigma_0 z)/sigma_1,        b limited by mu_max C_v
///   theta' = s w + (1 - s)(mu_C C_w sgn(w)/r - sigma_0 theta)/sigma_1,  q limited by mu_max C_w/r
///   force  = -N (b + sigma_2 v),   torque = -N r^2 (q + sigma_2 w)
/// States: z (3), dwell, theta.
std::shared_ptr<const FrictionLaw> make_patch_friction(const BristleFriction& law,
                                                       double lever_share);

}  // namespace grapple::contact
