// Witness points, normals and gaps of the pairs: values by hand, and the identity every contact
// force rests on.
#include "grapple/geometry/touch/touch_sites.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "geometry/continuity.h"
#include "geometry/placed.h"
#include "grapple/spatial/rotation.h"

namespace grapple::geometry {
namespace {

using spatial::Dual;
using spatial::Mat3;
using spatial::Vec3;

// Pairs with placements that keep their origins within reach of each other.
struct Pair {
  const char* name;
  Shape a, b;
};
const Pair kPairs[] = {
    {"sphere on half-space", Sphere{0.3}, HalfSpace{}},
    {"box on half-space", Box{{0.3, 0.2, 0.1}, 0.02}, HalfSpace{}},
    {"capsule on half-space", Capsule{0.1, 0.4}, HalfSpace{}},
    {"sphere on sphere", Sphere{0.3}, Sphere{0.5}},
    {"sphere on capsule", Sphere{0.3}, Capsule{0.1, 0.4}},
    {"sphere on box", Sphere{0.3}, Box{{0.3, 0.5, 0.2}, 0.05}},
    {"sphere on bar", Sphere{0.3}, Bar{0.2}},
    {"sphere in bore", Sphere{0.3}, Bore{2.0}},
    {"sphere on edge", Sphere{0.3}, Edge{0.7}},
    {"sphere on spike", Sphere{0.3}, Spike{0.6}},
    {"sphere in funnel", Sphere{0.3}, Funnel{0.6}},
    {"sphere on torus", Sphere{0.3}, Torus{0.6, 0.1}},
    {"sphere on cylinder", Sphere{0.3}, Cylinder{0.4, 0.5}},
    {"sphere on cone", Sphere{0.3}, Cone{0.4, 0.7}},
    {"cylinder on half-space", Cylinder{0.2, 0.3}, HalfSpace{}},
    {"cone on half-space", Cone{0.2, 0.3}, HalfSpace{}},
    {"torus on half-space", Torus{0.3, 0.1}, HalfSpace{}},
    {"ellipsoid on half-space", Ellipsoid{{0.3, 0.2, 0.1}}, HalfSpace{}},
};

TEST(TouchSites, TheGapClosesAtTheRelativeVelocityOfTheMaterialAlongTheNormal) {
  std::mt19937 engine(1);  // seed
  for (const Pair& pair : kPairs) {
    const TouchSites sites = touch_sites(pair.a, pair.b);
    ASSERT_FALSE(sites.queries.empty()) << pair.name;
    ASSERT_EQ(sites.order, PairOrder::kAsGiven) << pair.name;
    for (int trial = 0; trial < 100; ++trial) {
      const Body a = random_body(engine, 1.0), b = random_body(engine, 1.0);
      const Moving a_moving(a), b_moving(b);
      for (const auto& query : sites.queries) {
        const Witness<double> w = (*query)(Placement<double>{a.R, a.p}, {b.R, b.p});
        const Witness<Dual> moving = (*query)(a_moving.placement(), b_moving.placement());
        const double rate = w.normal_W.dot(a.velocity(w.point_W) - b.velocity(w.point_W));
        EXPECT_NEAR(moving.gap.d[0], rate, 1e-13) << pair.name;  // rounding
        EXPECT_NEAR(w.normal_W.norm(), 1.0, 1e-14) << pair.name;
        EXPECT_NEAR(moving.gap.value, w.gap, 1e-14) << pair.name;
      }
    }
  }
}

TEST(TouchSites, SwappedShapesAreTheSamePair) {
  for (const Pair& pair : kPairs) {
    const TouchSites swapped = touch_sites(pair.b, pair.a);
    EXPECT_EQ(swapped.queries.size(), touch_sites(pair.a, pair.b).queries.size()) << pair.name;
    if (pair.a.index() != pair.b.index()) {
      EXPECT_EQ(swapped.order, PairOrder::kSwapped) << pair.name;
    }
  }
}

Witness<double> touch(const Shape& a, const Vec3& p_a, const Shape& b) {
  static const Mat3 upright = Mat3::Identity();
  static const Vec3 origin = Vec3::Zero();
  return (*touch_sites(a, b).queries.front())(Placement<double>{upright, p_a}, {upright, origin});
}

TEST(TouchSites, BallOnPlaneTouchesUnderItsCentre) {
  const Witness<double> w = touch(Sphere{0.1}, {1.0, 2.0, 0.09}, HalfSpace{});
  EXPECT_NEAR(w.gap, -0.01, 1e-16);
  EXPECT_TRUE(w.normal_W.isApprox(Vec3::UnitZ()));
  EXPECT_TRUE(w.point_W.isApprox(Vec3(1.0, 2.0, -0.01)));
}

TEST(TouchSites, BallInBoreIsPushedTowardsTheAxisAndOnABarAwayFromIt) {
  const Witness<double> in = touch(Sphere{0.1}, {0.95, 0.0, 7.0}, Bore{1.0});
  EXPECT_NEAR(in.gap, -0.05, 1e-15);
  EXPECT_TRUE(in.normal_W.isApprox(-Vec3::UnitX()));
  const Witness<double> on = touch(Sphere{0.1}, {0.0, 1.05, 7.0}, Bar{1.0});
  EXPECT_NEAR(on.gap, -0.05, 1e-15);
  EXPECT_TRUE(on.normal_W.isApprox(Vec3::UnitY()));
}

TEST(TouchSites, BallsAndCapsulesMeetInTheMiddleOfTheOverlap) {
  const Witness<double> balls = touch(Sphere{0.3}, {0.0, 0.0, 0.7}, Sphere{0.5});
  EXPECT_NEAR(balls.gap, -0.1, 1e-15);
  EXPECT_TRUE(balls.point_W.isApprox(Vec3(0.0, 0.0, 0.45)));
  const Witness<double> side = touch(Sphere{0.3}, {0.35, 0.0, 0.2}, Capsule{0.1, 0.4});
  EXPECT_NEAR(side.gap, -0.05, 1e-15);
  EXPECT_TRUE(side.point_W.isApprox(Vec3(0.075, 0.0, 0.2)));
}

TEST(TouchSites, ABallOnABoxMeetsFaceEdgeOrCorner) {
  const Box box{{0.5, 0.4, 0.3}, 0.0};
  const Witness<double> face = touch(Sphere{0.1}, {0.2, 0.1, 0.38}, box);
  EXPECT_NEAR(face.gap, -0.02, 1e-15);
  EXPECT_TRUE(face.normal_W.isApprox(Vec3::UnitZ()));
  const Witness<double> edge = touch(Sphere{0.1}, {0.53, 0.0, 0.34}, box);
  EXPECT_NEAR(edge.gap, 0.05 - 0.1, 1e-15);
  EXPECT_TRUE(edge.normal_W.isApprox(Vec3(0.6, 0.0, 0.8), 1e-12));
  const Witness<double> corner = touch(Sphere{0.1}, {-0.52, -0.44, -0.34}, box);
  EXPECT_NEAR(corner.gap, 0.06 - 0.1, 1e-15);
  const Witness<double> sunken = touch(Sphere{0.1}, {0.0, 0.39, 0.0}, box);
  EXPECT_NEAR(sunken.gap, -0.11, 1e-15);
  EXPECT_TRUE(sunken.normal_W.isApprox(Vec3::UnitY()));
}

TEST(TouchSites, ABoxHasEightCornersAndItsRoundingKeepsItsFaces) {
  const TouchSites sites = touch_sites(Box{{0.3, 0.2, 0.1}, 0.02}, HalfSpace{});
  ASSERT_EQ(sites.queries.size(), 8u);
  const Mat3 upright = Mat3::Identity();
  const Vec3 origin = Vec3::Zero(), raised(0.0, 0.0, 0.1);
  int lowest = 0;
  for (const auto& query : sites.queries) {
    const double gap = (*query)(Placement<double>{upright, raised}, {upright, origin}).gap;
    lowest += std::abs(gap) < 1e-15;
  }
  EXPECT_EQ(lowest, 4);  // it stands on its lower face
}

// Gonthier A.2.2: from one face over the edge to the other without a jump of gap or normal.
TEST(TouchSites, ABallOverAnEdgeTurnsItsNormalSmoothly) {
  const double R = 0.1, h = M_PI / 4;
  const Witness<double> top =
      touch(Sphere{R}, {0, std::sqrt(0.5) * (0.3 + 0.09), std::sqrt(0.5) * (0.09 - 0.3)}, Edge{h});
  EXPECT_NEAR(top.gap, -0.01, 1e-15);  // 0.3 down one face
  EXPECT_TRUE(top.normal_W.isApprox(Vec3(0, std::sqrt(0.5), std::sqrt(0.5)), 1e-12));
  EXPECT_NEAR(touch(Sphere{R}, {0.7, 0, 0.08}, Edge{h}).gap, -0.02, 1e-15);
  Vec3 last = Vec3::Zero();
  for (int k = 0; k <= 1000; ++k) {
    const double y = -0.2 + 0.4 * k / 1000;
    const Witness<double> w = touch(Sphere{R}, {0, y, 0.08 - std::abs(y)}, Edge{h});
    if (k > 0) {
      EXPECT_LT((w.normal_W - last).norm(), 0.01);
    }
    last = w.normal_W;
  }
}

// Gonthier A.2.2 to A.2.4: a ball led along the surfaces, 10 mm deep, past tips, edges and rims.
// Neither gap nor normal jumps: their change goes to zero with the step.
TEST(TouchSites, GapAndNormalAreContinuousAlongSweeps) {
  std::mt19937 engine(21);  // seed
  std::uniform_real_distribution<double> one(-1.0, 1.0);
  const auto far_out = [&] {
    return Vec3(1.2 * Vec3(one(engine), one(engine), one(engine)).normalized());
  };
  const Shape surfaces[] = {Edge{0.6}, Spike{0.5},         Cone{0.3, 0.4},
                            Bar{0.25}, Cylinder{0.3, 0.4}, Torus{0.4, 0.15}};
  for (const Shape& surface : surfaces) {
    for (int path = 0; path < 10; ++path) {
      const Vec3 from = far_out(), to = far_out();
      const auto led = [&](double s) {
        Vec3 p = from + s * (to - from);
        for (int k = 0; k < 3; ++k) {  // to where it is 10 mm deep
          const Witness<double> w = touch(Sphere{0.1}, p, surface);
          p -= (w.gap + 0.01) * w.normal_W;
        }
        return touch(Sphere{0.1}, p, surface);
      };
      // Paths through the inside, where the nearest side changes, are no sweeps.
      bool outside = true;
      for (int k = 0; k <= 200; ++k) {
        outside &= touch(Sphere{0.1}, from + k / 200.0 * (to - from), surface).gap > 0.0;
      }
      if (!outside) continue;
      const std::string name(shape_name(surface));
      EXPECT_LT(largest_jump([&](double s) { return led(s).normal_W; }, 400), 1e-6) << name;
      EXPECT_LT(largest_jump([&](double s) { return Vec3(1.0 + led(s).gap, 0, 0); }, 400), 1e-9)
          << name;
    }
  }
}

TEST(TouchSites, ABallOnATipAndInAFunnelByHand) {
  const double half = M_PI / 6, c = std::cos(half), s = std::sin(half);
  EXPECT_NEAR(touch(Sphere{0.1}, {0, 0, 0.09}, Spike{half}).gap, -0.01, 1e-15);
  EXPECT_TRUE(touch(Sphere{0.1}, {0, 0, 0.09}, Spike{half}).normal_W.isApprox(Vec3::UnitZ()));
  // Beside the cone, 0.5 down its side.
  const Vec3 beside = Vec3(0.5 * s + 0.09 * c, 0, -0.5 * c + 0.09 * s);
  EXPECT_NEAR(touch(Sphere{0.1}, beside, Spike{half}).gap, -0.01, 1e-15);
  EXPECT_TRUE(touch(Sphere{0.1}, beside, Spike{half}).normal_W.isApprox(Vec3(c, 0, s), 1e-12));
  const Witness<double> in = touch(Sphere{0.1}, {0.05, 0, 0.3}, Funnel{half});
  EXPECT_NEAR(in.gap, 0.3 * s - 0.05 * c - 0.1, 1e-15);
  EXPECT_TRUE(in.normal_W.isApprox(Vec3(-c, 0, s), 1e-12));
}

TEST(TouchSites, ABallOnASolidOfRevolutionMeetsSideEndRimOrApex) {
  const Cylinder can{0.4, 0.5};
  EXPECT_NEAR(touch(Sphere{0.1}, {0.48, 0, 0.2}, can).gap, -0.02, 1e-15);
  EXPECT_NEAR(touch(Sphere{0.1}, {0.1, 0.1, -0.58}, can).gap, -0.02, 1e-15);
  EXPECT_NEAR(touch(Sphere{0.1}, {0.43, 0, 0.54}, can).gap, -0.05, 1e-15);
  const Cone cone{0.3, 0.4};
  EXPECT_NEAR(touch(Sphere{0.1}, {0, 0, 0.48}, cone).gap, -0.02, 1e-15);
  EXPECT_NEAR(touch(Sphere{0.1}, {0.1, 0, -0.08}, cone).gap, -0.02, 1e-15);
  EXPECT_NEAR(touch(Sphere{0.1}, {0.38, 0, 0}, cone).gap, -0.02, 1e-15);
  const Vec3 side = Vec3(0.15, 0, 0.2) + 0.08 * Vec3(0.8, 0, 0.6);
  EXPECT_NEAR(touch(Sphere{0.1}, side, cone).gap, -0.02, 1e-15);
  EXPECT_NEAR(touch(Sphere{0.1}, {0.6, 0, 0.18}, Torus{0.6, 0.1}).gap, -0.02, 1e-15);
}

TEST(TouchSites, CurvaturesOfTheGap) {
  const auto curvature = [](const Shape& a, const Shape& b) {
    return touch_sites(a, b).queries.front()->curvature();
  };
  EXPECT_DOUBLE_EQ(curvature(Sphere{0.5}, HalfSpace{}).larger, 2.0);
  EXPECT_DOUBLE_EQ(curvature(Sphere{0.5}, Sphere{0.25}).smaller, 6.0);
  EXPECT_DOUBLE_EQ(curvature(Sphere{0.5}, Bore{1.0}).smaller, 1.0);
  EXPECT_DOUBLE_EQ(curvature(Sphere{0.5}, Bore{1.0}).larger, 2.0);
  EXPECT_DOUBLE_EQ(curvature(Sphere{0.5}, Bar{1.0}).larger, 3.0);
  EXPECT_TRUE(std::isinf(curvature(Box{{1.0, 1.0, 1.0}, 0.0}, HalfSpace{}).larger));
}

TEST(TouchSites, UnknownPairsHaveNoSites) {
  EXPECT_TRUE(touch_sites(HalfSpace{}, HalfSpace{}).queries.empty());
  EXPECT_TRUE(touch_sites(Box{{1, 1, 1}, 0.1}, Edge{0.5}).queries.empty());
  EXPECT_TRUE(touch_sites(Capsule{0.1, 1.0}, Bore{1.0}).queries.empty());
}

}  // namespace
}  // namespace grapple::geometry
