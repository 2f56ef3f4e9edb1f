// Results, summaries and checkpoints that somebody has forged or damaged: `report`, `plot`,
// `compare`, `view` and `run --resume` say what is wrong, or show what there is, and end with a
// documented code. Never a signal, never an internal fault.
// `make test` runs the gist, `make stress` (GRAPPLE_STRESS=full) more than two thousand files.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <map>
#include <random>
#include <thread>

#include "grapple/record/internal/checkpoint.h"
#include "program/forged_results.h"
#include "program/support.h"

namespace grapple::program {
namespace {

void expect_documented_end(const Outcome& outcome, const std::string& what) {
  EXPECT_EQ(outcome.signal, 0) << what;
  EXPECT_FALSE(outcome.timed_out) << what;
  EXPECT_TRUE(outcome.exit_code == 0 || outcome.exit_code == 2 || outcome.exit_code == 3 ||
              outcome.exit_code == 5)
      << what << ": code " << outcome.exit_code << "\n"
      << outcome.err;
  EXPECT_EQ(outcome.err.find("internal fault"), std::string::npos) << what << "\n" << outcome.err;
}

/// A fault must not take the memory of the whole machine. Children inherit the limit.
void limit_memory() {
#ifndef __SANITIZE_ADDRESS__
  rlimit limit{};
  getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, rlim_t{4} << 30U);
  setrlimit(RLIMIT_AS, &limit);
#endif
}

const char* kSwing = R"(grapple: 1
name: swing
environment: {gravity: 9.81 m/s^2}
bodies: [{name: arm, mass: 1 kg, com: [1, 0, 0] m}]
joints: [{name: hinge, type: revolute, axis: y, parent: world, child: arm}]
events: [{name: passes, channel: joint/hinge/position, crosses: 0.5, action: record}]
simulate: {duration: 2 s, record: {every: 10 ms}}
)";
constexpr const char* kChannel = "joint/hinge/position";

/// A good run, and a directory for a bad copy of it.
class Hostile : public testing::Test {
 protected:
  void SetUp() override {
    limit_memory();
    const std::string file = scratch_.file("swing.yaml", kSwing);
    const Outcome outcome = grapple({"run", file, "--quiet", "--out", good().string()});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    fs::create_directory(bad());
  }

  fs::path good() const { return scratch_ / "good"; }
  fs::path bad() const { return scratch_ / "bad"; }
  fs::path file() const { return bad() / "results.h5"; }
  void fresh() const {
    fs::copy_file(good() / "results.h5", file(), fs::copy_options::overwrite_existing);
  }

  /// One of the commands that read results; `view` is ended once it serves.
  Outcome show(unsigned which) const {
    const std::string out = (scratch_ / "out.html").string(), svg = (scratch_ / "out.svg").string();
    switch (which % 4) {
      case 0:
        return grapple({"report", bad().string(), "--out", out});
      case 1:
        return grapple({"plot", bad().string(), kChannel, "--out", svg});
      case 2:
        return grapple({"compare", good().string(), bad().string(), "--out", out});
      default:
        return viewed();
    }
  }

  Outcome viewed() const {
    const Scratch texts;
    Child child({"view", bad().string(), "--no-browser"}, scratch_.path(), texts);
    while (child.running() && text_of(texts / "stdout").find("viewer on") == std::string::npos) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    if (child.running()) child.send(SIGTERM);
    return child.wait(20.0);
  }

  Scratch scratch_;
};

TEST_F(Hostile, ForgedResultsAreRefusedOrShown) {
  const std::vector<Forgery> all = forgeries(kChannel);
  int refused = 0;
  unsigned count = 0;
  for (const Forgery& forgery : all) {
    fresh();
    forge(file(), forgery);
    for (unsigned which = 0; which < 4; ++which, ++count) {
      if (!is_full_stress() && which != count / 4 % 4) continue;
      const Outcome outcome = show(which);
      expect_documented_end(outcome, forgery.name);
      refused += outcome.exit_code == 2 ? 1 : 0;
    }
  }
  std::printf("%zu forgeries, %d refusals\n", all.size(), refused);
  // A few are harmless: a text where there was another, a scene of a run that is not drawn.
  EXPECT_GT(refused, static_cast<int>(all.size()) * (is_full_stress() ? 4 : 1) * 3 / 4);
}

TEST_F(Hostile, NothingOfAnotherFileIsShown) {
  for (const char* form : {"in another file", "external link", "soft link", "put together"}) {
    fresh();
    forge(file(), {form, fmt::format("/channels/{}", kChannel), form});
    const Outcome outcome = show(0);
    EXPECT_EQ(outcome.exit_code, 2) << form;
    EXPECT_NE(outcome.err.find("GR-508"), std::string::npos) << form << "\n" << outcome.err;
  }
}

