// Motors with lags and limits, friction that sticks and brakes, against closed forms. The wheel has
// 0.5 kg m^2.
#include <gtest/gtest.h>

#include <cmath>

#include "control/plumbing_support.h"

namespace grapple::control {
namespace {

constexpr double kWheel = 0.5;  ///< kg m^2

void expect_balanced(Simulation& sim, double joule) {
  EXPECT_LT(std::abs(sim.get("energy/residual")), joule);
}

TEST(Actuator, LagOfFirstOrder) {
  Simulation sim =
      simulation_of(wheel(", motor: {torque: 2 N*m, gear_ratio: 5, time_constant: 0.1 s}", ""));
  for (const double t : {0.03, 0.1, 0.5, 2.0}) {
    sim.advance_to(t);
    const double lag = std::exp(-t / 0.1);
    EXPECT_NEAR(sim.get("joint/axle/motor_torque"), 2.0 * (1.0 - lag), 1e-8) << t;
    EXPECT_NEAR(sim.get("joint/axle/motor_effort"), 10.0 * (1.0 - lag), 1e-8) << t;
    EXPECT_NEAR(sim.get("joint/axle/rate"), 10.0 / kWheel * (t - 0.1 * (1.0 - lag)), 1e-7) << t;
  }
  EXPECT_NEAR(sim.get("work/actuators"), sim.get("energy/kinetic"), 1e-6);
  expect_balanced(sim, 1e-6);
}

// A ramp until what is missing is rate_limit time_constant, then the lag.
TEST(Actuator, RateLimit) {
  Simulation sim = simulation_of(
      wheel(", motor: {torque: 2 N*m, time_constant: 0.1 s, rate_limit: 4 N*m/s}", ""));
  sim.advance_to(0.3);
  EXPECT_NEAR(sim.get("joint/axle/motor_torque"), 1.2, 1e-10);
  for (const double t : {0.45, 0.6, 1.0}) {
    sim.advance_to(t);
    EXPECT_NEAR(sim.get("joint/axle/motor_torque"), 2.0 - 0.4 * std::exp(-(t - 0.4) / 0.1), 1e-8)
        << t;
  }
  expect_balanced(sim, 1e-7);
}

TEST(Actuator, LimitCutsTheCommand) {
  Simulation sim = simulation_of(wheel(", motor: {torque: \"10*t\", limit: 2 N*m}", ""));
  sim.advance_to(1.0);
  EXPECT_NEAR(sim.get("joint/axle/rate"), (0.2 + 1.6) / kWheel, 1e-9);
  EXPECT_EQ(sim.get("joint/axle/motor_effort"), 2.0);
  EXPECT_EQ(sim.get("joint/axle/motor_command"), 10.0);
  Simulation back = simulation_of(wheel(", motor: {torque: \"-10*t\", limit: 2 N*m}", ""));
  back.advance_to(1.0);
  EXPECT_NEAR(back.get("joint/axle/rate"), -(0.2 + 1.6) / kWheel, 1e-9);
}

// From 10 N m at rest to nothing at 30/5 rad/s: the speed rises as that of a first-order system.
TEST(Actuator, TorqueFallsWithSpeed) {
  const std::string motor =
      ", motor: {torque: {signal: s}, gear_ratio: 5, limit: 2 N*m, "
      "speed_limit: 30 rad/s}";
  const std::string signal = "signals: [{name: s, unit: N*m, value: 10 N*m}]";
  Simulation sim = simulation_of(wheel(motor, signal));
  EXPECT_NEAR(sim.get("joint/axle/motor_effort"), 10.0, 1e-12);  // stall
  const double rate = 10.0 / (kWheel * 6.0);
  for (const double t : {0.1, 0.5, 1.5}) {
    sim.advance_to(t);
    EXPECT_NEAR(sim.get("joint/axle/rate"), 6.0 * (1.0 - std::exp(-rate * t)), 1e-8) << t;
  }
  sim.advance_to(20.0);
  EXPECT_NEAR(sim.get("joint/axle/rate"), 6.0, 1e-8);  // no load
  sim.set("s", -10.0);
  EXPECT_NEAR(sim.get("joint/axle/motor_effort"), -10.0, 1e-12);  // braking has the whole torque
  expect_balanced(sim, 1e-6);
  Simulation fast = simulation_of(wheel(motor + ", rate: 8 rad/s", signal));
  EXPECT_EQ(fast.get("joint/axle/motor_effort"), 0.0);
}

TEST(Actuator, ControllerThroughALag) {
  Simulation sim = simulation_of(
      wheel(", motor: {torque: {signal: s}, time_constant: 20 ms, limit: 3 N*m}",
            "signals: [{name: s, unit: N*m}]\n"
            "controllers: [{name: c, joint: axle, output: s, set_point: 0.5 rad, proportional: 10 "
            "N*m/rad, derivative: 3 N*m*s/rad, period: 10 ms}]"));
  sim.advance_to(10.0);
  EXPECT_NEAR(sim.get("joint/axle/position"), 0.5, 1e-6);
  expect_balanced(sim, 1e-7);
}

// 97 % of the breakaway torque, for an hour: what moves is the elastic bending of the bristles.
TEST(Stiction, HoldsForAnHour) {
  for (const double share : {0.5, 0.9, 0.97}) {
    Simulation sim = simulation_of(
        wheel(", friction: {dry: 0.2 N*m, breakaway: 0.3 N*m, presliding: 1e-4 rad}, motor: "
              "{torque: \"" +
                  std::to_string(0.3 * share) + "*smooth(t, 0, 20)\"}",
              ""));
    sim.advance_to(100.0);
    const double held = sim.get("joint/axle/position");
    if (share < 0.95) {
      EXPECT_NEAR(held, share * 1e-4, 1e-10);
    }
    EXPECT_LT(held, 2e-4);
    EXPECT_NEAR(sim.get("joint/axle/friction_effort"), -0.3 * share, 1e-9);
    sim.advance_to(3600.0);
    EXPECT_NEAR(sim.get("joint/axle/position"), held, 1e-12) << share;
    expect_balanced(sim, 1e-9);
  }
}

// Regularised friction creeps by torque: the difference that stiction makes.
TEST(Stiction, RegularisedFrictionCreeps) {
  Simulation sim = simulation_of(
      wheel(", friction: {dry: 0.3 N*m}, motor: {torque: \"0.27*smooth(t, 0, 20)\"}", ""));
  sim.advance_to(1000.0);
  EXPECT_GT(sim.get("joint/axle/position"), 1.0);
}

TEST(Stiction, BreaksAwayAtTheBreakawayTorque) {
  Simulation sim = simulation_of(
      wheel(", friction: {dry: 0.2 N*m, breakaway: 0.3 N*m}, motor: {torque: \"0.01*t\"}", ""));
  sim.advance_to(29.9);
  EXPECT_LT(sim.get("joint/axle/position"), 2e-4);
  EXPECT_LT(sim.get("joint/axle/rate"), 1e-3);
  sim.advance_to(30.5);
  EXPECT_GT(sim.get("joint/axle/position"), 1e-3);
  sim.advance_to(32.0);
  EXPECT_NEAR(sim.get("joint/axle/acceleration"), (0.32 - 0.2) / kWheel, 1e-6);
  EXPECT_NEAR(sim.get("joint/axle/friction_effort"), -0.2, 1e-6);
  EXPECT_LT(sim.get("work/friction"), 0.0);
  expect_balanced(sim, 1e-8);
}

// From 2 rad/s under 0.3 N m: at rest after 3.33 s and 3.33 rad, and then for good.
TEST(Stiction, BringsAMovingJointToRest) {
  Simulation sim = simulation_of(wheel(", rate: 2 rad/s, friction: {breakaway: 0.3 N*m}", ""));
  sim.advance_to(3.0);
  EXPECT_NEAR(sim.get("joint/axle/rate"), 2.0 - 0.3 / kWheel * 3.0, 1e-4);
  sim.advance_to(20.0);
  const double rest = sim.get("joint/axle/position");
  EXPECT_NEAR(rest, 0.5 * kWheel * 4.0 / 0.3, 2e-4);
  sim.advance_to(1000.0);
  EXPECT_NEAR(sim.get("joint/axle/position"), rest, 1e-12);
  EXPECT_NEAR(sim.get("work/friction"), -0.5 * kWheel * 4.0, 1e-9);
  expect_balanced(sim, 1e-9);
}

TEST(Stiction, OnTheMotorSideOfAFlexibleJoint) {
  const auto moved = [](const std::string& side) {
    Simulation sim = simulation_of(
        wheel(", flexible: {stiffness: 50 N*m/rad, damping: 1 N*m*s/rad, rotor_inertia: 0.1 "
              "kg*m^2}, friction: {breakaway: 1 N*m, side: " +
                  side + "}, motor: {torque: \"0.5*smooth(t, 0, 5)\"}",
              ""));
    sim.advance_to(20.0);
    return sim.get("joint/axle/motor/position");
  };
  EXPECT_NEAR(moved("motor"), 0.5e-4, 1e-8);
  EXPECT_NEAR(moved("joint"), 0.5e-4 + 0.5 / 50.0, 1e-8);
}

TEST(Brake, LocksAndReleasesAtASignal) {
  Simulation sim =
      simulation_of(wheel(", rate: 2 rad/s, motor: {torque: 1 N*m}, brake: {signal: hold, "
                          "period: 100 ms}",
                          "signals: [{name: hold}]"));
  sim.advance_to(1.0);
  EXPECT_NEAR(sim.get("joint/axle/rate"), 4.0, 1e-9);
  sim.set("hold", 1.0);
  sim.advance_to(1.25);
  EXPECT_EQ(sim.get("joint/axle/rate"), 0.0);
  EXPECT_EQ(sim.get("block/brake/axle/engaged"), 1.0);
  const double held = sim.get("joint/axle/position");
  EXPECT_NEAR(held, 2.2 + 1.21, 1e-9);  // at the sample of 1.1 s
  EXPECT_NEAR(sim.get("work/locking"), -0.25 * 4.2 * 4.2, 1e-8);
  sim.set("hold", 0.0);
  sim.advance_to(2.3);
  EXPECT_NEAR(sim.get("joint/axle/rate"), 2.0, 1e-9);  // released at 1.3 s
  EXPECT_NEAR(sim.get("joint/axle/position"), held + 1.0, 1e-9);
  expect_balanced(sim, 1e-9);
}

TEST(Actuator, Faults) {
  EXPECT_EQ(refused_with(wheel(", motor: {torque: 1 N*m, rate_limit: 1 N*m/s}", "")), "GR-209");
  EXPECT_EQ(refused_with(wheel(", motor: {torque: 1 N*m, speed_limit: 1 rpm}", "")), "GR-209");
  EXPECT_EQ(refused_with(wheel(", motor: {torque: 1 N*m, limit: 1 N}", "")), "GR-310");
  EXPECT_EQ(refused_with(wheel(", friction: {dry: 2 N*m, breakaway: 1 N*m}", "")), "GR-968");
  EXPECT_EQ(refused_with(wheel(", friction: {breakaway: 1 N*m, transition_rate: 1 deg/s}", "")),
            "GR-209");
  EXPECT_EQ(
      refused_with(wheel(", brake: {signal: s, period: 1 s}", "signals: [{name: s, unit: N}]")),
      "GR-310");
  EXPECT_EQ(refused_with(wheel(", motion: {rate: 1 rad/s}, brake: {signal: s, period: 1 s}",
                               "signals: [{name: s}]")),
            "GR-313");
}

}  // namespace
}  // namespace grapple::control
