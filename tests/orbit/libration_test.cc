// Attitude of bodies in the gravity gradient against closed forms.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <complex>
#include <functional>

#include "grapple/spatial/rotation.h"
#include "support.h"

namespace grapple::orbit::testing {
namespace {

using spatial::Quat;

// The torque on a body whose principal axes are turned from the local ones, at rest in the world:
// 3 n^2 r^ x J r^ about the centre of mass, r^ the local vertical in body axes.
TEST(GravityGradient, TorqueIsThreeNSquaredTimesTheCrossProduct) {
  const ReferenceOrbit orbit = circular();
  const Vec3 J(900.0, 1200.0, 600.0);
  const double n2 = std::pow(orbit.mean_motion(), 2);
  for (const Vec3& turn : {Vec3(0.3, 0.0, 0.0), Vec3(0.0, 0.4, 0.0), Vec3(0.1, 0.2, -0.5)}) {
    FreeState start(1);
    start.q.segment(3, 4) = spatial::quaternion_exp<double>(turn);
    const System system = in_orbit(free_body(1000.0, J), orbit, start.q, start.v);
    const Snapshot<double> s = evaluated(system, 0.0, system.initial_state());
    const Vec3 r_B = s.workspace.motion[1].R_WL.transpose() * Vec3::UnitX();
    const Vec3 torque = 3.0 * n2 * r_B.cross(Vec3(J.asDiagonal() * r_B));
    const Vec3 alpha = torque.cwiseQuotient(J);
    // Rounding: n^2 from mu and a, rotation matrices.
    EXPECT_LT((s.workspace.vdot.segment<3>(3) - alpha).norm(), 1e-14 * n2);
    // The body's extent pulls it by mu S/(m R^4) at most.
    const double extent = orbit.planet().mu * J.sum() / (1000.0 * std::pow(6.778e6, 4));
    EXPECT_LT(s.workspace.vdot.head<3>().norm(), 3.0 * extent);
  }
}

// Small attitude motion in the local axes as a flow: frequencies are the angles of the eigenvalues
// of the matrix that takes (turn, rate) over a time h, by central differences of 1e-4.
class Attitude {
 public:
  Attitude(const ReferenceOrbit& orbit, const Vec3& J) : orbit_(orbit), J_(J) {}

  std::array<double, 3> frequencies(double h) const {
    Eigen::Matrix<double, 6, 6> flow;
    constexpr double kStep = 1e-4;
    for (int k = 0; k < 6; ++k) {
      Eigen::Matrix<double, 6, 1> x = Eigen::Matrix<double, 6, 1>::Zero();
      x[k] = kStep * scale(k);
      flow.col(k) = (after(h, x) - after(h, -x)) / (2.0 * kStep * scale(k));
    }
    const Eigen::EigenSolver<Eigen::Matrix<double, 6, 6>> solver(flow);
    std::vector<double> found;
    for (int k = 0; k < 6; ++k) {
      const std::complex<double> z = solver.eigenvalues()[k];
      EXPECT_NEAR(std::abs(z), 1.0, 1e-6);
      if (z.imag() > 0.0) found.push_back(std::arg(z) / h);
    }
    std::ranges::sort(found);
    EXPECT_EQ(found.size(), 3u);
    found.resize(3);
    return {found[0], found[1], found[2]};
  }

 private:
  double scale(int k) const { return k < 3 ? 1.0 : orbit_.mean_motion(); }

  // Turn of the body from the local axes (rotation vector) and its rate relative to them, body
  // axes.
  Eigen::Matrix<double, 6, 1> after(double h, const Eigen::Matrix<double, 6, 1>& x) const {
    const OrbitPoint start = orbit_.at(0.0);
    FreeState s(1);
    s.q.segment(3, 4) = spatial::quaternion_exp<double>(Vec3(x.head<3>()));
    const Mat3 R_WB = spatial::rotation_matrix<double>(Quat(s.q.segment(3, 4)));
    s.v.segment(3, 3) = R_WB.transpose() * start.omega + x.tail<3>();
    System system = in_orbit(free_body(1000.0, J_), orbit_, s.q, s.v);
    const VecX end = run_to(system, h, 1e-13);
    const OrbitPoint then = orbit_.at(h);
    const Mat3 R_WE = spatial::rotation_matrix<double>(Quat(end.segment(3, 4)));
    Eigen::Matrix<double, 6, 1> out;
    out << spatial::rotation_vector<double>(
        spatial::quaternion_of<double>(Mat3(then.R_WO.transpose() * R_WE))),
        Vec3(end.segment(7 + 3, 3)) - R_WE.transpose() * then.omega;
    return out;
  }

