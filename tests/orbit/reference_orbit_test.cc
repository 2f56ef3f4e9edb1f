#include "grapple/orbit/reference_orbit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "system/support.h"

namespace grapple::orbit {
namespace {

using spatial::Mat3;
using spatial::Vec3;
using system::testing::derivative;

constexpr double kDegree = std::numbers::pi / 180.0;

KeplerElements inclined() {
  return {7.2e6, 0.08, 51.6 * kDegree, 40.0 * kDegree, 70.0 * kDegree, 25.0 * kDegree};
}

ReferenceOrbit orbit_with(Oblateness oblateness) { return {inclined(), Planet{}, oblateness}; }

// Chen 1999, section 4.1: 92.5 min and 0.0648 deg/s at 400 km; recomputed with mu = 3.986e14 and
// 6378 km: 92.56 min, 0.06482 deg/s.
TEST(ReferenceOrbit, PeriodAndRateAt400Kilometres) {
  const Planet planet{.mu = 3.986e14, .radius = 6.378e6};
  const ReferenceOrbit orbit({.semi_major_axis = 6.778e6}, planet, Oblateness::kNone);
  EXPECT_NEAR(orbit.period() / 60.0, 92.56, 0.005);
  EXPECT_NEAR(orbit.mean_motion() / kDegree, 0.06482, 5e-6);
}

TEST(ReferenceOrbit, WorldAxesAreTheLocalOnesAtTheStart) {
  for (const Oblateness oblateness : {Oblateness::kNone, Oblateness::kJ2}) {
    const OrbitPoint start = orbit_with(oblateness).at(0.0);
    EXPECT_LT((start.R_WO - Mat3::Identity()).norm(), 1e-15);
    EXPECT_LT((start.R - Vec3(start.radius, 0.0, 0.0)).norm(), 1e-8);  // eps |R|
  }
}

TEST(ReferenceOrbit, StartIsThePlaceOfTheElements) {
  const ReferenceOrbit orbit = orbit_with(Oblateness::kNone);
  const OrbitPoint start = orbit.at(0.0);
  const Vec3 R_E = orbit.R_WE().transpose() * start.R, V_E = orbit.R_WE().transpose() * start.V;
  const Vec3 h = R_E.cross(V_E);
  const KeplerElements k = inclined();
  EXPECT_NEAR(std::acos(h.z() / h.norm()), k.inclination, 1e-14);
  EXPECT_NEAR(std::atan2(h.x(), -h.y()), k.node, 1e-14);
  const Vec3 to_perigee = V_E.cross(h) / orbit.planet().mu - R_E.normalized();
  EXPECT_NEAR(to_perigee.norm(), k.eccentricity, 1e-15);
  const Vec3 node(std::cos(k.node), std::sin(k.node), 0.0);
  EXPECT_NEAR(std::acos(to_perigee.normalized().dot(node)), k.argument_of_perigee, 1e-13);
  EXPECT_NEAR(std::acos(to_perigee.normalized().dot(R_E.normalized())), k.true_anomaly, 1e-13);
}

TEST(ReferenceOrbit, VelocityAndAccelerationAreExactDerivatives) {
  for (const Oblateness oblateness : {Oblateness::kNone, Oblateness::kJ2}) {
    const ReferenceOrbit orbit = orbit_with(oblateness);
    for (const double t : {0.0, 700.0, 3210.0, 86400.0}) {
      const OrbitPoint p = orbit.at(t);
      // Steps of 20 s: truncation below 1e-13, rounding eps/h of R and V.
      const auto R = [&](double h) { return Vec3(orbit.at(t + h).R); };
      const auto V = [&](double h) { return Vec3(orbit.at(t + h).V); };
      EXPECT_LT((p.V - derivative(R, 20.0)).norm(), 1e-12 * p.V.norm() + 1e-14 * t);
      EXPECT_LT((p.A - derivative(V, 20.0)).norm(), 1e-11 * p.A.norm());
      const Vec3 central = -orbit.planet().mu / std::pow(p.radius, 3) * p.R;
      EXPECT_LT((p.A - central - p.excess).norm(), 1e-14);
      const auto excess = [&](double h) { return Vec3(orbit.at(t + h).excess); };
      EXPECT_LT((p.excess_rate - derivative(excess, 20.0)).norm(),
                1e-10 * (1e-12 + p.excess_rate.norm()));
    }
  }
}

TEST(ReferenceOrbit, LocalAxesTurnAtTheirAngularVelocity) {
  for (const Oblateness oblateness : {Oblateness::kNone, Oblateness::kJ2}) {
    const ReferenceOrbit orbit = orbit_with(oblateness);
    const double t = 1234.5;
    const OrbitPoint p = orbit.at(t);
    const auto axes = [&](double h) { return Mat3(orbit.at(t + h).R_WO); };
    const Mat3 rate = derivative(axes, 20.0) * p.R_WO.transpose();
    EXPECT_LT((Vec3(rate(2, 1), rate(0, 2), rate(1, 0)) - p.omega).norm(),
              1e-13 * p.omega.norm() + 1e-15);
    EXPECT_NEAR(p.R_WO.col(0).dot(p.R), p.radius, 1e-8);
  }
}

TEST(ReferenceOrbit, NodeDriftsAtTheSecularRate) {
  const ReferenceOrbit orbit = orbit_with(Oblateness::kJ2);
  const KeplerElements k = inclined();
  const double p = k.semi_major_axis * (1.0 - k.eccentricity * k.eccentricity);
  const double expected = -1.5 * orbit.mean_motion() * orbit.planet().j2 *
                          std::pow(orbit.planet().radius / p, 2) * std::cos(k.inclination);
  EXPECT_NEAR(orbit.node_rate(), expected, 1e-15 * orbit.mean_motion());
  const auto node = [&](double t) {
    const Vec3 h = orbit.R_WE().transpose() * orbit.at(t).R_WO.col(2);
    return std::atan2(h.x(), -h.y());
  };
  EXPECT_NEAR(node(1e4) - node(0.0), expected * 1e4, 1e-13);
}

}  // namespace
}  // namespace grapple::orbit
