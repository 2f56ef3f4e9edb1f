// Measures are those of the solution, not of the rows that happen to be recorded.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numbers>

#include "grapple/record/run.h"
#include "grapple/scenario/build/build.h"
#include "record/scratch_directory.h"

namespace grapple::scenario {
namespace {

std::map<std::string, record::MeasureResult> measured(const std::string& text,
                                                      const std::vector<std::string>& settings) {
  const record::ScratchDirectory scratch;
  record::RunOptions options;
  options.directory = scratch.path();
  Simulation simulation = build(load_scenario_text(text, "measured.yaml", settings));
  const record::RunSummary summary = record::run(*simulation.system, simulation.plan, options);
  EXPECT_EQ(summary.status, record::RunStatus::kCompleted) << summary.cause;
  std::map<std::string, record::MeasureResult> all;
  for (const record::MeasureReport& one : summary.measures) all[one.name] = one.result;
  return all;
}

// A held effort jumps at its samples: its maximum is there, not a little behind.
TEST(MeasuredRun, TheTimeOfALargestHeldEffortIsThatOfItsJump) {
  const auto all = measured(R"yaml(grapple: 1
bodies: [{name: arm, mass: 2 kg, inertia: [0.1, 0.1, 0.1] kg*m^2}]
joints: [{name: axle, type: revolute, parent: world, child: arm, axis: z}]
controllers:
  - {name: hold, joint: axle, set_point: "step(t - 0.25)", proportional: 3 N*m/rad,
     derivative: 1 N*m*s/rad, period: 100 ms}
measures:
  - {name: largest, channel: controller/hold/effort, kind: max}
simulate: {duration: 1 s}
)yaml",
                            {});
  EXPECT_EQ(all.at("largest").value, 3.0);
  EXPECT_NEAR(all.at("largest").time, 0.3, 1e-15);  // the sample after the step
}

// A ball of 1 kg at 1 m/s against k d^1.5, k = 1e6, without loss: deepest at
// d = (5 m v^2 / (4 k))^(2/5) = 4.3325 mm, the force there k d^1.5 (Hertz; energy).
const char* kImpact = R"(grapple: 1
name: impact
bodies:
  - {name: ball, solid: {sphere: 0.1 m, mass: 1 kg}, position: [0, 0, 0.15] m, velocity: [0, 0, -1] m/s, shapes: [{name: skin, sphere: 0.1 m}]}
shapes: [{name: floor, half_space: z}]
contacts: [{name: hit, between: [ball/skin, floor], stiffness: 1e6, restitution: 1, friction: none}]
measures:
  - {name: peak, channel: contact/hit/normal_force, kind: max}
  - {name: deepest, channel: contact/hit/gap, kind: min}
  - {name: touch, channel: contact/hit/gap, kind: first_time, below: 0 m}
  - {name: lasts, channel: contact/hit/normal_force, kind: duration, above: 0 N}
  - {name: early, channel: body/ball/position_z, kind: at, time: 0.0123 s}
simulate: {duration: 0.2 s, integrator: rk4, step: 0.1 ms, tolerance: 1e-9, record: {every: 0.1 s}}
)";

class Measured : public testing::TestWithParam<std::string> {};

