#include "grapple/fem/mesh/cell.h"

#include <cmath>

#include "grapple/base/assert.h"
#include "grapple/flexible/quadrature.h"

namespace grapple::fem {

namespace {

using spatial::Vec3;

constexpr std::array<std::array<int, 2>, 6> kEdges = {
    {{0, 1}, {1, 2}, {0, 2}, {0, 3}, {2, 3}, {1, 3}}};

struct Reference {
  std::string_view name;
  int dimension = 0;
  std::vector<Vec3> nodes;
  std::vector<std::vector<int>> faces;
};

std::vector<Vec3> tetrahedron_nodes() {
  std::vector<Vec3> nodes = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (const auto& [a, b] : kEdges) {
    nodes.push_back(0.5 *
                    (nodes[static_cast<std::size_t>(a)] + nodes[static_cast<std::size_t>(b)]));
  }
  return nodes;
}

const Reference& reference(Cell cell) {
  static const std::array<Reference, 5> kTable = [] {
    const std::vector<Vec3> ten = tetrahedron_nodes();
    const std::vector<std::vector<int>> tetrahedron = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};
    return std::array<Reference, 5>{
        Reference{"tri3", 2, {ten.begin(), ten.begin() + 3}, {{0, 1}, {1, 2}, {2, 0}}},
        Reference{"quad4",
                  2,
                  {{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}},
                  {{0, 1}, {1, 2}, {2, 3}, {3, 0}}},
        Reference{"tet4", 3, {ten.begin(), ten.begin() + 4}, tetrahedron},
        Reference{"tet10", 3, ten, tetrahedron},
        Reference{
            "hex8",
            3,
            {{-1, -1, -1},
             {1, -1, -1},
             {1, 1, -1},
             {-1, 1, -1},
             {-1, -1, 1},
             {1, -1, 1},
             {1, 1, 1},
             {-1, 1, 1}},
            {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}}}};
  }();
  return kTable[static_cast<std::size_t>(cell)];
}

// 1/2 (1 + xi_a xi) per direction.
Vec3 factors(const Vec3& node, const Vec3& xi) {
  return 0.5 * (Vec3::Ones() + node.cwiseProduct(xi));
}

// Barycentric coordinates of triangles (the last is 0) and tetrahedra.
Eigen::Vector4d barycentric(const Vec3& xi) { return {1.0 - xi.sum(), xi.x(), xi.y(), xi.z()}; }

Eigen::Matrix<double, 4, 3> barycentric_gradients() {
  Eigen::Matrix<double, 4, 3> g;
  g << -1, -1, -1, 1, 0, 0, 0, 1, 0, 0, 0, 1;
  return g;
}

std::vector<IntegrationPoint> box_rule(int dimensions, int points) {
  const std::vector<flexible::QuadraturePoint> line = flexible::gauss_legendre(points);
  std::vector<IntegrationPoint> rule;
  for (const auto& a : line) {
    for (const auto& b : line) {
      if (dimensions == 2) {
        rule.push_back({{a.x, b.x, 0.0}, a.weight * b.weight});
        continue;
      }
      for (const auto& c : line) {
        rule.push_back({{a.x, b.x, c.x}, a.weight * b.weight * c.weight});
      }
    }
  }
  return rule;
}

// Gauss points of a cube collapsed into the simplex (Stroud's conical product):
//   xi = u, eta = v (1 - u), zeta = w (1 - u)(1 - v),  exact up to degree 2 points - dimensions.
std::vector<IntegrationPoint> simplex_rule(int dimensions, int points) {
  std::vector<IntegrationPoint> rule = box_rule(dimensions, points);
  for (IntegrationPoint& q : rule) {
    const Vec3 u = 0.5 * (q.xi + Vec3::Ones());
    const double shrink = 1.0 - u.x(), again = shrink * (1.0 - u.y());
    if (dimensions == 2) {
      q = {{u.x(), u.y() * shrink, 0.0}, 0.25 * q.weight * shrink};
    } else {
      q = {{u.x(), u.y() * shrink, u.z() * again}, 0.125 * q.weight * shrink * again};
    }
  }
  return rule;
}

// Degree 2: four points on the lines from the corners to the middle.
std::vector<IntegrationPoint> four_points() {
  const double a = (5.0 - std::sqrt(5.0)) / 20.0, b = 1.0 - 3.0 * a;
  constexpr double kWeight = 1.0 / 24.0;
  return {{{a, a, a}, kWeight}, {{b, a, a}, kWeight}, {{a, b, a}, kWeight}, {{a, a, b}, kWeight}};
}

}  // namespace

