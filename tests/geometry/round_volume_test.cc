// Overlaps of round solids with planes and polyhedra: closed forms, subdivision, gradients, bounds.
#include "grapple/geometry/overlap/internal/round_volume.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "geometry/continuity.h"
#include "geometry/placed.h"
#include "grapple/geometry/solid/convex_hull.h"

namespace grapple::geometry {
namespace {

using spatial::Mat3;
using spatial::Vec3;
using std::numbers::pi;

Overlap<double> overlap(const Shape& a, const At& at_a, const Shape& b, const At& at_b = {}) {
  return (*make_round_volume(a, b))(Placement<double>{at_a.R, at_a.p}, {at_b.R, at_b.p});
}

const Shape kRound[] = {Sphere{0.2}, Cylinder{0.15, 0.2}, Capsule{0.1, 0.15}, Cone{0.2, 0.35},
                        Ellipsoid{{0.3, 0.2, 0.1}}};

void expect_same(const Overlap<double>& o, const Overlap<double>& exact, double share) {
  EXPECT_NEAR(o.volume, exact.volume, share * exact.volume);
  EXPECT_LT((o.centroid_W - exact.centroid_W).norm(), share);
  EXPECT_LT((o.inertia_W - exact.inertia_W).norm(), share * exact.inertia_W.norm());
  EXPECT_LT((o.normal_W - exact.normal_W).norm(), share);
  EXPECT_NEAR(o.gap, exact.gap, 1e-15);
  EXPECT_NEAR(o.potential, exact.potential, share * exact.potential);
}

TEST(RoundVolume, SlicesAgreeWithTheClosedFormsOfBallAndCylinder) {
  std::mt19937 engine(1);  // seed
  for (const Shape& shape : {Shape(Sphere{0.2}), Shape(Cylinder{0.15, 0.2})}) {
    const auto exact = overlap_pair(shape, HalfSpace{}).query;
    int compared = 0;
    for (int trial = 0; trial < 200; ++trial) {
      const At a = random_place(engine, 0.25), b = random_place(engine, 0.05);
      const Overlap<double> e = (*exact)(Placement<double>{a.R, a.p}, {b.R, b.p});
      if (!(e.volume > 1e-9)) continue;
      ++compared;
      // Gauss and Kronrod differ by 1e-9 at most; the better rule is far nearer.
      expect_same(overlap(shape, a, HalfSpace{}, b), e, 1e-10);
    }
    EXPECT_GT(compared, 80);
  }
}

TEST(RoundVolume, ABallOnABoxOrAnEdgeFarFromItsBordersIsABallOnAPlane) {
  const At a{Mat3::Identity(), {0.05, -0.02, 0.198}};
  const Overlap<double> e = (*overlap_pair(Sphere{0.2}, HalfSpace{}).query)(
      Placement<double>{a.R, a.p}, {At{}.R, At{}.p});
  const Overlap<double> box =
      overlap(Sphere{0.2}, a, Box{{1, 1, 0.5}, 0.0}, {Mat3::Identity(), {0, 0, -0.5}});
  EXPECT_NEAR(box.volume, e.volume, 1e-10 * e.volume);
  EXPECT_LT((box.inertia_W - e.inertia_W).norm(), 1e-9 * e.inertia_W.norm());
  EXPECT_LT((box.normal_W - Vec3::UnitZ()).norm(), 1e-12);
  EXPECT_NEAR(box.gap, -0.002, 1e-14);
}

// Half of the cap on either side of an edge of 90 degrees under the centre of the ball.
TEST(RoundVolume, OverTheEdgeHalfOfTheCapIsLeft) {
  const Mat3 R = spatial::rotation_about(Vec3::UnitX(), -pi / 4);  // faces: up, and towards y
  const double d = 0.01;
  const Overlap<double> cap =
      overlap(Sphere{0.1}, {Mat3::Identity(), {0, 0, 0.1 - d}}, HalfSpace{});
  const Overlap<double> half =
      overlap(Sphere{0.1}, {Mat3::Identity(), {0.3, 0, 0.1 - d}}, Edge{pi / 4}, {R, Vec3::Zero()});
  EXPECT_NEAR(half.volume, 0.5 * cap.volume, 1e-10 * cap.volume);
  EXPECT_LT(half.centroid_W.y(), 0.0);
  EXPECT_GT(half.normal_W.y(), 0.0);  // it is pushed off
  EXPECT_NEAR(half.normal_W.x(), 0.0, 1e-12);
}

TEST(RoundVolume, OfAnEllipsoidIsThatOfABallStretched) {
  const Vec3 axes(0.3, 0.2, 0.1);
  const double d = 0.02, unit = d / axes.z();  // depth on the unit ball
  const Overlap<double> o =
      overlap(Ellipsoid{axes}, {Mat3::Identity(), {0, 0, axes.z() - d}}, HalfSpace{});
  const double cap = pi / 3.0 * unit * unit * (3.0 - unit);
  EXPECT_NEAR(o.volume, cap * axes.prod(), 1e-10 * o.volume);
  EXPECT_NEAR(o.gap, -d, 1e-15);
  const double round = pi / 30.0 * unit * unit * unit * (20.0 - 15.0 * unit + 3.0 * unit * unit);
  const double xx = axes.prod() * axes.x() * axes.x() * round / 2.0;
  const double yy = axes.prod() * axes.y() * axes.y() * round / 2.0;
  EXPECT_NEAR(o.inertia_W(2, 2), xx + yy, 1e-9 * (xx + yy));
}

TEST(RoundVolume, OfATorusAndAConeByHand) {
  const Torus torus{0.2, 0.05};
  const double whole = 2.0 * pi * pi * 0.2 * 0.05 * 0.05;
  // Sunk, half sunk lying, half sunk standing.
  EXPECT_NEAR(overlap(torus, {Mat3::Identity(), {0, 0, -1}}, HalfSpace{}).volume, whole,
              1e-9 * whole);
  const Overlap<double> lying = overlap(torus, {}, HalfSpace{});
  EXPECT_NEAR(lying.volume, 0.5 * whole, 1e-9 * whole);
  EXPECT_NEAR(lying.centroid_W.z(), -4.0 * 0.05 / (3.0 * pi), 1e-9);
  const Mat3 standing = spatial::rotation_about(Vec3::UnitX(), pi / 2);
  EXPECT_NEAR(overlap(torus, {standing, {0, 0, 0}}, HalfSpace{}).volume, 0.5 * whole, 1e-9 * whole);
  EXPECT_NEAR(overlap(torus, {standing, {0, 0, 0.24}}, HalfSpace{}).gap, -0.01, 1e-15);
  // A cone on its tip, depth d: (r/l)^2 pi d^3 / 3.
  const Mat3 down = spatial::rotation_about(Vec3::UnitX(), pi);
  const double d = 0.01;
  const Overlap<double> tip = overlap(Cone{0.1, 0.3}, {down, {0, 0, 0.3 - d}}, HalfSpace{});
  EXPECT_NEAR(tip.volume, pi * d * d * d / 27.0, 1e-10 * tip.volume);
  EXPECT_NEAR(tip.centroid_W.z(), -0.25 * d, 1e-11);
}

// A polyhedron cut in two by a plane: the parts share what the whole shares, each within its bound.
TEST(RoundVolume, IsTheSumOverTheParts_WithinTheBoundsOfQuadrature_OnAThousandPairs) {
  std::mt19937 engine(2);  // seed
  int overlapping = 0;
  double worst = 0.0;
  for (int trial = 0; trial < 1000; ++trial) {
    const Shape& round = kRound[trial % 5];
    const Polyhedron whole = random_hull(engine, 10);
    std::vector<Plane> planes;
    for (const auto& face : whole.faces) {
      const auto at = [&](std::size_t k) {
        return whole.corners[static_cast<std::size_t>(face[k])];
      };
      const Vec3 n = (at(1) - at(0)).cross(at(2) - at(0)).normalized();
      planes.push_back({n, n.dot(at(0))});
    }
    const Vec3 cut = random_place(engine, 1.0).p.normalized();
    const Vec3 inside = centroid_of(whole);
    std::vector<Plane> lower = planes, upper = planes;
    lower.push_back({cut, cut.dot(inside)});
    upper.push_back({-cut, -cut.dot(inside)});
    const At a = random_place(engine, 0.3), b;
    const Overlap<double> o = overlap(round, a, shape_of(whole), b);
    const Overlap<double> one = overlap(round, a, shape_of(intersection_of(lower, "")), b);
    const Overlap<double> two = overlap(round, a, shape_of(intersection_of(upper, "")), b);
    const double miss = std::abs(o.volume - one.volume - two.volume);
    // The planes of the parts are found to 1e-16 of the size.
    EXPECT_LE(miss, o.error + one.error + two.error + 1e-15) << trial;
    if (!(o.volume > 1e-6)) continue;
    ++overlapping;
    worst = std::max(worst, miss / o.volume);
    // Inertia is positive and symmetric.
    EXPECT_LT((o.inertia_W - o.inertia_W.transpose()).norm(), 1e-14);
    const Vec3 v = random_place(engine, 1.0).p;
    EXPECT_GT(v.dot(o.inertia_W * v), 0.0);
  }
  EXPECT_GT(overlapping, 400);
  EXPECT_LT(worst, 1e-8);
}

// dV/dp = -area, along the normal; by dual numbers and by differences.
TEST(RoundVolume, ShrinksAlongItsNormal) {
  std::mt19937 engine(4);  // seed
  int seen = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const Shape& round = kRound[trial % 5];
    const Shape solid = shape_of(random_hull(engine, 9));
    const auto query = make_round_volume(round, solid);
    const At a = random_place(engine, 0.3);
    const Overlap<double> o = overlap(round, a, solid);
    if (!(o.volume > 1e-5)) continue;
    ++seen;
    const Vec3 exact = volume_slope(*query, a);
    Vec3 rough;
    for (int k = 0; k < 3; ++k) {
      At up = a, low = a;
      up.p[k] += 1e-6;
      low.p[k] -= 1e-6;
      rough[k] = (overlap(round, up, solid).volume - overlap(round, low, solid).volume) / 2e-6;
    }
    EXPECT_LT((exact - rough).norm(), 1e-5 * rough.norm() + 1e-9) << trial;
    EXPECT_LT((exact.normalized() + o.normal_W).norm(), 1e-5) << trial;
  }
  EXPECT_GT(seen, 20);
}

TEST(RoundVolume, ApartTheGapIsTheDistance) {
  const Box box{{0.5, 0.4, 0.3}, 0.0};
  // Over a corner.
  const Vec3 out = Vec3(1, 2, 2) / 3.0;
  const Overlap<double> corner =
      overlap(Sphere{0.1}, {Mat3::Identity(), Vec3(0.5, 0.4, 0.3) + 0.15 * out}, box);
  EXPECT_NEAR(corner.gap, 0.05, 1e-12);
  EXPECT_LT((corner.normal_W - out).norm(), 1e-6);
  EXPECT_EQ(corner.volume, 0.0);
  const Overlap<double> edge = overlap(Sphere{0.1}, {Mat3::Identity(), {0.6, 0.0, 0.4}}, box);
  EXPECT_NEAR(edge.gap, 0.1 * (std::sqrt(2.0) - 1.0), 1e-12);
  // A cylinder over a face, its rim nearest.
  const At tilted{spatial::rotation_about(Vec3::UnitY(), 0.3), {0.0, 0.0, 0.8}};
  const Overlap<double> rim = overlap(Cylinder{0.15, 0.2}, tilted, box);
  EXPECT_NEAR(rim.gap, 0.5 - 0.2 * std::cos(0.3) - 0.15 * std::sin(0.3), 1e-12);
}

// Over a face, an edge, a corner and down a side: nothing jumps.
TEST(RoundVolume, TheForceIsContinuousAlongPathsOverEdgeAndCorner) {
  std::mt19937 engine(5);  // seed
  const Box box{{0.3, 0.2, 0.1}, 0.0};
  for (int path = 0; path < 20; ++path) {
    const Shape& round = kRound[path % 5];
    const auto query = make_round_volume(round, box);
    const Vec3 axis = random_place(engine, 1.0).p.normalized(),
               aside = random_place(engine, 0.05).p;
    const auto force = [&](double s) -> Vec3 {
      const Mat3 R = spatial::rotation_about(axis, 2.0 * s), upright = Mat3::Identity();
      const Vec3 p = aside + Vec3(0.1, 0.05, 0.2) + s * Vec3(0.35, 0.25, -0.15);
      const Vec3 origin = Vec3::Zero();
      const Overlap<double> o = (*query)(Placement<double>{R, p}, {upright, origin});
      return o.volume > 0.0 ? Vec3(o.volume * o.normal_W) : origin;
    };
    // Quadrature is good to 1e-8 of the volume.
    EXPECT_LT(largest_jump(force, 300), 1e-6) << shape_name(round) << path;
  }
}

TEST(RoundVolume, KnowsNoFrame) {
  std::mt19937 engine(6);  // seed
  for (int trial = 0; trial < 100; ++trial) {
    const Shape& round = kRound[trial % 5];
    const Shape solid = shape_of(random_hull(engine, 9));
    const At a = random_place(engine, 0.3), b = random_place(engine, 0.05);
    const At turn = random_place(engine, 2.0);
    const Overlap<double> here = overlap(round, a, solid, b);
    const Overlap<double> there = overlap(round, {turn.R * a.R, turn.p + turn.R * a.p}, solid,
                                          {turn.R * b.R, turn.p + turn.R * b.p});
    EXPECT_NEAR(here.volume, there.volume, 1e-11 * (1e-4 + here.volume));
    EXPECT_NEAR(here.gap, there.gap, 1e-9);  // distances of smooth bodies converge to this
    if (here.volume > 1e-5) {
      EXPECT_LT((turn.R * here.normal_W - there.normal_W).norm(), 1e-9);
    }
  }
}

}  // namespace
}  // namespace grapple::geometry
