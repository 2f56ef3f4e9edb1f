// A ball on a ball and a ball in a bore: closed forms, limits, and sums over cells.
#include "grapple/geometry/overlap/internal/ball_volume.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "grapple/spatial/rotation.h"

namespace grapple::geometry {
namespace {

using spatial::Mat3;
using spatial::Vec3;
using std::numbers::pi;

const Mat3 kUpright = Mat3::Identity();
const Vec3 kOrigin = Vec3::Zero();

Overlap<double> overlap(const VolumeQuery& query, const Vec3& p) {
  return query(Placement<double>{kUpright, p}, {kUpright, kOrigin});
}

TEST(BallOnBall, ShareALens) {
  const double Ra = 0.3, Rb = 0.2;
  const auto query = make_ball_on_ball({Ra}, {Rb});
  for (const double deep : {1e-6, 1e-3, 0.1}) {
    const double D = Ra + Rb - deep;
    const Overlap<double> o = overlap(*query, {0, 0, D});
    const double V =
        pi * deep * deep * (D * D + 2.0 * D * (Ra + Rb) - 3.0 * (Ra - Rb) * (Ra - Rb)) / (12.0 * D);
    EXPECT_NEAR(o.volume, V, 1e-9 * V);  // the depth has ten digits at 1e-6
    EXPECT_NEAR(o.gap, -deep, 1e-15);
    // The rim is round: its centroid lies between the two surfaces.
    EXPECT_GT(o.centroid_W.z(), D - Ra);
    EXPECT_LT(o.centroid_W.z(), Rb);
  }
  // Equal balls: the lens is symmetric, its inertia that of two equal caps.
  const auto equal = make_ball_on_ball({Rb}, {Rb});
  const double d = 0.02;
  const Overlap<double> o = overlap(*equal, {0, 0, 2.0 * Rb - 2.0 * d});
  EXPECT_NEAR(o.centroid_W.z(), Rb - d, 1e-15);
  const double J = pi * d * d * d / 30.0 * (20.0 * Rb * Rb - 15.0 * Rb * d + 3.0 * d * d);
  EXPECT_NEAR(o.inertia_W(2, 2), 2.0 * J, 1e-12 * J);
}

TEST(BallInBore, IsACapWhereTheBoreIsWide) {
  const double R = 0.1, d = 1e-3, wide = 1e4;
  const Overlap<double> o = overlap(*make_ball_in_bore({R}, {wide}), {wide - R + d, 0, 0.4});
  const double V = pi / 3.0 * d * d * (3.0 * R - d);
  EXPECT_NEAR(o.volume, V, 1e-4 * V);  // R over the radius of the bore
  EXPECT_LT((o.normal_W + Vec3::UnitX()).norm(), 1e-15);
  EXPECT_NEAR(o.centroid_W.z(), 0.4, 1e-12);
}

TEST(BallInBore, IsTheSumOfItsCells) {
  const double R = 0.1, bore = 0.15, off = 0.07;
  const Overlap<double> o = overlap(*make_ball_in_bore({R}, {bore}), {off, 0, 0});
  constexpr int kCells = 400;
  double volume = 0.0, x = 0.0, xx = 0.0, yy = 0.0, zz = 0.0;
  const double h = 2.0 * R / kCells;
  // Columns along z are exact.
  for (int i = 0; i < kCells; ++i) {
    for (int j = 0; j < kCells; ++j) {
      const double u = -R + (i + 0.5) * h, v = -R + (j + 0.5) * h;
      const double left = R * R - u * u - v * v;
      if (left <= 0.0 || std::hypot(u + off, v) < bore) continue;
      const double tall = std::sqrt(left), part = 2.0 * tall * h * h;
      volume += part;
      x += part * (u + off);
      xx += part * (u + off) * (u + off);
      yy += part * v * v;
      zz += part * tall * tall / 3.0;
    }
  }
  EXPECT_NEAR(o.volume, volume, 2e-3 * volume);  // columns the rim cuts
  EXPECT_NEAR(o.centroid_W.x(), x / volume, 1e-4);
  xx -= x * x / volume;
  EXPECT_NEAR(o.inertia_W(0, 0), yy + zz, 1e-2 * (yy + zz));
  EXPECT_NEAR(o.inertia_W(1, 1), xx + zz, 1e-2 * (xx + zz));
  EXPECT_NEAR(o.inertia_W(2, 2), xx + yy, 1e-2 * (xx + yy));
}

// The force is a gradient: V = -dP/d(offset), so the volume must grow with the projected patch.
TEST(BallInBore, TheVolumeGrowsSmoothlyFromTheFirstTouch) {
  const auto query = make_ball_in_bore({0.1}, {0.15});
  double last = 0.0;
  for (const double d : {1e-7, 1e-6, 1e-5, 1e-4, 1e-3}) {
    const Overlap<double> o = overlap(*query, {0.05 + d, 0, 0});
    // Gap curvatures 1/R and 1/R - 1/B: V = pi d^2 / sqrt(their product) for small depths.
    const double small = pi * d * d / std::sqrt(10.0 * (10.0 - 1.0 / 0.15));
    EXPECT_NEAR(o.volume, small, 20.0 * d / 0.1 * small + 1e-6 * small) << d;
    EXPECT_GT(o.volume, last);
    last = o.volume;
  }
  EXPECT_EQ(make_ball_in_bore({0.2}, {0.15}), nullptr);
}

}  // namespace
}  // namespace grapple::geometry
