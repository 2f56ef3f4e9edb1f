// Interrupted and killed runs keep what they had and go on to the same bits.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "grapple/record/results_file.h"
#include "program/support.h"

namespace grapple::program {
namespace {

// Long enough to be met in the middle: about 1e5 steps. Stops, events, measures and what a contact
// remembers must all be taken up again.
const char* kScenario = R"(grapple: 1
name: long
environment: {gravity: 9.81 m/s^2}
bodies:
  - {name: upper, solid: {rod: {length: 1 m, axis: x, from: end}, mass: 2 kg}}
  - {name: lower, solid: {rod: {length: 1 m, axis: x, from: end}, mass: 1 kg}}
  - {name: ball, solid: {sphere: 0.1 m, mass: 1 kg}, position: [5, 0, 0.5] m, velocity: [1, 0, 0] m/s, shapes: [{name: skin, sphere: 0.1 m}]}
shapes:
  - {name: floor, half_space: z}
contacts:
  - {name: bounce, between: [ball/skin, floor], stiffness: 1e4, restitution: 0.99, friction: {law: coulomb, kinetic: 0.1}}
joints:
  - {name: shoulder, type: revolute, axis: y, parent: world, child: upper,
     flexible: {stiffness: 300, backlash: 0.02, rotor_inertia: 0.5, hysteresis: {stiffness: 50, yield: 2}}}
  - {name: elbow, type: revolute, axis: y, parent: upper at [1, 0, 0] m, child: lower, damper: 0.01,
     limits: {lower: -1, upper: 1, stiffness: 500}, lock: [{at: 30 s, state: locked}, {at: 31 s, state: unlocked}]}
events:
  - {name: passes, channel: joint/shoulder/position, crosses: 1, action: record}
measures:
  - {name: fastest, channel: joint/elbow/rate, kind: max}
simulate: {duration: 60 s, integrator: rk4, step: 1 ms, tolerance: 1e-7, record: {every: 100 ms}}
)";

struct Cut {
  const char* integrator;
  int signal;
};

class Resumed : public testing::TestWithParam<Cut> {};

std::vector<std::string> run_arguments(const std::string& file, const std::string& integrator,
                                       const fs::path& directory) {
  return {"run",          file,
          "--csv",        "--quiet",
          "--set",        "simulate.integrator=" + integrator,
          "--out",        directory.string(),
          "--checkpoint", "2 s"};
}

TEST_P(Resumed, GivesTheBytesOfTheUninterruptedRun) {
  const Scratch scratch, output;
  const std::string file = scratch.file("long.yaml", kScenario);
  const std::string integrator = GetParam().integrator;
  const Outcome full = grapple(run_arguments(file, integrator, scratch / "full"));
  // Semi-implicit Euler at this step leaves 5 % of the energy open, and says so.
  const bool is_suspect = integrator == "semi-implicit-euler";
  ASSERT_EQ(full.exit_code, is_suspect ? 5 : 0) << full.err;

  Child child(run_arguments(file, integrator, scratch / "cut"), scratch.path(), output);
  wait_for(scratch / "cut/checkpoint.bin", child);
  child.send(GetParam().signal);
  const Outcome cut = child.wait(120.0);
  if (GetParam().signal == SIGINT) {
    EXPECT_EQ(cut.exit_code, 130) << cut.err;
    EXPECT_NE(cut.err.find("--resume"), std::string::npos) << cut.err;
    EXPECT_EQ(json_of(scratch / "cut/summary.json").at("status"), "interrupted");
  } else {
    EXPECT_EQ(cut.signal, SIGKILL);
  }
  for (const char* final_name : {"cut/results.h5", "cut/channels.csv"}) {
    EXPECT_FALSE(fs::exists(scratch / final_name)) << final_name;
  }
  const auto partial = record::ResultsReader::open_directory(scratch / "cut");
  EXPECT_GT(partial.row_count(), 0u);
  EXPECT_LT(partial.row_count(), 601u);
  EXPECT_EQ(partial.time().size(), partial.row_count());

  std::vector<std::string> again = run_arguments(file, integrator, scratch / "cut");
  again.push_back("--resume");
  const Outcome resumed = grapple(again);
  ASSERT_EQ(resumed.exit_code, full.exit_code) << resumed.err;
  EXPECT_TRUE(text_of(scratch / "cut/channels.csv") == text_of(scratch / "full/channels.csv"));
  const auto expected = json_of(scratch / "full/summary.json");
  const auto summary = json_of(scratch / "cut/summary.json");
  EXPECT_EQ(summary.at("measures").dump(), expected.at("measures").dump());
  EXPECT_EQ(summary.at("events").dump(), expected.at("events").dump());
  EXPECT_FALSE(fs::exists(scratch / "cut/checkpoint.bin"));
  EXPECT_FALSE(fs::exists(scratch / "cut/results.partial.h5"));
}

// A multistep method starts anew at a checkpoint; only a kill, which falls back to a checkpoint the
// uninterrupted run had too, can give its bits.
INSTANTIATE_TEST_SUITE_P(
    Methods, Resumed,
    testing::Values(Cut{"rk4", SIGINT}, Cut{"rk4", SIGKILL}, Cut{"semi-implicit-euler", SIGINT},
                    Cut{"semi-implicit-euler", SIGKILL}, Cut{"velocity-verlet", SIGKILL},
                    Cut{"dormand-prince", SIGINT}, Cut{"dormand-prince", SIGKILL},
                    Cut{"dormand-prince-8", SIGKILL}, Cut{"adams", SIGKILL}, Cut{"bdf", SIGKILL}),
    [](const testing::TestParamInfo<Cut>& cut) {
      std::string name = cut.param.integrator;
      std::replace(name.begin(), name.end(), '-', '_');
      return name + (cut.param.signal == SIGINT ? "_interrupted" : "_killed");
    });

// Latched in place before the first checkpoint, released and latched again after it: the pose that
// the latch found must be taken up again.
TEST(Resume, OfALatchedPairGivesTheSameBytes) {
  const Scratch scratch, output;
  const std::string file = scratch.file("pair.yaml", R"(grapple: 1
name: pair
bodies:
  - {name: a, solid: {box: [1, 1, 1] m, mass: 300 kg}, velocity: [0.1, 0, 0] m/s, angular_velocity: [1, 2, 3] deg/s}
  - {name: b, solid: {box: [2, 1, 1] m, mass: 500 kg}, position: [2, 0, 0] m, angular_velocity: [-3, 1, 1] deg/s}
loops:
  - {name: dock, type: revolute, axis: x, between: [a, b], active: false, capture: {distance: 5 m, angle: 180 deg}, latch: [{at: 1 s, state: latched}, {at: 40 s, state: released}, {at: 45 s, state: latched}]}
simulate: {duration: 60 s, step: 2 ms, record: {every: 100 ms}}
)");
  ASSERT_EQ(grapple(run_arguments(file, "rk4", scratch / "full")).exit_code, 0);
  Child child(run_arguments(file, "rk4", scratch / "cut"), scratch.path(), output);
  wait_for(scratch / "cut/checkpoint.bin", child);
  child.send(SIGKILL);
  child.wait(120.0);
  std::vector<std::string> again = run_arguments(file, "rk4", scratch / "cut");
  again.emplace_back("--resume");
  const Outcome resumed = grapple(again);
  ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_TRUE(text_of(scratch / "cut/channels.csv") == text_of(scratch / "full/channels.csv"));
}

TEST(Resume, ACheckpointOfAnotherScenarioIsRefused) {
  const Scratch scratch, output;
  const std::string file = scratch.file("long.yaml", kScenario);
  Child child(run_arguments(file, "rk4", scratch / "cut"), scratch.path(), output);
  wait_for(scratch / "cut/checkpoint.bin", child);
  child.send(SIGINT);
  ASSERT_EQ(child.wait(120.0).exit_code, 130);
  const Outcome other = grapple({"run", file, "--resume", "--out", (scratch / "cut").string(),
                                 "--set", "bodies.lower.solid.mass=3 kg"});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_NE(other.err.find("GR-520"), std::string::npos) << other.err;
}

TEST(Resume, WithoutACheckpointThereIsNothingToResume) {
  const Scratch scratch;
  const std::string file = scratch.file("long.yaml", kScenario);
  const Outcome outcome = grapple({"run", file, "--resume", "--out", (scratch / "new").string()});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("GR-512"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace grapple::program
