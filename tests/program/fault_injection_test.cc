// Every call by which a run reaches the disk fails once (tests/faults/fault_shim.cc): no crash, no
// `completed` with data missing, and afterwards the run can be resumed to the same bytes, or the
// refusal says why. `make stress` fails every call, here only some.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "program/support.h"

namespace grapple::program {
namespace {

// Rows, events, a latch, checkpoints and a table.
const char* kFaultyScenario = R"(grapple: 1
environment: {gravity: 9.81 m/s^2}
bodies:
  - {name: upper, solid: {rod: {length: 1 m, axis: x, from: end}, mass: 2 kg}, frames: [{name: tip, position: "[1, 0, 0] m"}]}
  - {name: lower, solid: {rod: {length: 1 m, axis: x, from: end}, mass: 1 kg}, frames: [{name: tip, position: "[1, 0, 0] m"}]}
joints:
  - {name: shoulder, type: revolute, axis: y, parent: world, child: upper, lock: [{at: 0.2 s, state: locked}, {at: 0.3 s, state: unlocked}]}
  - {name: elbow, type: revolute, axis: y, parent: upper/tip, child: lower}
loops:
  - {name: rail, type: point-on-plane, axis: x, between: [world, lower/tip], active: false, latch: [{at: 0.1 s, state: latched}, {at: 0.4 s, state: released}]}
events: [{name: down, channel: joint/shoulder/position, crosses: 0.1, action: record}]
measures: [{name: fastest, channel: joint/elbow/rate, kind: max}]
simulate: {duration: 0.5 s, integrator: rk4, step: 1 ms, record: {every: 1 ms, channels: ["joint/**", "energy/total"]}}
)";

class Faults : public testing::Test {
 protected:
  std::vector<std::string> arguments(const fs::path& directory) const {
    return {"run", file_, "--quiet", "--csv", "--out", directory.string(), "--checkpoint", "0.1 s"};
  }
  Outcome run_with(const std::string& fault, const fs::path& directory,
                   const std::string& count_file = "") const {
    std::vector<std::string> environment{std::string("LD_PRELOAD=") + GRAPPLE_FAULT_SHIM};
    if (!fault.empty()) environment.push_back("GRAPPLE_FAULT=" + fault);
    if (!count_file.empty()) environment.push_back("GRAPPLE_FAULT_COUNT=" + count_file);
    return grapple_in(Surroundings{environment, {}}, arguments(directory));
  }

  void SetUp() override {
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "the sanitizer takes the allocator for itself";
#endif
    file_ = scratch_.file("short.yaml", kFaultyScenario);
    const std::string counts = (scratch_ / "counts").string();
    const Outcome whole = run_with("", scratch_ / "whole", counts);
    ASSERT_EQ(whole.exit_code, 0) << whole.err;
    std::istringstream lines(text_of(counts));
    std::string kind;
    for (long number = 0; lines >> kind >> number;) calls_[kind] = number;
    results_ = text_of(scratch_ / "whole/results.h5");
    table_ = text_of(scratch_ / "whole/channels.csv");
    ASSERT_FALSE(results_.empty());
    ASSERT_FALSE(table_.empty());
  }

  bool is_whole(const fs::path& directory) const {
    return text_of(directory / "results.h5") == results_ &&
           text_of(directory / "channels.csv") == table_;
  }

  void inject(const std::string& fault) const {
    SCOPED_TRACE(fault);
    const fs::path directory = scratch_ / "faulty";
    fs::remove_all(directory);
    const Outcome outcome = run_with(fault, directory);
    EXPECT_EQ(outcome.signal, 0) << outcome.err;
    EXPECT_FALSE(outcome.timed_out);
    EXPECT_EQ(outcome.err.find("HDF5-DIAG"), std::string::npos) << outcome.err;
    if (outcome.exit_code == 0) {  // what failed was not needed
      EXPECT_TRUE(is_whole(directory)) << "exit code 0 with data missing";
      return;
    }
    EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
    EXPECT_NE(outcome.err.find("GR-"), std::string::npos) << outcome.err;
    if (fs::exists(directory / "summary.json") &&
        json_of(directory / "summary.json").at("status") == "completed") {
      EXPECT_EQ(text_of(directory / "results.h5"), results_) << "completed with data missing";
    }
    resume(directory);
  }

