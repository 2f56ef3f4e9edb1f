// Contacts of a scenario: where shapes sit, what materials give, what an estimate says.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "grapple/analysis/contact_estimate.h"
#include "scenario/build_support.h"

namespace grapple::scenario {
namespace {

using analysis::estimate_contact;

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

// Four corners of a box, both ends of a capsule that land flat act at once: one spring of all of
// them against the whole mass.
TEST(Contacts, SitesThatLandAtOnceActTogether) {
  const std::string head = R"(grapple: 1
bodies:
  - {name: body, solid: {box: "[0.2, 0.2, 0.1] m", mass: 2 kg}, position: [0, 0, HEIGHT] m, velocity: [0, 0, -0.3] m/s, shapes: [{name: s, SHAPE}]}
shapes: [{name: floor, half_space: z}]
contacts: [{name: land, between: [body/s, floor], stiffness: 1e6, restitution: 0.5, friction: none}]
)";
  const struct {
    const char *shape, *height;
    double sites;
  } cases[] = {{"box: \"[0.2, 0.2, 0.1] m\"", "0.0501", 4.0},
               {"capsule: {radius: 5 cm, length: 0.4 m, axis: x}", "0.0501", 2.0}};
  for (const auto& one : cases) {
    std::string text = head;
    text.replace(text.find("SHAPE"), 5, one.shape);
    text.replace(text.find("HEIGHT"), 6, one.height);
    const Simulation simulation = built(text);
    const auto e = estimate_contact(*simulation.system, simulation.contacts[0]);
    ASSERT_TRUE(e);
    contact::PowerLaw together;
    together.stiffness = one.sites * 1e6;
    const contact::ImpactEstimate exact = contact::estimate_impact(together, 2.0, 0.3);
    // Steps of a four-hundredth of the impact.
    EXPECT_NEAR(e->reduced_mass, 2.0, 1e-3);
    EXPECT_NEAR(e->impact.force / exact.force, 1.0, 1e-3);
    EXPECT_NEAR(e->impact.depth / exact.depth, 1.0, 1e-3);
    EXPECT_NEAR(e->impact.duration / exact.duration, 1.0, 0.01);
    EXPECT_GE(e->impact.frequency, exact.frequency * 0.99);  // rocking may be faster
  }
}

// A box that lands flat on an elastic foundation: k_v area against the whole mass, v sqrt(k m).
TEST(Contacts, AFlatPatchActsAtItsCentroid) {
  const Simulation simulation = built(R"(grapple: 1
bodies:
  - {name: box, solid: {box: "[0.2, 0.2, 0.1] m", mass: 1 kg}, position: [0, 0, 0.0501] m, velocity: [0, 0, -0.1] m/s, shapes: [{name: s, box: "[0.2, 0.2, 0.1] m"}]}
shapes: [{name: floor, half_space: z}]
contacts: [{name: land, between: [box/s, floor], model: volumetric, foundation: 1e9, restitution: 1, friction: none}]
)");
  const auto e = estimate_contact(*simulation.system, simulation.contacts[0]);
  ASSERT_TRUE(e);
  const double k = 1e9 * 0.2 * 0.2;
  EXPECT_NEAR(e->reduced_mass, 1.0, 1e-9);
  EXPECT_NEAR(e->impact.force, 0.1 * std::sqrt(k), 0.1);  // 632.5 N by energy
  EXPECT_NEAR(e->impact.depth, 0.1 / std::sqrt(k), 1e-8);
  EXPECT_NEAR(e->impact.frequency, std::sqrt(k), 1.0);
}

// The force channels show the force on the shape named first, for every pair of kinds and both
// models: upwards on what stands, downwards on what it stands on.
TEST(Contacts, ForceChannelsShowTheForceOnTheShapeNamedFirst) {
  const char* const standing[] = {
      "sphere: 0.1 m",
      "box: \"[0.2, 0.2, 0.2] m\"",
      "cylinder: {radius: 0.1 m, length: 0.2 m, axis: z}",
      "capsule: {radius: 0.1 m, length: 0.4 m, axis: x}",
      "ellipsoid: \"[0.12, 0.11, 0.1] m\"",
      "torus: {radius: 8 cm, tube: 2 cm}, rotation: {axis: x, angle: 90 deg}",
      "polyhedron: {corners: [[-0.1, -0.1, -0.1], [0.1, -0.1, -0.1], [0, 0.1, -0.1], [0, 0, 0.1]]}",
      "extrusion: {profile: [[-0.1, -0.1], [0.1, -0.1], [0.1, 0.1], [-0.1, 0.1]], length: 0.2 m}"};
  const char* const under[] = {
      "half_space: z", "on: \"world at [0.003, 0.002, -0.5] m\", box: \"[1, 1, 1] m\"",
      "on: \"world at [0.003, 0.002, -0.5] m\", cylinder: {radius: 0.5 m, length: 1 m, axis: z}",
      "on: \"world at [0.003, 0.002, -0.5] m\", sphere: 0.5 m",
      "on: \"world at [0.003, 0.002, -0.5] m\", extrusion: {profile: [[-0.5, -0.5], [0.5, -0.5], "
      "[0.5, 0.5], [-0.5, 0.5]], length: 1 m}"};
  const char* const models[] = {"model: volumetric, foundation: 1e8",
                                "stiffness: 1e6, exponent: 1"};
  int known = 0;
  for (const char* model : models) {
    for (const char* body : standing) {
      for (const char* ground : under) {
        double force[2];
        bool refused = false;
        for (const int order : {0, 1}) {
          const std::string pair = order == 0 ? "[b/s, w]" : "[w, b/s]";
          try {
            force[order] = start_value(
                built(std::string("grapple: 1\nbodies:\n  - {name: b, mass: 1 kg, inertia: "
                                  "[0.01, 0.01, 0.01] kg*m^2, position: [0, 0, 0.0999] m, "
                                  "shapes: [{name: s, ") +
                      body + "}]}\nshapes: [{name: w, " + ground +
                      "}]\ncontacts: [{name: c, between: " + pair + ", " + model +
                      ", restitution: 0.3, friction: none}]\n"),
                "contact/c/force_z");
          } catch (const Error& error) {
            refused = std::string(error.what()).find("GR-402") != std::string::npos;
            ASSERT_TRUE(refused) << error.what();
          }
        }
        if (refused) continue;
        ++known;
        EXPECT_GT(force[0], 0.0) << model << " " << body << " on " << ground;
        EXPECT_NEAR(force[1], -force[0], 1e-6 * force[0]) << model << " " << body << " " << ground;
      }
    }
  }
  EXPECT_GE(known, 60);
}

TEST(Contacts, AShapeOnABeamFollowsTheMaterialItIsFixedTo) {
  const auto ids = [](const std::string& shape) {
    return ids_of_build(R"(grapple: 1
bodies:
  - {name: ball, solid: {sphere: 0.1 m, mass: 2 kg}, position: [1, 0, 1] m, shapes: [{name: skin, sphere: 0.1 m}]}
  - {name: boom, beam: {length: 2 m, mass: 1 kg, EI: 100 N*m^2, modes: 2}}
joints: [{name: root, type: fixed, parent: world, child: boom}]
frames: [{name: middle, body: boom, position: [1, 0, 0] m}]
shapes: [{name: knob, )" +
                        shape + R"(}]
contacts: [{name: knock, between: [ball/skin, knob], stiffness: 1e6, restitution: 0.5, friction: none}]
)");
  };
  EXPECT_EQ(ids("on: \"boom at [1.5, 0, 0] m\", sphere: 0.2 m"), "");
  EXPECT_EQ(ids("on: middle, capsule: {radius: 2 cm, length: 0.3 m, axis: x}"), "");
  EXPECT_EQ(ids("on: boom/tip, box: \"[0.2, 1, 1] m\""), "");                     // across the beam
  EXPECT_EQ(ids("on: boom/tip at [0.6, 0, 0] m, box: \"[1, 0.2, 0.2] m\""), "");  // beyond its end
  EXPECT_EQ(ids("on: boom, capsule: {radius: 1 cm, length: 2 m, axis: x}"), "GR-418");
  EXPECT_EQ(ids("on: middle, box: \"[1, 0.1, 0.1] m\""), "GR-418");
  EXPECT_EQ(ids("on: boom/tip, half_space: z"), "GR-418");
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
  EXPECT_EQ(e->speed, analysis::kTypicalSpeed);
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
