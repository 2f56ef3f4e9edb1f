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

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "grapple/contact/normal_law.h"
#include "grapple/geometry/overlap/volume_query.h"
#include "grapple/geometry/touch/touch_query.h"
#include "grapple/system/system.h"

namespace grapple::analysis {

inline constexpr double kTypicalSpeed = 0.1;  ///< m/s

/// A contact of a system, point or volumetric.
struct ContactDescription {
  std::string name;
  contact::PowerLaw law;  ///< of its stiffest site
  double modulus = 0.0;   ///< Pa, E* if the stiffness follows the point of contact; else 0
  model::Frame a, b;
  std::vector<std::shared_ptr<const geometry::TouchQuery>> sites;     ///< of a point contact
  std::vector<std::shared_ptr<const geometry::VolumeQuery>> patches;  ///< of a volumetric one
  double foundation = 0.0;                                            ///< N/m^3
  double friction_damping = 0.0;  ///< s/m: damping force over normal force and speed, sticking
  double load_per_mass = 0.0;     ///< m/s^2, in rest: gravity
  double deep = 0.0;              ///< m, the laws hold for smaller depths
};

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
                                                const ContactDescription& contact);

/// A sentence if a fixed step [s] is longer than a contact allows, about the one that asks for the
/// shortest; empty otherwise.
std::string step_warning(const system::System& system, std::span<const ContactDescription> contacts,
                         double step);

}  // namespace grapple::analysis