  void resume(const fs::path& directory) const {
    std::vector<std::string> again = arguments(directory);
    again.emplace_back("--resume");
    const Outcome resumed = grapple(again);
    EXPECT_EQ(resumed.signal, 0);
    if (resumed.exit_code == 0) {
      EXPECT_TRUE(is_whole(directory)) << "resumed to other bytes";
    } else {
      EXPECT_EQ(resumed.exit_code, 2);
      EXPECT_NE(resumed.err.find("GR-51"), std::string::npos) << resumed.err;
    }
  }

  // About `gist` of the calls, evenly; all in `make stress`.
  void inject_all(const std::string& kind, int gist) const {
    const long count = calls_.at(kind);
    ASSERT_GT(count, 0) << kind;
    const long tried = cases(gist, static_cast<int>(count));
    for (long k = 0; k < std::min(tried, count); ++k) {
      inject(fmt::format("{}:{}", kind, 1 + k * count / std::min(tried, count)));
    }
  }

  Scratch scratch_;
  std::string file_, results_, table_;
  std::map<std::string, long> calls_;
};

TEST_F(Faults, OfWritesAreSurvived) { inject_all("write", 12); }
TEST_F(Faults, OfOpensAreSurvived) { inject_all("open", 12); }
TEST_F(Faults, OfFsyncsAreSurvived) { inject_all("fsync", 6); }
TEST_F(Faults, OfRenamesAreSurvived) { inject_all("rename", 6); }

// A disk that stays full.
TEST_F(Faults, OfAllLaterWritesAreSurvived) {
  const long count = calls_.at("write");
  const long tried = std::min<long>(cases(8, static_cast<int>(count)), count);
  for (long k = 0; k < tried; ++k) inject(fmt::format("write:{}+", 1 + k * count / tried));
}

// There are too many allocations to fail each of them.
TEST_F(Faults, OfAllocationsEndWithADocumentedCode) {
  const long count = calls_.at("new");
  const long tried = std::min<long>(cases(10, 1500), count);
  const fs::path directory = scratch_ / "faulty";
  for (long k = 0; k < tried; ++k) {
    const std::string fault = fmt::format("new:{}", 1 + k * count / tried);
    SCOPED_TRACE(fault);
    fs::remove_all(directory);
    const Outcome outcome = run_with(fault, directory);
    EXPECT_EQ(outcome.signal, 0) << outcome.err;
    if (outcome.exit_code == 0) {
      EXPECT_TRUE(is_whole(directory)) << "exit code 0 with data missing";
      continue;
    }
    EXPECT_TRUE(outcome.exit_code >= 1 && outcome.exit_code <= 3) << outcome.exit_code;
    resume(directory);
  }
}

// The last allocations of a run write its summary: there the JSON library, which crashes where it
// makes an object of nothing without memory, is at work.
TEST_F(Faults, OfAllocationsForTheSummaryAreSaid) {
  const long count = calls_.at("new");
  const fs::path directory = scratch_ / "faulty";
  for (long k = count - 960; k < count - 920; ++k) {
    SCOPED_TRACE(k);
    fs::remove_all(directory);
    const Outcome outcome = run_with(fmt::format("new:{}", k), directory);
    EXPECT_EQ(outcome.exit_code, 3) << outcome.signal << outcome.err;
    EXPECT_NE(outcome.err.find("GR-690"), std::string::npos) << outcome.err;
  }
}

}  // namespace
}  // namespace grapple::program
