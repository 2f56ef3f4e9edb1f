// The key `simulate: dynamics`: every method runs the same arm to the same motion, and `check` says
// which is used and why.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "grapple/record/results_file.h"
#include "program/support.h"

namespace grapple::program {
namespace {

// A cart led by a function of time, a boom that bends, and a wrist held by its brake until 0.2 s.
std::string arm(const std::string& dynamics) {
  return R"yaml(grapple: 1
name: arm
environment: {gravity: 9.81 m/s^2}
bodies:
  - {name: cart, mass: 5 kg, inertia: [1, 1, 1] kg*m^2}
  - name: boom
    beam:
      length: 1 m
      material: {young: 70 GPa, poisson: 0.33, density: 2700 kg/m^3}
      round: 8 mm
      modes: {bending_y: 2, bending_z: 2}
  - {name: hand, solid: {cylinder: {radius: 5 mm, length: 0.3 m, axis: x}, mass: 0.2 kg}, com: "[0.15, 0, 0] m"}
joints:
  - {name: rail, type: prismatic, axis: x, parent: world, child: cart,
     motion: {position: {expression: "0.1*sin(3*t)"}}}
  - {name: shoulder, type: revolute, axis: y, parent: cart, child: boom, rate: 1 rad/s}
  - {name: wrist, type: universal, axis: y, axis2: z, parent: boom/tip, child: hand,
     lock: [{at: 0 s, state: locked}, {at: 0.2 s, state: unlocked}]}
simulate: {duration: 0.5 s, tolerance: 1e-11, record: {every: 20 ms})yaml" +
         dynamics + "}\n";
}

constexpr const char* kChannels[] = {"frame/boom/tip/deflection_z", "joint/shoulder/position",
                                     "joint/rail/drive"};

std::vector<std::vector<double>> recorded(const std::string& dynamics) {
  const Scratch scratch;
  const std::string file = scratch.file("arm.yaml", arm(dynamics));
  const Outcome outcome = grapple({"run", file, "--out", (scratch / "out").string()});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto results = record::ResultsReader::open_directory(scratch / "out");
  std::vector<std::vector<double>> all;
  for (const char* channel : kChannels) all.push_back(results.channel(channel));
  return all;
}

TEST(ForwardDynamics, EveryMethodGivesTheSameRun) {
  const auto expected = recorded("");
  for (const char* method : {"articulated", "composite", "direct", "decoupled"}) {
    const auto found = recorded(std::string(", dynamics: ") + method);
    for (std::size_t c = 0; c < expected.size(); ++c) {
      double size = 0.0;
      for (const double value : expected[c]) size = std::max(size, std::abs(value));
      ASSERT_GT(size, 1e-3) << kChannels[c];
      ASSERT_EQ(found[c].size(), expected[c].size());
      for (std::size_t k = 0; k < found[c].size(); ++k) {
        // The runs differ by round-off only, which some hundred steps of tolerance 1e-11 magnify.
        EXPECT_NEAR(found[c][k], expected[c][k], 1e-8 * size) << kChannels[c] << " by " << method;
      }
    }
  }
}

TEST(ForwardDynamics, CheckSaysWhichMethodAndWhy) {
  const Scratch scratch;
  const Outcome automatic = grapple({"check", scratch.file("a.yaml", arm(""))});
  EXPECT_EQ(automatic.exit_code, 0) << automatic.err;
  EXPECT_NE(automatic.out.find("forward dynamics: articulated (the fastest"), std::string::npos)
      << automatic.out;
  const Outcome asked = grapple({"check", scratch.file("b.yaml", arm(", dynamics: direct"))});
  EXPECT_NE(asked.out.find("forward dynamics: direct (as the scenario asks)"), std::string::npos);
}

}  // namespace
}  // namespace grapple::program