  ReferenceOrbit orbit_;
  Vec3 J_;
};

// Axes: x vertical, y along the track, z normal. Pitch: w^2 = 3 n^2 (Jy - Jx)/Jz. Roll and yaw:
// with k_r = (Jz - Jx)/Jy and k_y = (Jz - Jy)/Jx,
//   (w/n)^4 - (1 + 3 k_r + k_r k_y) (w/n)^2 + 4 k_r k_y = 0      (Hughes 1986, section 9.2)
TEST(Libration, FrequenciesOfPitchRollAndYawAreThoseOfTheClosedForm) {
  const ReferenceOrbit orbit = circular();
  const double n = orbit.mean_motion();
  const Vec3 J(300.0, 900.0, 1000.0);  // Jz > Jy > Jx: stable
  const double k_r = (J.z() - J.x()) / J.y(), k_y = (J.z() - J.y()) / J.x();
  const double b = 1.0 + 3.0 * k_r + k_r * k_y, c = 4.0 * k_r * k_y;
  const double root = std::sqrt(b * b - 4.0 * c);
  std::array<double, 3> expected{n * std::sqrt(3.0 * (J.y() - J.x()) / J.z()),
                                 n * std::sqrt(0.5 * (b + root)), n * std::sqrt(0.5 * (b - root))};
  std::ranges::sort(expected);
  const std::array<double, 3> found = Attitude(orbit, J).frequencies(0.2 * orbit.period());
  // Differences of 1e-4 rad leave 1e-8, integration 1e-12/1e-4.
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(found[k] / expected[k], 1.0, 1e-6);
}

// Chen 1999, section 4.1: axial to transverse inertia 0.005 gives 0.579 orbits (0.58 in print). At
// an amplitude A the pendulum of twice the angle takes 2/pi K(sin A) times longer.
double pitch_period(double amplitude) {
  const ReferenceOrbit orbit = circular();
  FreeState start(1);
  start.q.segment(3, 4) = spatial::quaternion_exp<double>(Vec3(0.0, 0.0, amplitude));
  start.v[5] = orbit.mean_motion();
  System system = in_orbit(free_body(120e3, {0.72e6, 144e6, 144e6}), orbit, start.q, start.v);
  run::Plan plan = tight(orbit.period());
  plan.events.push_back({"vertical", "orbit/craft/pitch", 0.0, integrate::Crossing::kBoth, {}});
  run::Session session(system, plan);
  session.start();
  session.advance_to(orbit.period());
  EXPECT_GE(session.events().size(), 3u);
  return (session.events()[2].time - session.events()[0].time) / orbit.period();
}

TEST(Libration, PeriodOfALongBodyIsThatOfTheSource) {
  const double small = 1.0 / std::sqrt(3.0 * (1.0 - 0.005));
  EXPECT_NEAR(small, 0.579, 5e-4);
  for (const double amplitude : {0.1, 30.0 * kDegree}) {
    // Crossings are found on the dense output, 1e-10 of a radian off.
    const double longer = 2.0 / std::numbers::pi * std::comp_ellint_1(std::sin(amplitude));
    EXPECT_NEAR(pitch_period(amplitude), small * longer, 1e-8) << amplitude;
  }
}

// Pitch on an eccentric orbit (Beletsky 1959), theta the turn from the local vertical, nu the true
// anomaly: (1 + e cos nu) theta'' - 2 e sin nu (theta' + 1) + 3 k sin theta cos theta = 0, here by
// Runge and Kutta with 20000 steps.
double beletsky(double e, double k, double theta, double rate, double turn) {
  const auto f = [&](double nu, double th, double om) {
    return (2.0 * e * std::sin(nu) * (om + 1.0) - 3.0 * k * std::sin(th) * std::cos(th)) /
           (1.0 + e * std::cos(nu));
  };
  const int steps = 20000;
  const double h = turn / steps;
  for (int i = 0; i < steps; ++i) {
    const double nu = h * i;
    const double k1 = f(nu, theta, rate), a1 = rate;
    const double a2 = rate + 0.5 * h * k1, k2 = f(nu + 0.5 * h, theta + 0.5 * h * a1, a2);
    const double a3 = rate + 0.5 * h * k2, k3 = f(nu + 0.5 * h, theta + 0.5 * h * a2, a3);
    const double a4 = rate + h * k3, k4 = f(nu + h, theta + h * a3, a4);
    theta += h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
    rate += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
  }
  return theta;
}

TEST(Libration, PitchOnAnEccentricOrbitFollowsBeletskysEquation) {
  const double e = 0.1;
  const ReferenceOrbit orbit({.semi_major_axis = 8e6, .eccentricity = e}, Planet{},
                             Oblateness::kNone);
  const Vec3 J(100.0, 900.0, 1000.0);
  const double k = (J.y() - J.x()) / J.z();
  FreeState start(1);
  start.q.segment(3, 4) = spatial::quaternion_exp<double>(Vec3(0.0, 0.0, 0.1));
  start.v[5] = orbit.at(0.0).omega.z();
  System system = in_orbit(free_body(1000.0, J), orbit, start.q, start.v);
  const double end = 1.3 * orbit.period();
  const VecX x = run_to(system, end, 1e-12);
  const double nu = orbit.at(end).true_anomaly;
  const double expected = beletsky(e, k, 0.1, 0.0, nu);
  // Both integrations are good to 1e-10.
  EXPECT_NEAR(value(system, evaluated(system, end, x), "orbit/craft/pitch"), expected, 1e-8);
  EXPECT_GT(std::abs(expected), 0.05);
}

}  // namespace
}  // namespace grapple::orbit::testing
