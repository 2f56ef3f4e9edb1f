// Gravity of the planet on all bodies of a run in orbit, relative to the reference point that the
// world's origin moves with (relative_gravity.h). Each body feels the field expanded about its
// centre of mass c: with m and S_c of the body at this state,
//   U = m phi(c) - 1/2 G(c) : S_c
// and forces, torques and modal efforts are exactly minus the derivatives of this U, the change of
// G with c included. So energy and angular momentum about the planet's centre are those of the
// truncated potential, to round-off. Left out of U: third moments, m L^3 mu/R^4 and smaller.
// Energy: U is booked as stored gravity, its explicit change with time (the reference point moves
// along the orbit) as the supply `external`.
#pragma once

#include <memory>
#include <string>

#include "grapple/element/element.h"
#include "grapple/orbit/reference_orbit.h"

namespace grapple::orbit {

/// Whether the field acts on the bodies, or they are all in free fall with the reference point.
enum class FieldUse { kFull, kNone };

struct GravityOptions {
  FieldUse field = FieldUse::kFull;
  /// To the Sun, axes E of the orbit; for the output `eclipse`.
  spatial::Vec3 sun_E = spatial::Vec3::UnitX();
};

/// Outputs NAME/altitude, true_anomaly, eclipse (0: the reference point is in full light, 1: in
/// full shadow of the planet, by eclipse.h), position_x ... velocity_z of the reference point in
/// axes E; nadir_x ... track_z, the directions to the planet and along the track in axes W.
std::unique_ptr<element::Element> make_orbit_gravity(std::string name, ReferenceOrbit orbit,
                                                     const GravityOptions& options);

}  // namespace grapple::orbit
