// The energy balance is judged in absolute terms, against the energy that was moved.
#include "grapple/record/internal/energy_verdict.h"

#include <gtest/gtest.h>

#include <cmath>

#include "grapple/record/run.h"
#include "grapple/scenario/build/build.h"
#include "record/scratch_directory.h"

namespace grapple::scenario {
namespace {

using record::RunStatus;

record::RunSummary judged(const std::string& text, const std::vector<std::string>& settings = {}) {
  const record::ScratchDirectory scratch;
  record::RunOptions options;
  options.directory = scratch.path();
  Simulation simulation = build(load_scenario_text(text, "judged.yaml", settings));
  return record::run(*simulation.system, simulation.plan, options);
}

// A mass of 1 kg on 1e4 N/m (100 rad/s), let go 1 m from rest: 5 kJ go to and fro.
const char* kStiffSpring = R"(grapple: 1
name: spring
bodies: [{name: a, mass: 1 kg, inertia: [1, 1, 1] kg*m^2}]
joints: [{name: j, type: prismatic, axis: x, parent: world, child: a, displacement: 1 m, spring: {stiffness: 1e4 N/m}}]
simulate: {duration: 10 s, integrator: rk4, step: 1 ms, record: {every: 1 s}}
)";

// rk4 damps an oscillation by 1 - (w h)^6/144 a step: at w h = 1.5 by a factor per step of 0.92,
// at 3 (beyond 2 sqrt 2) it blows up. At w h = 0.1, 1e4 steps take 1e4 * 1e-6/72 = 1.4e-4 of the
// energy, at 0.2 (5e3 steps) 4.4e-3.
TEST(EnergyBalance, AFixedStepIsJudgedByWhatItDoes) {
  const auto at = [](const char* step) {
    return judged(kStiffSpring, {std::string("simulate.step=") + step});
  };
  const record::RunSummary fine = at("1 ms");
  EXPECT_EQ(fine.status, RunStatus::kCompleted);
  EXPECT_TRUE(fine.warnings.empty());
  const record::RunSummary coarse = at("2 ms");
  EXPECT_EQ(coarse.status, RunStatus::kCompleted);
  ASSERT_EQ(coarse.warnings.size(), 1u);
  EXPECT_NE(coarse.warnings[0].find("energy balance"), std::string::npos) << coarse.warnings[0];
  EXPECT_NE(coarse.warnings[0].find("step well below 0.002 s"), std::string::npos);
  for (const char* step : {"15 ms", "30 ms"}) {
    const record::RunSummary wrong = at(step);
    EXPECT_EQ(wrong.status, RunStatus::kSuspect) << step;
    EXPECT_NE(wrong.cause.find("energy balance"), std::string::npos) << wrong.cause;
  }
  // What is lost fastest is lost first.
  EXPECT_LT(at("15 ms").energy->origin.to, 1.0);
}

// The tolerance is no excuse: 1e-2 is allowed to lose a lot, and says so.
TEST(EnergyBalance, ALooseToleranceIsNoExcuse) {
  const record::RunSummary loose =
      judged(kStiffSpring, {"simulate.integrator=dormand-prince", "simulate.tolerance=1e-2"});
  const double off = loose.energy->largest_relative_residual;
  ASSERT_GT(off, record::kDoubtfulBalance);
  EXPECT_TRUE(loose.status == RunStatus::kSuspect || !loose.warnings.empty());
  EXPECT_EQ(loose.status == RunStatus::kSuspect, off > record::kWrongBalance);
}

// Where nothing is wrong nothing is said: at rest, in steady motion, far up, near round-off.
TEST(EnergyBalance, RestAndSteadyMotionClose) {
  const std::vector<std::string> quiet = {
      // hangs at rest, high above the origin
      R"(environment: {gravity: 9.81 m/s^2}
bodies: [{name: a, solid: {rod: {length: 1 m, axis: x, from: end}, mass: 1 kg}}]
joints: [{name: j, type: revolute, axis: y, parent: "world at [0, 0, 1e6] m", child: a, angle: 90 deg}]
)",
      // swings a little there
      R"(environment: {gravity: 9.81 m/s^2}
bodies: [{name: a, solid: {rod: {length: 1 m, axis: x, from: end}, mass: 1 kg}}]
joints: [{name: j, type: revolute, axis: y, parent: "world at [0, 0, 1e5] m", child: a, angle: 89 deg}]
)",
      // spins steadily about a principal axis, drifting
      R"(bodies: [{name: a, solid: {box: [1, 2, 3] m, mass: 100 kg}, velocity: [7e3, 0, 0] m/s, angular_velocity: [0, 0, 5] rad/s}]
)",
      // tumbles
      R"(bodies: [{name: a, solid: {box: [1, 2, 3] m, mass: 100 kg}, velocity: [100, 0, 0] m/s, angular_velocity: [0.01, 3, 0] rad/s}]
)",
      // swings by a millionth of a radian: some 1e-12 J
      R"(environment: {gravity: 9.81 m/s^2}
