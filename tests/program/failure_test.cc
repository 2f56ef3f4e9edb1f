// Runs that fail say why and keep what they had; files of an earlier run are never taken for
// theirs.
#include <gtest/gtest.h>
#include <unistd.h>

#include "grapple/record/results_file.h"
#include "program/support.h"

namespace grapple::program {
namespace {

// The motor's torque has a pole at 1 s.
const char* kPole = R"(grapple: 1
name: pole
bodies: [{name: arm, mass: 1 kg, com: [1, 0, 0] m}]
joints: [{name: elbow, type: revolute, axis: z, parent: world, child: arm, motor: {torque: 'sqrt(1 - t)'
}
}]
simulate: {duration: 2 s, record: {every: 10 ms}}
)";

TEST(Failure, EndsWithCodeThreeCauseAndReadablePartialResults) {
  const Scratch scratch;
  const std::string file = scratch.file("pole.yaml", kPole);
  const Outcome outcome = grapple({"run", file, "--csv", "--out", (scratch / "out").string()});
  EXPECT_EQ(outcome.exit_code, 3) << outcome.out << outcome.err;
  const auto summary = json_of(scratch / "out/summary.json");
  EXPECT_EQ(summary.at("status"), "failed");
  const std::string cause = summary.at("cause");
  EXPECT_NE(cause.find("'elbow'"), std::string::npos) << cause;
  EXPECT_NE(outcome.err.find(cause), std::string::npos) << outcome.err;
  EXPECT_FALSE(fs::exists(scratch / "out/results.h5"));
  EXPECT_FALSE(fs::exists(scratch / "out/channels.csv"));
  const auto results = record::ResultsReader::open_directory(scratch / "out");
  EXPECT_EQ(results.status(), record::RunStatus::kFailed);
  EXPECT_GE(results.row_count(), 95u);  // a row each 10 ms until just before 1 s
  EXPECT_LE(results.time().back(), 1.0);
}

// A mechanism passes a position where branches of its motion meet: with steps far too large the end
// may be on any of them, and the run says so.
TEST(Suspect, EndsWithCodeFivePlaceCauseAndAdvice) {
  const Scratch scratch;
  const std::string cells = (source_directory() / "examples/iftomm/A02-two-cells.yaml").string();
  const auto run = [&](const std::string& step) {
    return grapple({"run", cells, "--out", (scratch / "out").string(), "--set",
                    "simulate.integrator=rk4", "--set", "simulate.step=" + step});
  };
  const Outcome coarse = run("0.2 s");
  EXPECT_EQ(coarse.exit_code, 5) << coarse.err;
  const auto summary = json_of(scratch / "out/summary.json");
  EXPECT_EQ(summary.at("status"), "suspect");
  const std::string cause = summary.at("cause");
  for (const char* part : {"between 0.6 s and 0.8 s", "loop 'cell", "smaller step",
                           "start a little beside the position"}) {
    EXPECT_NE(cause.find(part), std::string::npos) << cause;
  }
  EXPECT_NE(coarse.err.find(cause), std::string::npos) << coarse.err;
  const auto results = record::ResultsReader::open_directory(scratch / "out");
  EXPECT_EQ(results.status(), record::RunStatus::kSuspect);
  EXPECT_EQ(run("0.02 s").exit_code, 0);
  EXPECT_EQ(json_of(scratch / "out/summary.json").at("status"), "completed");
}

TEST(Failure, ResultsOfAnEarlierRunAreNotMistaken) {
  const Scratch scratch;
  const std::string file = scratch.file("pole.yaml", kPole);
  const std::string out = (scratch / "out").string();
  ASSERT_EQ(
      grapple({"run", file, "--csv", "--out", out, "--set", "simulate.duration=0.5 s"}).exit_code,
      0);
  ASSERT_TRUE(fs::exists(scratch / "out/results.h5"));
  EXPECT_EQ(grapple({"run", file, "--csv", "--out", out}).exit_code, 3);
  EXPECT_FALSE(fs::exists(scratch / "out/results.h5"));
  EXPECT_FALSE(fs::exists(scratch / "out/channels.csv"));
  EXPECT_EQ(json_of(scratch / "out/summary.json").at("status"), "failed");
}

TEST(Failure, AnOutputDirectoryThatCannotBeWrittenIsSaid) {
  const Scratch scratch;
  const std::string pendulum = (source_directory() / "examples/first/pendulum.yaml").string();
  scratch.file("file", "not a directory");
  const Outcome blocked = grapple({"run", pendulum, "--out", (scratch / "file/out").string()});
  EXPECT_EQ(blocked.exit_code, 2);
  EXPECT_NE(blocked.err.find("GR-501"), std::string::npos) << blocked.err;
  if (geteuid() == 0) return;  // root may write anywhere
  fs::create_directory(scratch / "locked");
  fs::permissions(scratch / "locked", fs::perms::owner_read | fs::perms::owner_exec);
  const Outcome locked = grapple({"run", pendulum, "--out", (scratch / "locked/out").string()});
  EXPECT_EQ(locked.exit_code, 2);
  EXPECT_NE(locked.err.find("GR-501"), std::string::npos) << locked.err;
}

}  // namespace
}  // namespace grapple::program
