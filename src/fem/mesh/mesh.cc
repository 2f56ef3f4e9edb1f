#include "grapple/fem/mesh/mesh.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "grapple/base/error.h"
#include "grapple/base/nearest_name.h"

namespace grapple::fem {

namespace {

using spatial::Vec3;

// Collects findings, of each id no more than a reader wants to see.
class Findings {
 public:
  explicit Findings(std::string where) : where_(std::move(where)) {}

  void add(const char* id, std::string message) {
    constexpr int kMost = 10;
    int& count = counts_[id];
    if (++count < kMost) found_.add(id, where_, std::move(message));
    if (count == kMost) found_.add(id, where_, "and more of this kind");
  }
  void throw_if_any() const { found_.throw_if_any(); }

 private:
  std::string where_;
  std::map<std::string, int> counts_;
  Diagnostics found_;
};

double longest_edge(const NodeGradients& X) {
  double longest = 0.0;
  for (Eigen::Index a = 0; a < X.rows(); ++a) {
    for (Eigen::Index b = 0; b < a; ++b) {
      longest = std::max(longest, (X.row(a) - X.row(b)).norm());
    }
  }
  return longest;
}

// The least determinant of dx/dxi at the nodes and the points of integration.
double least_determinant(Cell cell, const NodeGradients& X) {
  double least = std::numeric_limits<double>::infinity();
  const auto look = [&](const Vec3& xi) {
    const Jacobian J = X.transpose() * shape_gradients(cell, xi);
    const double det = J.determinant();
    least = std::isfinite(det) ? std::min(least, det) : -std::numeric_limits<double>::infinity();
  };
  for (const Vec3& xi : reference_nodes(cell)) look(xi);
  for (const IntegrationPoint& q : stiffness_rule(cell)) look(q.xi);
  return least;
}

void check_shape(const Mesh& mesh, const Element& element, Findings& found) {
  const NodeGradients X = positions(mesh, element);
  const double det = least_determinant(element.cell, X);
  const int dim = dimension(element.cell);
  // The map of the cube [-1, 1]^n onto one of edge h has (h/2)^n; simplices have h^n.
  const double scale = std::pow(0.5 * longest_edge(X), dim);
  if (det > kFlatElement * scale && std::isnormal(det)) return;
  const std::string region = mesh.regions[static_cast<std::size_t>(element.region)];
  found.add("GR-380",
            fmt::format("element {} ({}, region '{}') is {}: the determinant of its map falls to "
                        "{:.3g}, it must be above {:.3g} everywhere; look at the order of its "
                        "nodes and at nodes that lie too close",
                        element.number, name(element.cell), region, det < 0.0 ? "inverted" : "flat",
                        det, kFlatElement * scale));
}

bool indices_are_right(const Mesh& mesh, const Element& element, Findings& found) {
  for (const int node : element.nodes()) {
    if (node >= 0 && node < mesh.node_count()) continue;
    found.add("GR-385",
              fmt::format("element {} has a node that the mesh does not have", element.number));
    return false;
  }
  if (element.region < 0 || static_cast<std::size_t>(element.region) >= mesh.regions.size()) {
    found.add("GR-385", fmt::format("element {} is of no region", element.number));
    return false;
  }
  return true;
}

void check_nodes(const Mesh& mesh, Findings& found) {
  for (int n = 0; n < mesh.node_count(); ++n) {
    const Vec3& x = mesh.nodes[static_cast<std::size_t>(n)];
    if (x.allFinite() && x.cwiseAbs().maxCoeff() <= kLargestCoordinate) continue;
    found.add("GR-385", fmt::format("node {} is at ({:g}, {:g}, {:g}) m; allowed are numbers up to "
                                    "{:g} m",
                                    mesh.number_of(n), x.x(), x.y(), x.z(), kLargestCoordinate));
  }
}

}  // namespace

int Mesh::dimension() const { return elements.empty() ? 0 : fem::dimension(elements[0].cell); }

long Mesh::number_of(int node_index) const {
  return numbers.empty() ? node_index + 1 : numbers[static_cast<std::size_t>(node_index)];
}

NodeGradients positions(const Mesh& mesh, const Element& element) {
  const std::span<const int> nodes = element.nodes();
  NodeGradients X(static_cast<Eigen::Index>(nodes.size()), dimension(element.cell));
  for (std::size_t a = 0; a < nodes.size(); ++a) {
    X.row(static_cast<Eigen::Index>(a)) =
        mesh.nodes[static_cast<std::size_t>(nodes[a])].head(X.cols()).transpose();
  }
  return X;
}

std::vector<Face> boundary_faces(const Mesh& mesh) {
  std::vector<Face> all;
  std::vector<std::array<int, 4>> keys;  // sorted corners
  for (std::size_t e = 0; e < mesh.elements.size(); ++e) {
    const Element& element = mesh.elements[e];
    const auto cell_faces = faces(element.cell);
    for (std::size_t f = 0; f < cell_faces.size(); ++f) {
      Face face{static_cast<int>(e), static_cast<int>(f), {}, 0};
      std::array<int, 4> key{-1, -1, -1, -1};
      for (const int corner : cell_faces[f]) {
        const auto at = static_cast<std::size_t>(face.corners++);
        face.corner[at] = key[at] = element.node[static_cast<std::size_t>(corner)];
      }
      std::ranges::sort(key);
      all.push_back(face);
      keys.push_back(key);
    }
  }
  std::map<std::array<int, 4>, int> uses;
  for (const auto& key : keys) ++uses[key];
  std::vector<Face> boundary;
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (uses.at(keys[k]) == 1) boundary.push_back(all[k]);
  }
  return boundary;
}

