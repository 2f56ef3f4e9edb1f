// The volume two convex polyhedra share. Its surface is made of the faces of each, cut by the
// planes of the other; the normal is the direction of the vector area of B's share, which is also
// the direction in which the volume shrinks fastest when A moves away. Apart, gap and normal are
// those of the separating axis (faces and pairs of edges).
#pragma once

#include <memory>

#include "grapple/geometry/overlap/volume_query.h"
#include "grapple/geometry/solid/polyhedron.h"

namespace grapple::geometry {

/// `size`: length against which an overlap is deep, m.
std::shared_ptr<const VolumeQuery> make_polyhedron_pair(const Polyhedron& a, const Polyhedron& b,
                                                        double size);

}  // namespace grapple::geometry
