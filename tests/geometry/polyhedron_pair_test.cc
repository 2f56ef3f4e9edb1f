// The volume two boxes share: by hand, against cells, and with the roles exchanged.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "geometry/placed.h"
#include "grapple/geometry/overlap/volume_query.h"

namespace grapple::geometry {
namespace {

using spatial::Mat3;
using spatial::Vec3;

Overlap<double> overlap(const Box& a, const At& at_a, const Box& b, const At& at_b) {
  return (*overlap_pair(a, b).query)(Placement<double>{at_a.R, at_a.p}, {at_b.R, at_b.p});
}

TEST(BoxOnBox, StandingOnItIsASlab) {
  const double d = 1e-5;
  const Overlap<double> o = overlap(Box{{0.2, 0.1, 0.1}, 0}, {Mat3::Identity(), {0.5, 0, 0.3 - d}},
                                    Box{{1.0, 1.0, 0.2}, 0}, {});
  EXPECT_NEAR(o.gap, -d, 1e-15);
  EXPECT_NEAR(o.volume, 0.4 * 0.2 * d, 1e-10 * o.volume);  // d has eleven digits
  EXPECT_LT((o.normal_W - Vec3::UnitZ()).norm(), 1e-14);
  EXPECT_LT((o.centroid_W - Vec3(0.5, 0, 0.2 - d / 2)).norm(), 1e-12);
  EXPECT_NEAR(o.inertia_W(2, 2) / o.volume, (0.16 + 0.04) / 12.0, 1e-10);
}

// Equal boxes one on the other: four pairs of faces lie in common planes and must count once.
TEST(BoxOnBox, FlushSidesCountOnce) {
  const double d = 0.01;
  const Overlap<double> o = overlap(Box{{0.2, 0.1, 0.1}, 0}, {Mat3::Identity(), {0, 0, 0.2 - d}},
                                    Box{{0.2, 0.1, 0.1}, 0}, {});
  EXPECT_NEAR(o.volume, 0.4 * 0.2 * d, 1e-16);
  EXPECT_LT((o.normal_W - Vec3::UnitZ()).norm(), 1e-12);
}

// A card that lies with one edge on another of the same width: the sides are nearly in one plane,
// off by rounding or a little more. The volume must not depend on that.
TEST(BoxOnBox, NearlyFlushSidesCountOnce) {
  const Box card{{0.001, 0.03, 0.045}, 0};
  const At lying{Eigen::AngleAxisd(0.5 * 3.14159265358979, Vec3::UnitY()).toRotationMatrix(),
                 {-0.0248, 0, 0.001}};
  const At tilted{Eigen::AngleAxisd(-1.5272, Vec3::UnitY()).toRotationMatrix(),
                  {0.0208880814344, 0, 0.00296038297022}};
  const double volume = overlap(card, tilted, card, lying).volume;
  ASSERT_GT(volume, 0.0);
  std::mt19937 generator(5);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  for (int trial = 0; trial < 3000; ++trial) {
    const double size = std::pow(10.0, -11.5 + 5.5 * uniform(generator));  // 1e-17 to 1e-6
    At moved = tilted;
    const Vec3 turn(uniform(generator), 0.0, uniform(generator));
    moved.R = Eigen::AngleAxisd(size, turn.normalized()).toRotationMatrix() * tilted.R;
    moved.p.y() += 0.03 * size * uniform(generator);
    const double found = overlap(card, moved, card, lying).volume;
    // Twist and tilt of the strip along 6 cm at 10 um depth; and the root of the rounding.
    EXPECT_NEAR(found, volume, volume * (1e4 * size + 2e-7)) << size << ", seed 5";
  }
}

TEST(BoxOnBox, ApartTheGapIsThatOfTheSeparatingAxis) {
  const Box cube{{0.5, 0.5, 0.5}, 0};
  EXPECT_NEAR(overlap(cube, {Mat3::Identity(), {0.2, 1.3, 0.1}}, cube, {}).gap, 0.3, 1e-15);
  // Crossed edges: one cube stands on an edge along x over another that shows an edge along y.
  const double h = std::sqrt(0.5);
  const At upper{spatial::rotation_about(Vec3::UnitX(), M_PI / 4), {0, 0, 2.0 * h + 0.1}};
  const At lower{spatial::rotation_about(Vec3::UnitY(), M_PI / 4), {0, 0, 0}};
  const Overlap<double> o = overlap(cube, upper, cube, lower);
  EXPECT_NEAR(o.gap, 0.1, 1e-14);
  EXPECT_LT((o.normal_W - Vec3::UnitZ()).norm(), 1e-12);
  EXPECT_EQ(o.volume, 0.0);
}

// Crossed edges that overlap by d: a tetrahedron with two opposite edges 2 d at distance d, V = 2/3
// d^3.
TEST(BoxOnBox, CrossedEdgesShareATetrahedron) {
  const Box cube{{0.5, 0.5, 0.5}, 0};
  const double h = std::sqrt(0.5), d = 0.02;
  const At upper{spatial::rotation_about(Vec3::UnitX(), M_PI / 4), {0, 0, 2.0 * h - d}};
  const At lower{spatial::rotation_about(Vec3::UnitY(), M_PI / 4), {0, 0, 0}};
  const Overlap<double> o = overlap(cube, upper, cube, lower);
  EXPECT_NEAR(o.volume, 2.0 / 3.0 * d * d * d, 1e-15);
  EXPECT_LT((o.normal_W - Vec3::UnitZ()).norm(), 1e-11);
  EXPECT_LT((o.centroid_W - Vec3(0, 0, h - d / 2)).norm(), 1e-12);
}

TEST(BoxOnBox, RandomPairsAreTheSumOfTheirCellsAndKnowNoOrder) {
  std::mt19937 engine(11);  // seed
  std::uniform_real_distribution<double> one(-1.0, 1.0);
  const auto vector = [&] { return Vec3(one(engine), one(engine), one(engine)); };
  const Box a{{0.3, 0.2, 0.25}, 0}, b{{0.4, 0.3, 0.2}, 0};
  int overlapping = 0;
  for (int trial = 0; trial < 100; ++trial) {
    const At at_a{spatial::rotation_about(vector().normalized(), 3.0 * one(engine)),
                  0.35 * vector()};
    const At at_b{spatial::rotation_about(vector().normalized(), 3.0 * one(engine)),
                  0.1 * vector()};
    const Overlap<double> o = overlap(a, at_a, b, at_b), swapped = overlap(b, at_b, a, at_a);
    EXPECT_NEAR(o.volume, swapped.volume, 1e-15);
    EXPECT_NEAR(o.gap, swapped.gap, 1e-14);
    if (!(o.volume > 0.0)) continue;
    EXPECT_LT((o.normal_W + swapped.normal_W).norm(), 1e-9);
    EXPECT_LT((o.centroid_W - swapped.centroid_W).norm(), 1e-9);
    EXPECT_LT((o.inertia_W - swapped.inertia_W).norm(), 1e-14);
    ++overlapping;
    if (trial >= 20) continue;  // cells are slow
    constexpr int kCells = 60;
    int inside = 0;
    Vec3 sum = Vec3::Zero();
    for (int cell = 0; cell < kCells * kCells * kCells; ++cell) {
      const Vec3 unit((cell % kCells + 0.5) / kCells, (cell / kCells % kCells + 0.5) / kCells,
                      (cell / kCells / kCells + 0.5) / kCells);
      const Vec3 p = at_a.p + at_a.R * (2.0 * unit - Vec3::Ones()).cwiseProduct(a.half_edges);
      const Vec3 in_b = at_b.R.transpose() * (p - at_b.p);
      if ((in_b.cwiseAbs() - b.half_edges).maxCoeff() > 0.0) continue;
      ++inside;
      sum += p;
    }
    const double V = 8.0 * a.half_edges.prod() * inside / std::pow(kCells, 3);
    EXPECT_NEAR(o.volume, V, 2e-3 * 8.0 * a.half_edges.prod());  // cells the surface cuts
    if (inside > 5000) {
      EXPECT_LT((o.centroid_W - sum / inside).norm(), 5e-3);
    }
  }
  EXPECT_GT(overlapping, 50);
}

// The volume shrinks along the normal: dV/dz = -|S|, no other translation changes it faster.
TEST(BoxOnBox, TheNormalIsTheDirectionInWhichTheVolumeShrinks) {
  const Box a{{0.3, 0.2, 0.25}, 0}, b{{0.4, 0.3, 0.2}, 0};
  At at_a{spatial::rotation_about(Vec3(1, 2, 3).normalized(), 0.7), {0.2, 0.1, 0.35}};
  const Overlap<double> o = overlap(a, at_a, b, {});
  ASSERT_GT(o.volume, 0.0);
  Vec3 gradient;
  const double h = 1e-6;
  for (int k = 0; k < 3; ++k) {
    At up = at_a, down = at_a;
    up.p[k] += h;
    down.p[k] -= h;
    gradient[k] = (overlap(a, up, b, {}).volume - overlap(a, down, b, {}).volume) / (2.0 * h);
  }
  EXPECT_LT((gradient.normalized() + o.normal_W).norm(), 1e-7);  // central differences
}

}  // namespace
}  // namespace grapple::geometry
