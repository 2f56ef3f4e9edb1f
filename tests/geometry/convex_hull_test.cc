// Convex polyhedra from corners, half-spaces and profiles, and what cannot be one.
#include "grapple/geometry/solid/convex_hull.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "grapple/base/error.h"

namespace grapple::geometry {
namespace {

using spatial::Vec3;

std::string id_of(const std::function<void()>& make) {
  try {
    make();
  } catch (const Error& fault) {
    return fault.id();
  }
  return "";
}

std::vector<Vec3> dodecahedron() {
  const double phi = 0.5 * (1.0 + std::sqrt(5.0));
  std::vector<Vec3> corners;
  for (const double x : {-1.0, 1.0}) {
    for (const double y : {-1.0, 1.0}) {
      for (const double z : {-1.0, 1.0}) corners.emplace_back(x, y, z);
      corners.emplace_back(0.0, x / phi, y * phi);
      corners.emplace_back(x / phi, y * phi, 0.0);
      corners.emplace_back(x * phi, 0.0, y / phi);
    }
  }
  return corners;
}

TEST(ConvexHull, OfTwentyCornersIsTheDodecahedron) {
  const Polyhedron solid = hull_of(dodecahedron(), "");
  EXPECT_EQ(solid.faces.size(), 12u);
  for (const auto& face : solid.faces) EXPECT_EQ(face.size(), 5u);
  // Edge a = 2/phi: V = (15 + 7 sqrt 5)/4 a^3.
  const double a = 4.0 / (1.0 + std::sqrt(5.0));
  EXPECT_NEAR(volume_of(solid), 0.25 * (15.0 + 7.0 * std::sqrt(5.0)) * a * a * a, 1e-13);
  EXPECT_LT(centroid_of(solid).norm(), 1e-15);
}

TEST(ConvexHull, HalfSpacesAndCornersGiveTheSameBox) {
  std::vector<Plane> planes;
  const Vec3 half(0.3, 0.2, 0.1);
  for (int k = 0; k < 3; ++k) {
    planes.push_back({Vec3::Unit(k), half[k]});
    planes.push_back({-Vec3::Unit(k), half[k]});
  }
  planes.push_back({Vec3(1, 1, 0).normalized(), 5.0});  // far away: no face of it
  const Polyhedron solid = intersection_of(planes, "");
  EXPECT_EQ(solid.corners.size(), 8u);
  EXPECT_EQ(solid.faces.size(), 6u);
  EXPECT_NEAR(volume_of(solid), 8.0 * half.prod(), 1e-16);
  EXPECT_NEAR(half_width(solid), 0.1, 1e-15);
  EXPECT_NEAR(volume_of(hull_of(solid.corners, "")), 8.0 * half.prod(), 1e-16);
}

TEST(ConvexHull, AnExtrusionMayGoRoundEitherWay) {
  const std::vector<Eigen::Vector2d> left = {{0, 0}, {2, 0}, {2, 1}, {0, 2}};
  const std::vector<Eigen::Vector2d> right(left.rbegin(), left.rend());
  EXPECT_NEAR(volume_of(extrusion_of(left, 0.5, "")), 3.0, 1e-14);
  EXPECT_NEAR(volume_of(extrusion_of(right, 0.5, "")), 3.0, 1e-14);
}

TEST(ConvexHull, WhatIsNoConvexSolidIsRefusedById) {
  std::vector<Vec3> corners = dodecahedron();
  corners.emplace_back(0.1, 0.2, 0.3);
  EXPECT_EQ(id_of([&] { hull_of(corners, ""); }), "GR-411");
  EXPECT_EQ(id_of([] { hull_of({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}}, ""); }), "GR-410");
  EXPECT_EQ(id_of([] { extrusion_of({{0, 0}, {2, 0}, {0.5, 0.5}, {0, 2}}, 1.0, ""); }), "GR-411");
  const Plane floor{Vec3::UnitZ(), 0.0};
  const std::vector<Plane> open = {
      {Vec3::UnitX(), 1}, {-Vec3::UnitX(), 1}, {Vec3::UnitY(), 1}, {-Vec3::UnitY(), 1}, floor};
  EXPECT_EQ(id_of([&] { intersection_of(open, ""); }), "GR-412");
  std::vector<Plane> empty = open;
  empty.push_back({-Vec3::UnitZ(), -1.0});  // above 1 and below 0
  EXPECT_EQ(id_of([&] { intersection_of(empty, ""); }), "GR-410");
}

TEST(ConvexHull, AnOpenPyramidIsSaidToGoOnWithoutEnd) {
  const std::vector<Plane> planes = {{Vec3(1, 0, 1).normalized(), 1.0},
                                     {Vec3(-1, 0, 1).normalized(), 1.0},
                                     {Vec3(0, 1, 1).normalized(), 1.0},
                                     {Vec3(0, -1, 1).normalized(), 1.0},
                                     {Vec3::UnitZ(), 1.0}};
  EXPECT_EQ(id_of([&] { intersection_of(planes, ""); }), "GR-412");
}

}  // namespace
}  // namespace grapple::geometry
