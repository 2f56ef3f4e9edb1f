// A ball and bodies of revolution: gradients, sums over points, limits and seats.
#include "grapple/geometry/overlap/internal/ball_round_volume.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "geometry/continuity.h"
#include "geometry/placed.h"
#include "grapple/geometry/touch/internal/surface_distance.h"

namespace grapple::geometry {
namespace {

using spatial::Mat3;
using spatial::Vec3;
using std::numbers::pi;

const Mat3 kUpright = Mat3::Identity();
const Vec3 kOrigin = Vec3::Zero();
constexpr double kBall = 0.1;

Overlap<double> overlap(const Shape& round, const Vec3& p) {
  return (*make_ball_round_volume({kBall}, round))(Placement<double>{kUpright, p},
                                                   {kUpright, kOrigin});
}

struct Case {
  const char* name;
  Shape shape;
  Vec3 at;  // some overlap
};
const Case kCases[] = {
    {"bar", Bar{0.2}, {0.27, 0.03, 0.4}},
    {"thin bar", Bar{0.03}, {0.05, 0.03, 0.4}},
    {"cylinder, side", Cylinder{0.2, 0.3}, {0.27, 0.03, 0.05}},
    {"cylinder, rim", Cylinder{0.2, 0.3}, {0.22, 0.05, 0.34}},
    {"cylinder, end", Cylinder{0.2, 0.3}, {0.02, 0.01, 0.36}},
    {"capsule", Capsule{0.15, 0.2}, {0.12, 0.05, 0.3}},
    {"cone, side", Cone{0.2, 0.4}, {0.17, 0.02, 0.2}},
    {"cone, apex", Cone{0.2, 0.4}, {0.01, 0.02, 0.45}},
    {"spike", Spike{0.5}, {0.05, 0.01, 0.04}},
    {"funnel", Funnel{0.5}, {0.04, 0.03, 0.23}},
    {"torus", Torus{0.3, 0.08}, {0.33, 0.02, 0.15}},
    {"torus, in the hole", Torus{0.3, 0.22}, {0.03, 0.01, 0.02}},
};

bool is_inside(const Shape& shape, const Vec3& p) {
  return std::visit(
      [&](const auto& s) {
        using S = std::decay_t<decltype(s)>;
        if constexpr (std::is_same_v<S, Bar>) {
          return std::hypot(p.x(), p.y()) < s.radius;
        } else if constexpr (std::is_same_v<S, Capsule>) {
          const double z = std::clamp(p.z(), -s.half_length, s.half_length);
          return (p - Vec3(0, 0, z)).norm() < s.radius;
        } else if constexpr (std::is_same_v<S, Cylinder> || std::is_same_v<S, Cone> ||
                             std::is_same_v<S, Spike> || std::is_same_v<S, Funnel> ||
                             std::is_same_v<S, Torus>) {
          return surface_distance<double>(s, p).distance < 0.0;
        } else {
          return false;
        }
      },
      shape);
}

TEST(BallRoundVolume, IsTheSumOverPoints) {
  std::mt19937 engine(1);  // seed
  std::uniform_real_distribution<double> one(-1.0, 1.0);
  for (const Case& c : kCases) {
    const Overlap<double> o = overlap(c.shape, c.at);
    constexpr int kPoints = 200000;
    int inside = 0;
    Vec3 sum = Vec3::Zero();
    for (int k = 0; k < kPoints; ++k) {
      const Vec3 u(one(engine), one(engine), one(engine)), p = c.at + kBall * u;
      if (u.norm() > 1.0 || !is_inside(c.shape, p)) continue;
      ++inside;
      sum += p;
    }
    ASSERT_GT(inside, 500) << c.name;
    const double cell = 8.0 * kBall * kBall * kBall / kPoints;
    // Four standard deviations of counting.
    EXPECT_NEAR(o.volume, inside * cell, 4.0 * std::sqrt(inside) * cell) << c.name;
    EXPECT_LT((o.centroid_W - sum / inside).norm(), 4.0 * kBall / std::sqrt(inside)) << c.name;
    EXPECT_LT(o.error, 1e-6 * o.volume) << c.name;
  }
}

TEST(BallRoundVolume, ShrinksAlongItsNormal) {
  for (const Case& c : kCases) {
    const auto query = make_ball_round_volume({kBall}, c.shape);
    const Vec3 slope = volume_slope(*query, {kUpright, c.at});
    Vec3 rough;
    for (int k = 0; k < 3; ++k) {
      const Vec3 step = 1e-6 * Vec3::Unit(k);
      rough[k] =
          (overlap(c.shape, c.at + step).volume - overlap(c.shape, c.at - step).volume) / 2e-6;
    }
    EXPECT_LT((slope - rough).norm(), 1e-5 * rough.norm()) << c.name;
    EXPECT_LT((slope.normalized() + overlap(c.shape, c.at).normal_W).norm(), 1e-5) << c.name;
  }
}

// From apart, aside, to where the case is: through first touch, and over rims and tips.
TEST(BallRoundVolume, TheForceIsContinuousFromTheFirstTouchOn) {
  for (const Case& c : kCases) {
    const Vec3 out = overlap(c.shape, c.at).normal_W, aside = 0.1 * out.unitOrthogonal();
    const auto force = [&](double s) -> Vec3 {
      const Overlap<double> o = overlap(c.shape, c.at + (1.0 - s) * (0.1 * out + aside));
      return o.volume > 0.0 ? Vec3(o.volume * o.normal_W) : kOrigin;
    };
    EXPECT_LT(largest_jump(force, 300), 1e-6) << c.name;
  }
}

TEST(BallRoundVolume, OnAThickBarIsACapAndOnABoreTheSameAsFromInside) {
  const double thick = 1e4, d = 1e-3;
  const Overlap<double> o = overlap(Bar{thick}, {thick + kBall - d, 0, 0});
  const double cap = pi / 3.0 * d * d * (3.0 * kBall - d);
  EXPECT_NEAR(o.volume, cap, 1e-4 * cap);  // radius over radius, and digits of the depth
}

// Seated on the axis of a funnel the ball shares a ring with it: turned about the axis nothing
// changes, and the push is straight up.
TEST(BallRoundVolume, ABallSeatedInAFunnelIsPushedUpByARing) {
  const double half = pi / 6, z0 = (kBall - 2e-3) / std::sin(half);
  const Overlap<double> seated = overlap(Funnel{half}, {0, 0, z0});
  double ring = 0.0;
  constexpr int kSlices = 20000;
  for (int k = 0; k < kSlices; ++k) {
    const double z = z0 - kBall + 2.0 * kBall * (k + 0.5) / kSlices;
    const double r2 = kBall * kBall - (z - z0) * (z - z0), hole = std::max(0.0, z * std::tan(half));
    ring += std::max(0.0, pi * (r2 - hole * hole)) * 2.0 * kBall / kSlices;
  }
  EXPECT_NEAR(seated.volume, ring, 1e-5 * ring);
  EXPECT_LT((seated.normal_W - Vec3::UnitZ()).norm(), 1e-9);
  EXPECT_LT(seated.centroid_W.head<2>().norm(), 1e-12);
  EXPECT_NEAR(seated.gap, -2e-3, 1e-15);
  const Overlap<double> beside = overlap(Funnel{half}, {1e-4, 0, z0});
  EXPECT_LT(beside.normal_W.x(), 0.0);  // pushed back to the axis
  EXPECT_GT(beside.normal_W.x(), -0.2);
}

}  // namespace
}  // namespace grapple::geometry
