// Files that are not what they should be: devices, FIFOs and links as inputs and outputs, disks
// that are full, and what earlier runs and kills left behind.
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <fstream>

#include "grapple/record/results_file.h"
#include "program/support.h"

namespace grapple::program {
namespace {

const char* kRecordedPendulum = R"(grapple: 1
environment: {gravity: 9.81 m/s^2}
bodies: [{name: a, solid: {rod: {length: 1 m, axis: x, from: end}, mass: 1 kg}}]
joints: [{name: hinge, type: revolute, parent: world, child: a, axis: y}]
simulate: {duration: 1 s, record: {every: 10 ms}}
)";

std::string written(const Scratch& scratch) {
  return scratch.file("pendulum.yaml", kRecordedPendulum);
}

void expect_refused(const std::vector<std::string>& arguments, const std::string& id) {
  SCOPED_TRACE(arguments[0] + " " + arguments.back());
  const Outcome outcome = grapple_in(source_directory(), arguments, 20.0);
  EXPECT_FALSE(outcome.timed_out);
  EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
  EXPECT_NE(("\n" + outcome.err).find("\n" + id), std::string::npos) << outcome.err;
}

std::string made_fifo(const Scratch& scratch, const std::string& name) {
  const std::string path = (scratch / name).string();
  EXPECT_EQ(mkfifo(path.c_str(), 0600), 0);
  return path;
}

TEST(Inputs, FifosAndDevicesAreRefusedAndNotWaitedFor) {
  const Scratch scratch;
  const std::string fifo = made_fifo(scratch, "fifo.yaml");
  expect_refused({"check", fifo}, "GR-100");
  expect_refused({"run", "/dev/zero"}, "GR-100");
  expect_refused({"check", "/dev/tty"}, "GR-100");
  expect_refused({"check", scratch.file("includes.yaml", "include: fifo.yaml\ngrapple: 1\n")},
                 "GR-100");
  made_fifo(scratch, "mesh.stl");
  const std::string mesh =
      scratch.file("mesh.yaml", std::string(kRecordedPendulum) +
                                    "shapes: [{name: m, mesh: {file: mesh.stl}}]\n");
  const Outcome outcome = grapple_in(source_directory(), {"check", mesh}, 20.0);
  EXPECT_FALSE(outcome.timed_out);
  EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
}

TEST(Inputs, FifosInADirectoryOfResultsAreRefused) {
  const Scratch scratch;
  fs::create_directory(scratch / "out");
  made_fifo(scratch, "out/results.h5");
  const Outcome outcome =
      grapple_in(source_directory(), {"report", (scratch / "out").string()}, 20.0);
  EXPECT_FALSE(outcome.timed_out);
  EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
}

TEST(Outputs, NeverReplaceADeviceOrALinkNorWriteThroughIt) {
  const Scratch scratch;
  const std::string file = written(scratch), out = (scratch / "out").string();
  ASSERT_EQ(grapple({"run", file, "--quiet", "--out", out}).exit_code, 0);
  const std::string kept = scratch.file("kept", "precious");
  const std::string link = (scratch / "link.html").string();
  fs::create_symlink(kept, link);
  const std::string fifo = made_fifo(scratch, "fifo.json");
  expect_refused({"report", out, "--out", link}, "GR-511");
  expect_refused({"report", out, "--out", fifo}, "GR-511");
  expect_refused({"compare", out, out, "--out", link}, "GR-511");
  expect_refused({"modes", file, "--json", link}, "GR-511");
  expect_refused({"export", out, "--out", (scratch / "out").string() + ".csv/"}, "GR-");
  const std::string svg = (scratch / "link.svg").string();
  fs::create_symlink(kept, svg);
  expect_refused({"plot", out, "joint/**", "--out", svg}, "GR-511");
  const std::string csv = (scratch / "link.csv").string();
  fs::create_symlink(kept, csv);
  expect_refused({"export", out, "--out", csv}, "GR-511");
  EXPECT_EQ(text_of(kept), "precious");
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_TRUE(fs::is_fifo(fifo));
  expect_refused({"report", out, "--out", "/dev/null"}, "GR-511");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST(Outputs, OfARunDoNotFollowLinksInItsDirectory) {
  const Scratch scratch;
  const std::string kept = scratch.file("kept", "precious");
  fs::create_directory(scratch / "out");
  for (const char* name : {"results.fresh.h5", "results.partial.h5", "results.h5", "summary.json",
                           "channels.partial.csv", "channels.csv", "checkpoint.bin"}) {
    fs::create_symlink(kept, scratch / "out" / name);
  }
  const Outcome outcome = grapple({"run", written(scratch), "--quiet", "--csv", "--checkpoint",
                                   "0.1 s", "--out", (scratch / "out").string()});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(text_of(kept), "precious");
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(scratch / "out/results.h5")));
}

TEST(Outputs, OfARunReplaceNoFifo) {
  const Scratch scratch;
  fs::create_directory(scratch / "out");
  const std::string fifo = made_fifo(scratch, "out/results.h5");
  expect_refused({"run", written(scratch), "--quiet", "--out", (scratch / "out").string()},
                 "GR-501");
  EXPECT_TRUE(fs::is_fifo(fifo));
}

