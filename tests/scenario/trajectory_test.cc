// Trajectories of a scenario: what is published is the trajectory, followed by set points, resumed
// to the bit, and refused where it cannot be.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>

#include "grapple/scenario/simulation.h"
#include "scenario/build_support.h"

namespace grapple::scenario {
namespace {

constexpr double kDegree = std::numbers::pi / 180.0;

std::string arm_with(const std::string& rest) {
  return R"yaml(grapple: 1
bodies:
  - {name: upper, mass: 2 kg, com: [0.5, 0, 0] m, inertia: [0.1, 0.2, 0.2] kg*m^2}
  - {name: fore, mass: 1 kg, com: [0.4, 0, 0] m, inertia: [0.05, 0.1, 0.1] kg*m^2, frames: [{name: tip, position: [0.8, 0, 0] m}]}
joints:
  - {name: shoulder, type: revolute, axis: z, parent: world, child: upper}
  - {name: slide, type: prismatic, axis: x, parent: upper, child: fore, displacement: 1 m}
trajectories:
)yaml" + rest;
}

class TrajectoryFile : public ::testing::Test {
 protected:
  std::filesystem::path write(const std::string& name, const std::string& text) {
    const auto* const test = ::testing::UnitTest::GetInstance()->current_test_info();
    directory_ = std::filesystem::temp_directory_path() /
                 ("grapple-trajectory-" + std::string(test->name()));
    std::filesystem::create_directories(directory_);
    std::ofstream(directory_ / name) << text;
    return directory_ / name;
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }
  std::filesystem::path directory_;
};

TEST_F(TrajectoryFile, PublishesWhatItSaysAtItsSamples) {
  const auto file = write("arm.yaml", arm_with(R"yaml(
  - {name: slew, type: joints, joints: [shoulder, slide], points: [[0 deg, 1 m], [90 deg, 0.5 m]],
     profile: quintic, times: "[0.1, 1.1] s", period: 20 ms}
simulate: {duration: 2 s}
)yaml"));
  grapple::Simulation sim(file.string());
  EXPECT_EQ(sim.get("trajectory/slew/slide/position"), 1.0);  // from the start
  ASSERT_TRUE(sim.advance(0.01));
  for (int k = 1; k <= 70; ++k) {
    ASSERT_TRUE(sim.advance(0.02));  // halfway after sample k; the rate is 30 s^2 (1 - s)^2 / T
    const double s = std::clamp((0.02 * k - 0.1) / 1.0, 0.0, 1.0);
    const double value = s * s * s * (10.0 + s * (-15.0 + 6.0 * s));
    EXPECT_NEAR(sim.get("trajectory/slew/shoulder/position"), 90.0 * kDegree * value, 1e-12) << k;
    EXPECT_NEAR(sim.get("trajectory/slew/slide/position"), 1.0 - 0.5 * value, 1e-12) << k;
    EXPECT_NEAR(sim.get("trajectory/slew/shoulder/rate"),
                90.0 * kDegree * 30.0 * s * s * (1.0 - s) * (1.0 - s), 1e-11)
        << k;
  }
}

TEST_F(TrajectoryFile, IsFollowedByASetPoint) {
  const auto file = write("arm.yaml", arm_with(R"yaml(
  - {name: slew, type: joints, joints: [shoulder], points: [[0 deg], [30 deg]], profile: trapezoid,
     rate_limit: 60 deg/s, acceleration_limit: 90 deg/s^2, period: 5 ms}
controllers:
  - {name: hold, joint: shoulder, set_point: {signal: trajectory/slew/shoulder/position},
     proportional: 4000 N*m/rad, derivative: 400 N*m*s/rad, period: 5 ms}
  - {name: keep, joint: slide, set_point: 1 m, proportional: 4000 N/m, derivative: 100 N*s/m, period: 5 ms}
simulate: {duration: 3 s}
)yaml"));
  grapple::Simulation sim(file.string());
  while (sim.advance(0.1)) {
  }
  // Long after the end the PD controller of an arm without weight has no error left.
  EXPECT_NEAR(sim.get("joint/shoulder/position"), 30.0 * kDegree, 1e-6);
}

// The target drifts and turns; at rest in its frame, the wanted pose moves with it.
TEST_F(TrajectoryFile, RelativeToAMovingFrameMovesWithIt) {
  const auto file = write("target.yaml", R"yaml(grapple: 1
bodies:
  - {name: target, mass: 5 kg, inertia: [1, 2, 3] kg*m^2, position: [1, 2, 3] m, velocity: [0.1, 0, 0.2] m/s,
     angular_velocity: [0.3, 0.1, 0.5] rad/s, frames: [{name: port, position: [0.4, 0.1, 0] m, rotation: {axis: y, angle: 20 deg}},
     {name: seen, position: [0.4, 0.1, 0] m, rotation: {axis: y, angle: 20 deg}}]}
trajectories:
  - {name: stay, type: line, relative_to: target/port, poses: [{position: [0, 0, 0] m}, {position: [0, 0, 0] m}],
     duration: 1 s, period: 50 ms}
simulate: {duration: 2 s, tolerance: 1e-11}
)yaml");
  grapple::Simulation sim(file.string());
  const std::vector<std::string> what{"position", "velocity", "angular_velocity", "acceleration"};
  for (int k = 1; k <= 30; ++k) {
    ASSERT_TRUE(sim.advance_to(0.05 * k));  // where a sample is taken
    std::vector<double> seen;
    for (const std::string& name : what) {
      for (const char* axis : {"_x", "_y", "_z"}) {
        seen.push_back(sim.get("frame/target/seen/" + name + axis));
      }
    }
    ASSERT_TRUE(sim.advance_to(0.05 * k + 0.02));
    std::size_t at = 0;
    for (const std::string& name : what) {
      for (const char* axis : {"_x", "_y", "_z"}) {
        EXPECT_NEAR(sim.get("trajectory/stay/" + name + axis), seen[at++], 1e-12)
            << name << axis << " at " << 0.05 * k;
      }
    }
  }
}

TEST_F(TrajectoryFile, ReadsATable) {
  write("plan.csv", "time [s],shoulder [deg],slide [m]\n0,0,1\n1,30,0.9\n2,60,0.8\n3,90,0.7\n");
  for (const char* interpolation : {"linear", "spline"}) {
    const auto file = write("arm.yaml", arm_with(std::string(R"yaml(
  - {name: slew, type: file, joints: [shoulder, slide], file: plan.csv, period: 0.5 s, interpolation: )yaml") +
                                                 interpolation + "}\nsimulate: {duration: 4 s}\n"));
    grapple::Simulation sim(file.string());
    ASSERT_TRUE(sim.advance(1.6));  // the last sample was at 1.5 s
    EXPECT_NEAR(sim.get("trajectory/slew/shoulder/position"), 45.0 * kDegree, 1e-14);
    EXPECT_NEAR(sim.get("trajectory/slew/slide/position"), 0.85, 1e-14);
    EXPECT_NEAR(sim.get("trajectory/slew/slide/rate"), -0.1, 1e-14);
  }
}

TEST_F(TrajectoryFile, ARestoredRunRepeatsTheBits) {
  const auto file = write("arm.yaml", arm_with(R"yaml(
  - {name: slew, type: joint-spline, joints: [shoulder], points: [[0], [0.4], [0.1]], times: "[0, 1, 2] s", period: 7 ms}
controllers:
  - {name: hold, joint: shoulder, set_point: {signal: trajectory/slew/shoulder/position},
     proportional: 400 N*m/rad, derivative: 40 N*m*s/rad, period: 7 ms}
simulate: {duration: 2 s, integrator: dormand-prince}
)yaml"));
  grapple::Simulation sim(file.string());
  ASSERT_TRUE(sim.advance(0.61));
  const auto saved = sim.save();
  ASSERT_TRUE(sim.advance(0.8));
  const double first = sim.get("joint/shoulder/position");
  sim.restore(saved);
  ASSERT_TRUE(sim.advance(0.8));
  EXPECT_EQ(sim.get("joint/shoulder/position"), first);
}

TEST(Trajectories, NoSignalsWithoutAPeriod) {
  const std::string without = arm_with(
      "  - {name: slew, type: joints, joints: [shoulder], points: [[0], [1]], times: \"[0, 1] "
      "s\"}\n");
  EXPECT_EQ(ids_of_build(without), "");
  EXPECT_EQ(built(without).system->find_channel("trajectory/slew/shoulder/position"), -1);
  EXPECT_EQ(built(without).joint_references.count("slew"), 1u);
}

}  // namespace
}  // namespace grapple::scenario
