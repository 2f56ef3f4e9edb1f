// What a long step might pass: single cases with closed forms, every integrator.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string_view>

#include "stress.h"

namespace grapple::stress {
namespace {

const char* const kAdaptiveMethods[] = {"adaptive", "dormand-prince", "adams", "bdf",
                                        "generalized-alpha"};

std::string integrator(const char* name) { return fmt::format("simulate.integrator={}", name); }

// z of a ball after a fall of h, rebounds of no duration with restitution e, at time t.
double bouncing(double h, double e, double t) {
  constexpr double g = 9.81;
  double v = std::sqrt(2.0 * g * h), at = v / g;
  if (t < at) return h - 0.5 * g * t * t;
  for (;;) {
    v *= e;
    if (t < at + 2.0 * v / g) return v * (t - at) - 0.5 * g * (t - at) * (t - at);
    at += 2.0 * v / g;
  }
}

TEST(Passage, ABallDroppedOnAPlateBounces) {
  const std::string text =
      "grapple: 1\nenvironment: {gravity: 9.81 m/s^2}\n"
      "materials: [{name: s, young: 1e9, poisson: 0.3, restitution: 0.8}]\n"
      "bodies: [{name: a, solid: {sphere: 5 cm, mass: 1 kg}, position: '[0,0,2] m', shapes: "
      "[{name: k, sphere: 5 cm, material: s}]}]\n"
      "shapes: [{name: plate, box: '[1,1,0.02] m', material: s}]\n"
      "contacts: [{name: c, between: [a/k, plate], friction: none}]\n"
      "measures: [{name: z, channel: body/a/position_z, kind: final}]\n"
      "simulate: {duration: 3 s, record: {every: 1 ms}}\n";
  for (const char* method : kAdaptiveMethods) {
    for (const char* tolerance : {"1e-3", "1e-8"}) {
      SCOPED_TRACE(fmt::format("{} {}", method, tolerance));
      const Ending ending =
          run_scenario(text, {integrator(method), fmt::format("simulate.tolerance={}", tolerance)});
      EXPECT_GT(ending.measures.at("z"), 0.05);
      if (std::string_view(tolerance) != "1e-8") continue;
      // Each of three rebounds takes some 1.2 ms (Hertz), at up to 6 m/s.
      EXPECT_NEAR(ending.measures.at("z"), 0.06 + bouncing(1.94, 0.8, 3.0), 0.05);
      EXPECT_LT(ending.relative_residual, 1e-5);
    }
  }
}

// Equal masses without loss exchange their velocities.
TEST(Passage, TwoBallsThatMeetExchangeTheirVelocities) {
  const std::string text =
      "grapple: 1\nmaterials: [{name: s, young: 1e9, poisson: 0.3, restitution: 1}]\nbodies:\n"
      "  - {name: a, solid: {sphere: 1 cm, mass: 1 kg}, position: '[-5,0,0] m', velocity: "
      "'[10,0,0] m/s', shapes: [{name: k, sphere: 1 cm, material: s}]}\n"
      "  - {name: b, solid: {sphere: 1 cm, mass: 1 kg}, shapes: [{name: k, sphere: 1 cm, material: "
      "s}]}\n"
      "contacts: [{name: c, between: [a/k, b/k], friction: none}]\n"
      "measures: [{name: va, channel: body/a/velocity_x, kind: final}, {name: vb, channel: "
      "body/b/velocity_x, kind: final}]\n"
      "simulate: {duration: 1 s, tolerance: 1e-6, record: {every: 1 ms}}\n";
  for (const char* method : kAdaptiveMethods) {
    SCOPED_TRACE(method);
    const Ending ending = run_scenario(text, {integrator(method)});
    // Some hundred steps at the tolerance; generalized-alpha loses a little by its damping.
    EXPECT_NEAR(ending.measures.at("va"), 0.0, 1e-2);
    EXPECT_NEAR(ending.measures.at("vb"), 10.0, 1e-2);
  }
}

// The joint turns at a constant rate, so that one step could hold many turns; a thin bar strikes a
// ball at rest after a quarter turn. The ball leaves with more than the speed of the bar there.
TEST(Passage, AFastBarStrikesWhatIsInItsWay) {
  const std::string text =
      "grapple: 1\nbodies:\n"
      "  - {name: bar, solid: {box: '[1, 0.01, 0.01] m', mass: 100 kg}, shapes: [{name: s, box: "
      "'[1, 0.01, 0.01] m'}]}\n"
      "  - {name: ball, solid: {sphere: 1 cm, mass: 10 g}, position: '[0, 0.4, 0] m', shapes: "
      "[{name: s, sphere: 1 cm}]}\n"
      "joints: [{name: j, type: revolute, parent: world, child: bar, axis: z, rate: 50 rad/s}]\n"
      "contacts: [{name: c, between: [bar/s, ball/s], stiffness: 1e9, restitution: 1, friction: "
      "none}]\n"
      "measures: [{name: v, channel: body/ball/velocity_x, kind: final}]\n"
      "simulate: {duration: 0.1 s, record: {every: 10 ms}}\n";
  for (const char* method : kAdaptiveMethods) {
    SCOPED_TRACE(method);
    const Ending ending = run_scenario(text, {integrator(method)});
    EXPECT_TRUE(ending.claims_to_be_right) << ending.reason;
    // Heavy against light without loss: twice the speed of the bar at 0.4 m, -40 m/s; the bar turns
    // by its thickness and the ball's, 0.05 rad, before and gives some of it.
    EXPECT_NEAR(ending.measures.at("v"), -40.0, 2.0);
  }
}

// A ball in a bore without loss stays inside, however often it meets the wall.
TEST(Passage, ABallStaysInItsBore) {
  const std::string text =
      "grapple: 1\nbodies:\n"
      "  - {name: ball, solid: {sphere: 5 mm, mass: 10 g}, velocity: '[7, 3, 1] m/s', shapes: "
      "[{name: s, sphere: 5 mm}]}\n"
      "shapes: [{name: b, bore: {radius: 5.1 mm, axis: z}}]\n"
      "contacts: [{name: c, between: [ball/s, b], stiffness: 1e10, restitution: 1, friction: "
      "none}]\n"
      "measures: [{name: x, channel: body/ball/position_x, kind: final}, {name: y, channel: "
      "body/ball/position_y, kind: final}, {name: gap, channel: contact/c/gap, kind: min}]\n"
      "simulate: {duration: 2 ms, record: {every: 10 us}}\n";
  for (const char* method : kAdaptiveMethods) {
    SCOPED_TRACE(method);
    const Ending ending = run_scenario(text, {integrator(method)});
    // The clearance and the depth of an impact, (m v^2 1.25 / k)^0.4 = 60 um.
    EXPECT_LT(std::hypot(ending.measures.at("x"), ending.measures.at("y")), 2e-4);
  }
}

TEST(Passage, MembersOfAGroupDoNotFallThroughAThinWall) {
  const std::string text =
      "grapple: 1\nenvironment: {gravity: 9.81 m/s^2}\n"
      "bodies: [{name: g, copies: {grid: [2, 2, 1], spacing: '[0.1, 0.1, 0.3] m'}, solid: "
      "{sphere: 5 mm, mass: 1 g}, position: '[-0.1, -0.1, 3] m', shapes: [{name: k, sphere: 5 "
      "mm}]}]\n"
      "shapes: [{name: plate, box: '[1,1,0.002] m'}]\n"
      "contact_groups: [{name: c, members: ['g.*/k'], walls: [plate], stiffness: 1e9, restitution: "
      "0.5, friction: none}]\n"
      "measures: [{name: z, channel: center_of_mass/position_z, kind: final}]\n"
      "simulate: {duration: 0.9 s, tolerance: 1e-4, record: {every: 10 ms}}\n";
  for (const char* method : {"adaptive", "dormand-prince", "bdf"}) {
    SCOPED_TRACE(method);
    const Ending ending = run_scenario(text, {integrator(method)});
    // At this tolerance the balance of energy may be worth a warning.
    EXPECT_EQ(ending.status, record::RunStatus::kCompleted) << ending.reason;
    EXPECT_GT(ending.measures.at("z"), 0.0);
  }
}

// A fixed step cannot be cut shorter than the user's grid; it must not let bodies pass in silence.
TEST(Passage, AFixedStepThatMayPassIsSuspect) {
  const std::string text =
      "grapple: 1\nbodies: [{name: a, solid: {sphere: 5 mm, mass: 1 kg}, position: '[0,0,2] m', "
      "velocity: '[0,0,-20] m/s', shapes: [{name: k, sphere: 5 mm}]}]\n"
      "shapes: [{name: plate, box: '[1,1,0.002] m'}]\n"
      "contacts: [{name: c, between: [a/k, plate], stiffness: 1e9, restitution: 0.5, friction: "
      "none}]\n"
      "measures: [{name: z, channel: body/a/position_z, kind: final}]\n"
      "simulate: {duration: 0.2 s, step: 1 ms, record: {every: 10 ms}}\n";
  for (const char* method : {"rk4", "semi-implicit-euler"}) {
    SCOPED_TRACE(method);
    const Ending ending = run_scenario(text, {integrator(method)});
    EXPECT_FALSE(ending.claims_to_be_right);
    EXPECT_NE(ending.reason.find("contact/c"), std::string::npos) << ending.reason;
  }
}

// Two cards lean on each other and slide apart: they fall flat, sides nearly in one plane, rolling
// on their edges and letting go. Every step must come forward.
TEST(Progress, AHouseOfCardsFallsFlat) {
  const auto card = [](const char* name, double side) {
    return fmt::format(
        "  - {{name: {}, solid: {{box: '[2, 60, 90] mm', mass: 5 g}}, position: [{}, 0, "
        "0.04262819] "
        "m, rotation: {{axis: y, angle: {} deg}}, shapes: [{{name: s, box: '[2, 60, 90] mm'}}]}}\n",
        name, 0.0163306 * side, -20.0 * side);
  };
  const auto contact = [](const char* name, const char* a, const char* b) {
    return fmt::format(
        "  - {{name: {}, between: [{}, {}], model: volumetric, foundation: 1e10, restitution: 0.3, "
        "friction: {{kinetic: 0.1}}}}\n",
        name, a, b);
  };
  const std::string text =
      "grapple: 1\nenvironment: {gravity: 9.81 m/s^2}\nbodies:\n" + card("l", -1) + card("r", 1) +
      "shapes: [{name: floor, half_space: z}]\ncontacts:\n" + contact("fl", "l/s", "floor") +
      contact("fr", "r/s", "floor") + contact("top", "l/s", "r/s") +
      "measures: [{name: z, channel: body/l/position_z, kind: final}]\n"
      "simulate: {duration: 0.4 s, record: {every: 10 ms}}\n";
  const Ending ending = run_scenario(text);
  EXPECT_TRUE(ending.claims_to_be_right) << ending.reason;
  EXPECT_LT(ending.measures.at("z"), 0.005);  // a card is 2 mm thick, one may lie on the other
  EXPECT_LT(ending.steps, 100000);
}

// Rigid boxes do not bend: a fixed step that blows up is blamed on the step.
TEST(Progress, AFixedStepThatBlowsUpIsBlamedOnTheStep) {
  const std::string text =
      "grapple: 1\nenvironment: {gravity: 9.81 m/s^2}\n"
      "bodies:\n"
      "  - {name: a, solid: {box: '[0.2, 0.2, 0.1] m', mass: 1 kg}, position: '[0,0,0.0499] m', "
      "rotation: {axis: x, angle: 0.01}, shapes: [{name: s, box: '[0.2, 0.2, 0.1] m'}]}\n"
      "  - {name: b, solid: {box: '[0.2, 0.2, 0.1] m', mass: 1 kg}, position: '[0,0,0.1499] m', "
      "shapes: [{name: s, box: '[0.2, 0.2, 0.1] m'}]}\n"
      "shapes: [{name: floor, half_space: z}]\ncontacts:\n"
      "  - {name: c, between: [a/s, floor], model: volumetric, foundation: 1e11, restitution: 0.3, "
      "friction: {kinetic: 0.5}}\n"
      "  - {name: d, between: [b/s, a/s], model: volumetric, foundation: 1e11, restitution: 0.3, "
      "friction: {kinetic: 0.5}}\n"
      "simulate: {duration: 3 s, integrator: rk4, step: 1 ms, record: {every: 10 ms}}\n";
  const Ending ending = run_scenario(text);
  EXPECT_FALSE(ending.claims_to_be_right);
  EXPECT_EQ(ending.reason.find("bends"), std::string::npos) << ending.reason;
  EXPECT_NE(ending.reason.find("step"), std::string::npos) << ending.reason;
}

// A formula that jumps where a row is recorded, in one that is given by its rate, and in a motion.
TEST(Passage, SwitchesOfPrescribedMotionsAreSteppedOnto) {
  const std::string text =
      "grapple: 1\nbodies: [{name: a, solid: {sphere: 5 cm, mass: 1 kg}}]\n"
      "joints: [{name: j, type: prismatic, parent: world, child: a, axis: x, motion: {rate: "
      "'3*pulse(t, 40, 40.01)'}}]\n"
      "measures: [{name: x, channel: body/a/position_x, kind: final}]\n"
      "simulate: {duration: 100 s, record: {every: 10 s}}\n";
  for (const char* method : {"adaptive", "dormand-prince", "adams", "bdf"}) {
    SCOPED_TRACE(method);
    const Ending ending = run_scenario(text, {integrator(method)});
    ASSERT_TRUE(ending.measures.contains("x")) << ending.reason;
    EXPECT_NEAR(ending.measures.at("x"), 0.03, 1e-9);  // 3 m/s over 10 ms
  }
}

}  // namespace
}  // namespace grapple::stress
