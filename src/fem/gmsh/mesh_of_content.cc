// A mesh from what a Gmsh file says.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>

#include "grapple/base/error.h"
#include "grapple/fem/gmsh/internal/gmsh_content.h"

namespace grapple::fem {

namespace {

using NodeIndex = std::unordered_map<long, int>;

NodeIndex index_nodes(const GmshContent& content, const std::string& name) {
  NodeIndex index;
  for (std::size_t n = 0; n < content.node_numbers.size(); ++n) {
    if (!index.try_emplace(content.node_numbers[n], static_cast<int>(n)).second) {
      throw Error("GR-385", name, fmt::format("node {} is there twice", content.node_numbers[n]));
    }
  }
  return index;
}

int node_of(const NodeIndex& index, const GmshCell& cell, long number, const std::string& name) {
  const auto it = index.find(number);
  if (it != index.end()) return it->second;
  throw Error(
      "GR-385", name,
      fmt::format("element {} has node {}, which the file does not have", cell.number, number));
}

// GR-387 for cells of the body that Grapple has no elements of.
Cell cell_of(const GmshCell& cell, const std::string& name) {
  switch (cell.type) {
    case 2:
      return Cell::kTri3;
    case 3:
      return Cell::kQuad4;
    case 4:
      return Cell::kTet4;
    case 5:
      return Cell::kHex8;
    case 11:
      return Cell::kTet10;
    default:
      throw Error(
          "GR-387", name,
          fmt::format("element {} is of Gmsh's type {} ({} nodes), which Grapple does not "
                      "have; allowed are tri3 (2), quad4 (3), tet4 (4), hex8 (5), tet10 (11)",
                      cell.number, cell.type, gmsh_type(cell.type).nodes));
  }
}

std::string group_name(const GmshContent& content, int dim, int tag) {
  const auto it = content.names.find({dim, tag});
  return it != content.names.end() ? it->second : std::to_string(tag);
}

// The region of the cell's first group; "all" if it has none.
int region_of(const std::string& wanted, Mesh& mesh) {
  const auto it = std::ranges::find(mesh.regions, wanted);
  if (it != mesh.regions.end()) return static_cast<int>(it - mesh.regions.begin());
  mesh.regions.push_back(wanted);
  return static_cast<int>(mesh.regions.size()) - 1;
}

}  // namespace

Mesh mesh_of(const GmshContent& content, const std::string& name, double unit) {
  const NodeIndex index = index_nodes(content, name);
  int dim = 0;
  for (const GmshCell& cell : content.cells) dim = std::max(dim, gmsh_type(cell.type).dimension);
  if (dim < 2) throw Error("GR-386", name, "the file has no elements of a plane or a solid body");
  Mesh mesh;
  mesh.nodes = content.nodes;
  for (spatial::Vec3& x : mesh.nodes) x *= unit;
  mesh.numbers = content.node_numbers;
  mesh.regions.clear();
  std::map<std::string, std::set<int>> groups;
  for (const GmshCell& cell : content.cells) {
    const int own = gmsh_type(cell.type).dimension;
    Element element;
    for (std::size_t a = 0; a < cell.nodes.size(); ++a) {
      const int node = node_of(index, cell, cell.nodes[a], name);
      if (a < element.node.size()) element.node[a] = node;
      for (const int tag : cell.physical) groups[group_name(content, own, tag)].insert(node);
    }
    if (own < dim) continue;
    element.cell = cell_of(cell, name);
    element.number = cell.number;
    element.region = region_of(
        cell.physical.empty() ? "all" : group_name(content, dim, cell.physical.front()), mesh);
    mesh.elements.push_back(element);
  }
  for (const auto& [key, nodes] : groups) mesh.groups[key].assign(nodes.begin(), nodes.end());
  for (const auto& [key, text] : content.names) mesh.groups.try_emplace(text);  // may be empty
  return mesh;
}

}  // namespace grapple::fem
