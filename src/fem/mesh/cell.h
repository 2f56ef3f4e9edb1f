// The kinds of finite elements as shapes: nodes, shape functions N_a(xi), faces, quadrature.
//   x(xi) = sum_a N_a(xi) x_a     (isoparametric: displacements by the same functions)
// Reference cells: triangle and tetrahedron with corners 0, e_1, e_2(, e_3); square and cube
// [-1, 1]^n. Nodes are in the order of Gmsh. TET10: corners 0 to 3, then the middles of the edges
// 01, 12, 02, 03, 23, 13.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "grapple/spatial/types.h"

namespace grapple::fem {

enum class Cell { kTri3, kQuad4, kTet4, kTet10, kHex8 };
inline constexpr std::array kAllCells = {Cell::kTri3, Cell::kQuad4, Cell::kTet4, Cell::kTet10,
                                         Cell::kHex8};
inline constexpr int kMostNodes = 10;  ///< of a cell

std::string_view name(Cell cell);  ///< "hex8"
int dimension(Cell cell);          ///< 2 or 3
int node_count(Cell cell);

using NodeValues = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMostNodes, 1>;
/// A row per node: d/dxi, d/deta(, d/dzeta), or the same by x, y(, z).
using NodeGradients = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMostNodes, 3>;
using Jacobian = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 3, 3>;

NodeValues shape_functions(Cell cell, const spatial::Vec3& xi);
NodeGradients shape_gradients(Cell cell, const spatial::Vec3& xi);
/// Places of the nodes in the reference cell.
std::span<const spatial::Vec3> reference_nodes(Cell cell);
/// The middle of the reference cell.
spatial::Vec3 reference_centre(Cell cell);

struct IntegrationPoint {
  spatial::Vec3 xi;
  double weight = 0.0;  ///< their sum is the volume of the reference cell
};
/// Enough for the patch test on any shape of the cell (with straight edges: TET10), and no
/// zero-energy modes besides the rigid ones: QUAD4 2 x 2, HEX8 2 x 2 x 2, TRI3 and TET4 one, TET10
/// four points.
const std::vector<IntegrationPoint>& stiffness_rule(Cell cell);
/// Exact for N_a N_b dV on any shape of the cell, also curved ones, and times r for bodies of
/// revolution.
const std::vector<IntegrationPoint>& mass_rule(Cell cell);
/// For stiffness where the rule above does not do: curved TET10 and TRI3 of a body of revolution.
const std::vector<IntegrationPoint>& fine_stiffness_rule(Cell cell);

/// Corners of the faces (edges in the plane), counted so that a face's normal points out of the
/// cell (in the plane: the interior is on the left of an edge).
std::span<const std::vector<int>> faces(Cell cell);
/// The two corners of each edge of a tetrahedron, in the order of TET10's middles.
std::span<const std::array<int, 2>> tetrahedron_edges();

}  // namespace grapple::fem