TEST_F(Hostile, SizesBeyondTheFileAreRefusedWithoutMemory) {
  for (const char* place : {"/time", "/channels/joint/hinge/position", "/events/time"}) {
    fresh();
    forge(file(), {place, place, "huge and empty"});
    const Outcome outcome = show(0);
    EXPECT_EQ(outcome.exit_code, 2) << place;
    EXPECT_NE(outcome.err.find("GR-508"), std::string::npos) << outcome.err;
    EXPECT_EQ(outcome.err.find("GR-690"), std::string::npos) << outcome.err;
  }
}

std::string nested(int levels, const char* open, const char* close, const char* middle) {
  std::string text;
  for (int k = 0; k < levels; ++k) text += open;
  text += middle;
  for (int k = 0; k < levels; ++k) text += close;
  return text;
}

TEST_F(Hostile, DeepAndStrangeJsonIsRefused) {
  std::string keys = "{\"a0\": 1";
  for (int k = 1; k < 300000; ++k) keys += fmt::format(",\"a{}\":1", k);
  const std::vector<std::string> texts = {
      nested(1000000, "[", "]", ""),
      nested(300000, "{\"a\":", "}", "1"),
      nested(200, "[", "]", "1"),
      keys + "}",
      "",
      "{",
      "[1, 2]",
      "\"text\"",
      "{\"format\": 3}",
      "{\"format\": \"grapple-modes\"}",
      "{\"format\": \"grapple-modes\", \"scene\": 1, \"modes\": 2}",
      "\xff\xfe"};
  for (const char* name : {"summary.json", "modes.json"}) {
    for (std::size_t k = 0; k < texts.size(); ++k) {
      fresh();
      std::ofstream(bad() / name, std::ios::binary) << texts[k];
      const Outcome outcome = show(0);
      expect_documented_end(outcome, fmt::format("{} {}", name, k));
      if (k < 7) {
        EXPECT_EQ(outcome.exit_code, 2) << name << " " << k;
      }
    }
    fs::remove(bad() / name);
  }
}

// In the oldest format HDF5 has no checksums of its own and believes what it reads, beyond the ends
// of its memory.
TEST_F(Hostile, TheOldestFormatIsRefused) {
  copy_in_oldest_format(good() / "results.h5", file());
  for (const unsigned how : {0u, 1u}) {
    const Outcome outcome = show(how);
    EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
    EXPECT_NE(outcome.err.find("GR-507"), std::string::npos) << outcome.err;
  }
}

// Any bytes of a file may be wrong.
TEST_F(Hostile, DamagedBytesAreNoticedOrHarmless) {
  const std::string bytes = text_of(good() / "results.h5");
  const unsigned cases = is_full_stress() ? 1200 : 60;
  constexpr unsigned kSeed = 500;
  for (unsigned k = 0; k < cases; ++k) {
    std::mt19937 random(kSeed + k);
    const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random()) % n; };
    std::string damaged = bytes;
    if (below(6) == 0) damaged.resize(below(damaged.size()));
    const unsigned places = 1U << below(6);
    for (unsigned n = 0; n < places && !damaged.empty(); ++n) {
      constexpr unsigned char kValues[] = {0x00, 0xff, 0x01, 0x7f, 0x80, 0x20};
      // Most of a short file is structure, and most of that is near its beginning.
      const std::size_t at = below(2) == 0 ? below(damaged.size())
                                           : below(std::min<std::size_t>(damaged.size(), 8192));
      damaged[at] = static_cast<char>(below(2) == 0 ? kValues[below(6)] : random());
    }
    std::ofstream(file(), std::ios::binary) << damaged;
    expect_documented_end(show(k / 2 % 2), fmt::format("seed {}", kSeed + k));
  }
  std::printf("%u damaged files from seed %u\n", cases, kSeed);
}

// Fails at 1 s, and keeps its checkpoint of 0.9 s.
const char* kPoleWithGrains = R"(grapple: 1
name: pole
environment: {gravity: 9.81 m/s^2}
bodies:
  - {name: arm, mass: 1 kg, com: [1, 0, 0] m, inertia: [1, 1, 1]}
  - {name: fore, mass: 1 kg, com: [1, 0, 0] m, inertia: [1, 1, 1]}
  - name: grain
    solid: {sphere: 5 cm, mass: 1 kg}
    shapes: [{name: skin, sphere: 5 cm}]
    position: [5, 0, 0.2] m
    copies: {grid: [2, 2, 1], spacing: [11, 11, 11] cm, speed: 1 m/s, seed: 1}
shapes: [{name: floor, half_space: z}]
contact_groups:
  - {name: grains, members: ["grain.*/skin"], walls: [floor], stiffness: 1e4, restitution: 0.8,
     friction: {law: coulomb, kinetic: 0.2}}
joints:
  - {name: elbow, type: revolute, axis: y, parent: world, child: arm, motor: {torque: 'sqrt(1 - t)'}}
  - {name: wrist, type: revolute, axis: y, parent: "arm at [1, 0, 0] m", child: fore,
     lock: [{at: 0.3 s, state: locked}, {at: 0.4 s, state: unlocked}]}
