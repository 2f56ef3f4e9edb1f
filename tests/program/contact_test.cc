// Contacts as a user meets them: warnings, rest, groups that fail or are resumed.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <thread>

#include "grapple/record/results_file.h"
#include "program/support.h"

namespace grapple::program {
namespace {

const std::string kDrop = (source_directory() / "examples/contact/box-drop.yaml").string();

TEST(Contact, ARunWithTooLongAFixedStepIsWarnedOnce) {
  const Scratch scratch;
  const std::vector<std::string> coarse = {"--set", "simulate.integrator=rk4", "--set",
                                           "simulate.step=1 ms"};
  std::vector<std::string> run = {
      "run", kDrop, "--out", scratch.path().string(), "--set", "simulate.duration=10 ms"};
  run.insert(run.end(), coarse.begin(), coarse.end());
  const Outcome outcome = grapple(run);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto warnings = json_of(scratch / "summary.json").at("warnings");
  ASSERT_EQ(warnings.size(), 1u) << warnings.dump();
  const std::string words = "the step of 0.001 s cannot resolve contact 'land'; at most ";
  EXPECT_NE(warnings[0].get<std::string>().find(words), std::string::npos) << warnings.dump();
  std::vector<std::string> check = {"check", kDrop};
  check.insert(check.end(), coarse.begin(), coarse.end());
  EXPECT_NE(grapple(check).out.find(words), std::string::npos);
}

// Thrown through a shelf that is switched on behind it, off at 2 s. Rest: depth (m g/k)^(2/3).
TEST(Contact, IsSwitchedByTimesAndEvents) {
  const Scratch scratch;
  const std::string shelf = (source_directory() / "examples/contact/one-way-shelf.yaml").string();
  ASSERT_EQ(grapple({"run", shelf, "--out", scratch.path().string()}).exit_code, 0);
  const auto summary = json_of(scratch / "summary.json");
  const double depth = std::pow(0.5 * 9.81 / 1e6, 2.0 / 3.0);
  EXPECT_NEAR(summary.at("measures")[0].at("value").get<double>(), 1.05 - depth, 1e-5);
  EXPECT_NEAR(summary.at("measures")[1].at("value").get<double>(), 0.05 - depth, 1e-5);
  // Switched off at rest: the springs' energy of 2/5 m g depth is gone.
  const auto results = record::ResultsReader::open_directory(scratch.path());
  const double given = results.channel("work/external").back();
  EXPECT_NEAR(given, -0.4 * 0.5 * 9.81 * depth, 1e-3 * 0.5 * 9.81 * depth);
}

const char* const kHeap = R"(grapple: 1
environment: {gravity: 9.81 m/s^2}
bodies:
  - {name: ball, solid: {sphere: 0.1 m, mass: 1 kg}, position: [0, 0, 0.6] m, shapes: [{name: skin, sphere: 0.1 m}],
     copies: {grid: [2, 1, 1], spacing: [0.3, 0.3, 0.3] m}}
shapes: [{name: floor, half_space: z}]
contact_groups:
  - {name: heap, members: ["ball.*/skin"], walls: [floor], stiffness: 1e5, restitution: 0.5, friction: none,
     switch: [{at: 0 s, state: disabled}]}
events: [{name: low, channel: body/ball.1/position_z, crosses: LEVEL, direction: falling, action: enable, target: heap}]
simulate: {duration: 2 s, integrator: semi-implicit-euler, step: 0.1 ms, record: {every: 10 ms}}
)";

Outcome run_heap(const Scratch& scratch, const std::string& level) {
  std::string text = kHeap;
  text.replace(text.find("LEVEL"), 5, level);
  return grapple({"run", scratch.file("heap.yaml", text), "--out", (scratch / "out").string()});
}

TEST(Contact, AGroupIsSwitchedOnByAnEvent) {
  const Scratch scratch;
  ASSERT_EQ(run_heap(scratch, "0.3 m").exit_code, 0);
  const auto results = record::ResultsReader::open_directory(scratch / "out");
  EXPECT_GT(results.channel("body/ball.1/position_z").back(), 0.09);
}

// At 5 cm above the floor the balls are 5 cm deep in it: too deep to begin. They fall on.
TEST(Contact, IsNotSwitchedOnInADeepOverlap) {
  const Scratch scratch;
  ASSERT_EQ(run_heap(scratch, "0.05 m").exit_code, 0);
  const auto warnings = json_of(scratch / "out/summary.json").at("warnings");
  ASSERT_GE(warnings.size(), 1u);
  EXPECT_NE(warnings.dump().find("group/heap was not enabled at"), std::string::npos)
      << warnings.dump();
  EXPECT_NE(warnings.dump().find("m deep in each other; at most 0.01 m"), std::string::npos);
  const auto results = record::ResultsReader::open_directory(scratch / "out");
  EXPECT_LT(results.channel("body/ball.1/position_z").back(), -1.0);
}

// A box put down from 2 mm: impacts, rocking, and then 99 s of rest.
const char* const kRest = R"(grapple: 1
environment: {gravity: 9.81 m/s^2}
bodies:
  - name: box
    solid: {box: [0.5, 0.4, 0.3] m, mass: 100 kg}
    position: [0, 0, 0.152] m
    shapes: [{name: hull, box: "[0.5, 0.4, 0.3] m"}]
shapes: [{name: floor, half_space: z}]
contacts:
  - {name: land, between: [box/hull, floor], model: volumetric, foundation: 1e9 N/m^3, restitution: 0.5, friction: {kinetic: 0.3}}
simulate: {duration: 100 s, record: {every: 1 s, channels: ["body/**", "energy/*"]}}
)";

