// Sensors and blocks of formulas in a scenario: what they show, when, and that a run taken up again
// repeats them to the bit.
#include <gtest/gtest.h>

#include <cmath>

#include "control/plumbing_support.h"

namespace grapple::control {
namespace {

// The axle turns at 0.2 rad/s from 1 rad.
const std::string kTurning = ", position: 1 rad, rate: 0.2 rad/s";

TEST(SensorInLoop, EncoderShowsTheJointAtItsSamples) {
  Simulation sim = simulation_of(
      wheel(kTurning, "sensors: [{name: enc, type: encoder, joint: axle, period: 100 ms}]"));
  EXPECT_EQ(sim.get("sensor/enc/position"), 1.0);
  sim.advance_to(0.25);
  EXPECT_NEAR(sim.get("sensor/enc/position"), 1.04, 1e-12);
  EXPECT_NEAR(sim.get("sensor/enc/rate"), 0.2, 1e-12);
  EXPECT_NEAR(sim.get("joint/axle/position"), 1.05, 1e-12);
}

// Teleoperation: what is seen is two seconds old. Before the first value arrives the signal holds
// the start.
TEST(SensorInLoop, DelayOfTwoSeconds) {
  Simulation sim = simulation_of(wheel(
      kTurning, "sensors: [{name: enc, type: encoder, joint: axle, period: 100 ms, delay: 2 s}]"));
  sim.advance_to(1.95);
  EXPECT_EQ(sim.get("sensor/enc/position"), 1.0);
  EXPECT_NEAR(sim.get("sensor/enc/rate"), 0.2, 1e-12);  // the true one at the start
  for (const double t : {2.55, 3.05, 7.95}) {
    sim.advance_to(t);
    EXPECT_NEAR(sim.get("sensor/enc/position"), 1.0 + 0.2 * (t - 0.05 - 2.0), 1e-12) << t;
  }
}

TEST(SensorInLoop, ControllerThatActsTwoSecondsLater) {
  Simulation sim = simulation_of(
      wheel(kTurning,
            "controllers: [{name: c, joint: axle, proportional: 1e-9 N*m/rad, period: 100 ms, "
            "delay: 2 s}]"));
  sim.advance_to(1.95);
  EXPECT_EQ(sim.get("controller/c/effort"), 0.0);
  sim.advance_to(3.05);
  EXPECT_NEAR(sim.get("controller/c/effort"), -1e-9 * 1.2, 1e-18);  // of 1 s
}

// Blocks due at one moment see what was there before: one period of delay, unless the sensor
// samples before.
TEST(SensorInLoop, ASensorOfTheSameInstantIsSeenOneSampleLater) {
  const std::string block =
      "\nblocks: [{name: b, inputs: {q: sensor/enc/position}, outputs: {u: {formula: q}}, "
      "period: 100 ms, offset: 100 ms}]";
  Simulation same = simulation_of(wheel(
      kTurning, "sensors: [{name: enc, type: encoder, joint: axle, period: 100 ms}]" + block));
  same.advance_to(0.55);
  EXPECT_NEAR(same.get("block/b/u"), 1.0 + 0.2 * 0.4, 1e-12);
  Simulation before =
      simulation_of(wheel(kTurning,
                          "sensors: [{name: enc, type: encoder, joint: axle, period: 100 ms, "
                          "offset: 99 ms}]" +
                              block));
  before.advance_to(0.55);
  EXPECT_NEAR(before.get("block/b/u"), 1.0 + 0.2 * 0.499, 1e-12);
}

TEST(SensorInLoop, ChannelsAreMeasuredInSi) {
  Simulation sim = simulation_of(
      wheel(kTurning,
            "channels: [{name: degrees, unit: deg, formula: \"'joint/axle/position'*180/pi\"}]\n"
            "sensors:\n"
            "  - {name: a, type: channel, channel: degrees, unit: deg, quantum: 1 deg, period: "
            "0.5 s}\n"
            "  - {name: v, type: channel, channel: body/wheel/angular_velocity_z, unit: rad/s, "
            "bias: 3 deg/s, period: 0.5 s}\n"
            "  - {name: tau, type: joint-torque, joint: axle, period: 0.5 s}"));
  sim.advance_to(1.0);
  const double degree = M_PI / 180.0;
  EXPECT_NEAR(sim.get("sensor/a/value"), 69.0 * degree, 1e-12);  // 1.2 rad = 68.75 deg
  EXPECT_NEAR(sim.get("sensor/v/value"), 0.2 + 3.0 * degree, 1e-12);
  EXPECT_NEAR(sim.get("sensor/tau/torque"), 0.0, 1e-12);
}

// The motor is ahead of the link by the twist; the torque sensor sits in the transmission.
TEST(SensorInLoop, BothSidesOfAFlexibleJoint) {
  Simulation sim = simulation_of(
      wheel(", position: 1 rad, flexible: {stiffness: 50 N*m/rad, rotor_inertia: 0.1 kg*m^2, "
            "twist: 0.1 rad}",
            "sensors:\n"
            "  - {name: link, type: encoder, joint: axle, period: 1 ms}\n"
            "  - {name: motor, type: encoder, joint: axle, side: motor, period: 1 ms}\n"
            "  - {name: tau, type: joint-torque, joint: axle, period: 1 ms}"));
  EXPECT_NEAR(sim.get("sensor/link/position"), 1.0, 1e-15);
  EXPECT_NEAR(sim.get("sensor/motor/position"), 1.1, 1e-15);
  EXPECT_NEAR(sim.get("sensor/tau/torque"), 5.0, 1e-12);
  sim.advance_to(0.1005);
  EXPECT_NEAR(sim.get("sensor/tau/torque"),
              50.0 * (sim.get("sensor/motor/position") - sim.get("sensor/link/position")), 1e-9);
}

// A bar of 2 kg and 1 m that hangs sideways from a fixed joint: its weight at half its length.
TEST(SensorInLoop, ForceAndTorqueOfAWeight) {
  Simulation sim = simulation_of(R"(grapple: 1
environment: {gravity: 10 m/s^2}
bodies:
  - {name: bar, solid: {rod: {length: 1 m, axis: x, from: end}, mass: 2 kg}, frames: [{name: flange, position: "[0.25, 0, 0] m", rotation: {axis: x, angle: 90 deg}}]}
joints: [{name: wrist, type: fixed, parent: "world at [0, 0, 3] m", child: bar}]
sensors:
  - {name: plain, type: force-torque, joint: wrist, period: 10 ms}
  - {name: ft, type: force-torque, joint: wrist, frame: bar/flange, torque: {bias: "[0.5, 0, 0] N*m"}, period: 10 ms}
  - {name: where, type: position, frame: bar/flange, in: "world at [0, 0, 1] m", period: 10 ms}
simulate: {duration: 1 s, record: {every: 10 ms, reactions: [wrist]}}
)");
  sim.advance_to(0.1);
  // The joint carries 20 N up; about itself the torque is -10 N m about y (it holds the bar up).
  EXPECT_NEAR(sim.get("sensor/plain/force_z"), 20.0, 1e-9);
  EXPECT_NEAR(sim.get("sensor/plain/torque_y"), -10.0, 1e-9);
  // In the flange, turned by 90 deg about x: up is y; about a point 0.25 m out -10 + 0.25 20 = -5,
  // and the world's y is -z of the flange.
  EXPECT_NEAR(sim.get("sensor/ft/force_y"), 20.0, 1e-9);
  EXPECT_NEAR(sim.get("sensor/ft/force_z"), 0.0, 1e-9);
  EXPECT_NEAR(sim.get("sensor/ft/torque_z"), 5.0, 1e-9);
  EXPECT_NEAR(sim.get("sensor/ft/torque_x"), 0.5, 1e-9);
  EXPECT_NEAR(sim.get("sensor/where/x"), 0.25, 1e-12);
  EXPECT_NEAR(sim.get("sensor/where/z"), 2.0, 1e-12);
}

// First mode of a clamped-free beam with the tip value 2: w'' at the root is 2 (1.8751.../L)^2 per
// unit of its amplitude (Blevins 1979, table 8-1), and 0 at the tip.
TEST(SensorInLoop, StrainOfABendingMode) {
  Simulation sim = simulation_of(R"(grapple: 1
bodies:
  - {name: boom, beam: {length: 2 m, mass: 4 kg, EI: 100 N*m^2, modes: {bending_y: 1, bending_z: 2}}, modal_amplitudes: [0, 1e-3, 0]}
joints: [{name: root, type: fixed, parent: world, child: boom}]
sensors:
  - {name: foot, type: strain, beam: boom, at: 0 m, fibre: "[0.01, 0.03] m", period: 1 ms}
  - {name: end, type: strain, beam: boom, at: 2 m, fibre: "[0.01, 0.03] m", period: 1 ms}
simulate: {duration: 1 s}
)");
  const double beta = 1.87510406871196 / 2.0;
  EXPECT_NEAR(sim.get("sensor/foot/strain"), -0.03 * 2.0 * beta * beta * 1e-3, 1e-12);
  EXPECT_NEAR(sim.get("sensor/end/strain"), 0.0, 1e-12);
}

TEST(SensorInLoop, GyroStarTrackerAndCameraOfAFloatingBody) {
  Simulation sim = simulation_of(R"(grapple: 1
bodies:
  - {name: ship, mass: 10 kg, inertia: "[1, 1, 1] kg*m^2", angular_velocity: "[0, 0, 0.5] rad/s", rotation: {axis: x, angle: 90 deg}}
  - {name: target, mass: 1 kg, inertia: "[1, 1, 1] kg*m^2", position: "[3, 0, 0] m"}
sensors:
  - {name: gyro, type: gyro, frame: ship, period: 10 ms}
  - {name: stars, type: star-tracker, frame: ship, period: 10 ms}
  - {name: cam, type: camera, frame: ship, target: target, axis: x, field_of_view: 60 deg, range: 5 m, period: 10 ms}
simulate: {duration: 10 s}
)");
  EXPECT_EQ(sim.get("sensor/cam/valid"), 1.0);
  sim.advance_to(1.005);
  EXPECT_NEAR(sim.get("sensor/gyro/z"), 0.5, 1e-9);
  // Turned by 0.5 rad about its z, then by 90 deg about x.
  EXPECT_NEAR(sim.get("sensor/stars/w"), std::cos(0.25) * std::sqrt(0.5), 1e-9);
  EXPECT_NEAR(sim.get("sensor/cam/position_x"), 3.0 * std::cos(0.5), 1e-6);
  EXPECT_NEAR(sim.get("sensor/cam/position_y"), -3.0 * std::sin(0.5), 1e-6);
  EXPECT_EQ(sim.get("sensor/cam/valid"), 1.0);
  sim.advance_to(1.105);  // 0.55 rad: beyond 30 deg
  EXPECT_EQ(sim.get("sensor/cam/valid"), 0.0);
  EXPECT_NEAR(sim.get("sensor/cam/position_x"), 3.0 * std::cos(0.5 * 1.04), 1e-6);  // 29.8 deg
}

const std::string kNoisyLoop = wheel(kTurning + ", motor: {torque: {signal: drive}}",
                                     R"(signals: [{name: drive, unit: N*m}]
sensors:
  - {name: enc, type: encoder, joint: axle, noise: 0.01 rad, drift: 0.01 rad, quantum: 0.001 rad, seed: 7, period: 10 ms, delay: 20 ms}
  - {name: gyro, type: gyro, frame: wheel, noise: 0.01 rad/s, drift: 0.002 rad/s, period: 7 ms}
blocks:
  - name: law
    inputs: {q: sensor/enc/position, w: sensor/gyro/z}
    states: {i: {initial: 0, rate: -q}, f: {initial: 1, next: 0.9*f + 0.1*q}}
    outputs: {u: {formula: "-4*f - 2*w + 0.1*i", unit: N*m, to: drive}}
    period: 10 ms
)");

TEST(SensorInLoop, ARestoredRunRepeatsNoiseAndStates) {
  Simulation whole = simulation_of(kNoisyLoop);
  whole.advance_to(1.234);
  const run::Saved saved = whole.save();
  whole.advance_to(3.0);
  Simulation again = simulation_of(kNoisyLoop);
  again.restore(saved);
  again.advance_to(3.0);
  for (const char* channel :
       {"sensor/enc/position", "sensor/enc/rate", "sensor/gyro/z", "block/enc/drift_1",
        "block/law/i", "block/law/f", "drive", "joint/axle/position", "joint/axle/rate"}) {
    EXPECT_EQ(again.get(channel), whole.get(channel)) << channel;
  }
  EXPECT_NE(whole.get("block/enc/drift_1"), 0.0);
  EXPECT_LT(std::abs(whole.get("joint/axle/position")), 0.5);  // and the loop works
}

TEST(SensorInLoop, FormulaBlockFiltersAndSetsSignals) {
  // A sampled integrator of a constant rate: 0.2 t from rectangles of 0.1 s.
  Simulation sim = simulation_of(
      wheel(kTurning,
            "blocks: [{name: sum, inputs: {w: joint/axle/rate}, states: {x: {next: x + T*w}}, "
            "outputs: {degrees: {formula: x*180/pi, unit: deg}}, period: 100 ms}]"));
  sim.advance_to(1.0);
  sim.advance_to(1.05);
  EXPECT_NEAR(sim.get("block/sum/x"), 0.2 * 1.1, 1e-12);
  EXPECT_NEAR(sim.get("block/sum/degrees"), 0.2 * 1.0, 1e-12);  // of the old state, in SI
}

TEST(SensorInLoop, Faults) {
  const auto sensor = [](const std::string& keys) {
    return refused_with(wheel("", "sensors: [{name: s, period: 1 ms, " + keys + "}]"));
  };
  EXPECT_EQ(sensor("type: encoder, joint: axle"), "");
  EXPECT_EQ(sensor("type: encoder, joint: axle, noise: 1 mm"), "GR-310");
  EXPECT_EQ(sensor("type: encoder, joint: axle, side: motor"), "GR-960");
  EXPECT_EQ(sensor("type: encoder, joint: axle, limits: [2, 1] rad"), "GR-961");
  EXPECT_EQ(sensor("type: gyro, frame: wheel, noise: [1, 2] rad/s"), "GR-961");
  EXPECT_EQ(sensor("type: encoder, joint: wheel"), "GR-210");
  EXPECT_EQ(sensor("type: channel, channel: joint/axle/postion"), "GR-950");
  EXPECT_EQ(sensor("type: channel, channel: joint/axle/rate, unit: m"), "GR-310");
  EXPECT_EQ(sensor("type: channel, channel: joint/axle/rate, unit: furlong"), "GR-121");
  EXPECT_EQ(sensor("type: encoder, joint: axle, delay: 1000 s"), "GR-319");
  EXPECT_EQ(sensor("type: strain, beam: wheel, at: 1 m, fibre: [0, 1] cm"), "GR-969");
  EXPECT_EQ(sensor("type: star-tracker, frame: wheel, quantum: 1 deg"), "GR-202");
}

TEST(FormulaBlockInLoop, Faults) {
  const auto block = [](const std::string& keys) {
    return refused_with(wheel("",
                              "signals: [{name: s, unit: N*m}]\nblocks: [{name: b, period: 1 "
                              "ms, inputs: {q: joint/axle/position}, " +
                                  keys + "}]"));
  };
  EXPECT_EQ(block("outputs: {u: {formula: 2*q, unit: N*m, to: s}}"), "");
  EXPECT_EQ(block("outputs: {u: {formula: 2*q, unit: N, to: s}}"), "GR-310");
  EXPECT_EQ(block("outputs: {u: {formula: 2*p}}"), "GR-131");
  EXPECT_EQ(block("outputs: {u: {formula: 2*(q}}"), "GR-130");
  EXPECT_EQ(block("outputs: {u: {unit: N}}"), "GR-962");
  EXPECT_EQ(block("outputs: {q: {formula: q}}"), "GR-962");
  EXPECT_EQ(block("outputs: {sin: {formula: q}}"), "GR-962");
  EXPECT_EQ(block("states: {T: {next: q}}, outputs: {u: {formula: q}}"), "GR-962");
  EXPECT_EQ(block("states: {x: {next: q, rate: q}}, outputs: {u: {formula: q}}"), "GR-209");
  EXPECT_EQ(block("outputs: {u: {formula: q, to: s}, w: {formula: q, to: s}}"), "GR-959");
  EXPECT_EQ(refused_with(wheel("",
                               "blocks: [{name: b, period: 1 ms, inputs: {q: nothing}, outputs: "
                               "{u: {formula: q}}}]")),
            "GR-950");
}

TEST(Blocks, ASignalHasOneWriter) {
  EXPECT_EQ(refused_with(wheel(
                ", motor: {torque: {signal: s}}",
                "signals: [{name: s, unit: N*m}]\ncontrollers:\n"
                "  - {name: a, joint: axle, output: s, proportional: 1 N*m/rad, period: 10 ms}\n"
                "  - {name: b, joint: axle, output: s, proportional: 1 N*m/rad, period: 10 ms}")),
            "GR-959");
  EXPECT_EQ(refused_with(wheel("",
                               "sensors: [{name: x, type: encoder, joint: axle, period: 1 "
                               "ms}]\nblocks: [{name: x, outputs: {u: {formula: t}}, period: "
                               "1 ms}]")),
            "GR-211");
}

}  // namespace
}  // namespace grapple::control
