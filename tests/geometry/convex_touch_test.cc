// Any two convex bodies: the identity of the gap, closed forms, and the roles exchanged.
#include "grapple/geometry/touch/internal/convex_touch.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "geometry/placed.h"
#include "grapple/geometry/solid/convex_hull.h"
#include "grapple/geometry/touch/touch_sites.h"

namespace grapple::geometry {
namespace {

using spatial::Dual;
using spatial::Mat3;
using spatial::Vec3;

Body moved(Body body, double time) {
  body.R = spatial::rotation_about(body.omega.normalized(), time * body.omega.norm()) * body.R;
  body.p += time * body.v;
  return body;
}

std::vector<Shape> convex_shapes(std::mt19937& engine) {
  return {Sphere{0.2},
          Capsule{0.1, 0.3},
          Box{{0.3, 0.2, 0.15}, 0.0},
          Box{{0.3, 0.2, 0.15}, 0.03},
          Cylinder{0.15, 0.25},
          Cone{0.2, 0.4},
          Ellipsoid{{0.35, 0.2, 0.12}},
          shape_of(random_hull(engine, 12))};
}

// The identity every contact force rests on, apart and overlapping; and the derivative of the
// normal.
TEST(ConvexTouch, TheGapClosesAtTheRelativeVelocityOfTheMaterialAlongTheNormal) {
  std::mt19937 engine(1);  // seed
  const std::vector<Shape> shapes = convex_shapes(engine);
  int overlapping = 0, apart = 0;
  for (const Shape& shape_a : shapes) {
    for (const Shape& shape_b : shapes) {
      const auto query = make_convex_touch(shape_a, shape_b);
      for (int trial = 0; trial < 60; ++trial) {
        const Body a = random_body(engine, 0.45), b = random_body(engine, 0.05);
        const Witness<double> w = (*query)(a.placement(), b.placement());
        if (w.gap < -0.08) continue;  // deep: no contact any more
        const Moving a_moving(a), b_moving(b);
        const Witness<Dual> moving = (*query)(a_moving.placement(), b_moving.placement());
        const std::string name = std::string(shape_name(shape_a)) + " on " +
                                 std::string(shape_name(shape_b)) + " " + std::to_string(trial);
        EXPECT_NEAR(w.normal_W.norm(), 1.0, 1e-13) << name;
        EXPECT_NEAR(moving.gap.value, w.gap, 1e-12) << name;
        EXPECT_NEAR(moving.gap.d[0], w.normal_W.dot(a.velocity(w.point_W) - b.velocity(w.point_W)),
                    1e-7)
            << name << w.gap;
        (w.gap < 0.0 ? overlapping : apart) += 1;
      }
    }
  }
  EXPECT_GT(overlapping, 200);
  EXPECT_GT(apart, 500);
}

TEST(ConvexTouch, RateOfTheGapIsThatOfItsDifferences) {
  std::mt19937 engine(8);  // seed
  const std::vector<Shape> shapes = convex_shapes(engine);
  int wrong = 0, checked = 0;
  for (const Shape& shape_a : shapes) {
    for (const Shape& shape_b : shapes) {
      const auto query = make_convex_touch(shape_a, shape_b);
      for (int trial = 0; trial < 30; ++trial) {
        const Body a = random_body(engine, 0.45), b = random_body(engine, 0.05);
        const Witness<double> w = (*query)(a.placement(), b.placement());
        if (w.gap < -0.08) continue;
        const double h = 1e-6;
        const double rate = ((*query)(moved(a, h).placement(), moved(b, h).placement()).gap -
                             (*query)(moved(a, -h).placement(), moved(b, -h).placement()).gap) /
                            (2.0 * h);
        const Vec3 speed =
            a.v + a.omega.cross(w.point_W - a.p) - b.v - b.omega.cross(w.point_W - b.p);
        wrong += std::abs(rate - w.normal_W.dot(speed)) > 1e-4;
        ++checked;
      }
    }
  }
  EXPECT_GT(checked, 800);
  EXPECT_LE(wrong, checked / 200);  // poses within 1e-6 of a change of features
}

TEST(ConvexTouch, AgreesWithTheClosedFormsOfBalls) {
  std::mt19937 engine(2);  // seed
  for (const Shape& other :
       {Shape(Sphere{0.3}), Shape(Capsule{0.1, 0.3}), Shape(Cylinder{0.2, 0.3}),
        Shape(Cone{0.25, 0.5}), Shape(Box{{0.3, 0.2, 0.25}, 0.0}),
        Shape(Box{{0.3, 0.2, 0.25}, 0.05})}) {
    const auto general = make_convex_touch(Sphere{0.2}, other);
    const auto closed = touch_sites(Sphere{0.2}, other).queries.front();
    for (int trial = 0; trial < 200; ++trial) {
      const Body a = random_body(engine, 0.6), b = random_body(engine, 0.05);
      const Witness<double> w = (*general)(a.placement(), b.placement()),
                            exact = (*closed)(a.placement(), b.placement());
      if (exact.gap < -0.15) continue;
      EXPECT_NEAR(w.gap, exact.gap, 1e-11) << shape_name(other) << trial;
      EXPECT_LT((w.normal_W - exact.normal_W).norm(), 1e-6) << shape_name(other) << trial;
    }
  }
}

TEST(ConvexTouch, KnowsNoOrder) {
  std::mt19937 engine(3);  // seed
  const std::vector<Shape> shapes = convex_shapes(engine);
  for (const Shape& shape_a : shapes) {
    for (const Shape& shape_b : shapes) {
      const auto one = make_convex_touch(shape_a, shape_b),
                 two = make_convex_touch(shape_b, shape_a);
      for (int trial = 0; trial < 20; ++trial) {
        const Body a = random_body(engine, 0.45), b = random_body(engine, 0.05);
        const Witness<double> w = (*one)(a.placement(), b.placement()),
                              back = (*two)(b.placement(), a.placement());
        if (w.gap < -0.08) continue;
        EXPECT_NEAR(w.gap, back.gap, 1e-9)
            << shape_name(shape_a) << " " << shape_name(shape_b) << trial;
      }
    }
  }
}

// Two ellipsoids end to end, and a cube standing on its corner.
TEST(ConvexTouch, ByHand) {
  const auto eggs = make_convex_touch(Ellipsoid{{0.3, 0.2, 0.1}}, Ellipsoid{{0.3, 0.2, 0.1}});
  const Mat3 upright = Mat3::Identity();
  const Vec3 origin = Vec3::Zero(), above(0, 0, 0.19), beside(0.62, 0, 0);
  EXPECT_NEAR((*eggs)(Placement<double>{upright, above}, {upright, origin}).gap, -0.01, 1e-12);
  EXPECT_NEAR((*eggs)(Placement<double>{upright, beside}, {upright, origin}).gap, 0.02, 1e-12);
  const auto cubes = make_convex_touch(Box{{0.5, 0.5, 0.5}, 0.0}, Box{{2, 2, 0.5}, 0.0});
  Mat3 on_corner;
  on_corner.col(2) = Vec3(1, 1, 1).normalized();
  on_corner.col(0) = Vec3(1, -1, 0).normalized();
  on_corner.col(1) = on_corner.col(2).cross(on_corner.col(0));
  const Mat3 R = on_corner.transpose();
  const double half_diagonal = 0.5 * std::sqrt(3.0);
  const Vec3 sunk(0.1, 0.2, 0.5 + half_diagonal - 0.01);
  const Witness<double> w = (*cubes)(Placement<double>{R, sunk}, {upright, origin});
  EXPECT_NEAR(w.gap, -0.01, 1e-12);
  EXPECT_LT((w.normal_W - Vec3::UnitZ()).norm(), 1e-10);
  EXPECT_LT((w.point_W - Vec3(0.1, 0.2, 0.495)).norm(), 1e-10);
}

// A cone meets by its side, apex, rim and base.
TEST(ConvexTouch, OfConesByHand) {
  const double r = 0.2, length = 0.4, c = length / std::hypot(r, length);
  const Mat3 upright = Mat3::Identity(),
             down = spatial::rotation_about(Vec3::UnitX(), std::numbers::pi);
  const Vec3 origin = Vec3::Zero();
  const auto gap = [&](const Shape& a, const Mat3& R, const Vec3& p) {
    return (*make_convex_touch(a, Cone{r, length}))(Placement<double>{R, p}, {upright, origin});
  };
  // Upside down beside the other: their sides are parallel.
  const Witness<double> sides = gap(Cone{r, length}, down, {0.25, 0, length});
  EXPECT_NEAR(sides.gap, (0.25 - r) * c, 1e-12);
  EXPECT_LT((sides.normal_W - Vec3(c, 0, r / std::hypot(r, length))).norm(), 1e-9);
  EXPECT_NEAR(gap(Cone{r, length}, upright, {0.43, 0, 0}).gap, 0.03, 1e-12);            // rims
  EXPECT_NEAR(gap(Cone{r, length}, down, {0, 0, 2 * length + 0.02}).gap, 0.02, 1e-12);  // apexes
  EXPECT_NEAR(gap(Cone{r, length}, down, {0, 0, -0.001}).gap, 0.001, 1e-12);            // bases
  // A bar of half thickness 0.05 lies across the side at half its height, 10 mm deep.
  const double out = 0.05 + 0.5 * r * c - 0.01;  // from the axis line at that height, along n
  const Vec3 n(c, 0, r / std::hypot(r, length));
  const Vec3 middle = Vec3(0, 0, 0.5 * length) + out * n;
  const Mat3 across = spatial::rotation_about(Vec3::UnitX(), 0.5 * std::numbers::pi);
  const Witness<double> bar = gap(Capsule{0.05, 0.3}, across, middle);
  EXPECT_NEAR(bar.gap, -0.01, 1e-12);
  EXPECT_LT((bar.normal_W - n).norm(), 1e-9);
}

// Aligned and coinciding bodies, as scenarios begin with them: faces on faces, lines on lines, ends
// on faces, and bodies with one centre. Gaps by hand; nothing may be lost to a division by zero.
TEST(ConvexTouch, DegeneratePosesHaveFiniteAnswers) {
  std::mt19937 engine(4);  // seed
  const Box box{{0.3, 0.2, 0.1}, 0.0};
  const struct {
    Shape a, b;
    Vec3 p;
    double gap;
  } aligned[] = {
      {box, box, {0, 0, 0.199}, -0.001},
      {box, box, {0.1, 0.05, 0.21}, 0.01},
      {box, box, {0.6, 0.4, 0.2}, 0.0},  // corner to corner
      {Capsule{0.1, 0.3}, Capsule{0.1, 0.3}, {0.19, 0, 0}, -0.01},
      {Capsule{0.1, 0.3}, Capsule{0.1, 0.3}, {0, 0, 0.79}, -0.01},
      {Cylinder{0.1, 0.2}, box, {0, 0, 0.299}, -0.001},
      {Cylinder{0.1, 0.2}, box, {0.1, 0, 0.31}, 0.01},
      {Cylinder{0.1, 0.2}, Cylinder{0.1, 0.2}, {0.201, 0, 0}, 0.001},
      {Cylinder{0.1, 0.2}, Cylinder{0.1, 0.2}, {0, 0, 0.399}, -0.001},
      {Ellipsoid{{0.3, 0.2, 0.1}}, box, {0, 0, 0.199}, -0.001},
      {Cone{0.1, 0.2}, box, {0.05, 0, 0.099}, -0.001},
      {Cone{0.1, 0.2}, Cylinder{0.1, 0.2}, {0, 0, 0.201}, 0.001},
      {Sphere{0.1}, Ellipsoid{{0.3, 0.2, 0.1}}, {0, 0, 0.21}, 0.01},
  };
  const Mat3 upright = Mat3::Identity();
  const Vec3 origin = Vec3::Zero();
  for (const auto& c : aligned) {
    const auto query = make_convex_touch(c.a, c.b);
    const Witness<double> w = (*query)(Placement<double>{upright, c.p}, {upright, origin});
    EXPECT_NEAR(w.gap, c.gap, 1e-9) << shape_name(c.a) << " on " << shape_name(c.b);
    EXPECT_NEAR(w.normal_W.norm(), 1.0, 1e-12);
    Body body;
    body.p = c.p;
    body.v = Vec3(0.1, 0.2, 0.3);
    body.omega = Vec3(0.3, -0.2, 0.1);
    const Moving a(body), b((Body()));
    const Witness<Dual> moving = (*query)(a.placement(), b.placement());
    EXPECT_TRUE(std::isfinite(moving.gap.d[0]) && std::isfinite(moving.point_W.x().d[0]) &&
                std::isfinite(moving.normal_W.x().d[0]))
        << shape_name(c.a) << " on " << shape_name(c.b);
  }
  for (const Shape& a : convex_shapes(engine)) {
    for (const Shape& b : convex_shapes(engine)) {
      const Witness<double> w =
          (*make_convex_touch(a, b))(Placement<double>{upright, origin}, {upright, origin});
      EXPECT_TRUE(std::isfinite(w.gap) && w.normal_W.allFinite() && w.point_W.allFinite())
          << shape_name(a) << " in " << shape_name(b);
      EXPECT_LT(w.gap, 0.0) << shape_name(a) << " in " << shape_name(b);
    }
  }
}

}  // namespace
}  // namespace grapple::geometry
