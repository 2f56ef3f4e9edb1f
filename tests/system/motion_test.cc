// Prescribed motion: three ways to say the same thing, and what it costs to make it happen.
#include <gtest/gtest.h>

#include "grapple/dynamics/rnea.h"
#include "grapple/force/joint_elements.h"
#include "support.h"

namespace grapple::system::testing {
namespace {

using test::RandomTree;

Function exact(const std::string& value, const std::string& rate, const std::string& acceleration) {
  return Function::expression_with_derivatives(value, rate, acceleration);
}
Function of_level(MotionLevel level) {
  switch (level) {
    case MotionLevel::kPosition:
      return exact("0.5*sin(2*t)", "cos(2*t)", "-2*sin(2*t)");
    case MotionLevel::kRate:
      return exact("cos(2*t)", "-2*sin(2*t)", "-4*cos(2*t)");
    case MotionLevel::kAcceleration:
      return exact("-2*sin(2*t)", "-4*cos(2*t)", "8*sin(2*t)");
  }
  return {};
}
constexpr MotionLevel kLevels[] = {MotionLevel::kPosition, MotionLevel::kRate,
                                   MotionLevel::kAcceleration};

// Classical Runge-Kutta steps with projection, enough for smooth short runs.
VecX run(const System& system, VecX x, double t_end, int steps) {
  const double h = t_end / steps;
  const auto f = [&](double t, const VecX& at) {
    return rate_of(system, evaluated(system, t, at));
  };
  for (int k = 0; k < steps; ++k) {
    const double t = k * h;
    const VecX k1 = f(t, x), k2 = f(t + h / 2, x + h / 2 * k1), k3 = f(t + h / 2, x + h / 2 * k2),
               k4 = f(t + h, x + h * k3);
    x += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    system.project(t + h, view(x));
  }
  return x;
}

// A double pendulum with its shoulder driven.
System driven_arm(MotionLevel level) {
  ModelBuilder builder;
  builder.set_gravity({0, -9.81, 0});
  builder.add_body("upper", lump(1.0, {0, -0.4, 0}, Vec3::Constant(0.1)));
  builder.add_body("lower", lump(0.5, {0, -0.3, 0}, Vec3::Constant(0.05)));
  builder.add_joint(joint("shoulder", JointType::kRevolute, "world", "upper"));
  builder.add_joint(
      joint("elbow", JointType::kRevolute, "upper", "lower", Mat3::Identity(), {0, -0.8, 0}));
  SystemParts parts{builder.build(), {}, Eigen::Vector2d(1.0, 0.0), {}, {}, {}};
  parts.motions.push_back({1, level, {of_level(level)}});
  return System(std::move(parts));
}

TEST(PrescribedMotion, PositionRateAndAccelerationGiveTheSameRun) {
  std::vector<VecX> ends;
  for (const MotionLevel level : kLevels) {
    const System system = driven_arm(level);
    ends.push_back(run(system, system.initial_state(), 1.0, 400));
  }
  EXPECT_NEAR(ends[0][0], 0.5 * std::sin(2.0), 1e-15) << "position level is met exactly";
  EXPECT_NEAR(ends[0][2], std::cos(2.0), 1e-15);
  // Fourth order at a step of 2.5 ms: 4e-11 of the fifth derivatives.
  EXPECT_LT((ends[1] - ends[0]).lpNorm<Eigen::Infinity>(), 1e-8);
  EXPECT_LT((ends[2] - ends[0]).lpNorm<Eigen::Infinity>(), 1e-8);
}

TEST(PrescribedMotion, LedgerClosesOverARun) {
  for (const MotionLevel level : kLevels) {
    const System system = driven_arm(level);
    const VecX x = run(system, system.initial_state(), 1.0, 400);
    const Snapshot<double> s = evaluated(system, 1.0, x);
    EXPECT_GT(std::abs(value(system, s, "work/actuators")), 0.1);
    EXPECT_LT(std::abs(value(system, s, "energy/residual")), 1e-8);
  }
}

TEST(PrescribedMotion, DriveEffortIsInverseDynamicsAndItsPowerIsBooked) {
  double worst = 0.0;
  for (const JointType type : model::kAllJointTypes) {
    if (type == JointType::kFixed) continue;
    for (const MotionLevel level : kLevels) {
      for (unsigned seed = 0; seed < 5; ++seed) {
        SCOPED_TRACE(std::string(joint_type_name(type)) + " seed " + std::to_string(seed));
        RandomTree random(seed);
        Model model = tree_with(type, random);
        const int nv = model.link(2).nv;
        auto parts =
            elements(force::make_joint_damper(model, 2, random_values(random, nv, 1.0, 2.0)));
        const System system = system_of(
            std::move(model), std::move(parts),
            {{2, level,
              std::vector<element::Input>(static_cast<std::size_t>(nv), of_level(level))}});
        VecX x = random_state(system, random);
        const double t = 0.4;
        const Snapshot<double> s = evaluated(system, t, x);
        model::Workspace workspace(system.model());
        dynamics::rnea(system.model(), s.state, s.workspace.vdot, workspace);
        const VecX difference = workspace.tau - s.tau - s.drive;
        worst = std::max(worst, difference.norm() / (1.0 + workspace.tau.norm()));
        const model::Link& link = system.model().link(2);
        const VecX rates = s.state.v.segment(link.v_index, nv);
        const double power = s.drive.segment(link.v_index, nv).dot(rates);
        EXPECT_NEAR(supply(s, element::Supply::kActuators), power, 1e-12 * (1.0 + std::abs(power)));
        EXPECT_EQ(VecX(s.workspace.vdot.segment(link.v_index, nv)),
                  VecX(s.state.driven_vdot.segment(link.v_index, nv)));
        // Only the driven joint has a drive; its effort channel is element plus drive.
        VecX others = s.drive;
        others.segment(link.v_index, nv).setZero();
        EXPECT_EQ(others.norm(), 0.0);
      }
    }
  }
  EXPECT_LT(worst, 1e-10);  // as the agreement of rnea and aba
  std::printf("drive against inverse dynamics: worst relative error %.1e\n", worst);
}

TEST(PrescribedMotion, PendulumDriveByHand) {
  Model model = pendulum(2.0, 0.7, 0.3, 9.81);
  const System system = system_of(std::move(model), {},
                                  {{1, MotionLevel::kPosition, {exact("0.6 + t^2", "2*t", "2")}}});
  const Snapshot<double> s = evaluated(system, 0.5, system.initial_state());
  const double J = 0.3 + 2.0 * 0.49, effort = J * 2.0 + 2.0 * 9.81 * 0.7 * std::sin(0.85);
  EXPECT_NEAR(value(system, s, "joint/pivot/drive"), effort, 1e-13);
  EXPECT_NEAR(value(system, s, "joint/pivot/effort"), effort, 1e-13);
  EXPECT_NEAR(supply(s, element::Supply::kActuators), effort * 1.0, 1e-13);
}

// An orientation given by its rotation vector: angular velocity from the quaternion itself,
// omega = 2 q^* q', both derivatives by differences of order 8.
TEST(PrescribedMotion, RotationVectorGivesAngularVelocityAndAcceleration) {
  const std::vector<element::Input> phi = {exact("0.9*sin(t)", "0.9*cos(t)", "-0.9*sin(t)"),
                                           exact("0.5*cos(2*t) - 0.5", "-sin(2*t)", "-2*cos(2*t)"),
                                           exact("t^2", "2*t", "2")};
  for (const JointType type : {JointType::kSpherical, JointType::kFree}) {
    ModelBuilder builder;
    builder.add_body("ball", lump(2.0, {0.1, 0.2, 0.3}, {1, 2, 2.5}));
    builder.add_joint(joint("hip", type, "world", "ball"));
    std::vector<element::Input> functions = phi;
    const int offset = type == JointType::kFree ? 3 : 0;
    for (int k = 0; k < offset; ++k) functions.insert(functions.begin(), Function::constant(0.3));
    const System system = system_of(builder.build(), {}, {{1, MotionLevel::kPosition, functions}});
    const VecX x = system.initial_state();
    const auto quaternion = [&](double t) {
      return spatial::Quat(evaluated(system, t, x).state.q.segment<4>(offset));
    };
    const auto omega = [&](double t) {
      return Vec3(evaluated(system, t, x).state.v.segment<3>(offset));
    };
    double worst = 0.0;
    for (const double t : {0.0, 0.01, 0.3, 0.8, 1.5}) {
      const spatial::Quat q = quaternion(t);
      const spatial::Quat q_rate = derivative([&](double h) { return quaternion(t + h); }, 5e-3);
      const spatial::Quat conjugate(q[0], -q[1], -q[2], -q[3]);
      const Vec3 from_q = 2.0 * spatial::product<double>(conjugate, q_rate).tail<3>();
      const Vec3 omega_rate = derivative([&](double h) { return omega(t + h); }, 5e-3);
      const Vec3 booked = evaluated(system, t, x).workspace.vdot.segment<3>(offset);
      worst = std::max({worst, (omega(t) - from_q).norm(), (booked - omega_rate).norm()});
    }
    EXPECT_LT(worst, 1e-11);  // rounding 3e-16 / 5e-3 and a few digits
    std::printf("prescribed orientation: worst error %.1e\n", worst);
  }
}

TEST(PrescribedMotion, BreakpointsAreThoseOfItsFunctions) {
  const System system =
      system_of(slider(1.0), {},
                {{1,
                  MotionLevel::kPosition,
                  {Function::table({0, 1, 3}, {0, 1, 1}, Interpolation::kLinear)}}});
  const std::vector<double> times = system.breakpoints(5.0);
  EXPECT_EQ(times, (std::vector<double>{0, 1, 3}));
}

}  // namespace
}  // namespace grapple::system::testing
