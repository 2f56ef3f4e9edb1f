// Closest features of any two convex bodies: spheres, capsules, boxes, cylinders, cones,
// ellipsoids and convex polyhedra. Each is a core with a rounding; the distance of the cores is
// found by their farthest points (convex_distance.h), an overlap of cores by a growing polytope
// (expanding_polytope.h). Then
//   gap = max over unit n of  n . (a(n) - b(n)),    a, b: farthest points along -n and n,
// is solved to rounding: by the corners of the two features where both are flat, by Newton steps on
// n where a body is round. One step in dual numbers gives the derivatives. One site only: bodies
// that lie flat on each other touch at one point of the common face.
#pragma once

#include <memory>

#include "grapple/geometry/solid/shape.h"
#include "grapple/geometry/touch/touch_query.h"

namespace grapple::geometry {

/// Null if one of the shapes is none of these.
std::shared_ptr<const TouchQuery> make_convex_touch(const Shape& a, const Shape& b);

}  // namespace grapple::geometry
