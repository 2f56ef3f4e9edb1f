// Runs killed (SIGKILL) at random moments: at most a second of rows is lost, what is there is
// right, and with --checkpoint the resumed run makes the bytes of the uninterrupted one. A few
// kills here, two hundred by `make stress`.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <random>
#include <thread>

#include "grapple/record/results_file.h"
#include "program/support.h"

namespace grapple::program {
namespace {

// A lock, a prescribed motion by a table and one by a formula, a latched loop, an event that
// switches a motor. All of them come to pass within the first half.
const char* kKilledScenario = R"yaml(grapple: 1
environment: {gravity: 9.81 m/s^2}
bodies:
  - {name: cart, mass: 5 kg, inertia: [1, 1, 1]}
  - {name: upper, solid: {rod: {length: 1 m, axis: x, from: end}, mass: 2 kg}, frames: [{name: tip, position: "[1, 0, 0] m"}]}
  - {name: lower, solid: {rod: {length: 1 m, axis: x, from: end}, mass: 1 kg}, frames: [{name: tip, position: "[1, 0, 0] m"}]}
joints:
  - {name: track, type: prismatic, axis: x, parent: world, child: cart, motion: {position: "0.3*sin(3*t)"}}
  - {name: shoulder, type: revolute, axis: y, parent: cart, child: upper, damper: 0.05, lock: [{at: 0.4 s, state: locked}, {at: 0.6 s, state: unlocked}]}
  - {name: elbow, type: revolute, axis: y, parent: upper/tip, child: lower, motor: {torque: {table: [[0, 0], [0.3, 2], [1, -2], [4, 1]]}}}
events:
  - {name: off, channel: joint/elbow/position, crosses: 0.5, action: disable, target: elbow}
  - {name: on, channel: joint/elbow/position, crosses: -0.2, action: enable, target: elbow}
LOOPS
simulate: {duration: 1.5 s, tolerance: 1e-7, step: 100 us, max_step: 100 us, record: {every: 500 us}}
)yaml";
const char* kLoop =
    "loops: [{name: rail, type: point-on-plane, axis: x, between: [world, lower/tip], "
    "active: false, latch: [{at: 0.2 s, state: latched}, {at: 0.9 s, state: released}]}]";

std::string scenario_for(const std::string& integrator) {
  std::string text = kKilledScenario;
  text.replace(text.find("LOOPS"), 5, integrator == "adams" ? "" : kLoop);
  return text;
}

class Killed : public testing::TestWithParam<const char*> {
 protected:
  std::vector<std::string> arguments(const std::string& file, const fs::path& directory,
                                     const std::string& checkpoint) const {
    std::vector<std::string> all{"run",
                                 file,
                                 "--quiet",
                                 "--out",
                                 directory.string(),
                                 "--set",
                                 std::string("simulate.integrator=") + GetParam()};
    if (!checkpoint.empty()) all.insert(all.end(), {"--checkpoint", checkpoint});
    return all;
  }
};

// Seconds since the file was last written.
double age_of(const fs::path& file) {
  struct stat found = {};
  timespec time = {};
  if (stat(file.c_str(), &found) != 0) return 0.0;
  clock_gettime(CLOCK_REALTIME, &time);
  return static_cast<double>(time.tv_sec - found.st_mtim.tv_sec) +
         1e-9 * static_cast<double>(time.tv_nsec - found.st_mtim.tv_nsec);
}

void expect_beginning_of(const record::ResultsReader& whole, const record::ResultsReader& part) {
  const std::vector<double> time = whole.time(), part_time = part.time();
  ASSERT_LE(part_time.size(), time.size());
  EXPECT_TRUE(std::equal(part_time.begin(), part_time.end(), time.begin()));
  for (const char* channel : {"joint/elbow/rate", "joint/track/drive", "energy/total"}) {
    const std::vector<double> values = whole.channel(channel), part_values = part.channel(channel);
    EXPECT_TRUE(std::equal(part_values.begin(), part_values.end(), values.begin())) << channel;
  }
}

TEST_P(Killed, AtAnyMomentLosesAtMostASecondOfRowsAndResumesToTheSameBytes) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  const Scratch scratch, output;
  const std::string file = scratch.file("moves.yaml", scenario_for(GetParam()));
  const std::string kinds[] = {"", "0.05 s"};
  for (const std::string& checkpoint : kinds) {
    SCOPED_TRACE("checkpoint '" + checkpoint + "'");
    const double start = now();
    const Outcome whole = grapple(arguments(file, scratch / "whole", checkpoint));
    ASSERT_TRUE(whole.exit_code == 0 || whole.exit_code == 5) << whole.err;
    const double duration = now() - start;
    const std::string bytes = text_of(scratch / "whole/results.h5");
    const auto results = record::ResultsReader::open_directory(scratch / "whole");
    // 7 integrators, with and without checkpoints: 210 kills in `make stress`.
    for (int kill = 0; kill < cases(1, 15); ++kill) {
      const fs::path directory = scratch / "killed";
      fs::remove_all(directory);
      const double delay = duration * std::uniform_real_distribution<>(0.0, 1.0)(random);
      SCOPED_TRACE(delay);
      Child child(arguments(file, directory, checkpoint), scratch.path(), output);
      std::this_thread::sleep_for(std::chrono::duration<double>(delay));
      const bool was_running = child.running();
      const double age = age_of(directory / "results.partial.h5");
      child.send(SIGKILL);
      const Outcome outcome = child.wait(60.0);
      if (was_running && outcome.signal == SIGKILL) {
        EXPECT_LT(age, 1.0);
      }
      if (fs::exists(directory / "results.partial.h5")) {
        expect_beginning_of(results, record::ResultsReader(directory / "results.partial.h5"));
      }
      const bool has_checkpoint = fs::exists(directory / "checkpoint.bin");
      std::vector<std::string> again = arguments(file, directory, checkpoint);
      again.emplace_back("--resume");
      const Outcome resumed = grapple(again);
      if (!has_checkpoint && resumed.exit_code == 2) {  // killed before the first one
        EXPECT_NE(resumed.err.find("GR-512"), std::string::npos) << resumed.err;
        continue;
      }
      EXPECT_EQ(resumed.exit_code, whole.exit_code) << resumed.err;
      EXPECT_TRUE(text_of(directory / "results.h5") == bytes) << "resumed to other bytes";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, Killed,
                         testing::Values("adaptive", "dormand-prince", "rk4", "semi-implicit-euler",
                                         "velocity-verlet", "generalized-alpha", "bdf", "adams"),
                         [](const testing::TestParamInfo<const char*>& method) {
                           std::string name = method.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// Some 200 rows a second, so that a chunk of 1024 rows takes long to fill.
TEST(Rows, AreInTheFileAfterASecond) {
  const Scratch scratch, output;
  const std::string file = scratch.file("slow.yaml", R"(grapple: 1
environment: {gravity: 9.81 m/s^2}
bodies: [{name: a, solid: {rod: {length: 1 m, axis: x, from: end}, mass: 1 kg}}]
joints: [{name: hinge, type: revolute, parent: world, child: a, axis: y}]
simulate: {duration: 1000 s, integrator: rk4, step: 1 us, record: {every: 1 ms}}
)");
  Child child({"run", file, "--quiet", "--out", (scratch / "out").string()}, scratch.path(),
              output);
  const fs::path partial = scratch / "out/results.partial.h5";
  while (child.running() && !fs::exists(partial)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  double oldest = 0.0;
  for (const double start = now(); now() - start < 3.0;) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    oldest = std::max(oldest, age_of(partial));
  }
  child.send(SIGKILL);
  EXPECT_EQ(child.wait(60.0).signal, SIGKILL);
  EXPECT_LT(oldest, 1.0);
  const std::uint64_t rows = record::ResultsReader::open_directory(scratch / "out").row_count();
  EXPECT_GT(rows, 10u);
}

// Between the last row and the end of the program there are the names of the files, the summary and
// the table. A run killed there is finished by --resume.
TEST(KilledAtTheEnd, IsFinishedByResume) {
  const Scratch scratch;
  const std::string file = scratch.file("moves.yaml", scenario_for("adams"));
  const auto arguments = [&](const char* directory) {
    return std::vector<std::string>{"run",          file,
                                    "--quiet",      "--csv",
                                    "--checkpoint", "0.1 s",
                                    "--set",        "simulate.duration=1",
                                    "--set",        "simulate.integrator=rk4",
                                    "--out",        (scratch / directory).string()};
  };
  ASSERT_EQ(grapple(arguments("whole")).exit_code, 0);
  // The last checkpoint of a run of the same scenario, as a kill right after the rename leaves it.
  Scratch output;
  Child child(arguments("killed"), scratch.path(), output);
  std::string checkpoint;
  while (child.running()) {
    const std::string last = text_of(scratch / "killed/checkpoint.bin");
    if (!last.empty()) checkpoint = last;
  }
  child.wait(60.0);
  ASSERT_FALSE(checkpoint.empty());
  std::ofstream(scratch / "killed/checkpoint.bin", std::ios::binary) << checkpoint;
  fs::remove(scratch / "killed/summary.json");
  fs::remove(scratch / "killed/channels.csv");
  std::vector<std::string> again = arguments("killed");
  again.emplace_back("--resume");
  const Outcome resumed = grapple(again);
  ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
  for (const char* name : {"results.h5", "channels.csv"}) {
    EXPECT_TRUE(text_of(scratch / "killed" / name) == text_of(scratch / "whole" / name)) << name;
  }
  EXPECT_EQ(json_of(scratch / "killed/summary.json").at("status"), "completed");
  // And a run that lacks nothing but its table.
  fs::remove(scratch / "killed/channels.csv");
  ASSERT_EQ(grapple(again).exit_code, 0);
  EXPECT_TRUE(text_of(scratch / "killed/channels.csv") == text_of(scratch / "whole/channels.csv"));
}

}  // namespace
}  // namespace grapple::program