double steps_of_rest(const std::string& integrator) {
  const Scratch scratch;
  const std::string file = scratch.file("rest.yaml", kRest);
  const Outcome outcome = grapple({"run", file, "--set", "simulate.integrator=" + integrator,
                                   "--out", (scratch / "out").string()});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return json_of(scratch / "out/summary.json").at("counts").at("steps");
}

// An explicit method is held by stability: the damping of slow touches decays at 14000/s, so some
// 3.3/14000 s a step, 4e5 of them in 100 s. A collapsing step would need many times that.
TEST(Contact, RestDoesNotCollapseTheStep) {
  EXPECT_LT(steps_of_rest("adaptive"), 4e5);
  EXPECT_LT(steps_of_rest("bdf"), 5e3);  // its steps grow to seconds
}

double measure_of(const Scratch& scratch, const std::string& text) {
  const Outcome outcome =
      grapple({"run", scratch.file("case.yaml", text), "--out", (scratch / "out").string()});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return json_of(scratch / "out/summary.json").at("measures")[0].at("value").get<double>();
}

// Down a slope of 10 degrees, put down or dropped: 2/3 g sin = 1.1356 m/s^2 less what the loss of
// the closing side takes, (1 - e^2) 3/16 c/(3/2 R) N/m with the half width c of the strip: 0.0199.
TEST(Contact, ACylinderRollsDownASlopeHoweverItWasPutDown) {
  const double half = std::cbrt(1.5 * 0.05 * 2.0 * 9.6605 / (1e10 * 0.2));
  const double exact = 2.0 / 3.0 * 1.7034 - 0.91 * 3.0 / 16.0 * half / (1.5 * 0.05) * 9.6605;
  for (const char* height : {"0.05", "0.0501", "0.055"}) {
    const Scratch scratch;
    const double way = measure_of(scratch, std::string(R"(grapple: 1
environment: {gravity: [1.7034, 0, -9.6605] m/s^2}
bodies:
  - {name: roll, solid: {cylinder: {radius: 5 cm, length: 0.2 m, axis: y}, mass: 2 kg}, position: [0, 0, )") +
                                               height + R"(] m,
     shapes: [{name: skin, cylinder: {radius: 5 cm, length: 0.2 m, axis: y}}]}
shapes: [{name: floor, half_space: z}]
contacts: [{name: c, between: [roll/skin, floor], model: volumetric, foundation: 1e10, restitution: 0.3, friction: {kinetic: 0.3}}]
measures: [{name: v2, channel: body/roll/velocity_x, kind: at, time: 2 s}]
simulate: {duration: 2 s, record: {every: 10 ms}}
)");
    // Until it lies, and while it rolls below 0.1 m/s, it is braked less; in flight it goes down
    // by 1.70 instead of 1.14 m/s^2: some hundredths of a second of both.
    EXPECT_NEAR(way / 2.0, exact, 0.02 * exact) << height;
  }
}

// A ball spun on a floor: when dry friction has stopped it, the twist of its bristles comes to rest
// as that of a critical oscillator of sqrt(sigma_0 g) r/k = 313/s 0.0074 does, in seconds.
TEST(Contact, ASpunBallComesToRest) {
  const Scratch scratch;
  const double spin = measure_of(scratch, R"(grapple: 1
environment: {gravity: 9.81 m/s^2}
bodies:
  - {name: ball, solid: {sphere: 5 cm, mass: 1 kg}, position: [0, 0, 0.04999] m, angular_velocity: [0, 0, 0.5] rad/s, shapes: [{name: skin, sphere: 5 cm}]}
shapes: [{name: floor, half_space: z}]
contacts: [{name: c, between: [ball/skin, floor], model: volumetric, foundation: 6e11, restitution: 0.3, friction: {kinetic: 0.3}}]
measures: [{name: spin, channel: body/ball/angular_velocity_z, kind: at, time: 20 s}]
simulate: {duration: 20 s, record: {every: 0.1 s}}
)");
  EXPECT_LT(std::abs(spin), 1e-6);
}

TEST(Contact, ARunThatGoesTooDeepIsWarned) {
  const Scratch scratch;
  const Outcome outcome = grapple({"run", scratch.file("soft.yaml", R"(grapple: 1
environment: {gravity: 9.81 m/s^2}
bodies:
  - {name: ball, solid: {sphere: 0.1 m, mass: 1 kg}, position: [0, 0, 0.2] m, shapes: [{name: skin, sphere: 0.1 m}]}
shapes: [{name: floor, half_space: z}]
contacts: [{name: soft, between: [ball/skin, floor], stiffness: 300, exponent: 1, restitution: 0.5, friction: none}]
simulate: {duration: 0.4 s}
)"),
                                   "--out", (scratch / "out").string()});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto warnings = json_of(scratch / "out/summary.json").at("warnings");
  ASSERT_EQ(warnings.size(), 1u) << warnings.dump();
  EXPECT_NE(warnings[0].get<std::string>().find("contact/soft: its shapes were"),
            std::string::npos);
}

// Balls that keep meeting in a pit.
const char* const kPit = R"(grapple: 1
name: pit
environment: {gravity: 9.81 m/s^2}
bodies:
  - name: ball
    solid: {sphere: 5 cm, mass: 1 kg}
    shapes: [{name: skin, sphere: 5 cm}]
    position: [-0.1, -0.1, 0.1] m
    copies: {grid: [3, 3, 2], spacing: [11, 11, 12] cm, jitter: 4 mm, speed: 1 m/s, seed: 3}
shapes:
  - {name: floor, half_space: z}
  - {name: west, on: "world at [-0.25, 0, 0] m", half_space: x}
  - {name: east, on: "world at [0.25, 0, 0] m", half_space: [-1, 0, 0]}
  - {name: south, on: "world at [0, -0.25, 0] m", half_space: y}
  - {name: north, on: "world at [0, 0.25, 0] m", half_space: [0, -1, 0]}
contact_groups:
  - {name: balls, members: ["ball.*/skin"], walls: [floor, west, east, south, north], stiffness: 1e5, restitution: 0.99,
     slow_impact: 5 cm/s, friction: {kinetic: 0.02, stribeck_speed: 5 cm/s, damping: 5 s/m}}
simulate: {duration: 20 s, integrator: rk4, step: 0.5 ms, record: {every: 100 ms, channels: ["group/**", "energy/*", "body/ball.*/position_*"]}}
)";

