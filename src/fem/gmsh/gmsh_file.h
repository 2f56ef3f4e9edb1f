// Meshes in files of Gmsh, ASCII, versions 2.2 and 4.1. Physical groups of the highest dimension
// are the regions; every physical group is a group of nodes. Nodes are read with their numbers,
// which messages use. Lower cells (lines, triangles on a solid, points) only carry groups.
// In the file may be anything: counts are never trusted for an allocation, every number is checked.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "grapple/fem/mesh/mesh.h"

namespace grapple::fem {

/// Length of a file that is read at all, bytes.
inline constexpr std::uintmax_t kLargestMeshFile = 200'000'000;

/// Coordinates are multiplied by `unit` (m per unit of the file). Throws Error: GR-384 (cannot be
/// read, not Gmsh, binary, another version), GR-385 (a line that is wrong, with its number), GR-386
/// (too large), GR-387 (elements that Grapple does not have, with their numbers).
Mesh read_gmsh(const std::filesystem::path& file, double unit = 1.0);
/// The same of a text; `name` is used in messages.
Mesh parse_gmsh(std::string_view text, const std::string& name, double unit = 1.0);

/// The mesh in version 2.2, with every region and group that is one of nodes of whole boundary
/// faces as physical groups; other groups as points. Reading it gives the same mesh.
std::string gmsh_text(const Mesh& mesh);

}  // namespace grapple::fem
