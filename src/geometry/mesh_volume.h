// The volume a closed surface of triangles, convex or not, shares with a box or a convex
// polyhedron: the sum over signed tetrahedra from a point inside to each triangle, clipped by the
// planes of the other and by their own. Exact; every triangle that can reach the other solid costs
// some microseconds. The normal is that of the surface inside, as in polyhedron_pair.h.
// Overlapping, the gap is minus the mean depth, volume over patch; apart, the distance. Internal to
// the room.
#pragma once

#include <memory>

#include "grapple/geometry/volume_query.h"

namespace grapple::geometry {

/// Null unless b is a box or a polyhedron.
std::shared_ptr<const VolumeQuery> make_mesh_volume(const Mesh& a, const Shape& b);

/// The triangles as the faces of a polyhedron, which need not be convex.
Polyhedron faces_of(const TriangleMesh& mesh);

}  // namespace grapple::geometry
