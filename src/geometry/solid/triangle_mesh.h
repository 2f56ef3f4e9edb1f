// A closed surface of triangles, as read from an STL or OBJ file.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "grapple/spatial/types.h"

namespace grapple::geometry {

/// Corners of each triangle counter-clockwise from outside.
struct TriangleMesh {
  std::vector<spatial::Vec3> corners;
  std::vector<std::array<int, 3>> triangles;
};

/// Reads STL (text or binary) or OBJ by the ending of the name; lengths are multiplied by `scale`.
/// Corners that coincide exactly become one; triangles with two equal corners, second copies of a
/// triangle and corners of no triangle are left out.
/// Throws Error: GR-420 (cannot be read), GR-421 (not a mesh).
TriangleMesh read_mesh(const std::filesystem::path& file, double scale);
/// The same of bytes at hand; the name gives the kind, and its place in messages.
TriangleMesh parse_mesh(const std::string& bytes, const std::filesystem::path& file, double scale);

/// Throws Error unless the surface bounds a solid: GR-422 (open: an edge without neighbour, or with
/// two), GR-423 (triangles that look the wrong way), GR-424 (no volume, or none in numbers), GR-425
/// (it crosses itself).
/// `where` goes into the Error.
void check_closed(const TriangleMesh& mesh, const std::string& where);

/// Whether every corner lies behind the planes of all triangles, to 1e-9 of the size.
bool is_convex(const TriangleMesh& mesh);

/// Signed: negative if all triangles look inwards.
double volume_of(const TriangleMesh& mesh);

}  // namespace grapple::geometry
