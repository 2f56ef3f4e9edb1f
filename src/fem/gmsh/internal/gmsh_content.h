// What a Gmsh file says, before it is a mesh.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "grapple/fem/mesh/mesh.h"

namespace grapple::fem {

/// A cell of the file; types are Gmsh's numbers.
struct GmshCell {
  long number = 0;
  int type = 0;
  std::vector<int> physical;  ///< tags of its physical groups
  std::vector<long> nodes;    ///< numbers
};

struct GmshContent {
  std::map<std::pair<int, int>, std::string> names;  ///< by dimension and tag
  std::vector<long> node_numbers;
  std::vector<spatial::Vec3> nodes;
  std::vector<GmshCell> cells;
};

/// Of a cell type Gmsh knows and we use or ignore.
struct GmshType {
  int dimension = 0;
  int nodes = 0;
};
/// Dimension -1: unknown to us.
GmshType gmsh_type(int type);

GmshContent parse_content(std::string_view text, const std::string& name);
Mesh mesh_of(const GmshContent& content, const std::string& name, double unit);

}  // namespace grapple::fem
