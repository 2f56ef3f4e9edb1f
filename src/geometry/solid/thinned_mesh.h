// A surface with fewer triangles, for drawing only: corners within one cell of a grid become one,
// at their mean, and triangles that lose a corner vanish (Rossignac and Borrel 1993,
// "Multi-resolution 3D approximations for rendering complex scenes"). The result need not bound a
// solid.
#pragma once

#include <cstddef>

#include "grapple/geometry/solid/triangle_mesh.h"

namespace grapple::geometry {

/// The mesh itself if it has no more than `most` triangles. most > 0.
TriangleMesh thinned(const TriangleMesh& mesh, std::size_t most);

}  // namespace grapple::geometry
