// What the parameters of a contact mean before anything has run: the impact it would have from the
// start position, and the largest fixed step that resolves it. Undamped impact of the reduced mass
//   1/m = r M^-1 r',   r: speed at which the gap closes per joint rate (driven joints do not give
//   way)
// at the speed the pair closes with, or kTypicalSpeed if it does not. Where a volumetric contact
// acts, at the centroid of the overlap at its depth; several sites of a point contact act together
// (sites_impact.h). Rest is damped at the rate
// (load/mass) * (factor of the normal law or of friction), bristles in an impact at
// (force/mass) * (factor of friction).
#pragma once

#include <optional>
#include <string>

#include "grapple/contact/normal_law.h"
#include "grapple/scenario/build/build.h"

namespace grapple::scenario {

inline constexpr double kTypicalSpeed = 0.1;  ///< m/s

struct ContactEstimate {
  double speed = 0.0;         ///< m/s
  double reduced_mass = 0.0;  ///< kg
  double stiffness = 0.0;     ///< of a point contact, N/m^p; where it follows the point, from here
  contact::ImpactEstimate impact;
  double rest_rate = 0.0;    ///< 1/s, the fastest decay in rest
  double impact_rate = 0.0;  ///< 1/s, of the bristles under the largest force of the impact
  /// min(0.1 / impact.frequency, 2 / rest_rate, 2 / impact_rate) [s]: accurate in the impact, and
  /// no chatter.
  double largest_step = 0.0;
};

/// At the initial state; nothing if neither body can give way, or if moving straight ahead along
/// the normal they would miss each other.
std::optional<ContactEstimate> estimate_contact(const system::System& system,
                                                const ContactPlan& plan);

/// A sentence if the fixed step of the plan is longer than a contact allows, about the one that
/// asks for the shortest; empty otherwise and for methods that choose their steps.
std::string step_warning(const Simulation& simulation);

}  // namespace grapple::scenario
