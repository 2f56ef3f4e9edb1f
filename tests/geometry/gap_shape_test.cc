// Curvature of the gap at the present point, and how it changes as the bodies move.
#include "grapple/geometry/touch/gap_shape.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <random>

#include "grapple/geometry/touch/touch_sites.h"
#include "grapple/spatial/rotation.h"

namespace grapple::geometry {
namespace {

using spatial::Mat3;
using spatial::Vec3;

struct Body {
  Mat3 R = Mat3::Identity();
  Vec3 p = Vec3::Zero(), omega = Vec3::Zero(), v = Vec3::Zero();
  Placement<double> at() const { return {R, p}; }
  Vec3 speed(const Vec3& point) const { return v + omega.cross(point - p); }
};

Body moved(Body body, double time) {
  body.R = spatial::rotation_about(body.omega.normalized(), time * body.omega.norm()) * body.R;
  body.p += time * body.v;
  return body;
}

struct Pair {
  std::string name;
  Shape a, b;
  double distance;  // of the centres of slight overlaps
};

std::vector<Pair> pairs() {
  return {{"ellipsoid on plane", Ellipsoid{{0.35, 0.2, 0.12}}, HalfSpace{}, 0.2},
          {"ball on ellipsoid", Sphere{0.1}, Ellipsoid{{0.35, 0.2, 0.12}}, 0.3},
          {"ellipsoids", Ellipsoid{{0.3, 0.15, 0.2}}, Ellipsoid{{0.35, 0.2, 0.12}}, 0.4},
          {"ball on torus", Sphere{0.1}, Torus{0.5, 0.15}, 0.55}};
}

// Random placements that overlap a little or nearly touch.
std::vector<std::pair<Body, Body>> placements(const Pair& pair, const TouchQuery& query) {
  std::mt19937 engine(3);  // seed
  std::uniform_real_distribution<double> one(-1.0, 1.0);
  const auto vector = [&] { return Vec3(one(engine), one(engine), one(engine)); };
  std::vector<std::pair<Body, Body>> found;
  while (found.size() < 40) {
    Body a{spatial::rotation_about(vector().normalized(), 3.0 * one(engine)),
           pair.distance * vector().normalized(), vector(), vector()};
    const Body b{spatial::rotation_about(vector().normalized(), 3.0 * one(engine)), 0.01 * vector(),
                 vector(), vector()};
    for (int k = 0; k < 20; ++k) {  // together along the normal
      const Witness<double> w = query(a.at(), b.at());
      a.p -= (w.gap + 0.004) * w.normal_W;
    }
    const double gap = query(a.at(), b.at()).gap;
    if (std::abs(gap + 0.004) < 1e-9) found.emplace_back(a, b);
  }
  return found;
}

TEST(GapShape, CurvatureChangesAsItsRateSays) {
  for (const Pair& pair : pairs()) {
    const auto query = touch_sites(pair.a, pair.b).queries.front();
    ASSERT_NE(query->shape(), nullptr) << pair.name;
    for (const auto& [a, b] : placements(pair, *query)) {
      const Witness<double> w = (*query)(a.at(), b.at());
      const Mat3 C = query->shape()->curvature(a.at(), b.at(), w);
      EXPECT_LT((C * w.normal_W).norm(), 1e-12 * C.norm()) << pair.name;
      // Two weights with the axes of C that span all of them.
      const Mat3 across = Mat3::Identity() - w.normal_W * w.normal_W.transpose();
      for (const Mat3& weight : {across, C}) {
        // tr(W C) of a weight carried along with the axes of C: of C itself half the rate of tr
        // C^2.
        const auto value = [&](double h) {
          const Body one = moved(a, h), two = moved(b, h);
          const Witness<double> then = (*query)(one.at(), two.at());
          const Mat3 now = query->shape()->curvature(one.at(), two.at(), then);
          return weight.isApprox(across) ? now.trace() : 0.5 * (now * now).trace();
        };
        const double h = 1e-5;
        const double difference = (value(h) - value(-h)) / (2.0 * h);
        const RateForm<double> rate = query->shape()->rate(a.at(), b.at(), w, weight);
        const double exact = rate.force_W.dot(a.speed(w.point_W) - b.speed(w.point_W)) +
                             rate.torque_W.dot(a.omega - b.omega);
        // Central differences over 1e-5 of curvatures known to 1e-11: six digits of the scale.
        EXPECT_NEAR(exact, difference, 2e-6 * weight.norm() * C.norm() * 10.0) << pair.name;
      }
    }
  }
}

// At the end of half axis c an ellipsoid has the radii a^2/c and b^2/c.
TEST(GapShape, OfAnEllipsoidOnItsEnds) {
  const Vec3 half(0.35, 0.2, 0.12);
  const auto query = touch_sites(Ellipsoid{half}, HalfSpace{}).queries.front();
  for (int axis = 0; axis < 3; ++axis) {
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    Body a, b;
    a.R.col(axis) = Vec3::UnitZ();
    a.R.col(u) = Vec3::UnitX();
    a.R.col(v) = Vec3::UnitY();
    a.p = Vec3(0, 0, half[axis]);
    const Mat3 C = query->shape()->curvature(a.at(), b.at(), (*query)(a.at(), b.at()));
    EXPECT_NEAR(C(0, 0), half[axis] / (half[u] * half[u]), 1e-12);
    EXPECT_NEAR(C(1, 1), half[axis] / (half[v] * half[v]), 1e-12);
    EXPECT_NEAR(C(0, 1), 0.0, 1e-12);
  }
}

TEST(GapShape, OfABallRoundATorus) {
  const auto query = touch_sites(Sphere{0.1}, Torus{0.5, 0.15}).queries.front();
  const auto curvature = [&](const Vec3& p) {
    Body a, b;
    a.p = p;
    return Mat3(query->shape()->curvature(a.at(), b.at(), (*query)(a.at(), b.at())));
  };
  const Mat3 outer = curvature({0.75, 0, 0}), top = curvature({0.5, 0, 0.25});
  const Mat3 inner = curvature({0.25, 0, 0});
  EXPECT_NEAR(outer(1, 1), 10.0 + 1.0 / 0.65, 1e-12);
  EXPECT_NEAR(outer(2, 2), 10.0 + 1.0 / 0.15, 1e-12);
  EXPECT_NEAR(top(1, 1), 10.0, 1e-12);
  EXPECT_NEAR(top(0, 0), 10.0 + 1.0 / 0.15, 1e-12);
  EXPECT_NEAR(inner(1, 1), 10.0 - 1.0 / 0.35, 1e-12);
}

// Two balls of any placement have the sum of their curvatures: the closed form, by way of
// ellipsoids with equal axes.
TEST(GapShape, OfBallsIsRound) {
  const Pair pair{"balls", Ellipsoid{{0.2, 0.2, 0.2}}, Ellipsoid{{0.1, 0.1, 0.1}}, 0.3};
  const auto query = touch_sites(pair.a, pair.b).queries.front();
  for (const auto& [a, b] : placements(pair, *query)) {
    const Witness<double> w = (*query)(a.at(), b.at());
    const Mat3 C = query->shape()->curvature(a.at(), b.at(), w);
    const Mat3 round = 15.0 * (Mat3::Identity() - w.normal_W * w.normal_W.transpose());
    EXPECT_LT((C - round).norm(), 1e-11);
    const RateForm<double> rate = query->shape()->rate(a.at(), b.at(), w, C);
    EXPECT_LT(rate.force_W.norm() + rate.torque_W.norm(), 1e-8);
  }
}

TEST(GapShape, IsNotGivenWhereCurvatureDoesNotChange) {
  EXPECT_EQ(touch_sites(Sphere{0.1}, HalfSpace{}).queries.front()->shape(), nullptr);
  EXPECT_EQ(touch_sites(Sphere{0.1}, Spike{0.5}).queries.front()->shape(), nullptr);
  // A ball too large for the hole would touch its inner side all round.
  EXPECT_EQ(touch_sites(Sphere{0.4}, Torus{0.5, 0.15}).queries.front()->shape(), nullptr);
}

}  // namespace
}  // namespace grapple::geometry
