// The bound on the rate of a gap holds for every pair of shapes, and is not idle.
#include "grapple/contact/internal/closing_speed.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cstdio>
#include <random>

#include "grapple/geometry/touch/touch_sites.h"

namespace grapple::system {
namespace {

using geometry::Shape;
using spatial::Mat3;
using spatial::Vec3;

std::vector<Shape> shapes() {
  using namespace geometry;
  Polyhedron wedge = box_polyhedron({0.3, 0.2, 0.1});
  for (Vec3& corner : wedge.corners) corner += Vec3(0.1, 0.05, -0.02);
  return {Sphere{0.1},
          HalfSpace{},
          Box{{0.1, 0.2, 0.05}, 0.0},
          Capsule{0.05, 0.2},
          Cylinder{0.1, 0.15},
          Cone{0.1, 0.2},
          Ellipsoid{{0.1, 0.2, 0.05}},
          Torus{0.2, 0.03},
          Bar{0.05},
          Bore{3.0},
          Convex{std::make_shared<const Polyhedron>(wedge)}};
}

Mat3 turned(const Vec3& phi) {
  return Eigen::AngleAxisd(phi.norm(), phi.normalized()).toRotationMatrix();
}

TEST(ClosingSpeed, BoundsTheRateOfEveryGap) {
  std::mt19937 generator(3);
  const auto uniform = [&](double size) {
    return std::uniform_real_distribution<double>(-size, size)(generator);
  };
  const auto vector = [&](double size) {
    return Vec3(uniform(size), uniform(size), uniform(size));
  };
  int pairs = 0, tight = 0;
  for (const Shape& a : shapes()) {
    for (const Shape& b : shapes()) {
      const geometry::TouchSites sites = geometry::touch_sites(a, b);
      if (sites.queries.empty() || sites.order == geometry::PairOrder::kSwapped) continue;
      ++pairs;
      double tightest = 0.0;
      for (int trial = 0; trial < 200; ++trial) {
        dynamics::FrameMotion<double> at, bt;
        const auto place = [&](dynamics::FrameMotion<double>& f) {
          f.R_WF = turned(vector(3.0));
          f.p_WF = vector(1.0);
          f.v = vector(1.0);
          f.omega = vector(3.0);
        };
        place(at);
        place(bt);
        const double bound =
            contact::closing_speed(geometry::extent_of(a), at, geometry::extent_of(b), bt);
        const auto moved = [](const dynamics::FrameMotion<double>& f, double t) {
          dynamics::FrameMotion<double> m = f;
          m.R_WF = turned(Vec3(t * f.omega)) * f.R_WF;
          m.p_WF = f.p_WF + t * f.v;
          return m;
        };
        constexpr double h = 1e-6;
        for (const auto& query : sites.queries) {
          const auto gap = [&](double t) {
            const dynamics::FrameMotion<double> am = moved(at, t), bm = moved(bt, t);
            return (*query)(contact::place_of(am), contact::place_of(bm)).gap;
          };
          if (!(gap(0.0) > 1e-3)) continue;
          const double rate = std::abs(gap(h) - gap(-h)) / (2.0 * h);
          // Differences are good to 1e-15 m / 1e-6 s and h^2.
          EXPECT_LE(rate, bound * (1.0 + 1e-6) + 1e-8)
              << geometry::shape_name(a) << " on " << geometry::shape_name(b);
          if (bound > 0.0) tightest = std::max(tightest, rate / bound);
        }
      }
      tight += tightest > 0.3 ? 1 : 0;
    }
  }
  std::printf("closing speed: %d pairs, bound within a factor of three for %d\n", pairs, tight);
  EXPECT_GE(pairs, 40);
  EXPECT_GE(tight, pairs / 2);
}

// A ball that spins, a wheel that turns about its axis: nothing closes.
TEST(ClosingSpeed, SpinAboutAnAxisOfSymmetryDoesNotCount) {
  dynamics::FrameMotion<double> a{}, b{};
  a.R_WF = b.R_WF = Mat3::Identity();
  a.p_WF = Vec3(1, 0, 0);
  b.p_WF = a.v = b.v = b.omega = Vec3::Zero();
  a.omega = Vec3(10, 20, 30);
  const geometry::Extent plate = geometry::extent_of(geometry::HalfSpace{});
  EXPECT_EQ(contact::closing_speed(geometry::extent_of(geometry::Sphere{1.0}), a, plate, b), 0.0);
  a.omega = Vec3(0, 0, 30);
  EXPECT_EQ(contact::closing_speed(geometry::extent_of(geometry::Cylinder{1.0, 2.0}), a, plate, b),
            0.0);
}

TEST(Extent, AMeshIsAsThickAsItsWalls) {
  geometry::TriangleMesh mesh;
  const geometry::Polyhedron plate = geometry::box_polyhedron({1.0, 1.0, 0.0005});
  mesh.corners = plate.corners;
  for (const std::vector<int>& face : plate.faces) {
    for (std::size_t k = 2; k < face.size(); ++k) {
      mesh.triangles.push_back({face[0], face[k - 1], face[k]});
    }
  }
  const geometry::Extent extent =
      geometry::extent_of(geometry::Mesh{std::make_shared<const geometry::TriangleMesh>(mesh)});
  // Volume over area of a plate: half its thickness, but for the edges, 1e-3 of the area.
  EXPECT_NEAR(extent.depth, 0.0005, 1e-6);
  EXPECT_NEAR(extent.radius, std::sqrt(2.0), 1e-6);
}

}  // namespace
}  // namespace grapple::system