TEST(Outputs, ToAFullStandardOutputAreReported) {
  const Scratch scratch;
  const Surroundings full{{}, "/dev/full"};
  const std::string file = written(scratch);
  for (const std::vector<std::string>& command :
       std::vector<std::vector<std::string>>{{"schema"},
                                             {"reference"},
                                             {"check", file, "--channels"},
                                             {"modes", file},
                                             {"run", file, "--out", (scratch / "out").string()}}) {
    const Outcome outcome = grapple_in(full, command);
    EXPECT_EQ(outcome.exit_code, 2) << command[0] << outcome.err;
    EXPECT_TRUE(outcome.err.starts_with("GR-604")) << command[0] << outcome.err;
  }
}

/// Runs commands on a disk of that many bytes, mounted for a process of its own. 77: not permitted.
template <class Work>
int on_small_disk(const fs::path& place, std::size_t bytes, Work&& work) {
  const pid_t child = fork();
  if (child == 0) {
    if (unshare(CLONE_NEWNS) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) _exit(77);
    mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
    const std::string size = "size=" + std::to_string(bytes);
    if (mount("tmpfs", place.c_str(), "tmpfs", 0, size.c_str()) != 0) _exit(77);
    work();
    _exit(testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000;
}

TEST(FullDisk, LeavesReadableRowsASummaryAndACheckpointAndNoForeignNoise) {
  const Scratch scratch;
  const std::string file = written(scratch);
  fs::create_directory(scratch / "disk");
  const auto run = [&](std::vector<std::string> more) {
    std::vector<std::string> all{"run",
                                 file,
                                 "--quiet",
                                 "--set",
                                 "simulate.duration=1000",
                                 "--out",
                                 (scratch / "disk/out").string()};
    all.insert(all.end(), more.begin(), more.end());
    return grapple(all);
  };
  const int ended = on_small_disk(scratch / "disk", 3'000'000, [&] {
    const Outcome outcome = run({});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_TRUE(outcome.err.starts_with("GR-503")) << outcome.err;
    EXPECT_NE(outcome.err.find("No space left"), std::string::npos) << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    const auto summary = json_of(scratch / "disk/out/summary.json");
    EXPECT_EQ(summary.at("status"), "failed");
    EXPECT_NE(summary.at("cause").get<std::string>().find("GR-503"), std::string::npos);
    const auto results = record::ResultsReader::open_directory(scratch / "disk/out");
    EXPECT_GT(results.row_count(), 100u);
    EXPECT_EQ(results.row_count(), summary.at("counts").at("rows").get<std::uint64_t>());
    EXPECT_TRUE(fs::exists(scratch / "disk/out/checkpoint.bin"));
  });
  if (ended == 77) GTEST_SKIP() << "no right to mount a disk";
  EXPECT_EQ(ended, 0);
}

TEST(FullDisk, IsReportedByPlotsReportsAndExports) {
  const Scratch scratch;
  const std::string out = (scratch / "out").string();
  ASSERT_EQ(grapple({"run", written(scratch), "--quiet", "--out", out}).exit_code, 0);
  fs::create_directory(scratch / "disk");
  const int ended = on_small_disk(scratch / "disk", 4096, [&] {
    std::ofstream(scratch / "disk/full") << std::string(4096, 'x');
    expect_refused({"plot", out, "joint/**", "--out", (scratch / "disk/p.svg").string()}, "GR-511");
    expect_refused({"report", out, "--out", (scratch / "disk/r.html").string()}, "GR-511");
    expect_refused({"export", out, "--out", (scratch / "disk/t.csv").string()}, "GR-511");
    expect_refused({"export", out, "--out", (scratch / "disk/t.h5").string()}, "GR-5");
    expect_refused({"modes", written(scratch), "--json", (scratch / "disk/m.json").string()},
                   "GR-511");
    int left = 0;
    for ([[maybe_unused]] const auto& entry : fs::directory_iterator(scratch / "disk")) ++left;
    EXPECT_EQ(left, 1);
  });
  if (ended == 77) GTEST_SKIP() << "no right to mount a disk";
  EXPECT_EQ(ended, 0);
}

TEST(NewRun, RemovesTheReportAndTheModesOfAnotherScenario) {
  const Scratch scratch;
  const std::string file = written(scratch), out = (scratch / "out").string();
  const std::vector<std::string> run{"run", file, "--quiet", "--out", out};
  ASSERT_EQ(grapple(run).exit_code, 0);
  ASSERT_EQ(grapple({"report", out}).exit_code, 0);
  ASSERT_EQ(grapple({"modes", file, "--out", out}).exit_code, 0);
  ASSERT_TRUE(fs::exists(scratch / "out/report.html"));
  // The modes of this very scenario may have been written for this run.
  ASSERT_EQ(grapple(run).exit_code, 0);
  EXPECT_FALSE(fs::exists(scratch / "out/report.html"));
  EXPECT_TRUE(fs::exists(scratch / "out/modes.json"));
  std::vector<std::string> other = run;
  other.insert(other.end(), {"--set", "joints.hinge.damper=0.1"});
  ASSERT_EQ(grapple(other).exit_code, 0);
  EXPECT_FALSE(fs::exists(scratch / "out/modes.json"));
}

// h5dump and h5py refuse the file of a writer that was killed; `grapple export` makes a plain one.
TEST(Export, MakesTheRowsOfAKilledRunReadableByPlainTools) {
  const Scratch scratch, output;
  const std::string file = written(scratch), out = (scratch / "out").string();
  Child child({"run", file, "--quiet", "--out", out, "--set", "simulate.duration=10000", "--set",
               "simulate.record.every=1e-3"},
              scratch.path(), output);
  while (child.running() && !(fs::exists(scratch / "out/results.partial.h5") &&
                              record::ResultsReader::open_directory(out).row_count() > 0)) {
    usleep(10000);
  }
  child.send(SIGKILL);
  child.wait(60.0);
  const auto partial = record::ResultsReader::open_directory(out);
  ASSERT_EQ(partial.status(), record::RunStatus::kRunning);
  const std::string plain = (scratch / "plain.h5").string();
  const Outcome exported = grapple({"export", out, "--out", plain});
  ASSERT_EQ(exported.exit_code, 0) << exported.err;
  const record::ResultsReader copy(plain);
  EXPECT_EQ(copy.row_count(), partial.row_count());
  EXPECT_EQ(copy.channel("joint/hinge/rate"), partial.channel("joint/hinge/rate"));
  EXPECT_EQ(copy.status(), record::RunStatus::kInterrupted);
  if (std::system("command -v h5dump > /dev/null") == 0) {
    EXPECT_EQ(std::system(("h5dump -d /time " + plain + " > /dev/null").c_str()), 0);
  }
  const std::string table = (scratch / "table.csv").string();
  ASSERT_EQ(grapple({"export", out, "joint/hinge/*", "--out", table}).exit_code, 0);
  const std::string text = text_of(table);
  EXPECT_EQ(static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n')),
            partial.row_count() + 1);
  expect_refused({"export", out, "--out", (scratch / "table.txt").string()}, "GR-605");
}

TEST(Angles, AreShownInDegreesOnRequest) {
  const Scratch scratch;
  const std::string file = scratch.file("arm.yaml", R"(grapple: 1
signals: [{name: aim, unit: deg, value: 45 deg}]
bodies: [{name: arm, mass: 2 kg, inertia: [0.1, 0.1, 0.1] kg*m^2}]
joints: [{name: axle, type: revolute, parent: world, child: arm, axis: z, angle: 90 deg}]
simulate: {duration: 10 ms, record: {every: 10 ms, channels: [joint/axle/position, joint/axle/rate, aim], angles: deg}}
)");
  const std::string out = (scratch / "out").string();
  ASSERT_EQ(grapple({"run", file, "--out", out, "--csv", "--quiet"}).exit_code, 0);
  EXPECT_EQ(text_of(scratch / "out/channels.csv"),
            "time [s],joint/axle/position [deg],joint/axle/rate [deg/s],aim [deg]\n"
            "0,90,0,45\n0.01,90,0,45\n");
  const record::ResultsReader results(scratch / "out/results.h5");
  EXPECT_EQ(results.channel("joint/axle/position").front(), std::acos(-1.0) / 2.0);
  EXPECT_EQ(results.channels()[0].unit, "rad");
}

TEST(Check, ListsSignalsAndControllersAndWarnsOfThoseThatNeverAct) {
  const Scratch scratch;
  const std::string file = scratch.file("arm.yaml", R"(grapple: 1
signals: [{name: aim, unit: deg, limits: [-180, 180] deg}]
bodies: [{name: arm, mass: 2 kg, inertia: [0.1, 0.1, 0.1] kg*m^2}]
joints: [{name: axle, type: revolute, parent: world, child: arm, axis: z}]
controllers:
  - {name: hold, joint: axle, set_point: {signal: aim}, proportional: 3, period: 20 ms, offset: 5 ms, delay: 10 ms}
  - {name: late, joint: axle, proportional: 3, period: 20 ms, offset: 2 s}
simulate: {duration: 1 s}
)");
  const Outcome outcome = grapple({"check", file});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const char* line :
       {"signal 'aim' [1]: 0 at the start, -3.14159 to 3.14159\n",
        "controller 'hold': every 0.02 s from 0.005 s on, acts 0.01 s later; reads "
        "joint/axle/position, joint/axle/rate, aim; writes controller/hold/effort\n",
        "controller 'late': every 0.02 s from 2 s on; reads joint/axle/position, joint/axle/rate; "
        "writes controller/late/effort\n"
        "  warning: it never acts: its first sample is at 2 s, the run ends at 1 s\n"}) {
    EXPECT_NE(outcome.out.find(line), std::string::npos) << line << outcome.out;
  }
  EXPECT_EQ(outcome.out.find("warning"), outcome.out.rfind("warning"));
}

}  // namespace
}  // namespace grapple::program
