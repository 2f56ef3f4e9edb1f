#include "grapple/force/operator_drive.h"

#include <gtest/gtest.h>

#include <cmath>

#include "grapple/force/transmission.h"
#include "grapple/system/system.h"

namespace grapple::system {
namespace {

struct Driven {
  std::unique_ptr<System> system;

  Driven(const force::OperatorLaw& law, double rate) {
    model::ModelBuilder builder;
    builder.add_body("cart", spatial::solid_sphere(2.0, 0.1));
    model::JointSpec joint;
    joint.name = "rail";
    joint.type = model::JointType::kPrismatic;
    joint.child = "cart";
    builder.add_joint(joint);
    SystemParts parts{builder.build(), {}, {}, {}, {}, {}};
    parts.signals.push_back(force::operator_command("stick"));
    parts.elements.push_back(
        force::make_operator_drive(parts.model, 1, "stick", element::Input::held(0), law));
    parts.v = spatial::VecX::Constant(1, rate);
    system = std::make_unique<System>(std::move(parts));
  }

  void command(double value) {
    spatial::VecX x = system->initial_state();
    EXPECT_EQ(system->set_signal(0, value, 0.0, {x.data(), static_cast<std::size_t>(x.size())}),
              System::SignalChange::kRate);
  }

  double effort() const {
    Snapshot<double> snapshot(*system);
    const spatial::VecX x = system->initial_state();
    EXPECT_TRUE(
        system->evaluate<double>(0.0, {x.data(), static_cast<std::size_t>(x.size())}, snapshot));
    const element::Energies<double>& energies = snapshot.energies;
    EXPECT_EQ(energies.supply[static_cast<std::size_t>(element::Supply::kActuators)],
              snapshot.tau[0] * snapshot.state.v[0]);
    return snapshot.tau[0];
  }
};

TEST(OperatorDrive, GivesItsShareOfTheEffort) {
  Driven driven({.effort = 12.0}, 3.0);
  EXPECT_EQ(driven.effort(), 0.0);
  driven.command(-0.25);
  EXPECT_EQ(driven.effort(), -3.0);
}

TEST(OperatorDrive, ServesTheRateWithinItsEffort) {
  Driven driven({.effort = 12.0, .rate = 2.0, .gain = 5.0}, 1.0);
  driven.command(0.5);
  EXPECT_EQ(driven.effort(), 0.0);  // has the rate it asks for
  driven.command(0.51);
  EXPECT_NEAR(driven.effort(), 12.0 * std::tanh(5.0 * 0.02 / 12.0), 1e-12);
  Driven fast({.effort = 12.0, .rate = 2.0, .gain = 5.0}, 100.0);
  EXPECT_NEAR(fast.effort(), -12.0, 1e-12);  // brakes with all it has
}

// As a motor does (FlexibleJoint.MotorTorqueActsOnTheMotorAlone): the link feels the transmission
// alone, and the rate command looks at the motor.
TEST(OperatorDrive, ActsOnTheMotorSideOfAFlexibleJoint) {
  constexpr double kMotor = 0.7, kLink = 2.5, kStiffness = 900.0;
  model::ModelBuilder builder;
  builder.add_body("disc",
                   {1.0, spatial::Vec3::Zero(), spatial::Vec3(2.0, 2.0, kLink).asDiagonal()});
  model::JointSpec joint;
  joint.name = "hub";
  joint.type = model::JointType::kRevolute;
  joint.child = "disc";
  joint.reflected_inertia = {kMotor};
  joint.transmission = model::JointSpec::Transmission::kFlexible;
  builder.add_joint(joint);
  SystemParts parts{builder.build(), {}, {}, {}, {}, {}};
  parts.signals.push_back(force::operator_command("stick"));
  parts.signals.back().initial = 1.0;
  const force::OperatorLaw law{.effort = 12.0, .rate = 2.0, .gain = 5.0};
  parts.elements.push_back(force::make_transmission(parts.model, 1, {{.stiffness = kStiffness}}));
  parts.elements.push_back(
      force::make_operator_drive(parts.model, 1, "stick", element::Input::held(0), law));
  const System system(std::move(parts));
  spatial::VecX x = system.initial_state();
  x[0] = 0.1, x[1] = 0.13, x[2] = 1.0, x[3] = 1.5;  // link, motor, their rates
  Snapshot<double> s(system);
  ASSERT_TRUE(system.evaluate<double>(0.0, {x.data(), static_cast<std::size_t>(x.size())}, s));
  const double effort = 12.0 * std::tanh(5.0 * (2.0 - 1.5) / 12.0), spring = kStiffness * 0.03;
  EXPECT_NEAR(s.workspace.vdot[0], spring / kLink, 1e-12);
  EXPECT_NEAR(s.workspace.vdot[1], (effort - spring) / kMotor, 1e-12);
  EXPECT_NEAR(s.energies.supply[static_cast<std::size_t>(element::Supply::kActuators)],
              effort * 1.5, 1e-12);
}

}  // namespace
}  // namespace grapple::system
