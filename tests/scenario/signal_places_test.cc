// Every place of a scenario that takes a signal obeys it: a cart of 2 kg on a rail, an axle of
// 0.5 kg m^2, nothing else.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "grapple/base/error.h"
#include "grapple/scenario/simulation.h"

namespace grapple {
namespace {

class SignalPlaces : public ::testing::Test {
 protected:
  /// `cart`, `axle`: more keys of the joints; `rest`: more of the scenario.
  Simulation simulation(const std::string& unit, const std::string& cart, const std::string& axle,
                        const std::string& rest) {
    file_ =
        std::filesystem::temp_directory_path() /
        ("grapple-signal-places-" +
         std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()) + ".yaml");
    std::ofstream(file_) << R"(grapple: 1
signals: [{name: s, unit: )"
                         << unit << R"(}]
bodies:
  - {name: cart, mass: 2 kg, inertia: [1, 1, 1] kg*m^2}
  - {name: wheel, mass: 1 kg, inertia: [0.5, 0.5, 0.5] kg*m^2}
joints:
  - {name: rail, type: prismatic, parent: world, child: cart, axis: x)"
                         << cart << R"(}
  - {name: axle, type: revolute, parent: world, child: wheel, axis: z)"
                         << axle << "}\n"
                         << rest << "\nsimulate: {duration: 10 s, tolerance: 1e-10}\n";
    return Simulation(file_);
  }
  ~SignalPlaces() override { std::filesystem::remove(file_); }

 private:
  std::filesystem::path file_;
};

TEST_F(SignalPlaces, Motor) {
  Simulation by_force = simulation("N", ", motor: {force: {signal: s}, gear_ratio: 3}", "", "");
  by_force.set("s", 4.0);
  EXPECT_NEAR(by_force.get("joint/rail/acceleration"), 6.0, 1e-14);
  Simulation by_torque = simulation("N*m", "", ", motor: {torque: {signal: s}}", "");
  by_torque.set("s", 4.0);
  EXPECT_NEAR(by_torque.get("joint/axle/acceleration"), 8.0, 1e-14);
}

TEST_F(SignalPlaces, ForceAndTorque) {
  Simulation pushed =
      simulation("N", "", "",
                 "forces: [{name: push, type: point-force, at: cart, force: [{signal: s}, 0, 0]}]");
  pushed.set("s", 4.0);
  EXPECT_NEAR(pushed.get("joint/rail/acceleration"), 2.0, 1e-14);
  Simulation turned =
      simulation("N*m", "", "",
                 "forces: [{name: turn, type: torque, at: wheel, torque: [0, 0, {signal: s}]}]");
  turned.set("s", 4.0);
  EXPECT_NEAR(turned.get("joint/axle/acceleration"), 8.0, 1e-14);
}

TEST_F(SignalPlaces, PreloadOfASpringDamper) {
  Simulation sim = simulation("N", ", position: 2 m", "",
                              "forces: [{name: pull, type: spring-damper, between: [world, cart], "
                              "preload: {signal: s}}]");
  sim.set("s", 4.0);  // tension pulls it back to the origin
  EXPECT_NEAR(sim.get("joint/rail/acceleration"), -2.0, 1e-14);
}

TEST_F(SignalPlaces, RestOfASpring) {
  Simulation sim = simulation("m", ", spring: {stiffness: 8 N/m, rest: {signal: s}}", "", "");
  sim.set("s", 0.5);
  EXPECT_NEAR(sim.get("joint/rail/acceleration"), 2.0, 1e-14);
  EXPECT_NEAR(sim.get("work/external"), 1.0, 1e-14);  // 8 0.5^2 / 2
}

TEST_F(SignalPlaces, RateAndAccelerationOfAMotion) {
  Simulation at_rate = simulation("rad/s", "", ", motion: {rate: {signal: s}}", "");
  at_rate.set("s", 3.0);
  at_rate.advance_to(0.5);
  EXPECT_NEAR(at_rate.get("joint/axle/position"), 1.5, 1e-12);
  Simulation accelerated = simulation("m/s^2", ", motion: {acceleration: {signal: s}}", "", "");
  accelerated.set("s", 4.0);
  accelerated.advance_to(0.5);
  EXPECT_NEAR(accelerated.get("joint/rail/rate"), 2.0, 1e-12);
  EXPECT_NEAR(accelerated.get("joint/rail/drive"), 8.0, 1e-12);
}

constexpr char kHold[] = R"(controllers:
  - {name: hold, joint: axle, set_point: {signal: s}, proportional: 4 N*m/rad,
     derivative: 2 N*m*s/rad, period: 10 ms})";

// The set point is read at the samples; its rate counts as zero.
TEST_F(SignalPlaces, SetPointOfAController) {
  Simulation sim = simulation("deg", "", "", kHold);
  sim.advance_to(0.005);
  EXPECT_EQ(sim.get("controller/hold/effort"), 0.0);
  sim.set("s", 0.25);
  EXPECT_EQ(sim.get("controller/hold/effort"), 0.0);
  sim.advance_to(0.0101);
  EXPECT_EQ(sim.get("block/hold/set_point"), 0.25);
  EXPECT_EQ(sim.get("controller/hold/effort"), 1.0);
  sim.advance_to(10.0);  // twice the period of 0.5 q'' + 2 q' + 4 q = 1 is long over
  EXPECT_NEAR(sim.get("joint/axle/position"), 0.25, 1e-6);
}

TEST_F(SignalPlaces, RefuseAnotherUnit) {
  try {
    simulation("N", "", "", kHold);
    FAIL() << "a force is no angle";
  } catch (const Error& error) {
    EXPECT_EQ(error.id(), "GR-310");
  }
}

// One controller leads another: the outer one's output is the inner one's set point.
TEST_F(SignalPlaces, ControllersInCascade) {
  Simulation sim = simulation("rad", "", ", position: 0.3 rad", std::string(kHold) + R"(
  - {name: outer, joint: rail, set_point: 1 m, proportional: 0.5 N/m, period: 20 ms, output: s})");
  sim.advance_to(0.1);
  EXPECT_NEAR(sim.get("s"), 0.5, 1e-12);
  EXPECT_NEAR(sim.get("block/hold/set_point"), 0.5, 1e-12);
}

}  // namespace
}  // namespace grapple
