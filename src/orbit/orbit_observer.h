// What is shown of one body in orbit: attitude and position in the local-vertical-local-horizontal
// axes O of the reference point (x radial outward, y along the track, z normal), and the osculating
// elements of its centre of mass.
// Attitude: R_OB = Rz(pitch) Ry(roll) Rx(yaw), so that pitch is the turn about the orbit normal,
// roll about the track, yaw about the local vertical; singular at a roll of 90 degrees.
// Elements from r and v relative to the reference point: the energy per mass is that of the
// reference plus V.v + v.v/2 - mu (1/|R + r| - 1/|R|), whose last difference is taken without
// cancellation, so that the semi-major axis keeps all digits; the eccentricity is that of Laplace's
// vector, to about 1e-15 whatever its size.
#pragma once

#include <memory>
#include <string>

#include "grapple/element/element.h"
#include "grapple/orbit/reference_orbit.h"

namespace grapple::orbit {

/// Outputs NAME/roll, pitch, yaw; position_radial, _along, _normal (of the centre of mass, m);
/// velocity_radial, ... (relative to the axes O, which turn); semi_major_axis, eccentricity,
/// inclination, node. `body`: index in the model's bodies.
std::unique_ptr<element::Element> make_orbit_observer(std::string name, ReferenceOrbit orbit,
                                                      int body);

}  // namespace grapple::orbit