std::string_view name(Cell cell) { return reference(cell).name; }
int dimension(Cell cell) { return reference(cell).dimension; }
int node_count(Cell cell) { return static_cast<int>(reference(cell).nodes.size()); }
std::span<const Vec3> reference_nodes(Cell cell) { return reference(cell).nodes; }
std::span<const std::vector<int>> faces(Cell cell) { return reference(cell).faces; }
std::span<const std::array<int, 2>> tetrahedron_edges() { return kEdges; }

Vec3 reference_centre(Cell cell) {
  switch (cell) {
    case Cell::kTri3:
      return {1.0 / 3.0, 1.0 / 3.0, 0.0};
    case Cell::kTet4:
    case Cell::kTet10:
      return Vec3::Constant(0.25);
    case Cell::kQuad4:
    case Cell::kHex8:
      break;
  }
  return Vec3::Zero();
}

NodeValues shape_functions(Cell cell, const Vec3& xi) {
  NodeValues N(node_count(cell));
  const std::span<const Vec3> nodes = reference_nodes(cell);
  if (cell == Cell::kQuad4 || cell == Cell::kHex8) {
    for (int a = 0; a < N.size(); ++a) {
      const Vec3 f = factors(nodes[static_cast<std::size_t>(a)], xi);
      N[a] = f.x() * f.y() * (cell == Cell::kHex8 ? f.z() : 1.0);
    }
    return N;
  }
  const Eigen::Vector4d L = barycentric(xi);
  if (cell != Cell::kTet10) {
    N = L.head(N.size());
    return N;
  }
  for (int a = 0; a < 4; ++a) N[a] = L[a] * (2.0 * L[a] - 1.0);
  for (int e = 0; e < 6; ++e) {
    const auto& [a, b] = kEdges[static_cast<std::size_t>(e)];
    N[4 + e] = 4.0 * L[a] * L[b];
  }
  return N;
}

NodeGradients shape_gradients(Cell cell, const Vec3& xi) {
  const int dim = dimension(cell);
  NodeGradients dN(node_count(cell), dim);
  const std::span<const Vec3> nodes = reference_nodes(cell);
  if (cell == Cell::kQuad4 || cell == Cell::kHex8) {
    for (int a = 0; a < dN.rows(); ++a) {
      const Vec3& node = nodes[static_cast<std::size_t>(a)];
      Vec3 f = factors(node, xi);
      if (dim == 2) f.z() = 1.0;
      dN(a, 0) = 0.5 * node.x() * f.y() * f.z();
      dN(a, 1) = 0.5 * node.y() * f.x() * f.z();
      if (dim == 3) dN(a, 2) = 0.5 * node.z() * f.x() * f.y();
    }
    return dN;
  }
  const Eigen::Matrix<double, 4, 3> g = barycentric_gradients();
  if (cell != Cell::kTet10) {
    dN = g.topLeftCorner(dN.rows(), dim);
    return dN;
  }
  const Eigen::Vector4d L = barycentric(xi);
  for (int a = 0; a < 4; ++a) dN.row(a) = (4.0 * L[a] - 1.0) * g.row(a);
  for (int e = 0; e < 6; ++e) {
    const auto& [a, b] = kEdges[static_cast<std::size_t>(e)];
    dN.row(4 + e) = 4.0 * (L[a] * g.row(b) + L[b] * g.row(a));
  }
  return dN;
}

const std::vector<IntegrationPoint>& stiffness_rule(Cell cell) {
  static const std::array<std::vector<IntegrationPoint>, 5> kRules = {
      std::vector<IntegrationPoint>{{reference_centre(Cell::kTri3), 0.5}}, box_rule(2, 2),
      std::vector<IntegrationPoint>{{reference_centre(Cell::kTet4), 1.0 / 6.0}}, four_points(),
      box_rule(3, 2)};
  return kRules[static_cast<std::size_t>(cell)];
}

const std::vector<IntegrationPoint>& mass_rule(Cell cell) {
  // Degrees to reach: TRI3 3 with r; QUAD4 4 per direction with r; TET4 2; TET10 2 + 2, and 3 more
  // of the determinant of a curved one; HEX8 4 per direction.
  static const std::array<std::vector<IntegrationPoint>, 5> kRules = {
      simplex_rule(2, 3), box_rule(2, 3), simplex_rule(3, 3), simplex_rule(3, 5), box_rule(3, 3)};
  return kRules[static_cast<std::size_t>(cell)];
}

const std::vector<IntegrationPoint>& fine_stiffness_rule(Cell cell) {
  static const std::array<std::vector<IntegrationPoint>, 5> kRules = {
      simplex_rule(2, 2), box_rule(2, 3), simplex_rule(3, 2), simplex_rule(3, 3), box_rule(3, 3)};
  return kRules[static_cast<std::size_t>(cell)];
}

}  // namespace grapple::fem
