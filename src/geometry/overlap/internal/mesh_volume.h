// The volume a closed surface of triangles, convex or not, shares with another or with a box or a
// convex polyhedron. Its surface is made of the triangles of each inside the other, which signed
// tetrahedra cut out (cone_mesh.h); trees of boxes find those that can meet. Exact. The normal is
// that of the surface inside, as in polyhedron_pair.h. Overlapping, the gap is minus the mean
// depth, volume over patch; apart, the distance.
#pragma once

#include <memory>

#include "grapple/geometry/overlap/volume_query.h"

namespace grapple::geometry {

/// Null unless b is a mesh, a box or a polyhedron.
std::shared_ptr<const VolumeQuery> make_mesh_volume(const Mesh& a, const Shape& b);

/// The triangles as the faces of a polyhedron, which need not be convex.
Polyhedron faces_of(const TriangleMesh& mesh);

}  // namespace grapple::geometry
