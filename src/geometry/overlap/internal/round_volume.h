// The volume a solid of revolution shares with a half-space, an edge or a convex polyhedron, in
// slices across its axis: in each a disc meets a convex polygon, exactly (disc_polygon.h); along
// the axis adaptive Gauss-Kronrod quadrature between the heights at which the slices change their
// kind, with its error estimate in Overlap::error. A ball is sliced across the nearest face, so
// that shallow overlaps keep their digits; an ellipsoid is a stretched ball. The normal is that of
// the polyhedron's surface inside, as in polyhedron_pair.h.
#pragma once

#include <memory>

#include "grapple/geometry/overlap/volume_query.h"

namespace grapple::geometry {

/// Null if the pair is none of these: sphere, capsule, cylinder, cone or ellipsoid with a
/// half-space, an edge (sphere only) or a polyhedron; torus with a half-space.
std::shared_ptr<const VolumeQuery> make_round_volume(const Shape& a, const Shape& b);

}  // namespace grapple::geometry
