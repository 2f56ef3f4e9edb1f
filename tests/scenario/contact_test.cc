// Contacts of a scenario: where shapes sit, what materials give, what an estimate says.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "grapple/scenario/build.h"
#include "grapple/scenario/contact_estimate.h"
#include "support.h"

namespace grapple::scenario {
namespace {

Simulation built(const std::string& text) {
  return build(load_scenario_text(with_simulate(text), "test.yaml", {}));
}

double start_value(const Simulation& simulation, const std::string& channel) {
  const system::System& system = *simulation.system;
  system::Snapshot<double> s(system);
  const spatial::VecX x = system.initial_state();
  system.evaluate<double>(0.0, {x.data(), static_cast<std::size_t>(x.size())}, s);
  return system::channel_value(
      system, system.channels()[static_cast<std::size_t>(system.find_channel(channel))], s);
}

const std::string kTwoBalls = R"(grapple: 1
bodies:
  - {name: one, solid: {sphere: 0.1 m, mass: 2 kg}, position: [0, 0, 0.3] m, velocity: [0, 0, -0.5] m/s, shapes: [{name: skin, sphere: 0.1 m}]}
  - {name: two, solid: {sphere: 0.1 m, mass: 3 kg}, velocity: [0, 0, 0.25] m/s, shapes: [{name: skin, sphere: 0.1 m}]}
contacts:
  - {name: hit, between: [one/skin, two/skin], stiffness: 1e6, restitution: 0.5, friction: {kinetic: 0.2}}
)";

TEST(Contacts, FreeBodiesMeetWithTheirReducedMassAndClosingSpeed) {
  const Simulation simulation = built(kTwoBalls);
  ASSERT_EQ(simulation.contacts.size(), 1u);
  const auto e = estimate_contact(*simulation.system, simulation.contacts[0]);
  ASSERT_TRUE(e);
  EXPECT_NEAR(e->reduced_mass, 2.0 * 3.0 / 5.0, 1e-12);
  EXPECT_NEAR(e->speed, 0.75, 1e-12);
  // Energy: 1/2 m v^2 = 2/5 k depth^2.5.
  EXPECT_NEAR(0.4 * 1e6 * std::pow(e->impact.depth, 2.5), 0.5 * 1.2 * 0.75 * 0.75, 1e-9);
  EXPECT_NEAR(e->largest_step, 0.1 / e->impact.frequency, 1e-15);  // no gravity: no rest
  EXPECT_NEAR(start_value(simulation, "contact/hit/gap"), 0.1, 1e-15);
}

// A rod about its end gives way with J / l^2 at the tip; a driven one does not give way at all.
TEST(Contacts, AJointedBodyGivesWayAsItsJointLetsItAndADrivenOneNotAtAll) {
  const std::string arm = R"(grapple: 1
environment: {gravity: 9.81 m/s^2}
bodies:
  - {name: arm, solid: {rod: {length: 2 m, axis: x, from: end}, mass: 6 kg}, shapes: [{name: tip, position: "[2, 0, 0] m", sphere: 0.1 m}]}
joints:
  - {name: hinge, type: revolute, axis: y, parent: "world at [0, 0, 0.2] m", child: arm)";
  const std::string rest = R"(}
shapes: [{name: floor, half_space: z}]
contacts: [{name: tap, between: [arm/tip, floor], stiffness: 1e6, restitution: 0.5, friction: none}]
)";
  const Simulation free = built(arm + rest);
  const auto e = estimate_contact(*free.system, free.contacts[0]);
  ASSERT_TRUE(e);
  EXPECT_NEAR(e->reduced_mass, 6.0 / 3.0, 1e-9);
  EXPECT_EQ(e->speed, kTypicalSpeed);
  // In rest the slow-impact damping decays at g D / v_slow, D = 1.432751 for e = 0.5.
  EXPECT_NEAR(e->rest_rate, 9.81 * 1432.751, 0.01);
  EXPECT_NEAR(e->largest_step, 2.0 / e->rest_rate, 1e-12);
  const Simulation driven = built(arm + ", motion: {position: \"0.1*t\"}" + rest);
  EXPECT_FALSE(estimate_contact(*driven.system, driven.contacts[0]));
}

TEST(Contacts, ShapesSitOnFramesBeamsAndTheWorldWithTheirAxes) {
  const Simulation simulation = built(R"(grapple: 1
bodies:
  - {name: ball, solid: {sphere: 0.1 m, mass: 2 kg}, position: [3, 0, 0] m, shapes: [{name: skin, position: "[0, 0, 0.5] m", sphere: 0.1 m}]}
  - {name: boom, beam: {length: 2 m, mass: 1 kg, EI: 100 N*m^2, modes: 1}}
joints: [{name: root, type: fixed, parent: world, child: boom}]
frames: [{name: tilted, body: world, rotation: {axis: y, angle: 90 deg}}]
shapes:
  - {name: wall, on: "tilted at [0, 0, 1] m", half_space: z}
  - {name: knob, on: "boom at [1.5, 0, 0] m", sphere: 0.2 m}
  - {name: ceiling, on: "world at [0, 0, 4] m", half_space: [0, 0, -1]}
contacts:
  - {name: side, between: [wall, ball/skin], stiffness: 1e6, restitution: 0.5, friction: none}
  - {name: knock, between: [ball/skin, knob], stiffness: 1e6, restitution: 0.5, friction: none}
  - {name: above, between: [ball/skin, ceiling], stiffness: 1e6, restitution: 0.5, friction: none}
)");
  EXPECT_NEAR(start_value(simulation, "contact/side/gap"), 3.0 - 1.0 - 0.1, 1e-12);
  EXPECT_NEAR(start_value(simulation, "contact/knock/gap"), std::hypot(1.5, 0.5) - 0.3, 1e-12);
  EXPECT_NEAR(start_value(simulation, "contact/above/gap"), 4.0 - 0.5 - 0.1, 1e-12);
}

TEST(Contacts, MaterialsGiveHertzStiffnessAndTheContactGoesBeforeThem) {
  const std::string head = R"(grapple: 1
materials: [{name: steel, young: 206 GPa, poisson: 0.3, restitution: 0.9, friction: {kinetic: 0.2}}]
bodies:
  - {name: ball, solid: {sphere: 1 cm, density: 7850 kg/m^3}, position: [0, 0, 1] m, shapes: [{name: skin, sphere: 1 cm, material: steel}]}
shapes: [{name: floor, half_space: z, material: steel}]
contacts: [{name: tap, between: [ball/skin, floor])";
  const Simulation by_material = built(head + "}]\n");
  const double E_star = 206e9 / (2.0 * (1.0 - 0.09));
  EXPECT_NEAR(by_material.contacts[0].law.stiffness, 4.0 / 3.0 * E_star * std::sqrt(0.01), 1.0);
  EXPECT_NEAR(by_material.contacts[0].law.restitution.at_rest, 0.9, 1e-15);
  EXPECT_FALSE(by_material.automatic_values.empty());
  const Simulation given = built(head + ", restitution: 0.3, stiffness: 1e5 N/m, exponent: 1}]\n");
  EXPECT_EQ(given.contacts[0].law.stiffness, 1e5);
  EXPECT_EQ(given.contacts[0].law.exponent, 1.0);
  EXPECT_EQ(given.contacts[0].law.restitution.at_rest, 0.3);
}

}  // namespace
}  // namespace grapple::scenario
