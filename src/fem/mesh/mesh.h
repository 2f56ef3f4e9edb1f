// A mesh of finite elements: nodes, elements by region, and named groups of nodes. Plane meshes lie
// in the plane x, y (of revolution: x is the radius, y the axis) and have z = 0. Data only: what a
// region is made of and how elements act is in element/.
#pragma once

#include <array>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "grapple/fem/mesh/cell.h"

namespace grapple::fem {

struct Element {
  Cell cell = Cell::kHex8;
  std::array<int, kMostNodes> node{};  ///< indices into Mesh::nodes
  int region = 0;                      ///< index into Mesh::regions
  long number = 0;                     ///< as its file or mesher counts, for messages

  std::span<const int> nodes() const {
    return {node.data(), static_cast<std::size_t>(node_count(cell))};
  }
};

struct Mesh {
  std::vector<spatial::Vec3> nodes;  ///< m
  std::vector<long> numbers;         ///< of the nodes in their file; empty: index + 1
  std::vector<Element> elements;
  std::vector<std::string> regions = {"all"};
  std::map<std::string, std::vector<int>> groups;  ///< node indices, ascending, each once

  int node_count() const { return static_cast<int>(nodes.size()); }
  /// 2 or 3; 0 without elements.
  int dimension() const;
  long number_of(int node) const;
};

/// A row per node of the element: x, y(, z).
NodeGradients positions(const Mesh& mesh, const Element& element);

/// A face on the boundary: corners so that its normal points outwards.
struct Face {
  int element = 0, face = 0;
  std::array<int, 4> corner{};
  int corners = 0;

  std::span<const int> nodes() const { return {corner.data(), static_cast<std::size_t>(corners)}; }
};
/// The faces that belong to one element only, in the order of the elements.
std::vector<Face> boundary_faces(const Mesh& mesh);

/// Largest meshes that are accepted: beyond, the factorisations take minutes and gigabytes.
inline constexpr std::size_t kMostMeshNodes = 200'000;
inline constexpr double kLargestCoordinate = 1e6;  ///< m
/// Smallest determinant of an element's map as a part of that of a cube of its longest edge.
inline constexpr double kFlatElement = 1e-10;

/// Throws Error with every finding (at most ten of each id): GR-380 (inverted or flat element),
/// GR-381 (node without element), GR-386 (no elements, too many nodes), GR-387 (elements of another
/// dimension than the first, a plane mesh outside z = 0), GR-385 (coordinates not finite or beyond
/// kLargestCoordinate, indices out of range). `where` names the mesh.
void check_mesh(const Mesh& mesh, const std::string& where);

/// The nodes of a group; GR-382 with the nearest name if there is none, or it is empty.
const std::vector<int>& group(const Mesh& mesh, const std::string& name, const std::string& where);

/// Pieces that hang together by common nodes: for each node the number of its piece, from 0.
std::vector<int> connected_pieces(const Mesh& mesh);

}  // namespace grapple::fem
