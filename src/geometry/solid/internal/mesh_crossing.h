// Where a closed surface of triangles crosses itself: an edge passes through a triangle it has no
// corner in common with, or two triangles that look the same way overlap in one plane. Surfaces
// that only touch do not cross.
#pragma once

#include <cstddef>
#include <optional>

#include "grapple/geometry/solid/triangle_mesh.h"

namespace grapple::geometry {

struct MeshCrossing {
  std::size_t one = 0, two = 0;              ///< numbers of triangles
  spatial::Vec3 at = spatial::Vec3::Zero();  ///< m
};

/// The first crossing by more than 1e-9 of the size; none if there is none.
std::optional<MeshCrossing> find_crossing(const TriangleMesh& mesh);

}  // namespace grapple::geometry
