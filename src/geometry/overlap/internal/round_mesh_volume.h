// The volume a round solid shares with a closed mesh, convex or not: the signed sum over tetrahedra
// from a point to the triangles, each shared in slices as any polyhedron is (round_share.h). A tree
// of boxes finds those within reach. Overlapping, the gap is minus the mean depth; apart, the
// distance of the nearest triangle.
#pragma once

#include <memory>

#include "grapple/geometry/overlap/volume_query.h"

namespace grapple::geometry {

/// Null unless a is a sphere, capsule, cylinder, cone or ellipsoid.
std::shared_ptr<const VolumeQuery> make_round_mesh_volume(const Shape& a, const Mesh& b);

}  // namespace grapple::geometry
