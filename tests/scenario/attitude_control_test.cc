// Attitude by wheels and by thrusters: what is asked for happens, momentum stays, and the limit
// cycle of thrusters with a shortest pulse has the period of the closed form.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "grapple/scenario/simulation.h"
#include "scenario/build_support.h"

namespace grapple {
namespace {

const std::string kExamples = std::string(GRAPPLE_SOURCE_DIR) + "/examples/orbit/";

TEST(AttitudeControl, WheelsTurnTheCraftAndKeepTheMomentum) {
  Simulation sim(kExamples + "attitude-wheels.yaml");
  double momentum = 0.0, effort = 0.0;
  for (int k = 1; k <= 90; ++k) {
    sim.advance_to(k);
    for (const char* axis : {"x", "y", "z"}) {
      momentum = std::max(momentum, std::abs(sim.get(std::string("momentum/angular_") + axis)));
    }
    effort = std::max(effort, std::abs(sim.get("controller/point/wheel1/effort")));
  }
  EXPECT_LT(momentum, 1e-7);
  EXPECT_LT(effort, 1.0);  // below its limit: the law holds all the way
  // 60 degrees about (1, 1, 0.5)/1.5.
  const double half = std::numbers::pi / 6.0;
  EXPECT_NEAR(std::abs(sim.get("body/craft/orientation_w")), std::cos(half), 1e-4);
  EXPECT_NEAR(std::abs(sim.get("body/craft/orientation_z")), std::sin(half) / 3.0, 1e-4);
}

// The angular acceleration right after a sample is the wanted one, gyroscopic terms and spinning
// wheels counted in; and the efforts are those of the smallest norm: square to (1, -1, 1, -1), the
// combination of this pyramid that turns nothing.
TEST(AttitudeControl, TheCraftAcceleratesAsAskedByTheLeastEfforts) {
  Simulation sim(
      kExamples + "attitude-wheels.yaml",
      {"bodies.craft.angular_velocity=[0.02, -0.03, 0.01] rad/s", "joints.wheel1.rate=100 rad/s",
       "joints.wheel3.rate=-80 rad/s", "controllers.point.attitude_angle=0",
       "controllers.point.limit=100 N*m", "environment.gravity=none"});
  sim.advance_to(5.0);
  double wanted[3];
  for (int k = 0; k < 3; ++k) {
    const std::string axis(1, "xyz"[k]);
    wanted[k] = -0.4 * sim.get("joint/craft/rate_w" + axis);
  }
  sim.advance_to(5.0 + 1e-8);
  for (int k = 0; k < 3; ++k) {
    const std::string axis(1, "xyz"[k]);
    wanted[k] += 0.04 * sim.get("block/point/error_" + axis);
    EXPECT_NEAR(sim.get("joint/craft/acceleration_w" + axis), wanted[k], 1e-8) << axis;
  }
  double internal = 0.0;
  for (int k = 1; k <= 4; ++k) {
    internal += (k % 2 == 1 ? 1.0 : -1.0) *
                sim.get("controller/point/wheel" + std::to_string(k) + "/effort");
  }
  EXPECT_NEAR(internal, 0.0, 1e-8);
}

TEST(AttitudeControl, ThrustersLeaveTheLimitCycleOfTheirShortestPulse) {
  Simulation sim(kExamples + "attitude-thrusters.yaml");
  const double w = 0.001, dead_band = 0.5 * std::numbers::pi / 180.0, tau = 2.0, pulse = 0.2;
  const double period = 4.0 * (dead_band - tau * w) / w + 2.0 * pulse;
  std::vector<double> turns;
  double before = sim.get("body/craft/angular_velocity_z"), largest = 0.0;
  for (int k = 1; k <= 3000; ++k) {
    sim.advance_to(0.05 * k);
    const double rate = sim.get("body/craft/angular_velocity_z");
    if (before < 0.0 && rate >= 0.0) turns.push_back(0.05 * k);
    before = rate;
    largest = std::max(largest, std::abs(rate));
  }
  ASSERT_GE(turns.size(), 4U);
  const double cycles = static_cast<double>(turns.size()) - 1.0;
  // A thruster is lit up to a sample of 20 ms late; the craft drifts on for so long, and has to
  // come back as long: twice that on either side. Times are seen to 50 ms.
  EXPECT_NEAR((turns.back() - turns.front()) / cycles, period + 0.04, 0.04 + 0.05 / cycles);
  EXPECT_NEAR(largest, w, 1e-6);
  // Impulse: two pulses of 0.2 N s a cycle, and nothing about the other axes.
  const double used = 2.0 - sim.get("force/jet1/propellant") - sim.get("force/jet2/propellant");
  const double pulses = sim.get("block/hold/pulses");
  EXPECT_NEAR(used, pulses * 0.2 / (220.0 * 9.80665), 1e-9);
  EXPECT_NEAR(pulses, 2.0 * 150.0 / period, 1.0);
  EXPECT_EQ(sim.get("force/jet3/propellant"), 1.0);
}

TEST(AttitudeControl, WhatDoesNotFitIsRefused) {
  const auto refused = [](const std::string& file, const std::vector<std::string>& settings) {
    try {
      Simulation sim(kExamples + file, settings);
    } catch (const Error& error) {
      return error.id();  // the measures of its channels are faults, too
    }
    return std::string();
  };
  const std::string wheels = "attitude-wheels.yaml", jets = "attitude-thrusters.yaml";
  EXPECT_EQ(refused(wheels, {"controllers.point.joints=[wheel1, wheel2]"}), "GR-939");
  EXPECT_EQ(refused(wheels, {"controllers.point.body=wheel1"}), "GR-832");
  EXPECT_EQ(refused(wheels, {"joints.wheel2.axis=[0.577350, 0.577350, 0.577350]",
                             "joints.wheel3.axis=[0.577350, 0.577350, 0.577350]"}),
            "GR-939");
  EXPECT_EQ(refused(jets, {"controllers.hold.dead_band=0 deg"}), "GR-939");
  EXPECT_EQ(refused(jets, {"forces.jet1.command=1"}), "GR-939");
  EXPECT_EQ(refused(jets, {"forces.jet1.direction=x"}), "GR-939");
}

}  // namespace
}  // namespace grapple