TEST(Contact, AKilledRunOfAGroupGoesOnToTheSameBits) {
  const Scratch scratch, output;
  const std::string file = scratch.file("pit.yaml", kPit);
  const auto arguments = [&](const char* directory) {
    return std::vector<std::string>{
        "run", file, "--csv", "--out", (scratch / directory).string(), "--checkpoint", "1 s"};
  };
  const Outcome full = grapple(arguments("full"));
  ASSERT_EQ(full.exit_code, 0) << full.err;
  Child child(arguments("cut"), scratch.path(), output);
  while (child.running() && !fs::exists(scratch / "cut/checkpoint.bin")) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  child.send(SIGKILL);
  ASSERT_EQ(child.wait(120.0).signal, SIGKILL);
  std::vector<std::string> again = arguments("cut");
  again.push_back("--resume");
  const Outcome resumed = grapple(again);
  ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_TRUE(text_of(scratch / "cut/channels.csv") == text_of(scratch / "full/channels.csv"));
}

TEST(Contact, ManyBodiesStayShortOnPaperAndOnDisk) {
  const Scratch scratch;
  const std::string file = scratch.file("pit.yaml", kPit);
  const Outcome check = grapple({"check", file});
  EXPECT_NE(check.out.find("and so on to ball.18, 18 bodies"), std::string::npos) << check.out;
  EXPECT_EQ(check.out.find("ball.2 "), std::string::npos);
  ASSERT_EQ(
      grapple({"run", file, "--set", "simulate.duration=1 s", "--out", (scratch / "out").string()})
          .exit_code,
      0);
  const auto results = record::ResultsReader::open_directory(scratch / "out");
  EXPECT_EQ(results.row_count(), 11u);
  EXPECT_EQ(results.chunk_rows(), 16u);
}

TEST(Contact, AGroupThatIsAskedTooMuchFailsWithItsReason) {
  const Scratch scratch;
  const std::string file = scratch.file("pit.yaml", kPit);
  const auto cause = [&](const std::string& setting) {
    const Outcome outcome = grapple({"run", file, "--set", setting, "--set",
                                     "simulate.duration=1 s", "--out", (scratch / "out").string()});
    EXPECT_EQ(outcome.exit_code, 3) << outcome.err;
    return json_of(scratch / "out/summary.json").at("cause").get<std::string>();
  };
  const std::string full = cause("contact_groups.balls.most_near=5");
  EXPECT_NE(full.find("GR-440 group/balls: more than 5 pairs"), std::string::npos) << full;
  const std::string far = cause("bodies.ball.velocity=[500, 0, 0] m/s");
  EXPECT_NE(far.find("GR-441 group/balls: 'ball."), std::string::npos) << far;
}

}  // namespace
}  // namespace grapple::program
