// Volumes of interference: closed forms, sums over small cells, and the energy they stand for.
#include "grapple/geometry/overlap/volume_query.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "geometry/placed.h"

namespace grapple::geometry {
namespace {

using spatial::Dual;
using spatial::Mat3;
using spatial::Vec3;
using std::numbers::pi;

const Mat3 kUpright = Mat3::Identity();
const Vec3 kOrigin = Vec3::Zero();

Overlap<double> overlap(const Shape& shape, const Mat3& R, const Vec3& p) {
  return (*overlap_pair(shape, HalfSpace{}).query)(Placement<double>{R, p}, {kUpright, kOrigin});
}

// Digest 3.13: cap of a sphere.
TEST(Volume, OfASphericalCap) {
  const double R = 0.1;
  for (const double d : {1e-6, 1e-3, 0.02, 0.15}) {
    const Overlap<double> o = overlap(Sphere{R}, kUpright, {0.3, 0.4, R - d});
    const double V = pi / 3.0 * d * d * (3.0 * R - d);
    EXPECT_NEAR(o.volume, V, 1e-9 * V) << d;  // d itself has ten digits at 1e-6
    EXPECT_NEAR(o.gap, -d, 1e-15);
    const double below_center = 0.75 * std::pow(2.0 * R - d, 2) / (3.0 * R - d);
    EXPECT_TRUE(o.centroid_W.isApprox(Vec3(0.3, 0.4, R - d - below_center), 1e-9)) << d;
    const double J_n = pi * d * d * d / 30.0 * (20.0 * R * R - 15.0 * R * d + 3.0 * d * d);
    EXPECT_NEAR(o.inertia_W(2, 2), J_n, 1e-9 * J_n);
    EXPECT_NEAR(o.potential, pi * (R * d * d * d / 3.0 - d * d * d * d / 12.0), 1e-8 * V * d);
  }
  // Half a ball of mass rho: J about its own centroid, 83/320 m R^2 across.
  const Overlap<double> half = overlap(Sphere{R}, kUpright, kOrigin);
  EXPECT_NEAR(half.inertia_W(0, 0), 83.0 / 320.0 * half.volume * R * R, 1e-14);
}

// Digest 4.9: the tippe-top of 6 g on a patch of 0.5 mm radius.
TEST(Volume, OfTheTippeTopGivesItsFoundation) {
  const double R = 0.015, c = 0.5e-3, depth = R - std::sqrt(R * R - c * c);
  const double V = overlap(Sphere{R}, kUpright, {0.0, 0.0, R - depth}).volume;
  EXPECT_NEAR(6e-3 * 9.81 / V, 1.79796e10, 5e4);  // digits as printed there
}

TEST(Volume, OfABoxOnItsFace) {
  const double L = 0.4, W = 0.3, d = 1e-4;
  const Overlap<double> o = overlap(Box{{L / 2, W / 2, 0.1}, 0.0}, kUpright, {1.0, 2.0, 0.1 - d});
  EXPECT_NEAR(o.volume, L * W * d, 1e-11 * L * W * d);  // d has twelve digits
  EXPECT_TRUE(o.centroid_W.isApprox(Vec3(1.0, 2.0, -d / 2), 1e-12));
  EXPECT_NEAR(o.inertia_W(2, 2) / o.volume, (L * L + W * W) / 12.0, 1e-12);
  EXPECT_NEAR(o.inertia_W(0, 0) / o.volume, (W * W + d * d) / 12.0, 1e-12);
  EXPECT_NEAR(o.potential, L * W * d * d / 2.0, 1e-11 * L * W * d * d);
}

// A corner that dips d below the plane, edges at equal slopes: a tetrahedron with three equal edges
// d sqrt(3) at right angles.
TEST(Volume, OfADippedCorner) {
  const double d = 0.05, edge = d * std::sqrt(3.0);
  const Mat3 R =
      Eigen::Quaterniond::FromTwoVectors(Vec3(-1, -1, -1), -Vec3::UnitZ()).toRotationMatrix();
  const Vec3 half(0.2, 0.2, 0.2);
  const Overlap<double> o = overlap(Box{half, 0.0}, R, {0, 0, half.norm() - d});
  EXPECT_NEAR(o.volume, edge * edge * edge / 6.0, 1e-15);
  EXPECT_NEAR(o.gap, -d, 1e-15);
  EXPECT_NEAR(o.centroid_W.z(), -d / 4.0, 1e-15);
}

// The same corner barely in: the moments keep the digits the depth has. Heights of corners are 0.35
// m, known to 8e-17 m, and cut the edges at d over their difference: 1e-16/d, relative, is what
// positions allow, and no more is asked (found: 4e-12 at 1e-6 m, 5e-5 at 1e-13 m).
TEST(Volume, OfAScratchedCornerKeepsTheDigitsOfItsDepth) {
  const Mat3 R =
      Eigen::Quaterniond::FromTwoVectors(Vec3(-1, -1, -1), -Vec3::UnitZ()).toRotationMatrix();
  const double half = 0.2 * std::sqrt(3.0);
  for (const double d : {1e-6, 1e-10, 1e-13}) {
    const Overlap<double> o = overlap(Box{{0.2, 0.2, 0.2}, 0.0}, R, {0, 0, half - d});
    ASSERT_LT(o.gap, 0.0);
    const double edge = -o.gap * std::sqrt(3.0), digits = 1e-12 + 1e-16 / d;
    EXPECT_NEAR(o.volume / (edge * edge * edge / 6.0), 1.0, digits) << d;
    // About the axis of the corner the tetrahedron has r_gyr^2 = edge^2/10.
    EXPECT_NEAR(o.inertia_W(2, 2) / o.volume / (edge * edge / 10.0), 1.0, digits) << d;
  }
}

// A whole box under the plane is the box.
TEST(Volume, OfASunkenBoxIsTheBoxInEveryPose) {
  std::mt19937 engine(3);  // seed
  std::uniform_real_distribution<double> one(-1.0, 1.0);
  const Vec3 h(0.3, 0.2, 0.1);
  for (int k = 0; k < 20; ++k) {
    const Mat3 R = spatial::rotation_about(Vec3(one(engine), one(engine), one(engine)).normalized(),
                                           3.0 * one(engine));
    const Overlap<double> o = overlap(Box{h, 0.0}, R, {0.5, -0.2, -1.0});
    EXPECT_NEAR(o.volume, 8.0 * h.prod(), 1e-15);
    EXPECT_TRUE(o.centroid_W.isApprox(Vec3(0.5, -0.2, -1.0), 1e-13));
    const Vec3 s = h.cwiseAbs2();
    const Mat3 own =
        (Vec3(s.y() + s.z(), s.x() + s.z(), s.x() + s.y()) / 3.0 * o.volume).asDiagonal();
    EXPECT_TRUE(o.inertia_W.isApprox(R * own * R.transpose(), 1e-12));
  }
}

// A cylinder against the sum over small cells: midpoint rule, so that only the cells the plane cuts
// are in error.
TEST(Volume, OfACylinderInAnyPoseIsTheSumOfItsCells) {
  const double r = 0.1, half = 0.15, whole = pi * r * r * 2.0 * half;
  constexpr int kRadial = 50, kAround = 100, kAlong = 100;
  for (const double tilt : {1e-7, 0.05, 0.7, 1.5, pi / 2, 2.0, 3.0}) {
    for (const double height : {0.12, 0.0, -0.1}) {
      SCOPED_TRACE(std::to_string(tilt) + " rad, " + std::to_string(height) + " m");
      const Mat3 R = spatial::rotation_about(Vec3(0.6, 0.8, 0.0), tilt);
      const Vec3 p(0.3, 0.2, height);
      const Overlap<double> o = overlap(Cylinder{r, half}, R, p);
      double V = 0.0;
      Vec3 first = Vec3::Zero();
      Mat3 second = Mat3::Zero();
      for (int cell = 0; cell < kRadial * kAround * kAlong; ++cell) {
        const double rho = r * (cell % kRadial + 0.5) / kRadial;
        const double phi = 2.0 * pi * (cell / kRadial % kAround + 0.5) / kAround;
        const double z = half * (2.0 * (cell / kRadial / kAround + 0.5) / kAlong - 1.0);
        const Vec3 at = p + R * Vec3(rho * std::cos(phi), rho * std::sin(phi), z);
        if (at.z() > 0.0) continue;
        const double dV = rho * (r / kRadial) * (2.0 * pi / kAround) * (2.0 * half / kAlong);
        V += dV;
        first += dV * at;
        second += dV * at * at.transpose();
      }
      EXPECT_NEAR(o.volume, V, 5e-3 * whole);
      if (V < 0.05 * whole) continue;
      EXPECT_LT((o.centroid_W - first / V).norm(), 2e-3);
      const Mat3 central = second - first * first.transpose() / V;
      const Mat3 J = central.trace() * Mat3::Identity() - central;
      EXPECT_LT((o.inertia_W - J).norm(), 0.02 * J.norm());
    }
  }
}

TEST(Volume, OfACylinderUprightLyingAndSunkenIsTheClosedForm) {
  const double r = 0.1, half = 0.15, d = 1e-4;
  const Cylinder shape{r, half};
  const Overlap<double> upright = overlap(shape, kUpright, {0, 0, half - d});
  EXPECT_NEAR(upright.volume / (pi * r * r * d), 1.0, 1e-11);  // d has twelve digits
  EXPECT_NEAR(upright.inertia_W(2, 2) / upright.volume, 0.5 * r * r, 1e-14);
  EXPECT_NEAR(upright.centroid_W.z(), -0.5 * d, 1e-15);
  const Mat3 lie = spatial::rotation_about(Vec3::UnitX(), pi / 2);
  const Overlap<double> lying = overlap(shape, lie, {0, 0, r - d});
  const double angle = std::acos(1.0 - d / r);
  const double segment = r * r * (angle - std::sin(angle) * std::cos(angle));
  // The reference loses digits: angle - sin cos is a difference of numbers 1000 times larger.
  EXPECT_NEAR(lying.volume / (segment * 2.0 * half), 1.0, 1e-9);
  const Overlap<double> sunken = overlap(shape, lie, {0, 0, -1.0});
  EXPECT_NEAR(sunken.volume, pi * r * r * 2.0 * half, 1e-15);
  EXPECT_NEAR(sunken.inertia_W(1, 1), 0.5 * r * r * sunken.volume, 1e-16);
  EXPECT_NEAR(sunken.inertia_W(0, 0), (0.25 * r * r + half * half / 3.0) * sunken.volume, 1e-15);
}

// Where the plane begins to leave the end disc, the two ways of summing meet.
TEST(Volume, OfACylinderIsContinuousWhereItsFormulaChanges) {
  const Mat3 R = spatial::rotation_about(Vec3::UnitY(), 0.2);
  const double change = 0.15 * std::cos(0.2) - 0.1 * std::sin(0.2);  // height of the centre
  const auto at = [&](double height) { return overlap(Cylinder{0.1, 0.15}, R, {0, 0, height}); };
  const double step = 1e-9;
  const Overlap<double> above = at(change + step), below = at(change - step);
  EXPECT_NEAR((below.volume - above.volume) / (2.0 * step), pi * 0.01 / std::cos(0.2), 1e-5);
  EXPECT_LT((above.centroid_W - below.centroid_W).norm(), 4.0 * step);
  EXPECT_LT((above.inertia_W - below.inertia_W).norm(), 1e-3 * step);
}

// Archimedes: the force V n at the centroid is the gradient of the potential, and the gap closes
// at the speed of the lowest point.
TEST(Volume, ForceAtTheCentroidIsTheGradientOfThePotential) {
  std::mt19937 engine(5);  // seed
  for (const Shape& shape :
       {Shape{Sphere{0.3}}, Shape{Box{{0.3, 0.2, 0.1}, 0.0}}, Shape{Cylinder{0.2, 0.3}}}) {
    const auto query = overlap_pair(shape, HalfSpace{}).query;
    int overlapping = 0;
    for (int k = 0; k < 200; ++k) {
      const Body a = random_body(engine, 0.2), b = random_body(engine, 0.2);
      const Moving a_moving(a), b_moving(b);
      const Overlap<Dual> o = (*query)(a_moving.placement(), b_moving.placement());
      if (!(o.volume.value > 0.0)) continue;
      ++overlapping;
      Vec3 n, c;
      for (int i = 0; i < 3; ++i) {
        n[i] = o.normal_W[i].value;
        c[i] = o.centroid_W[i].value;
      }
      const double closing = -n.dot(a.velocity(c) - b.velocity(c));
      EXPECT_NEAR(o.potential.d[0], o.volume.value * closing, 1e-14);
    }
    EXPECT_GT(overlapping, 50);
  }
}

TEST(Volume, InertiaIsSymmetricAndPositive) {
  std::mt19937 engine(7);  // seed
  std::uniform_real_distribution<double> one(-1.0, 1.0);
  for (int k = 0; k < 1000; ++k) {
    const Mat3 R = spatial::rotation_about(Vec3(one(engine), one(engine), one(engine)).normalized(),
                                           3.0 * one(engine));
    const Overlap<double> o = overlap(Box{{0.3, 0.2, 0.1}, 0.0}, R, {0, 0, 0.3 * one(engine)});
    if (!(o.volume > 1e-12)) continue;
    EXPECT_LT((o.inertia_W - o.inertia_W.transpose()).norm(), 1e-15);
    EXPECT_GT(Eigen::SelfAdjointEigenSolver<Mat3>(o.inertia_W).eigenvalues()[0], 0.0);
  }
}

TEST(Volume, IsContinuousAlongAPathThroughEdgesAndFaces) {
  const int n = 20000;
  double largest = 0.0, before = -1.0;
  for (int k = 0; k <= n; ++k) {
    const double turn = 2.0 * pi * k / n;
    const Mat3 R = spatial::rotation_about(Vec3(1, 2, 0.5).normalized(), turn);
    const double V = overlap(Box{{0.3, 0.2, 0.1}, 0.0}, R, {0, 0, 0.1}).volume;
    if (before >= 0.0) largest = std::max(largest, std::abs(V - before));
    before = V;
  }
  // |dV| <= area * lever * turn: 0.3 m^2 * 0.4 m * 2 pi/n. A jump would not shrink with n.
  EXPECT_LT(largest, 0.3 * 0.4 * 2.0 * pi / n);
}

}  // namespace
}  // namespace grapple::geometry