TEST_P(Measured, AnImpactBetweenTwoRowsIsSeenWhole) {
  // Second order needs shorter steps for the same.
  const bool second_order = GetParam() == "generalized-alpha";
  const auto all =
      measured(kImpact, {"simulate.integrator=" + GetParam(),
                         second_order ? "simulate.tolerance=1e-10" : "simulate.seed=1"});
  const double depth = std::pow(5.0 / (4.0 * 1e6), 0.4), force = 1e6 * std::pow(depth, 1.5);
  // Duration (4/5) sqrt(pi) Gamma(2/5)/Gamma(9/10) d / v = 2.9433 d / v (Hertz 1882; Johnson,
  // Contact Mechanics, eq. 11.24).
  const double lasting =
      0.8 * std::sqrt(std::numbers::pi) * std::tgamma(0.4) / std::tgamma(0.9) * depth;
  // Local errors of 1e-9 of positions near 0.1 m are 1e-7 of the depth or so, and add up over some
  // ten steps; rk4 with 85 steps in the impact is as good. Newmark's order is two.
  const double share = second_order ? 1e-4 : 1e-5;
  EXPECT_NEAR(all.at("peak").value, force, share * force);
  EXPECT_NEAR(all.at("peak").time, 0.05 + 0.5 * lasting, 0.01 * lasting);
  EXPECT_NEAR(all.at("deepest").value, -depth, share * depth);
  EXPECT_NEAR(all.at("touch").value, 0.05, 1e-9);
  EXPECT_NEAR(all.at("lasts").value, lasting, share * lasting);
  EXPECT_NEAR(all.at("early").value, 0.15 - 0.0123, 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Methods, Measured,
                         testing::Values("adaptive", "dormand-prince", "rk4", "bdf", "adams",
                                         "generalized-alpha"),
                         [](const auto& name) {
                           std::string text = name.param;
                           std::replace(text.begin(), text.end(), '-', '_');
                           return text;
                         });

// A steady rotation needs no short steps, and has rows only at its ends.
TEST(Measured, OnASteadyRotationTheHighestPointIsFound) {
  const auto all = measured(R"(grapple: 1
name: wheel
bodies:
  - {name: wheel, solid: {cylinder: {radius: 1 m, length: 0.1 m, axis: y}, mass: 1 kg}, frames: [{name: rim, position: [1, 0, 0] m}]}
joints: [{name: axle, type: revolute, axis: y, parent: world, child: wheel, rate: 10 rad/s}]
measures:
  - {name: top, channel: frame/wheel/rim/position_z, kind: max}
  - {name: above, channel: frame/wheel/rim/position_z, kind: duration, above: 0 m}
  - {name: first, channel: frame/wheel/rim/position_z, kind: first_time, above: 0.5 m}
simulate: {duration: 10 s, record: {every: 10 s}}
)",
                            {});
  // z = -sin(10 t); a peak is as high as its parabola to 1e-14.
  EXPECT_NEAR(all.at("top").value, 1.0, 1e-9);
  EXPECT_NEAR(all.at("first").value, 7.0 * std::numbers::pi / 60.0, 1e-9);
  // 15.92 turns: z > 0 in the second half of each.
  const double turns = 100.0 / (2.0 * std::numbers::pi), whole = std::floor(turns);
  const double rest = std::max(0.0, turns - whole - 0.5);
  EXPECT_NEAR(all.at("above").value, (0.5 * whole + rest) * 2.0 * std::numbers::pi / 10.0, 1e-8);
}

// The motor's torque jumps at 1 s: both values count, the one at the time is that before.
TEST(Measured, BothSidesOfAJumpCount) {
  const auto all = measured(R"(grapple: 1
name: jump
bodies: [{name: a, mass: 1 kg, inertia: [1, 1, 1] kg*m^2}]
joints: [{name: j, type: revolute, axis: z, parent: world, child: a, rate: 2 rad/s, lock: [{at: 1 s, state: locked}]}]
measures:
  - {name: fastest, channel: joint/j/rate, kind: max}
  - {name: slowest, channel: joint/j/rate, kind: min}
  - {name: before, channel: joint/j/rate, kind: at, time: 1 s}
  - {name: stopped, channel: joint/j/rate, kind: first_time, below: 1 rad/s}
simulate: {duration: 3 s, record: {every: 3 s}}
)",
                            {});
  EXPECT_EQ(all.at("fastest").value, 2.0);
  EXPECT_EQ(all.at("slowest").value, 0.0);
  EXPECT_EQ(all.at("slowest").time, 1.0);
  EXPECT_EQ(all.at("before").value, 2.0);
  EXPECT_EQ(all.at("stopped").value, 1.0);
}

}  // namespace
}  // namespace grapple::scenario
