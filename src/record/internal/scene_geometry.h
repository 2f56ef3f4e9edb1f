// Shapes for contacts as a viewer draws them.
#pragma once

#include <nlohmann/json.hpp>

#include "grapple/geometry/solid/shape.h"

namespace grapple::record {

/// "kind" and sizes in SI, in the frame of the shape (geometry/solid/shape.h); a polyhedron or mesh
/// by its "corners" (three numbers each) and "triangles" (three corner numbers each). Meshes of
/// more than kMostDrawnTriangles are thinned out; "note" then says how far. Not Cells.
nlohmann::ordered_json geometry_json(const geometry::Shape& shape);

/// [x, y, z]
inline nlohmann::ordered_json array_of(const spatial::Vec3& v) { return {v.x(), v.y(), v.z()}; }

inline constexpr std::size_t kMostDrawnTriangles = 20000;

}  // namespace grapple::record
