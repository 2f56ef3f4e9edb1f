// SIGINT and SIGTERM end every phase of every command within a second, with what was recorded.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "grapple/record/results_file.h"
#include "program/support.h"

namespace grapple::program {
namespace {

// A test machine may be busy with other tests: twice the second that is promised.
constexpr double kSoon = 2.0;

void sleep_for(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

/// Waits until the program catches abort(), which it begins to right after the other signals, in
/// the first lines of main. Before that, while it is being loaded, a signal ends it as any other.
void wait_until_up(Child& child) {
  const fs::path status = fs::path("/proc") / std::to_string(child.pid()) / "status";
  while (child.running()) {
    const std::string text = text_of(status);
    const std::size_t at = text.find("SigCgt:");
    if (at == std::string::npos) continue;
    if ((std::stoull(text.substr(at + 7), nullptr, 16) >> (SIGABRT - 1) & 1) != 0) return;
    sleep_for(0.0002);
  }
}

struct Ended {
  Outcome outcome;
  double seconds = 0.0;  ///< from the signal to the end
};

Ended end(Child& child, int signal) {
  const double sent = now();
  child.send(signal);
  Ended ended{child.wait(60.0), 0.0};
  ended.seconds = now() - sent;
  return ended;
}

// One step of 1000 s that holds a hundred million rows.
const char* kOneStep = R"(grapple: 1
environment: {gravity: 9.81 m/s^2}
bodies: [{name: a, solid: {rod: {length: 1 m, axis: x, from: end}, mass: 1 kg}}]
joints: [{name: hinge, type: revolute, parent: world, child: a, axis: y}]
simulate: {duration: 1000 s, integrator: rk4, step: 1000 s, record: {every: 10 us}}
)";

class OneLongStep : public testing::TestWithParam<int> {};

TEST_P(OneLongStep, IsGivenUpWithItsRowsInTheFile) {
  const Scratch scratch, output;
  const std::string file = scratch.file("step.yaml", kOneStep);
  Child child({"run", file, "--out", (scratch / "out").string()}, scratch.path(), output);
  wait_for(scratch / "out/results.partial.h5", child);
  sleep_for(1.5);
  const Ended ended = end(child, GetParam());
  EXPECT_EQ(ended.outcome.exit_code, 130) << ended.outcome.err;
  EXPECT_LT(ended.seconds, kSoon);
  EXPECT_EQ(json_of(scratch / "out/summary.json").at("status"), "interrupted");
  const auto results = record::ResultsReader::open_directory(scratch / "out");
  EXPECT_EQ(results.status(), record::RunStatus::kInterrupted);
  EXPECT_GT(results.row_count(), 1000u);
}

INSTANTIATE_TEST_SUITE_P(Signals, OneLongStep, testing::Values(SIGINT, SIGTERM));

// The checkpoint of a step that was given up is that of a step before it; the resumed run makes the
// same rows. A step of 1 s holds 1e5 rows, so the signal comes inside one.
TEST(Interrupt, InsideAStepResumesToTheSameBytes) {
  const Scratch scratch, output;
  const std::string file = scratch.file("step.yaml", kOneStep);
  const auto arguments = [&](const char* directory) {
    return std::vector<std::string>{"run",
                                    file,
                                    "--quiet",
                                    "--set",
                                    "simulate.step=1",
                                    "--set",
                                    "simulate.duration=8",
                                    "--out",
                                    (scratch / directory).string()};
  };
  ASSERT_EQ(grapple(arguments("whole")).exit_code, 5);  // steps of 1 s are far too long
  Child child(arguments("cut"), scratch.path(), output);
  wait_for(scratch / "cut/results.partial.h5", child);
  sleep_for(0.7);
  const Ended ended = end(child, SIGINT);
  if (ended.outcome.exit_code != 5) {  // it was over before
    ASSERT_EQ(ended.outcome.exit_code, 130) << ended.outcome.err;
    std::vector<std::string> again = arguments("cut");
    again.emplace_back("--resume");
    ASSERT_EQ(grapple(again).exit_code, 5);
  }
  EXPECT_TRUE(text_of(scratch / "cut/results.h5") == text_of(scratch / "whole/results.h5"));
}

TEST(Interrupt, ASecondSignalEndsTheRunAtOnce) {
  const Scratch scratch, output;
  const std::string file = scratch.file("step.yaml", kOneStep);
  Child child({"run", file, "--out", (scratch / "out").string()}, scratch.path(), output);
  wait_for(scratch / "out/results.partial.h5", child);
  sleep_for(1.0);
  child.send(SIGINT);
  sleep_for(0.01);
  const Ended ended = end(child, SIGINT);
  EXPECT_EQ(ended.outcome.exit_code, 130);
  EXPECT_LT(ended.seconds, 0.5);
  EXPECT_NO_THROW(record::ResultsReader::open_directory(scratch / "out"));
}

// A table of 2e6 numbers takes seconds; the results are complete, and resuming writes the table.
TEST(Interrupt, WhileTheTableIsWrittenKeepsTheCompleteRun) {
  const Scratch scratch, output;
  const std::string file = scratch.file("table.yaml", kOneStep);
  const std::vector<std::string> arguments{"run",     file,
                                           "--quiet", "--csv",
                                           "--set",   "simulate.step=0.01",
                                           "--set",   "simulate.duration=1",
                                           "--out",   (scratch / "out").string()};
  Child child(arguments, scratch.path(), output);
  wait_for(scratch / "out/channels.partial.csv", child);
  const Ended ended = end(child, SIGTERM);
  ASSERT_EQ(ended.outcome.exit_code, 130) << ended.outcome.err;
  EXPECT_LT(ended.seconds, kSoon);
  EXPECT_EQ(json_of(scratch / "out/summary.json").at("status"), "completed");
  EXPECT_TRUE(fs::exists(scratch / "out/results.h5"));
  EXPECT_FALSE(fs::exists(scratch / "out/channels.csv"));
  EXPECT_TRUE(text_of(scratch / "out/channels.partial.csv").ends_with('\n'));
  std::vector<std::string> again = arguments;
  again.emplace_back("--resume");
  EXPECT_EQ(grapple(again).exit_code, 0);
  EXPECT_TRUE(fs::exists(scratch / "out/channels.csv"));
  EXPECT_FALSE(fs::exists(scratch / "out/channels.partial.csv"));
}

// A scenario that has run into `out`; its file.
std::string recorded_rows(const Scratch& scratch) {
  const std::string file = scratch.file("rows.yaml", kOneStep);
  const Outcome outcome = grapple({"run", file, "--quiet", "--set", "simulate.step=0.01", "--set",
                                   "simulate.duration=2", "--out", (scratch / "out").string()});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return file;
}

// Whatever a command without a run is doing, it has nothing to lose.
TEST(Interrupt, EndsReportsAndChecksAtOnceAndLeavesNoHalfFile) {
  const Scratch scratch, output;
  const std::string file = recorded_rows(scratch);
  const std::vector<std::vector<std::string>> commands{
      {"report", (scratch / "out").string()},
      {"check", file},
      {"view", (scratch / "out").string(), "--no-browser"},
      {"export", (scratch / "out").string(), "--out", (scratch / "table.csv").string()}};
  for (const std::vector<std::string>& command : commands) {
    for (const double delay : {0.0, 0.02, 0.1, 0.3}) {
      Child child(command, scratch.path(), output);
      wait_until_up(child);
      sleep_for(delay);
      const Ended ended = end(child, SIGTERM);
      const bool was_over = ended.outcome.exit_code == 0;
      EXPECT_TRUE(was_over || ended.outcome.exit_code == 130)
          << command[0] << " " << ended.outcome.signal << ended.outcome.err;
      EXPECT_LT(ended.seconds, kSoon) << command[0];
    }
  }
  for (const fs::path& directory : {scratch.path(), scratch / "out"}) {
    for (const auto& entry : fs::directory_iterator(directory)) {
      EXPECT_EQ(entry.path().string().find(".tmp"), std::string::npos) << entry.path();
    }
  }
}

TEST(Interrupt, OfAnExportToHdf5LeavesNoDirectoryBehind) {
  const Scratch scratch, output;
  recorded_rows(scratch);
  fs::create_directory(scratch / "exported");
  Child child({"export", (scratch / "out").string(), "--out", (scratch / "exported/a.h5").string()},
              scratch.path(), output);
  while (child.running() && fs::is_empty(scratch / "exported")) sleep_for(0.001);
  sleep_for(0.02);
  EXPECT_EQ(end(child, SIGINT).outcome.exit_code, 130);
  EXPECT_TRUE(fs::is_empty(scratch / "exported"));
}

// Sent here from outside; a library that a hostile file leads astray causes the same.
TEST(MemoryFault, EndsWithADocumentedCode) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer reports it";
#endif
  const Scratch scratch;
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGABRT}) {
    const fs::path out = scratch / std::to_string(signal);
    Child child({"run", scratch.file("rows.yaml", kOneStep), "--quiet", "--out", out.string()},
                scratch.path(), scratch);
    wait_for(out / "results.partial.h5", child);
    const Ended ended = end(child, signal);
    EXPECT_EQ(ended.outcome.exit_code, 1) << ended.outcome.signal;
    EXPECT_NE(ended.outcome.err.find("internal fault"), std::string::npos) << ended.outcome.err;
  }
}

}  // namespace
}  // namespace grapple::program
