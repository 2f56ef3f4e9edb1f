// Channels made of others: formulas, and one frame seen from another.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>

#include "grapple/scenario/simulation.h"

namespace grapple {
namespace {

const char* kTwoFree = R"yaml(grapple: 1
bodies:
  - {name: chaser, mass: 2 kg, inertia: [1, 2, 3] kg*m^2, position: [0.1, 0.2, 0.3] m,
     velocity: [0.3, -0.1, 0.2] m/s, angular_velocity: [0.2, 0.5, -0.3] rad/s,
     frames: [{name: hand, position: [0.5, 0.1, 0] m}]}
  - {name: target, mass: 1 kg, inertia: [1, 1, 2] kg*m^2, position: [3, 1, -1] m,
     velocity: [-0.5, 0.1, 0] m/s, angular_velocity: [-0.4, 0.1, 0.6] rad/s}
channels:
  - {name: gap, between: [chaser/hand, target]}
  - name: apart
    unit: m
    formula: "sqrt(('frame/chaser/hand/position_x' - 'body/target/position_x')^2
      + ('frame/chaser/hand/position_y' - 'body/target/position_y')^2
      + ('frame/chaser/hand/position_z' - 'body/target/position_z')^2)"
  - {name: twice, unit: m, formula: "2*apart"}
  - {name: yaw-degrees, unit: deg, formula: "'gap/yaw'*180/pi"}
events: [{name: far, channel: twice, crosses: 8 m, action: stop}]
simulate: {duration: 10 s, tolerance: 1e-10}
)yaml";

class DerivedChannels : public ::testing::Test {
 protected:
  Simulation make(const std::string& text) {
    const auto* const test = ::testing::UnitTest::GetInstance()->current_test_info();
    file_ = std::filesystem::temp_directory_path() /
            ("grapple-derived-" + std::string(test->name()) + ".yaml");
    std::ofstream(file_) << text;
    return Simulation(file_);
  }
  ~DerivedChannels() override { std::filesystem::remove(file_); }

 private:
  std::filesystem::path file_;
};

TEST_F(DerivedChannels, RatesAreTheRatesOfWhatTheyBelongTo) {
  Simulation sim = make(kTwoFree);
  constexpr double kStep = 1e-4;
  const std::pair<const char*, const char*> pairs[] = {{"gap/position_x", "gap/velocity_x"},
                                                       {"gap/position_y", "gap/velocity_y"},
                                                       {"gap/position_z", "gap/velocity_z"}};
  for (double t : {0.1, 0.7, 1.5}) {
    for (const auto& [position, velocity] : pairs) {
      sim.advance_to(t);
      const double before = sim.get(position);
      sim.advance_to(t += kStep);
      const double rate = sim.get(velocity), distance = sim.get("gap/distance"),
                   closing = sim.get("gap/closing_speed");
      EXPECT_NEAR(distance, sim.get("apart"), 1e-14);
      sim.advance_to(t += kStep);
      // Central differences: error of second order, 1e-8 times third derivatives of order 1.
      EXPECT_NEAR((sim.get(position) - before) / (2.0 * kStep), rate, 1e-7) << position;
      EXPECT_NEAR((sim.get("gap/distance") - distance) / kStep, -closing, 1e-3);
    }
  }
}

TEST_F(DerivedChannels, EventsWatchFormulas) {
  Simulation sim = make(kTwoFree);
  EXPECT_FALSE(sim.advance_to(10.0));
  EXPECT_EQ(sim.ending(), "stopped by far");
  EXPECT_NEAR(sim.get("gap/distance"), 4.0, 1e-9);
  EXPECT_EQ(sim.get("yaw-degrees"), sim.get("gap/yaw") * 180.0 / std::numbers::pi);
}

// A threshold is in the unit it is written in, the channel in its own; what is no number crosses
// nothing.
TEST_F(DerivedChannels, ThresholdsAreConvertedToTheUnitOfTheChannel) {
  for (const char* level : {"30 deg", "30", "0.5235987755982988 rad"}) {
    Simulation sim = make(std::string(R"yaml(grapple: 1
bodies: [{name: arm, mass: 1 kg, inertia: [1, 1, 1] kg*m^2}]
joints: [{name: axle, type: revolute, parent: world, child: arm, axis: z, rate: 0.5 rad/s}]
channels:
  - {name: turned, unit: deg, formula: "'joint/axle/position'*180/pi"}
  - {name: undefined, unit: m, formula: "sqrt(0 - 'joint/axle/position')"}
events:
  - {name: there, channel: turned, action: stop, crosses: )yaml") +
                          level + R"(}
  - {name: never, channel: undefined, action: stop, crosses: 0.5 m}
simulate: {duration: 10 s}
)");
    EXPECT_FALSE(sim.advance_to(10.0));
    EXPECT_EQ(sim.ending(), "stopped by there") << level;
    EXPECT_NEAR(sim.get("turned"), 30.0, 1e-9) << level;
  }
}

// Turned about z, then y, then x of the turned body: yaw, pitch, roll.
TEST_F(DerivedChannels, AnglesAreThoseOfTheTurns) {
  Simulation sim = make(R"(grapple: 1
bodies:
  - {name: one, mass: 1 kg, inertia: [1, 1, 1] kg*m^2}
  - {name: two, mass: 1 kg, inertia: [1, 1, 1] kg*m^2}
  - {name: three, mass: 1 kg, inertia: [1, 1, 1] kg*m^2}
joints:
  - {name: a, type: revolute, parent: world, child: one, axis: z, angle: 0.7 rad}
  - {name: b, type: revolute, parent: one, child: two, axis: y, angle: -0.4 rad}
  - {name: c, type: revolute, parent: two, child: three, axis: x, angle: 2.5 rad}
channels:
  - {name: pose, between: [world, three]}
  - {name: last, between: [two, three]}
simulate: {duration: 1 s}
)");
  EXPECT_NEAR(sim.get("pose/yaw"), 0.7, 1e-14);
  EXPECT_NEAR(sim.get("pose/pitch"), -0.4, 1e-14);
  EXPECT_NEAR(sim.get("pose/roll"), 2.5, 1e-14);
  EXPECT_NEAR(sim.get("last/angle"), 2.5, 1e-14);
}

}  // namespace
}  // namespace grapple