void check_mesh(const Mesh& mesh, const std::string& where) {
  Findings found(where);
  if (mesh.elements.empty()) found.add("GR-386", "the mesh has no elements");
  if (mesh.nodes.size() > kMostMeshNodes) {
    found.add("GR-386", fmt::format("the mesh has {} nodes; allowed are {}", mesh.nodes.size(),
                                    kMostMeshNodes));
  }
  found.throw_if_any();
  check_nodes(mesh, found);
  std::vector<bool> used(mesh.nodes.size(), false);
  for (const Element& element : mesh.elements) {
    if (!indices_are_right(mesh, element, found)) continue;
    if (dimension(element.cell) != mesh.dimension()) {
      found.add("GR-387", fmt::format("element {} is a {} in a mesh of {} dimensions",
                                      element.number, name(element.cell), mesh.dimension()));
    }
    for (const int node : element.nodes()) used[static_cast<std::size_t>(node)] = true;
  }
  found.throw_if_any();
  for (const Element& element : mesh.elements) check_shape(mesh, element, found);
  for (int n = 0; n < mesh.node_count(); ++n) {
    if (used[static_cast<std::size_t>(n)]) continue;
    found.add("GR-381", fmt::format("node {} belongs to no element; remove it", mesh.number_of(n)));
  }
  if (mesh.dimension() == 2) {
    for (int n = 0; n < mesh.node_count(); ++n) {
      if (mesh.nodes[static_cast<std::size_t>(n)].z() == 0.0) continue;
      found.add("GR-387",
                fmt::format("node {} of a plane mesh has z = {:g} m; it must be 0",
                            mesh.number_of(n), mesh.nodes[static_cast<std::size_t>(n)].z()));
    }
  }
  found.throw_if_any();
}

const std::vector<int>& group(const Mesh& mesh, const std::string& name, const std::string& where) {
  const auto it = mesh.groups.find(name);
  if (it == mesh.groups.end()) {
    std::vector<std::string> known;
    for (const auto& [key, nodes] : mesh.groups) known.push_back(key);
    throw Error("GR-382", where,
                fmt::format("the mesh has no group '{}'{}", name,
                            known.empty() ? "; it has no groups at all" : suggestion(name, known)));
  }
  if (it->second.empty())
    throw Error("GR-382", where, fmt::format("group '{}' has no nodes", name));
  return it->second;
}

std::vector<int> connected_pieces(const Mesh& mesh) {
  // Union of the nodes of each element, by the least node of a piece.
  std::vector<int> leader(mesh.nodes.size());
  std::iota(leader.begin(), leader.end(), 0);
  const auto find = [&](int node) {
    while (leader[static_cast<std::size_t>(node)] != node) {
      int& up = leader[static_cast<std::size_t>(node)];
      up = leader[static_cast<std::size_t>(up)];
      node = up;
    }
    return node;
  };
  for (const Element& element : mesh.elements) {
    const int first = find(element.node[0]);
    for (const int node : element.nodes()) {
      const int other = find(node), now = find(first);
      leader[static_cast<std::size_t>(std::max(now, other))] = std::min(now, other);
    }
  }
  std::vector<int> piece(mesh.nodes.size()), number(mesh.nodes.size(), -1);
  int next = 0;
  for (int n = 0; n < mesh.node_count(); ++n) {
    int& assigned = number[static_cast<std::size_t>(find(n))];
    if (assigned < 0) assigned = next++;
    piece[static_cast<std::size_t>(n)] = assigned;
  }
  return piece;
}

}  // namespace grapple::fem
