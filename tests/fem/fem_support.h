// Meshes and solutions that the tests of finite elements share.
#pragma once

#include <Eigen/Cholesky>
#include <functional>
#include <numbers>
#include <random>

#include "grapple/fem/element/assembly.h"
#include "grapple/fem/mesh/meshers.h"
#include "grapple/spatial/rotation.h"

namespace grapple::fem::test {

using spatial::MatX;
using spatial::Vec3;
using spatial::VecX;

inline constexpr double kPi = std::numbers::pi;
inline const Medium kSteel{210e9, 0.3, 7850.0};

inline Structure structure_of(Mesh mesh, ElementType type = {}, const Medium& medium = kSteel) {
  Structure structure;
  structure.mesh = std::move(mesh);
  structure.media.assign(structure.mesh.regions.size(), medium);
  structure.type = type;
  return structure;
}

// Moves the nodes inside by up to `share` of `size`; seeded.
inline void distort(Mesh& mesh, double size, double share) {
  std::mt19937 generator(7);
  std::uniform_real_distribution<double> shift(-share * size, share * size);
  std::vector<bool> outside(mesh.nodes.size(), false);
  for (const int node : mesh.groups.at("surface")) outside[static_cast<std::size_t>(node)] = true;
  for (std::size_t n = 0; n < mesh.nodes.size(); ++n) {
    if (outside[n]) continue;
    for (int c = 0; c < mesh.dimension(); ++c) mesh.nodes[n][c] += shift(generator);
  }
}

inline const spatial::Pose kTurn{spatial::rotation_about(Vec3(1.0, 2.0, -0.5).normalized(), 0.8),
                                 Vec3(0.3, -0.2, 0.7)};
inline Mesh turned(const Mesh& mesh) { return placed(mesh, kTurn); }

using Field = std::function<Vec3(const Vec3&)>;

inline VecX nodal(const Mesh& mesh, int width, const Field& field) {
  VecX u(static_cast<Eigen::Index>(mesh.nodes.size()) * width);
  for (std::size_t n = 0; n < mesh.nodes.size(); ++n) {
    u.segment(static_cast<Eigen::Index>(n) * width, width) = field(mesh.nodes[n]).head(width);
  }
  return u;
}

inline std::vector<int> coordinates_of(const std::vector<int>& nodes, int width) {
  std::vector<int> out;
  for (const int node : nodes) {
    for (int c = 0; c < width; ++c) out.push_back(node * width + c);
  }
  return out;
}

inline std::vector<int> others(const std::vector<int>& some, Eigen::Index size) {
  std::vector<bool> taken(static_cast<std::size_t>(size), false);
  for (const int i : some) taken[static_cast<std::size_t>(i)] = true;
  std::vector<int> rest;
  for (int i = 0; i < size; ++i) {
    if (!taken[static_cast<std::size_t>(i)]) rest.push_back(i);
  }
  return rest;
}

// The displacements with those of the surface prescribed and no load inside.
inline VecX solve_inside(const Structure& structure, const VecX& exact,
                         const std::vector<int>& prescribed) {
  const MatX K = MatX(assemble_stiffness(structure));
  const std::vector<int> inside = others(prescribed, K.rows());
  VecX u = exact;
  const VecX load = -(MatX(K(inside, prescribed)) * VecX(exact(prescribed)));
  u(inside) = VecX(MatX(K(inside, inside)).ldlt().solve(load));
  return u;
}

}  // namespace grapple::fem::test
