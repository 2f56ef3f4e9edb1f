#include "grapple/fem/reduce/internal/ties.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>

#include "grapple/base/error.h"

namespace grapple::fem {

namespace {

using spatial::Mat3;
using spatial::Vec3;

constexpr int kFree = -1, kRoot = -2;

Vec3 mean_of(const Mesh& mesh, const std::vector<int>& nodes) {
  Vec3 sum = Vec3::Zero();
  for (const int node : nodes) sum += mesh.nodes[static_cast<std::size_t>(node)];
  return sum / static_cast<double>(nodes.size());
}

// Marks the owner of each node.
void claim(const Structure& structure, const std::string& group, const std::vector<int>& nodes,
           int owner, std::vector<int>& owners) {
  for (const int node : nodes) {
    int& mark = owners[static_cast<std::size_t>(node)];
    if (mark != kFree) {
      throw Error("GR-388", structure.where,
                  fmt::format("node {} of group '{}' belongs to another interface already; each "
                              "node follows one frame",
                              structure.mesh.number_of(node), group));
    }
    mark = owner;
  }
}

// GR-390: pieces of the mesh without a root node.
void require_held(const Structure& structure, const std::vector<int>& root_nodes) {
  const std::vector<int> piece = connected_pieces(structure.mesh);
  const int held = piece[static_cast<std::size_t>(root_nodes.front())];
  for (const Element& element : structure.mesh.elements) {
    if (piece[static_cast<std::size_t>(element.node[0])] == held) continue;
    throw Error(
        "GR-390", structure.where,
        fmt::format("element {} hangs on nothing: its piece of the mesh shares no node with "
                    "the piece that the root holds (are nodes doubled where parts meet?)",
                    element.number));
  }
}

}  // namespace

void require_spread(const Structure& structure, const std::string& group,
                    const std::vector<int>& nodes) {
  const Vec3 mean = mean_of(structure.mesh, nodes);
  Mat3 spread = Mat3::Zero();
  for (const int node : nodes) {
    const Vec3 x = structure.mesh.nodes[static_cast<std::size_t>(node)] - mean;
    spread += x * x.transpose();
  }
  const Eigen::SelfAdjointEigenSolver<Mat3> principal(spread, Eigen::EigenvaluesOnly);
  const bool plane = structure.type.continuum != Continuum::kSolid;
  const Vec3 values = principal.eigenvalues();
  constexpr double kLine = 1e-10;
  const bool turns = plane ? values[2] > 0.0 : values[1] > kLine * values[2];
  if (turns) return;
  throw Error("GR-388", structure.where,
              fmt::format("the {} node{} of group '{}' lie {}; a rigid interface needs {}",
                          nodes.size(), nodes.size() == 1 ? "" : "s", group,
                          nodes.size() == 1 ? "in one place" : "on a line",
                          plane ? "two nodes" : "three nodes that are not on a line"));
}

flexible::Mat3X Ties::translations(const Tie& tie, const spatial::MatX& Y) const {
  flexible::Mat3X out = flexible::Mat3X::Zero(3, Y.cols());
  out.topRows(components) = Y.middleRows(tie.first, components);
  return out;
}

flexible::Mat3X Ties::turns(const Tie& tie, const spatial::MatX& Y) const {
  flexible::Mat3X out = flexible::Mat3X::Zero(3, Y.cols());
  out.bottomRows(rotations()) = Y.middleRows(tie.first + components, rotations());
  return out;
}

Ties make_ties(const SolidBody& spec) {
  const Structure& structure = spec.structure;
  const Mesh& mesh = structure.mesh;
  Ties made;
  made.components = components(structure.type.continuum);
  std::vector<int> owners(mesh.nodes.size(), kFree);
  const std::vector<int>& root_nodes = group(mesh, spec.root, structure.where);
  require_spread(structure, spec.root, root_nodes);
  require_held(structure, root_nodes);
  claim(structure, spec.root, root_nodes, kRoot, owners);
  for (const Interface& interface : spec.interfaces) {
    const std::vector<int>& nodes = group(mesh, interface.group, structure.where);
    require_spread(structure, interface.group, nodes);
    claim(structure, interface.group, nodes, static_cast<int>(made.ties.size()), owners);
    made.ties.push_back(
        {interface.name, &nodes, interface.position.value_or(mean_of(mesh, nodes)), 0});
  }
  const int c = made.components;
  std::vector<Eigen::Triplet<double>> entries;
  int next = 0;
  for (int n = 0; n < mesh.node_count(); ++n) {
    if (owners[static_cast<std::size_t>(n)] != kFree) continue;
    for (int k = 0; k < c; ++k) entries.emplace_back(n * c + k, next++, 1.0);
  }
  made.interior = next;
  for (Tie& tie : made.ties) {
    tie.first = next;
    for (const int node : *tie.nodes) {
      const Vec3 arm = mesh.nodes[static_cast<std::size_t>(node)] - tie.position;
      for (int k = 0; k < c; ++k) entries.emplace_back(node * c + k, next + k, 1.0);
      for (int r = 0; r < made.rotations(); ++r) {
        const Vec3 axis = c == 3 ? Vec3(Vec3::Unit(r)) : Vec3(Vec3::UnitZ());
        const Vec3 move = axis.cross(arm);
        for (int k = 0; k < c; ++k) entries.emplace_back(node * c + k, next + c + r, move[k]);
      }
    }
    next += made.width();
  }
  made.T.resize(static_cast<Eigen::Index>(mesh.nodes.size()) * c, next);
  made.T.setFromTriplets(entries.begin(), entries.end());
  return made;
}

}  // namespace grapple::fem
