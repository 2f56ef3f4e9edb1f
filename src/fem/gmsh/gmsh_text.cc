// Writes a mesh as Gmsh 2.2.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "grapple/fem/gmsh/gmsh_file.h"

namespace grapple::fem {

namespace {

int gmsh_number(Cell cell) {
  switch (cell) {
    case Cell::kTri3:
      return 2;
    case Cell::kQuad4:
      return 3;
    case Cell::kTet4:
      return 4;
    case Cell::kTet10:
      return 11;
    case Cell::kHex8:
      break;
  }
  return 5;
}

struct LowerCell {
  int type = 0, tag = 0;
  std::vector<int> nodes;
};

struct Physical {
  int dimension = 0, tag = 0;
  std::string name;
};

// A face, if it can carry its nodes (TET10 would need triangles of six), or single nodes.
void add_group(const Mesh& mesh, const std::vector<Face>& boundary, const std::string& name,
               const std::vector<int>& nodes, std::vector<Physical>& physical,
               std::vector<LowerCell>& cells) {
  const std::set<int> members(nodes.begin(), nodes.end());
  const int tag = static_cast<int>(physical.size()) + 1;
  std::set<int> carried;
  std::vector<LowerCell> own;
  const bool quadratic = !mesh.elements.empty() && mesh.elements[0].cell == Cell::kTet10;
  for (const Face& face : boundary) {
    const auto corners = face.nodes();
    if (quadratic || !std::ranges::all_of(corners, [&](int n) { return members.contains(n); })) {
      continue;
    }
    const int type = face.corners == 2 ? 1 : face.corners == 3 ? 2 : 3;
    own.push_back({type, tag, {corners.begin(), corners.end()}});
    carried.insert(corners.begin(), corners.end());
  }
  if (carried == members && !members.empty()) {
    physical.push_back({mesh.dimension() - 1, tag, name});
  } else {
    own.clear();
    for (const int node : nodes) own.push_back({15, tag, {node}});
    physical.push_back({0, tag, name});
  }
  cells.insert(cells.end(), own.begin(), own.end());
}

}  // namespace

std::string gmsh_text(const Mesh& mesh) {
  std::vector<Physical> physical;
  std::vector<LowerCell> lower;
  for (std::size_t r = 0; r < mesh.regions.size(); ++r) {
    physical.push_back({mesh.dimension(), static_cast<int>(r) + 1, mesh.regions[r]});
  }
  const std::vector<Face> boundary = boundary_faces(mesh);
  for (const auto& [name, nodes] : mesh.groups) {
    if (std::ranges::find(mesh.regions, name) != mesh.regions.end()) continue;
    add_group(mesh, boundary, name, nodes, physical, lower);
  }
  std::string text = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n";
  text += fmt::format("{}\n", physical.size());
  for (const Physical& p : physical) {
    text += fmt::format("{} {} \"{}\"\n", p.dimension, p.tag, p.name);
  }
  text += fmt::format("$EndPhysicalNames\n$Nodes\n{}\n", mesh.nodes.size());
  for (int n = 0; n < mesh.node_count(); ++n) {
    const spatial::Vec3& x = mesh.nodes[static_cast<std::size_t>(n)];
    text += fmt::format("{} {} {} {}\n", mesh.number_of(n), x.x(), x.y(), x.z());
  }
  text += fmt::format("$EndNodes\n$Elements\n{}\n", lower.size() + mesh.elements.size());
  long number = 0;
  for (const Element& element : mesh.elements) number = std::max(number, element.number);
  const auto put = [&](long own, int type, int tag, std::span<const int> nodes) {
    text += fmt::format("{} {} 2 {} {}", own, type, tag, tag);
    for (const int node : nodes) text += fmt::format(" {}", mesh.number_of(node));
    text += '\n';
  };
  for (const LowerCell& cell : lower) put(++number, cell.type, cell.tag, cell.nodes);
  for (const Element& element : mesh.elements) {
    put(element.number, gmsh_number(element.cell), element.region + 1, element.nodes());
  }
  return text + "$EndElements\n";
}

}  // namespace grapple::fem