bodies: [{name: a, solid: {rod: {length: 1 m, axis: x, from: end}, mass: 1 kg}}]
joints: [{name: j, type: revolute, axis: y, parent: world, child: a, angle: 1.570795 rad}]
)",
      // nothing at all moves
      R"(bodies: [{name: a, solid: {box: [1, 2, 3] m, mass: 100 kg}}]
)",
      // lies on the floor
      R"(environment: {gravity: 9.81 m/s^2}
bodies: [{name: a, solid: {sphere: 0.1 m, mass: 1 kg}, position: [0, 0, 0.1] m, shapes: [{name: skin, sphere: 0.1 m}]}]
shapes: [{name: floor, half_space: z}]
contacts: [{name: rest, between: [a/skin, floor], stiffness: 1e6, restitution: 0.5, friction: none}]
)"};
  for (const std::string& text : quiet) {
    SCOPED_TRACE(text);
    for (const char* integrator : {"adaptive", "rk4", "generalized-alpha"}) {
      SCOPED_TRACE(integrator);
      const record::RunSummary summary =
          judged("grapple: 1\nname: quiet\n" + text +
                     "simulate: {duration: 5 s, record: {every: 0.5 s}, step: 1 ms}\n",
                 {std::string("simulate.integrator=") + integrator});
      EXPECT_EQ(summary.status, RunStatus::kCompleted) << summary.cause;
      for (const std::string& warning : summary.warnings) ADD_FAILURE() << warning;
    }
  }
}

// A top with 20 kJ of spin nods by a few joules: those count, not the spin.
TEST(EnergyBalance, TheSpinOfATopDoesNotHideWhatItMoves) {
  const std::string top = R"(grapple: 1
name: top
environment: {gravity: 9.81 m/s^2}
bodies: [{name: top, mass: 5 kg, inertia: [1, 1, 1.8] kg*m^2, com: [0, 0, 0.1] m}]
joints: [{name: foot, type: spherical, parent: world, child: top, rotation: {axis: x, angle: 30 deg}, rate: [0, 0, 150] rad/s}]
simulate: {duration: 2 s, tolerance: 1e-10, record: {every: 0.1 s}}
)";
  const record::RunSummary summary = judged(top);
  EXPECT_EQ(summary.status, RunStatus::kCompleted) << summary.cause;
  EXPECT_LT(summary.energy->moved_joule, 200.0);  // a hundredth of the spin's 20 kJ
}

TEST(EnergyBalance, WhatIsNoNumberIsWrong) {
  record::EnergyLedger ledger;
  ledger.largest_relative_residual = std::nan("");
  EXPECT_EQ(record::judge(ledger, {}).kind, record::EnergyVerdict::Kind::kWrong);
  ledger.largest_relative_residual = 0.0;
  EXPECT_EQ(record::judge(ledger, {}).kind, record::EnergyVerdict::Kind::kCloses);
}

}  // namespace
}  // namespace grapple::scenario