loops:
  - {name: rail, type: point-on-plane, axis: y, between: [world, "fore at [1, 0, 0] m"]}
  - {name: clamp, type: spherical, between: [world, "fore at [1, 0, 0] m"], active: false}
events: [{name: passes, channel: joint/elbow/position, crosses: 0.2, action: record}]
measures: [{name: fastest, channel: joint/elbow/rate, kind: max}]
simulate: {duration: 2 s, step: 1 ms, tolerance: 1e-6, record: {every: 10 ms}}
)";

/// One change of a checkpoint whose checksum is right.
std::string tamper(record::Checkpoint& file, std::mt19937& random) {
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random()) % n; };
  const auto any_key = [&](const auto& entries) {
    auto it = entries.begin();
    std::advance(it, static_cast<std::ptrdiff_t>(below(entries.size())));
    return it->first;
  };
  constexpr double kReals[] = {0.0,
                               -1.0,
                               1.0,
                               0.5,
                               1e300,
                               -1e300,
                               1e15,
                               3e9,
                               5e-324,
                               std::numeric_limits<double>::quiet_NaN(),
                               std::numeric_limits<double>::infinity()};
  constexpr std::int64_t kIntegers[] = {
      0, -1, 1, 2, 255, 256, 1LL << 31, 1LL << 62, std::numeric_limits<std::int64_t>::min()};
  constexpr std::size_t kSizes[] = {0, 1, 2, 7, 100, 100000};
  const auto change = [&](auto& values, const auto& choices) {
    const std::size_t way = below(4);
    if (way == 0) values.resize(kSizes[below(6)], choices[below(std::size(choices))]);
    if (way == 1 && !values.empty()) values.pop_back();
    if (way == 2) values.push_back(choices[below(std::size(choices))]);
    if (values.empty()) return;
    const std::size_t count = way == 3 ? 1 + below(4) : 0;
    for (std::size_t k = 0; k < count; ++k) {
      values[below(values.size())] = choices[below(std::size(choices))];
    }
  };
  switch (below(8)) {
    case 0: {
      const std::string key = any_key(file.texts);
      file.texts[key] = below(2) == 0 ? "" : std::string(100000, '\xff');
      return key;
    }
    case 1: {
      const std::string key = any_key(file.reals);
      file.reals.erase(key);
      return key + " (gone)";
    }
    case 2:
    case 3: {
      const std::string key = any_key(file.integers);
      change(file.integers[key], kIntegers);
      return key;
    }
    default: {
      const std::string key = any_key(file.reals);
      change(file.reals[key], kReals);
      return key;
    }
  }
}

TEST(HostileCheckpoint, TamperedOnesAreRefusedOrRunOn) {
  limit_memory();
  const Scratch scratch;
  const std::string scenario = scratch.file("pole.yaml", kPoleWithGrains);
  constexpr const char* kResumedIntegrators[] = {
      "adaptive", "dormand-prince",      "dormand-prince-8",
      "rk4",      "semi-implicit-euler", "velocity-verlet",
      "bdf",      "generalized-alpha"};
  const unsigned cases = is_full_stress() ? 200 : 10;
  constexpr unsigned kSeed = 900;
  int refused = 0;
  std::map<std::string, int> endings;
  for (const std::string integrator : kResumedIntegrators) {
    const fs::path kept = scratch / "kept", out = scratch / "out";
    const std::vector<std::string> words = {
        "run",          scenario, "--quiet", "--set", "simulate.integrator=" + integrator,
        "--checkpoint", "0.1 s",  "--out"};
    const auto run = [&](const fs::path& directory, const char* resume) {
      std::vector<std::string> all = words;
      all.push_back(directory.string());
      if (resume != nullptr) all.emplace_back(resume);
      return grapple_in(scratch.path(), all, 30.0);
    };
    fs::remove_all(kept);
    ASSERT_EQ(run(kept, nullptr).exit_code, 3) << integrator;
    const record::Checkpoint good = record::read_checkpoint(kept);
    for (unsigned k = 0; k < cases; ++k) {
      fs::remove_all(out);
      fs::copy(kept, out);
      record::Checkpoint forged = good;
      std::mt19937 random(kSeed + k);
      const std::string what = k == 0 ? "nothing" : tamper(forged, random);
      record::write_checkpoint(out, forged);
      const Outcome outcome = run(out, "--resume");
      expect_documented_end(outcome, fmt::format("{}, seed {}: {}", integrator, kSeed + k, what));
      if (k == 0) {
        EXPECT_EQ(outcome.exit_code, 3) << integrator << outcome.err;
      }
      refused += outcome.exit_code == 2 ? 1 : 0;
      ++endings[outcome.exit_code == 2 ? outcome.err.substr(0, 6) : "ran on"];
    }
  }
  std::printf("%u checkpoints for each of 6 integrators from seed %u, %d refused:", cases, kSeed,
              refused);
  for (const auto& [ending, count] : endings) std::printf(" %s %d", ending.c_str(), count);
  std::printf("\n");
  EXPECT_GT(refused, static_cast<int>(cases));
}

}  // namespace
}  // namespace grapple::program
