// Damping of the Hunt-Crossley family  f = k x^p (1 + a x')  from a coefficient of restitution e.
// The motion separates, so that e depends on d = a v alone (v impact speed), not on mass, k or p:
//   (1 + d) / (1 - e d) = exp(d (1 + e))                 (Gonthier 2007, ch. 3, with d for his d/e)
// The older factors agree with it only near e = 1; they are kept for comparison.
#pragma once

#include "grapple/model/material.h"

namespace grapple::contact {

/// Below this, 1 - e d is lost in rounding and the approach takes longer than any contact lasts.
inline constexpr double kLeastRestitution = 0.01;

enum class DampingRule {
  kExact,               ///< the equation above
  kHuntCrossley,        ///< d = 3/2 (1 - e)
  kLankaraniNikravesh,  ///< d = 3/4 (1 - e^2)
  kFlores,              ///< d = 8/5 (1 - e)/e
};

/// d = a v of a rule, for kLeastRestitution <= e <= 1.
double damping_number(DampingRule rule, double restitution);

/// The coefficient of restitution that d really gives: the equation above, solved for e.
double restitution_obtained(double damping_number);

using model::Restitution;
/// e(v) = e0 - slope v, not below kLeastRestitution.
double restitution_at(const Restitution& restitution, double impact_speed);

/// a = d(e(v)) / max(v, slow_impact) [s/m]: the damping of a contact that begins at speed v.
double damping_factor(DampingRule rule, const Restitution& restitution, double slow_impact,
                      double impact_speed);

}  // namespace grapple::contact
