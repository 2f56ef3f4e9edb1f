// The section `orbit` of a scenario, and the forces that need it.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "grapple/run/session.h"
#include "scenario/build_support.h"

namespace grapple::scenario {
namespace {

constexpr double kMu = 3.986004418e14, kRadius = 6378137.0;

std::string craft_in(const std::string& orbit, const std::string& body = "") {
  return "grapple: 1\norbit: {" + orbit +
         "}\nbodies: [{name: craft, mass: 10 kg, inertia: \"[1, 2, 3] kg*m^2\"" + body + "}]\n";
}

double rate_at(double a) { return std::sqrt(kMu / (a * a * a)); }

TEST(OrbitSection, ShowsTheReferencePoint) {
  const Simulation simulation =
      built(craft_in("altitude: 400 km, inclination: 90 deg, anomaly: 90 deg"));
  EXPECT_NEAR(start_value(simulation, "orbit/altitude"), 400e3, 1e-8);
  EXPECT_NEAR(start_value(simulation, "orbit/true_anomaly"), std::numbers::pi / 2.0, 1e-15);
  EXPECT_NEAR(start_value(simulation, "orbit/position_z"), kRadius + 400e3, 1e-8);
  EXPECT_EQ(start_value(simulation, "orbit/eclipse"), 0.0);
  // World axes are the local ones at the start.
  EXPECT_NEAR(start_value(simulation, "orbit/nadir_x"), -1.0, 1e-15);
  EXPECT_NEAR(start_value(simulation, "orbit/track_y"), 1.0, 1e-15);
}

TEST(OrbitSection, EclipseIsThatOfTheSun) {
  EXPECT_EQ(start_value(built(craft_in("altitude: 400 km")), "orbit/eclipse"), 0.0);
  EXPECT_EQ(start_value(built(craft_in("altitude: 400 km, sun: [-1, 0, 0]")), "orbit/eclipse"),
            1.0);
}

TEST(OrbitSection, CarriedBodiesStartAtRestInTheLocalAxes) {
  const double n = rate_at(kRadius + 400e3);
  const Simulation simulation =
      built(craft_in("altitude: 400 km, carries: [craft], show: [craft]",
                     ", position: \"[20, 10, 5] m\", velocity: \"[0.1, 0.2, 0.3] m/s\", rotation: "
                     "{axis: z, angle: 30 deg}, angular_velocity: \"[0, 0, 0.5] deg/s\""));
  // Rounding of n.
  EXPECT_NEAR(start_value(simulation, "body/craft/velocity_x"), 0.1 - n * 10.0, 1e-15);
  EXPECT_NEAR(start_value(simulation, "body/craft/velocity_y"), 0.2 + n * 20.0, 1e-15);
  EXPECT_NEAR(start_value(simulation, "body/craft/angular_velocity_z"),
              0.5 * std::numbers::pi / 180.0 + n, 1e-15);
  EXPECT_NEAR(start_value(simulation, "orbit/craft/velocity_along"), 0.2, 1e-15);
  EXPECT_NEAR(start_value(simulation, "orbit/craft/pitch"), std::numbers::pi / 6.0, 1e-15);
  EXPECT_NEAR(start_value(simulation, "orbit/craft/position_radial"), 20.0, 1e-14);
}

TEST(OrbitSection, CarriesBodiesOnPlanarJointsInItsPlane) {
  const double n = rate_at(kRadius + 400e3);
  const Simulation simulation = built(
      "grapple: 1\norbit: {altitude: 400 km, carries: [craft]}\n"
      "bodies: [{name: craft, mass: 10 kg, inertia: \"[1, 2, 3] kg*m^2\"}]\n"
      "joints: [{name: plane, type: planar, parent: world, child: craft, axis: z, position: [3 m, "
      "4 "
      "m, 0 rad]}]\n");
  EXPECT_NEAR(start_value(simulation, "body/craft/velocity_x"), -n * 4.0, 1e-15);
  EXPECT_NEAR(start_value(simulation, "body/craft/velocity_y"), n * 3.0, 1e-15);
  EXPECT_NEAR(start_value(simulation, "body/craft/angular_velocity_z"), n, 1e-15);
}

// Channels at the end of the arm's run.
struct ArmAtTheEnd {
  double x = 0.0, y = 0.0, residual = 0.0;

