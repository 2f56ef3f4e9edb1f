// Convex polyhedra from what users write: corners, half-spaces, or a profile with a length. By
// trying every triple: exact enough and quick for the few dozen corners a contact can afford.
#pragma once

#include <string>
#include <vector>

#include "grapple/geometry/solid/polyhedron.h"

namespace grapple::geometry {

/// All points with normal . r <= level.
struct Plane {
  spatial::Vec3 normal = spatial::Vec3::UnitZ();  ///< unit
  double level = 0.0;                             ///< m
};

/// Throws Error: GR-410 (no volume), GR-411 (a corner inside the hull of the others), GR-413 (too
/// many faces). `where` goes into the Error.
Polyhedron hull_of(const std::vector<spatial::Vec3>& corners, const std::string& where);

/// Throws Error: GR-410 (nothing inside, or no volume), GR-412 (not closed), GR-413.
Polyhedron intersection_of(const std::vector<Plane>& planes, const std::string& where);

/// A convex profile in the plane z = 0, counter-clockwise or clockwise, drawn out from
/// -half_length to half_length. Throws Error: GR-410, GR-411 (the profile is not convex), GR-413.
Polyhedron extrusion_of(const std::vector<Eigen::Vector2d>& profile, double half_length,
                        const std::string& where);

double volume_of(const Polyhedron& solid);
spatial::Vec3 centroid_of(const Polyhedron& solid);

}  // namespace grapple::geometry
