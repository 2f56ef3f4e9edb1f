// Motion of free bodies about the reference point: Clohessy and Wiltshire, J2, osculating elements.
#include <gtest/gtest.h>

#include "support.h"

namespace grapple::orbit::testing {
namespace {

Model two_bodies() {
  ModelBuilder builder;
  builder.add_body("chaser", lump(500.0, Vec3::Zero(), Vec3::Constant(100.0)));
  builder.add_body("target", lump(900.0, Vec3::Zero(), Vec3::Constant(300.0)));
  return builder.build();
}

// Closed form of x'' - 2 n y' - 3 n^2 x = 0, y'' + 2 n x' = 0, z'' + n^2 z = 0.
Vec3 clohessy_wiltshire(double n, double t, const Vec3& r, const Vec3& v) {
  const double s = std::sin(n * t), c = std::cos(n * t);
  return {(4.0 - 3.0 * c) * r.x() + s / n * v.x() + 2.0 / n * (1.0 - c) * v.y(),
          6.0 * (s - n * t) * r.x() + r.y() - 2.0 / n * (1.0 - c) * v.x() +
              (4.0 * s - 3.0 * n * t) / n * v.y(),
          c * r.z() + s / n * v.z()};
}

// Where the two bodies are, relative to each other, after most of an orbit; linear in `size` in the
// limit.
double error_of_separation(double size) {
  const ReferenceOrbit orbit = circular();
  const double n = orbit.mean_motion(), end = 0.8 * orbit.period();
  const Vec3 r = size * Vec3(1.0, -2.0, 0.5), v = size * n * Vec3(-0.3, 0.6, 0.4);
  FreeState start(2);
  start.q.segment(0, 3) = r;
  start.v.segment(0, 3) = v + orbit.at(0.0).omega.cross(r);
  System system = in_orbit(two_bodies(), orbit, start.q, start.v);
  const VecX x = run_to(system, end, 1e-13);
  const Mat3 R_OW = orbit.at(end).R_WO.transpose();
  const Vec3 apart = R_OW * (x.segment(0, 3) - x.segment(7, 3));
  EXPECT_LT(Vec3(x.segment(7, 3)).norm(), 1e-10);  // the target stays where the reference is
  return (apart - clohessy_wiltshire(n, end, r, v)).norm() / size;
}

TEST(RelativeMotion, TendsToClohessyAndWiltshireWithTheSeparation) {
  const double far = error_of_separation(10e3), near = error_of_separation(1e3),
               close = error_of_separation(10.0);
  EXPECT_LT(close, 2e-3);              // after a drift of 24 times the separation
  EXPECT_NEAR(far / near, 10.0, 0.5);  // of second order in the separation
  EXPECT_NEAR(near / close, 100.0, 0.5);
}

TEST(RelativeMotion, OrbitOfABodyFarFromTheReferenceIsKeplers) {
  const ReferenceOrbit orbit({6.9e6, 0.02, 0.9, 0.7, 1.2, 0.4}, Planet{}, Oblateness::kNone);
  const ReferenceOrbit other({7.0e6, 0.03, 0.95, 0.68, 1.25, 0.45}, Planet{}, Oblateness::kNone);
  const auto relative = [&](double t) {
    const Mat3 R = orbit.R_WE() * other.R_WE().transpose();
    const OrbitPoint a = orbit.at(t), b = other.at(t);
    return std::pair<Vec3, Vec3>{R * b.R - a.R, R * b.V - a.V};
  };
  FreeState start(1);
  start.q.head(3) = relative(0.0).first;
  start.v.head(3) = relative(0.0).second;
  System system = in_orbit(free_body(500.0, Vec3::Constant(100.0)), orbit, start.q, start.v);
  const double end = 2.0 * orbit.period();
  const VecX x = run_to(system, end, 1e-13);
  // 1e-13 of 700 km at each of some hundred steps.
  EXPECT_LT((x.head(3) - relative(end).first).norm(), 1e-5);
  const Snapshot<double> s = evaluated(system, end, x);
  EXPECT_NEAR(value(system, s, "orbit/craft/semi_major_axis"), 7.0e6, 1e-4);
  EXPECT_NEAR(value(system, s, "orbit/craft/eccentricity"), 0.03, 1e-11);
  EXPECT_NEAR(value(system, s, "orbit/craft/inclination"), 0.95, 1e-11);
  EXPECT_NEAR(value(system, s, "orbit/craft/node"), 0.68, 1e-11);
}

// The osculating node, averaged over two orbits a day apart, drifts at -3/2 n J2 (Re/p)^2 cos i.
// Returns the drift as a part of that; n, p and i are the averages, and the next order is J2
// (Re/p)^2.
double drift_of_node(double j2) {
  const Planet planet{.j2 = j2};
  const KeplerElements elements{.semi_major_axis = 7.2e6,
                                .eccentricity = 0.001,
                                .inclination = 60.0 * kDegree,
                                .argument_of_perigee = 0.3};
  const ReferenceOrbit orbit(elements, planet, Oblateness::kJ2);
  FreeState start(1);
  start.v.head(3) = orbit.start_velocity();
  System system = in_orbit(free_body(500.0, Vec3::Constant(100.0)), orbit, start.q, start.v);
  const run::Plan plan = tight(2e5, 1e-12);
  run::Session session(system, plan);
  session.start();
  // Averages of elements over one draconic period each, at the start and 15 orbits later.
  const double period = 2.0 * std::numbers::pi /
                        (orbit.mean_motion() + orbit.anomaly_rate_excess() + orbit.perigee_rate());
  const int samples = 400;
  const auto mean_over_an_orbit = [&](double begin) {
    Vec3 sum = Vec3::Zero();  // node, semi-major axis, inclination
    for (int k = 0; k < samples; ++k) {
      session.advance_to(begin + period * (k + 0.5) / samples);
      sum += Vec3(session.get("orbit/craft/node"), session.get("orbit/craft/semi_major_axis"),
                  session.get("orbit/craft/inclination"));
    }
    return Vec3(sum / samples);
  };
  const Vec3 first = mean_over_an_orbit(0.0), last = mean_over_an_orbit(15.0 * period);
  const double drift = (last[0] - first[0]) / (15.0 * period);
  const double a = 0.5 * (first[1] + last[1]), i = 0.5 * (first[2] + last[2]);
  const double n = std::sqrt(planet.mu / (a * a * a));
  const double expected = -1.5 * n * planet.j2 * std::pow(planet.radius / a, 2) * std::cos(i);
  // The reference stays near: periodic terms of J2 times the radius, 10 km, and no more drift.
  EXPECT_LT(std::abs(session.get("orbit/craft/position_radial")), 20e3);
  EXPECT_LT(std::abs(session.get("orbit/craft/position_along")), 40e3);
  return drift / expected;
}

TEST(RelativeMotion, NodeOfABodyDriftsAtTheSecularRate) {
  EXPECT_NEAR(drift_of_node(1e-5), 1.0, 1e-4);
  EXPECT_NEAR(drift_of_node(Planet{}.j2), 1.0, 3e-3);
}

}  // namespace
}  // namespace grapple::orbit::testing