  explicit ArmAtTheEnd(const std::string& text) {
    Simulation simulation = built(text);
    run::Session session(*simulation.system, simulation.plan);
    session.start();
    session.advance_to(100.0);
    x = session.get("frame/link2/tip/position_x");
    y = session.get("frame/link2/tip/position_y");
    residual = session.get("energy/residual");
  }
};

constexpr char kArmInOrbit[] = R"yaml(
bodies:
  - {name: base, mass: 500 kg, inertia: "[80, 90, 100] kg*m^2"}
  - {name: link1, solid: {rod: {length: 3 m, axis: x, from: end}, mass: 30 kg}}
  - name: link2
    beam: {length: 3 m, mass: 10 kg, EI: 100 N*m^2, modes: {bending_y: 1}}
joints:
  - name: shoulder
    type: revolute
    parent: "base at [1, 0, 0] m"
    child: link1
    axis: z
    motor: {torque: "2*sin(t)"}
  - name: elbow
    type: revolute
    parent: "link1 at [3, 0, 0] m"
    child: link2
    axis: z
    motor: {torque: "0.3*cos(t)"}
simulate: {duration: 100 s, tolerance: 1e-8}
)yaml";

// World coordinates are relative to the reference point, so that nothing is lost at 7000 km.
TEST(OrbitSection, ArmInFreeFallMovesAsWithoutOrbit) {
  const std::string head = "grapple: 1\n";
  const ArmAtTheEnd plain(head + kArmInOrbit);
  const ArmAtTheEnd orbiting(head + "orbit: {semi_major_axis: 7000 km, field: none}\n" +
                             kArmInOrbit);
  EXPECT_NEAR(orbiting.x, plain.x, 1e-9);
  EXPECT_NEAR(orbiting.y, plain.y, 1e-9);
}

// The gradient of 1e-6 1/s^2 over 10 m is some 10 um/s^2: 5 cm in 100 s, and the ledger knows it.
TEST(OrbitSection, ArmFeelsTheGradientOfTheFullField) {
  const std::string head = "grapple: 1\n";
  const ArmAtTheEnd plain(head + kArmInOrbit);
  const ArmAtTheEnd orbiting(head + "orbit: {semi_major_axis: 7000 km}\n" + kArmInOrbit);
  EXPECT_GT(std::abs(orbiting.x - plain.x), 1e-4);
  EXPECT_LT(std::abs(orbiting.x - plain.x), 1.0);
  EXPECT_LT(std::abs(orbiting.residual), 1e-5);  // of some joules moved, at the tolerance
}

// The reference of a J2 orbit turns with its node, so that a carried body's plane is off by the
// drift over the rate of the orbit, 2e-4.
TEST(OrbitSection, CarriedBodyOfAnOblatePlanetStartsInThePlaneOfTheElements) {
  const Simulation simulation = built(
      craft_in("altitude: 700 km, inclination: 98 deg, j2: true, show: [craft], carries: [craft]"));
  EXPECT_NEAR(start_value(simulation, "orbit/craft/inclination"), 98.0 * std::numbers::pi / 180.0,
              4e-4);
  // Mean and osculating semi-major axis differ by J2 times the radius.
  EXPECT_NEAR(start_value(simulation, "orbit/craft/semi_major_axis"), kRadius + 700e3, 15e3);
}

TEST(OrbitSection, RefusesWhatDoesNotFit) {
  EXPECT_EQ(ids_of_build(craft_in("altitude: -1 km")), "GR-970");
  EXPECT_EQ(ids_of_build("grapple: 1\nenvironment: {gravity: 1 m/s^2}\norbit: {altitude: 1 km}\n"
                         "bodies: [{name: a, mass: 1 kg, inertia: [1, 1, 1] kg*m^2}]\n"),
            "GR-971");
  EXPECT_EQ(ids_of(craft_in("altitude: 400 km, eccentricity: 1")), "GR-205");
  EXPECT_EQ(ids_of(craft_in("altitude: 400 km, carries: [croft]")), "GR-210");
}

TEST(OrbitForces, AreReachedFromAScenario) {
  const std::string text = craft_in("altitude: 400 km, carries: [craft]") + R"(
signals: [{name: jet, value: 0}, {name: coil, unit: A*m^2, value: 3}]
forces:
  - {name: air, type: drag, at: craft, plates: [{area: 2 m^2, normal: y}]}
  - {name: light, type: solar-pressure, at: craft, specular: 0.2, plates: [{area: 2 m^2, normal: x}]}
  - {name: magnet, type: magnetic-torque, at: craft, moment: [0, {signal: coil}, 0], tilt: 11 deg}
  - {name: damper, type: magnetic-torque, at: craft, damping_gain: 1e6, moment_limit: 5}
  - {name: thruster, type: thruster, at: craft, direction: x, thrust: 2 N, command: {signal: jet},
     specific_impulse: 200 s, propellant: 1 kg, minimum_pulse: 10 ms}
simulate: {duration: 10 s}
)";
  Simulation simulation = built(text);
  EXPECT_LT(start_value(simulation, "force/air/force_y"), 0.0);
  EXPECT_NEAR(start_value(simulation, "force/light/force_x"), -4.56e-6 * 2.0 * (0.8 + 0.4), 1e-18);
  EXPECT_EQ(start_value(simulation, "force/magnet/moment_y"), 3.0);
  EXPECT_GT(start_value(simulation, "force/magnet/field_z"), 1e-5);
  run::Session session(*simulation.system, simulation.plan);
  session.start();
  session.advance_to(1.0);
  EXPECT_EQ(session.get("force/thruster/thrust"), 0.0);
  session.set("jet", 1.0);
  session.advance_to(3.0);
  EXPECT_EQ(session.get("force/thruster/thrust"), 2.0);
  session.set("jet", 0.0);
  session.advance_to(10.0);
  EXPECT_EQ(session.get("force/thruster/thrust"), 0.0);
  EXPECT_NEAR(session.get("force/thruster/propellant"), 1.0 - 4.0 / (200.0 * 9.80665), 1e-9);
}

TEST(OrbitForces, NeedAnOrbit) {
  const std::string text =
      "grapple: 1\nbodies: [{name: craft, mass: 1 kg, inertia: [1, 1, 1] kg*m^2}]\n"
      "forces: [{name: air, type: drag, at: craft, plates: [{area: 2 m^2, normal: y}]}]\n";
  EXPECT_EQ(ids_of_build(text), "GR-973");
}

}  // namespace
}  // namespace grapple::scenario
