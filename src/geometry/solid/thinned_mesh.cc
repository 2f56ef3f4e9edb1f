#include "grapple/geometry/solid/thinned_mesh.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>

#include "grapple/base/assert.h"

namespace grapple::geometry {

namespace {

using spatial::Vec3;

struct Bounds {
  Vec3 low, high;
};

Bounds bounds_of(const TriangleMesh& mesh) {
  Bounds bounds{mesh.corners.front(), mesh.corners.front()};
  for (const Vec3& corner : mesh.corners) {
    bounds.low = bounds.low.cwiseMin(corner);
    bounds.high = bounds.high.cwiseMax(corner);
  }
  return bounds;
}

TriangleMesh clustered(const TriangleMesh& mesh, const Bounds& bounds, int cells) {
  const double edge = (bounds.high - bounds.low).maxCoeff() / cells;
  std::map<std::array<std::int64_t, 3>, int> cluster_of_cell;
  std::vector<int> cluster;
  std::vector<double> count;
  TriangleMesh result;
  for (const Vec3& corner : mesh.corners) {
    std::array<std::int64_t, 3> cell{};
    for (int k = 0; k < 3; ++k) {
      cell[static_cast<std::size_t>(k)] =
          static_cast<std::int64_t>(std::floor((corner[k] - bounds.low[k]) / edge));
    }
    const auto [it, is_new] =
        cluster_of_cell.emplace(cell, static_cast<int>(result.corners.size()));
    if (is_new) {
      result.corners.emplace_back(Vec3::Zero());
      count.push_back(0.0);
    }
    cluster.push_back(it->second);
    result.corners[static_cast<std::size_t>(it->second)] += corner;
    count[static_cast<std::size_t>(it->second)] += 1.0;
  }
  for (std::size_t k = 0; k < count.size(); ++k) result.corners[k] /= count[k];
  for (const auto& triangle : mesh.triangles) {
    const auto at = [&](std::size_t k) { return cluster[static_cast<std::size_t>(triangle[k])]; };
    const int a = at(0), b = at(1), c = at(2);
    if (a != b && b != c && c != a) result.triangles.push_back({a, b, c});
  }
  return result;
}

}  // namespace

TriangleMesh thinned(const TriangleMesh& mesh, std::size_t most) {
  GRAPPLE_ASSERT(most > 0);
  if (mesh.triangles.size() <= most) return mesh;
  const Bounds bounds = bounds_of(mesh);
  // A surface crosses some n^2 cells of a grid of n^3 and leaves a few triangles in each.
  double cells = std::sqrt(static_cast<double>(most));
  TriangleMesh result = clustered(mesh, bounds, std::max(1, static_cast<int>(cells)));
  while (result.triangles.size() > most) {
    cells *= 0.85;
    result = clustered(mesh, bounds, std::max(1, static_cast<int>(cells)));
  }
  return result;
}

}  // namespace grapple::geometry
