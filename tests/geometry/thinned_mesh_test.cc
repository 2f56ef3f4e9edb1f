#include "grapple/geometry/solid/thinned_mesh.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace grapple::geometry {
namespace {

// A ball of radius 1 by `rings` rings of twice as many points, poles as corners of their own.
TriangleMesh ball(int rings) {
  using std::numbers::pi;
  TriangleMesh mesh;
  const int around = 2 * rings;
  for (int i = 1; i < rings; ++i) {
    for (int k = 0; k < around; ++k) {
      const double theta = pi * i / rings, phi = 2.0 * pi * k / around;
      mesh.corners.emplace_back(std::sin(theta) * std::cos(phi), std::sin(theta) * std::sin(phi),
                                std::cos(theta));
    }
  }
  const auto at = [&](int ring, int k) { return (ring - 1) * around + k % around; };
  for (int i = 1; i + 1 < rings; ++i) {
    for (int k = 0; k < around; ++k) {
      mesh.triangles.push_back({at(i, k), at(i + 1, k), at(i + 1, k + 1)});
      mesh.triangles.push_back({at(i, k), at(i + 1, k + 1), at(i, k + 1)});
    }
  }
  const int top = static_cast<int>(mesh.corners.size()), bottom = top + 1;
  mesh.corners.emplace_back(0, 0, 1);
  mesh.corners.emplace_back(0, 0, -1);
  for (int k = 0; k < around; ++k) {
    mesh.triangles.push_back({top, at(1, k), at(1, k + 1)});
    mesh.triangles.push_back({bottom, at(rings - 1, k + 1), at(rings - 1, k)});
  }
  return mesh;
}

TEST(ThinnedMesh, SmallMeshesStayAsTheyAre) {
  const TriangleMesh mesh = ball(10);
  const TriangleMesh same = thinned(mesh, mesh.triangles.size());
  EXPECT_EQ(same.corners, mesh.corners);
  EXPECT_EQ(same.triangles, mesh.triangles);
}

TEST(ThinnedMesh, KeepsTheFormWithinACell) {
  const TriangleMesh mesh = ball(200);
  ASSERT_GT(mesh.triangles.size(), 150000u);
  const TriangleMesh drawn = thinned(mesh, 2000);
  EXPECT_LE(drawn.triangles.size(), 2000u);
  EXPECT_GT(drawn.triangles.size(), 500u);  // not thinner than asked by far
  for (const auto& triangle : drawn.triangles) {
    for (const int corner : triangle) ASSERT_LT(corner, static_cast<int>(drawn.corners.size()));
  }
  // A mean of points of the surface within a cell of edge h lies within h^2 / 2 * 3 / 4 of it;
  // 2000 triangles leave some 20 cells across, h = 0.1, twice that where it had to coarsen.
  for (const spatial::Vec3& corner : drawn.corners) EXPECT_NEAR(corner.norm(), 1.0, 0.03);
  EXPECT_NEAR(volume_of(drawn), 4.0 / 3.0 * std::numbers::pi, 0.1);
}

}  // namespace
}  // namespace grapple::geometry
