// Solids of cells, general convex polyhedra, and the two rules for the normal.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "geometry/continuity.h"
#include "geometry/placed.h"
#include "grapple/geometry/overlap/volume_query.h"
#include "grapple/geometry/solid/convex_hull.h"

namespace grapple::geometry {
namespace {

using spatial::Dual;
using spatial::Mat3;
using spatial::Vec3;

struct Total {
  double volume = 0.0;
  Vec3 force = Vec3::Zero(), torque = Vec3::Zero();  // of a foundation of 1 N/m^3, about the origin
  Mat3 second = Mat3::Zero();                        // inertia about the origin
  double gap = 1e300;
};

Total total(const Shape& a, const At& at_a, const Shape& b, const At& at_b,
            NormalRule rule = NormalRule::kArea) {
  Total sum;
  for (const auto& patch : overlap_patches(a, b, rule)) {
    const Overlap<double> o = (*patch)(at_a.placement(), at_b.placement());
    sum.gap = std::min(sum.gap, o.gap);
    const double bound = patch->gap_at_least(at_a.placement(), at_b.placement());
    EXPECT_LE(bound, std::max(0.0, o.gap) + 1e-12);
    if (!(o.volume > 0.0)) continue;
    EXPECT_LE(bound, 0.0);
    sum.volume += o.volume;
    sum.force += o.volume * o.normal_W;
    sum.torque += o.centroid_W.cross(o.volume * o.normal_W);
    const Vec3& c = o.centroid_W;
    sum.second += o.inertia_W + o.volume * (c.dot(c) * Mat3::Identity() - c * c.transpose());
  }
  return sum;
}

Shape random_convex(std::mt19937& engine, int count) {
  return shape_of(random_hull(engine, count));
}

// A box of eight boxes: one against the whole, the other against its parts.
Shape cut_up(const Vec3& half) {
  auto parts = std::make_shared<std::vector<Cell>>();
  for (int k = 0; k < 8; ++k) {
    const Vec3 sign(k & 1 ? 1.0 : -1.0, k & 2 ? 1.0 : -1.0, k & 4 ? 1.0 : -1.0);
    parts->push_back({Box{0.5 * half, 0.0}, {Mat3::Identity(), 0.5 * sign.cwiseProduct(half)}});
  }
  return Cells{std::move(parts)};
}

TEST(Cells, VolumeAndMomentsDoNotDependOnTheSubdivision) {
  std::mt19937 engine(3);  // seed
  const Vec3 half(0.3, 0.2, 0.25);
  int overlapping = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const Shape other = random_convex(engine, 12);
    const At at_a = random_place(engine, 0.3), at_b = random_place(engine, 0.1);
    const Total whole = total(other, at_a, Box{half, 0.0}, at_b);
    const Total parts = total(other, at_a, cut_up(half), at_b);
    EXPECT_NEAR(whole.volume, parts.volume, 1e-14) << trial;
    EXPECT_LT((whole.second - parts.second).norm(), 1e-14) << trial;
    overlapping += whole.volume > 0.0;
  }
  EXPECT_GT(overlapping, 100);
}

// The faces between the cells tilt the normal of each by depth/width; the tilts of neighbours
// cancel to first order, which leaves (depth/width)^2 = 1e-6.
TEST(Cells, OnAFlatFaceTheForceDoesNotDependOnTheSubdivision) {
  const Vec3 half(0.3, 0.2, 0.25);
  const At above{spatial::rotation_about(Vec3::UnitZ(), 0.3), {0.05, -0.02, 0.35 - 1e-4}};
  const Total whole = total(Box{{0.1, 0.1, 0.1}, 0.0}, above, Box{half, 0.0}, {});
  const Total parts = total(Box{{0.1, 0.1, 0.1}, 0.0}, above, cut_up(half), {});
  EXPECT_LT((whole.force - parts.force).norm(), 1e-5 * whole.force.norm());
  EXPECT_LT((whole.torque - parts.torque).norm(), 1e-5 * whole.force.norm());
}

TEST(Cells, TheTwoShapesMayComeInEitherOrder) {
  std::mt19937 engine(5);  // seed
  auto parts = std::make_shared<std::vector<Cell>>();
  parts->push_back({HalfSpace{}, {Mat3::Identity(), Vec3(0, 0, -0.2)}});
  parts->push_back({Box{{0.3, 0.2, 0.25}, 0.0}, {}});
  const Shape cells = Cells{parts};
  for (int trial = 0; trial < 50; ++trial) {
    const Shape other = random_convex(engine, 10);
    const At at_a = random_place(engine, 0.3), at_b = random_place(engine, 0.1);
    const Total one = total(other, at_a, cells, at_b), two = total(cells, at_b, other, at_a);
    EXPECT_NEAR(one.volume, two.volume, 1e-15);
    EXPECT_LT((one.force + two.force).norm(), 1e-9 * (1e-9 + one.force.norm()));
    EXPECT_NEAR(one.gap, two.gap, 1e-13);
  }
}

TEST(Polyhedra, FrameTurnedAndMovedGivesTheSameOverlap) {
  std::mt19937 engine(7);  // seed
  for (int trial = 0; trial < 100; ++trial) {
    const Shape a = random_convex(engine, 14), b = random_convex(engine, 14);
    const At at_a = random_place(engine, 0.25), at_b = random_place(engine, 0.1);
    const At turn = random_place(engine, 2.0);
    const Total here = total(a, at_a, b, at_b);
    const Total there = total(a, {turn.R * at_a.R, turn.p + turn.R * at_a.p}, b,
                              {turn.R * at_b.R, turn.p + turn.R * at_b.p});
    EXPECT_NEAR(here.volume, there.volume, 1e-15);  // rounding at 2 m
    EXPECT_NEAR(here.gap, there.gap, 1e-13);
    EXPECT_LT((turn.R * here.force - there.force).norm(), 1e-13);
  }
}

// Nothing jumps, also where the body passes from cell to cell.
TEST(Cells, TheForceIsContinuousAlongPathsAcrossCells) {
  std::mt19937 engine(9);  // seed
  const Shape floor = cut_up({0.3, 0.2, 0.25});
  for (int path = 0; path < 10; ++path) {
    const Shape body = random_convex(engine, 12);
    const At start = random_place(engine, 0.0), end = random_place(engine, 0.0);
    const Vec3 from(-0.3, -0.1, 0.48), to(0.3, 0.15, 0.46);
    const auto force = [&](double s) -> Vec3 {
      Eigen::AngleAxisd turn(Mat3(start.R.transpose() * end.R));
      turn.angle() *= s;
      const At at{start.R * turn.toRotationMatrix(), from + s * (to - from)};
      return total(body, at, floor, {}).force;
    };
    EXPECT_LT(largest_jump(force, 400), 1e-6) << "path " << path;
  }
}

// Digest 3.10: on a flat patch both rules agree; a guess 6 degrees off does not matter.
TEST(PrincipalNormal, IsTheNormalOfAFlatPatch) {
  const At tilted{spatial::rotation_about(Vec3(1, 2, 0).normalized(), 1e-3), {0.0, 0.0, 0.1}};
  for (const NormalRule rule : {NormalRule::kArea, NormalRule::kInertia}) {
    const auto patch = overlap_patches(Box{{0.2, 0.15, 0.1}, 0.0}, Box{{1, 1, 0.001}, 0.0}, rule);
    const Overlap<double> o = (*patch[0])(tilted.placement(), At{}.placement());
    ASSERT_GT(o.volume, 0.0);
    EXPECT_LT((o.normal_W - Vec3::UnitZ()).norm(), 2e-3) << static_cast<int>(rule);
    EXPECT_NEAR(o.normal_W.norm(), 1.0, 1e-14);
  }
}

// A box tipped on its edge over a slab: only the face of the slab is inside the box, so its vector
// area points up whatever the wedge looks like; the axis of the wedge leans with it. This is why
// the area is the default.
TEST(PrincipalNormal, LeansWithAWedgeWhereTheAreaDoesNot) {
  const Box box{{0.1, 0.1, 0.1}, 0.0}, slab{{1, 1, 0.1}, 0.0};
  double lean = 0.0;
  for (int k = 1; k < 45; ++k) {
    const double tilt = k * M_PI / 180.0, low = 0.1 * (std::cos(tilt) + std::sin(tilt));
    const At on_edge{spatial::rotation_about(Vec3::UnitY(), tilt), {0.0, 0.0, 0.1 + low - 0.005}};
    const auto normal = [&](NormalRule rule) -> Vec3 {
      return (*overlap_patches(box, slab, rule)[0])(on_edge.placement(), At{}.placement()).normal_W;
    };
    EXPECT_LT((normal(NormalRule::kArea) - Vec3::UnitZ()).norm(), 1e-12) << k;
    lean = std::max(lean, (normal(NormalRule::kInertia) - Vec3::UnitZ()).norm());
  }
  EXPECT_GT(lean, 0.1);  // six degrees
}

// Digest 8.3: of a long line contact two moments are nearly alike. A roller of 1 m, 20 mm thick,
// turned about the vertical and about itself, keeps its normal at every depth.
TEST(PrincipalNormal, OfALineContactStaysUp) {
  const Cylinder roller{0.01, 0.5};
  const Box slab{{1, 1, 0.1}, 0.0};
  const auto patch = overlap_patches(roller, slab, NormalRule::kInertia)[0];
  for (const double depth : {1e-6, 1e-5, 1e-4, 1e-3}) {
    for (int k = 0; k < 12; ++k) {
      const At lying{spatial::rotation_about(Vec3::UnitZ(), 0.5 * k) *
                         spatial::rotation_about(Vec3::UnitY(), M_PI / 2) *
                         spatial::rotation_about(Vec3::UnitZ(), 0.7 * k),
                     {0.0, 0.0, 0.11 - depth}};
      const Overlap<double> o = (*patch)(lying.placement(), At{}.placement());
      EXPECT_LT((o.normal_W - Vec3::UnitZ()).norm(), 1e-5) << depth << " " << k;
    }
  }
}

TEST(PrincipalNormal, IsAnEigenvectorWithItsDerivative) {
  std::mt19937 engine(13);  // seed
  int seen = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const Shape a = random_convex(engine, 12), b = random_convex(engine, 12);
    const At at_a = random_place(engine, 0.25), at_b;
    const auto patch = overlap_patches(a, b, NormalRule::kInertia)[0];
    const Overlap<double> o = (*patch)(at_a.placement(), at_b.placement());
    if (!(o.volume > 1e-4)) continue;
    const Vec3 Jn = o.inertia_W * o.normal_W;
    const bool fallen_back = Jn.cross(o.normal_W).norm() > 1e-9 * Jn.norm();
    if (fallen_back) continue;
    ++seen;
    const Moving along(Body{at_a, Vec3::Zero(), Vec3::UnitX()}), rest(Body{at_b});
    const Overlap<Dual> moving = (*patch)(along.placement(), rest.placement());
    const double h = 1e-6;
    At ahead = at_a, behind = at_a;
    ahead.p.x() += h;
    behind.p.x() -= h;
    const Vec3 slope = ((*patch)(ahead.placement(), at_b.placement()).normal_W -
                        (*patch)(behind.placement(), at_b.placement()).normal_W) /
                       (2.0 * h);
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(moving.normal_W[i].d[0], slope[i], 1e-5 * (1.0 + slope.norm())) << trial;
    }
  }
  EXPECT_GT(seen, 15);
}

}  // namespace
}  // namespace grapple::geometry
