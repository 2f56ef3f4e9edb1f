// Flexible joints: motor and link as two inertias on a spring, their modes, motions, locks, names
// and derivatives.
#include "grapple/force/transmission.h"

#include <gtest/gtest.h>

#include <numbers>

#include "grapple/analysis/equilibrium.h"
#include "grapple/analysis/linearize.h"
#include "grapple/analysis/natural_modes.h"
#include "grapple/force/joint_elements.h"
#include "support.h"

namespace grapple::system::testing {
namespace {

using std::numbers::pi;

constexpr double kMotor = 0.7, kLink = 2.5, kStiffness = 900.0;

// A disc on a flexible revolute joint.
Model disc(double gravity = 0.0) {
  ModelBuilder builder;
  builder.set_gravity({0.0, -gravity, 0.0});
  builder.add_body("disc", lump(1.0, {0.0, gravity > 0.0 ? -0.5 : 0.0, 0.0}, {2.0, 2.0, kLink}));
  JointSpec spec = joint("hub", JointType::kRevolute, "world", "disc");
  spec.reflected_inertia = {kMotor};
  spec.transmission = JointSpec::Transmission::kFlexible;
  builder.add_joint(spec);
  return builder.build();
}

System disc_with(force::TransmissionLaw law, std::vector<int> locked = {}) {
  Model model = disc();
  auto parts = elements(force::make_transmission(model, 1, {law}));
  return System({std::move(model), {}, {}, std::move(parts), {}, std::move(locked)});
}

double omega(const analysis::Mode& mode) { return 2.0 * pi * mode.frequency_hz; }

TEST(FlexibleJoint, FreeMotorAndLinkSwingAgainstEachOther) {
  const System system = disc_with({.stiffness = kStiffness});
  const std::vector<analysis::Mode> modes =
      analysis::natural_modes(system, 0.0, view(system.initial_state()));
  ASSERT_EQ(modes.size(), 2u);
  EXPECT_EQ(modes[0].kind, analysis::Mode::Kind::kRigid);
  const double expected = std::sqrt(kStiffness * (1.0 / kMotor + 1.0 / kLink));
  EXPECT_NEAR(omega(modes[1]), expected, 1e-10 * expected);
  // Momentum stays zero: the motor moves by -link / motor of the link.
  EXPECT_NEAR((modes[1].shape[0] / modes[1].shape[1]).real(), -kMotor / kLink, 1e-12);
}

TEST(FlexibleJoint, BehindALockedMotorTheLinkSwingsOnTheSpring) {
  const double damping = 3.0;
  const System system = disc_with({.stiffness = kStiffness, .damping = damping}, {1});
  const std::vector<analysis::Mode> modes =
      analysis::natural_modes(system, 0.0, view(system.initial_state()));
  ASSERT_EQ(modes.size(), 1u);
  const double expected = std::sqrt(kStiffness / kLink);
  EXPECT_NEAR(omega(modes[0]), expected, 1e-10 * expected);
  EXPECT_NEAR(modes[0].damping_ratio, damping / (2.0 * kLink * expected), 1e-12);
}

// On a floating base the drive only pushes inside: the bodies' momentum stays, and motor plus
// transmission obey the two-inertia equations.
TEST(FlexibleJoint, MotorTorqueActsOnTheMotorAlone) {
  Model model = disc();
  auto parts =
      elements(force::make_transmission(model, 1, {{.stiffness = kStiffness, .damping = 2.0}}),
               force::make_joint_motor(model, 1, {Function::constant(0.3)}, {50.0}));
  const System system = system_of(std::move(model), std::move(parts));
  VecX x = system.initial_state();
  x[0] = 0.1, x[1] = 0.13, x[2] = 1.0, x[3] = 1.5;  // link, motor, their rates
  const Snapshot<double> s = evaluated(system, 0.0, x);
  const double torque = kStiffness * 0.03 + 2.0 * 0.5;
  EXPECT_NEAR(s.workspace.vdot[0], torque / kLink, 1e-12);
  EXPECT_NEAR(s.workspace.vdot[1], (15.0 - torque) / kMotor, 1e-12);
  EXPECT_NEAR(value(system, s, "joint/hub/transmission/effort"), torque, 1e-12);
  EXPECT_NEAR(value(system, s, "joint/hub/transmission/twist"), 0.03, 1e-15);
  EXPECT_NEAR(value(system, s, "joint/hub/motor/rate"), 1.5, 0.0);
  EXPECT_NEAR(value(system, s, "joint/hub/motor_effort"), 15.0, 1e-12);
  EXPECT_NEAR(supply(s, element::Supply::kActuators), 15.0 * 1.5, 1e-12);
  EXPECT_NEAR(supply(s, element::Supply::kDamping), -2.0 * 0.25, 1e-12);
  EXPECT_NEAR(stored(s, element::Stored::kElastic), 0.5 * kStiffness * 0.03 * 0.03, 1e-14);
  EXPECT_NEAR(stored(s, element::Stored::kKinetic), 0.5 * (kLink * 1.0 + kMotor * 2.25), 1e-12);
}

TEST(FlexibleJoint, AMotionLeadsTheMotorAndReportsItsEffort) {
  Model model = disc();
  auto parts = elements(force::make_transmission(model, 1, {{.stiffness = kStiffness}}));
  const JointMotion motion{1, MotionLevel::kPosition, {Function::expression("0.2 + t^2")}};
  const System system = system_of(std::move(model), std::move(parts), {motion});
  VecX x = system.initial_state();
  EXPECT_EQ(x[0], 0.0);
  EXPECT_EQ(x[1], 0.2);
  const Snapshot<double> s = evaluated(system, 0.0, x);
  EXPECT_NEAR(s.workspace.vdot[0], kStiffness * 0.2 / kLink, 1e-12);
  EXPECT_EQ(s.workspace.vdot[1], 2.0);
  // Drive: accelerates the rotor and holds the spring.
  EXPECT_NEAR(value(system, s, "joint/hub/drive"), kMotor * 2.0 + kStiffness * 0.2, 1e-12);
}

TEST(FlexibleJoint, LockingStopsTheMotorOnly) {
  System system = disc_with({.stiffness = kStiffness});
  VecX x = system.initial_state();
  x[2] = 3.0, x[3] = 4.0;
  system.lock(1, 0.0, view(x));
  EXPECT_EQ(x[2], 3.0);
  EXPECT_EQ(x[3], 0.0);
  EXPECT_NEAR(x[system.dynamic_size() + static_cast<int>(element::Supply::kLocking)],
              -0.5 * kMotor * 16.0, 1e-12);
}

TEST(FlexibleJoint, SagsUnderItsWeightBehindALockedMotor) {
  Model model = disc(9.81);
  auto parts =
      elements(force::make_transmission(model, 1, {{.stiffness = 40.0, .cubic_stiffness = 300.0}}));
  VecX q(2);
  q << 0.9, 0.9;
  const System system({std::move(model), q, {}, std::move(parts), {}, {1}});
  const analysis::EquilibriumResult found =
      analysis::equilibrium(system, 0.0, view(system.initial_state()));
  ASSERT_TRUE(found.converged);
  EXPECT_EQ(found.x[1], 0.9);
  const double twist = 0.9 - found.x[0];
  EXPECT_GT(twist, 0.05);
  // 1 kg at 0.5 m: the spring carries m g l sin(q).
  EXPECT_NEAR(40.0 * twist + 300.0 * std::pow(twist, 3), 9.81 * 0.5 * std::sin(found.x[0]), 1e-10);
}

TEST(Backlash, GivesNothingInsideAndNeverPulls) {
  const System system = disc_with({.stiffness = kStiffness, .damping = 20.0, .backlash = 0.02});
  VecX x = system.initial_state();
  const auto effort = [&](double twist, double rate) {
    x[1] = twist, x[3] = rate;
    const Snapshot<double> s = evaluated(system, 0.0, x);
    EXPECT_LE(supply(s, element::Supply::kDamping), 0.0);
    return value(system, s, "joint/hub/transmission/effort");
  };
  EXPECT_EQ(effort(0.0099, 5.0), 0.0);
  EXPECT_EQ(effort(-0.0099, -5.0), 0.0);
  EXPECT_NEAR(effort(0.012, 0.1), kStiffness * 0.002 + 2.0, 1e-12);
  EXPECT_NEAR(effort(-0.012, -0.1), -kStiffness * 0.002 - 2.0, 1e-12);
  EXPECT_EQ(effort(0.012, -1.0), 0.0);  // the damper would pull
}

// Every term of the law, in a tree, at random states.
System busy_tree(JointType type, test::RandomTree& random) {
  ModelBuilder builder;
  builder.set_gravity(random.vector(10.0));
  builder.add_body("base", random.mass_properties());
  builder.add_body("arm", random.mass_properties());
  JointSpec spec = joint("j", type, "base", "arm");
  spec.X_PF = random.pose();
  spec.X_BM = random.pose();
  spec.pitch = 0.2;
  spec.transmission = JointSpec::Transmission::kFlexible;
  std::vector<force::TransmissionLaw> laws;
  for (int k = 0; k < rate_count(type); ++k) {
    spec.reflected_inertia.push_back(random.uniform(0.2, 2.0));
    force::TransmissionLaw law{random.uniform(10.0, 100.0),
                               random.uniform(1.0, 9.0),
                               random.uniform(0.1, 2.0),
                               k == 0 ? 0.1 : 0.0,
                               {}};
    if (k < 2) law.hysteresis = {random.uniform(5.0, 20.0), random.uniform(1.0, 5.0), 1.0 + k};
    laws.push_back(law);
  }
  builder.add_joint(spec);
  Model model = builder.build();
  auto parts = elements(force::make_transmission(model, model.joints()[1].link, laws));
  return system_of(std::move(model), std::move(parts));
}

const std::vector<JointType> kTypes = {JointType::kRevolute,  JointType::kPrismatic,
                                       JointType::kHelical,   JointType::kCylindrical,
                                       JointType::kUniversal, JointType::kPlanar};

VecX busy_state(const System& system, test::RandomTree& random) {
  VecX x = random_state(system, random);
  for (int k = 0; k < system.z_count(); ++k) {
    x[system.model().nq() + system.model().nv() + k] = random.uniform(-0.2, 0.2);
  }
  return x;
}

TEST(Transmission, EnergyBalancesExactlyOnEveryJointType) {
  for (const JointType type : kTypes) {
    for (unsigned seed = 0; seed < 20; ++seed) {
      SCOPED_TRACE(std::string(joint_type_name(type)) + " seed " + std::to_string(seed));
      test::RandomTree random(seed);
      const System system = busy_tree(type, random);
      const VecX x = busy_state(system, random);
      const Snapshot<double> s = evaluated(system, 0.0, x);
      const VecX rate = rate_of(system, s);
      const Snapshot<Dual> along = evaluated_along(system, 0.0, x, rate);
      double imbalance = 0.0, scale = 1.0;
      for (const Dual& account : along.energies.stored) {
        imbalance += account.d[0];
        scale += std::abs(account.d[0]);
      }
      for (const double watt : s.energies.supply) {
        imbalance -= watt;
        EXPECT_LE(watt, 0.0);  // damper and hysteresis only take
      }
      EXPECT_LT(std::abs(imbalance), 1e-9 * scale);  // round-off of the tree's accelerations
    }
  }
}

TEST(Transmission, LinearModelIsTheDerivativeOfTheEquations) {
  for (const JointType type : kTypes) {
    test::RandomTree random(3);
    const System system = busy_tree(type, random);
    const VecX x = busy_state(system, random);
    const int nq = system.model().nq(), nv = system.model().nv(), nz = system.z_count();
    const analysis::LinearModel linear = analysis::linearize(system, 0.0, view(x), {}, {});
    ASSERT_EQ(linear.states.size(), static_cast<std::size_t>(2 * nv + nz));
    // Motor positions (the last of q), their rates (the last of v) and the states of the
    // hysteresis.
    const auto column = [&](int in_x) {
      return derivative(
          [&](double h) {
            VecX moved = x;
            moved[in_x] += h;
            return VecX(rate_of(system, evaluated(system, 0.0, moved)).segment(nq, nv + nz));
          },
          1e-3);
    };
    const auto compare = [&](int in_x, int in_xi) {
      const VecX expected = column(in_x), found = linear.A.col(in_xi).tail(nv + nz);
      // Order 8 differences with h = 1e-3 leave about 1e-11 of smooth laws.
      EXPECT_LT((expected - found).norm(), 1e-8 * (1.0 + expected.norm()))
          << joint_type_name(type) << " " << linear.states[static_cast<std::size_t>(in_xi)];
    };
    for (int k = 1; k <= system.model().link(2).motors; ++k) {
      compare(nq - k, nv - k);
      compare(nq + nv - k, 2 * nv - k);
    }
    for (int k = 0; k < nz; ++k) compare(nq + nv + k, 2 * nv + k);
  }
}

TEST(Transmission, NamesMotorsAndStates) {
  test::RandomTree random(0);
  const System system = busy_tree(JointType::kUniversal, random);
  for (const char* name :
       {"joint/j/motor/position_2", "joint/j/motor/acceleration_1", "joint/j/motor/effort_1",
        "joint/j/transmission/twist_2", "joint/j/transmission/twist_rate_1",
        "joint/j/transmission/hysteresis_1", "joint/j/drive_2"}) {
    EXPECT_GE(system.find_channel(name), 0) << name;
  }
  const std::vector<std::string> states = analysis::tangent_state_names(system);
  EXPECT_EQ(states.back(), "joint/j/transmission/hysteresis_2");
  EXPECT_EQ(states[7], "joint/j/position_2");
  EXPECT_EQ(states[9], "joint/j/motor/position_2");
  EXPECT_EQ(states[19], "joint/j/motor/rate_2");
  EXPECT_EQ(analysis::input_names(system).back(), "joint/j/motor/effort_2");
}

}  // namespace
}  // namespace grapple::system::testing
