// Runs that are flown by hand: rates along and about a chosen frame, signals of operators, a score
// that is the same live, recorded and repeated.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cmath>
#include <fstream>

#include "grapple/record/run_directory.h"
#include "grapple/scenario/replay.h"
#include "grapple/scenario/score/read_score.h"
#include "grapple/scenario/simulation.h"
#include "grapple/scenario/steered_run.h"
#include "scenario/build_support.h"

namespace grapple::scenario {
namespace {

// Three slides and three hinges carry a hand, which is led by six sticks in the axes of one of
// three frames. The base turns about z; the payload is turned by 90 degrees about z.
constexpr char kGantry[] = R"(grapple: 1
name: gantry
bodies:
  - {name: base, mass: 5000 kg, inertia: [4e4, 4e4, 4e4] kg*m^2, frames: [{name: mount}]}
  - {name: a, mass: 1 kg, inertia: [1, 1, 1] kg*m^2}
  - {name: b, mass: 1 kg, inertia: [1, 1, 1] kg*m^2}
  - {name: c, mass: 1 kg, inertia: [1, 1, 1] kg*m^2}
  - {name: d, mass: 1 kg, inertia: [1, 1, 1] kg*m^2}
  - {name: e, mass: 1 kg, inertia: [1, 1, 1] kg*m^2}
  - {name: hand, mass: 1 kg, inertia: [1, 1, 1] kg*m^2, frames: [{name: tip, position: "[0, 0, 0.3] m"}]}
  - {name: payload, mass: 10 kg, inertia: [1, 1, 1] kg*m^2, position: "[2, 0, 0.3] m", rotation: {axis: z, angle: 90 deg}}
joints:
  - {name: x, type: prismatic, axis: x, parent: base, child: a}
  - {name: y, type: prismatic, axis: y, parent: a, child: b}
  - {name: z, type: prismatic, axis: z, parent: b, child: c}
  - {name: yaw, type: revolute, axis: z, parent: c, child: d}
  - {name: pitch, type: revolute, axis: y, parent: d, child: e}
  - {name: roll, type: revolute, axis: x, parent: e, child: hand}
)";

constexpr char kSticks[] = R"(operator:
  - {name: x, full: 3 cm/s, keys: [s, w]}
  - {name: y, full: 3 cm/s, keys: [d, a]}
  - {name: z, full: 3 cm/s, keys: [f, r]}
  - {name: roll, full: 0.1 rad/s, keys: [u, o]}
  - {name: pitch, full: 0.1 rad/s, keys: [i, k]}
  - {name: yaw, full: 0.1 rad/s, keys: [l, j]}
  - {name: frame, choices: [base, effector, payload], keys: ["1", "2", "3"]}
controllers:
  - name: arm
    type: resolved-rate
    joints: [x, y, z, yaw, pitch, roll]
    frame: hand/tip
    rates:
      - {signal: operator/x/command}
      - {signal: operator/y/command}
      - {signal: operator/z/command}
      - {signal: operator/roll/command}
      - {signal: operator/pitch/command}
      - {signal: operator/yaw/command}
    rate_frames: [base/mount, hand/tip, payload]
    rate_points: [hand/tip, hand/tip, payload]
    rate_choice: {signal: operator/frame/command}
    proportional: 100
    derivative: 20
    period: 10 ms
simulate: {duration: 1 s, integrator: rk4, step: 1 ms}
)";

class Flown : public ::testing::Test {
 protected:
  Flown() {
    std::string name = (std::filesystem::temp_directory_path() / "grapple-fly-XXXXXX").string();
    directory_ = mkdtemp(name.data());
  }
  ~Flown() override { std::filesystem::remove_all(directory_); }

  std::filesystem::path write(const std::string& text) {
    std::ofstream(directory_ / "flown.yaml") << text;
    return directory_ / "flown.yaml";
  }
  void record(SteeredRun& run, const std::string& name) {
    record::RunOptions options;
    options.directory = directory_ / name;
    options.steered_by = "live";
    run.record(std::move(options));
  }

  std::filesystem::path directory_;
};

// The twist that the controller asks for, in its memory right after a sample. All poses are exact,
// so that only round-off of some products is left.
TEST_F(Flown, RatesAreAlongTheChosenAxesAndAboutTheChosenPoint) {
  const std::filesystem::path file = write(std::string(kGantry) + kSticks);
  const auto twist = [&](double frame, const std::string& stick, double value) {
    grapple::Simulation sim(file);
    sim.set("operator/frame/command", frame);
    sim.set("operator/" + stick + "/command", value);
    sim.advance(0.011);  // the sample at 10 ms is the first that sees it; nothing has moved yet
    std::vector<double> found;
    for (const char* part : {"speed_x", "speed_y", "speed_z", "turning_z"}) {
      found.push_back(sim.get(std::string("block/arm/") + part));
    }
    return found;
  };
  const auto expect = [](const std::vector<double>& found, const std::vector<double>& wanted) {
    for (std::size_t k = 0; k < wanted.size(); ++k) EXPECT_NEAR(found[k], wanted[k], 1e-14) << k;
  };
  expect(twist(0, "x", 0.03), {0.03, 0.0, 0.0, 0.0});
  expect(twist(2, "x", 0.03), {0.0, 0.03, 0.0, 0.0});  // x of the payload is y of the world
  expect(twist(0, "yaw", 0.1), {0.0, 0.0, 0.0, 0.1});  // about the tip itself
  // About the payload, 2 m away along x: w z × (-2, 0, 0) = (0, -2 w, 0).
  expect(twist(2, "yaw", 0.1), {0.0, -0.2, 0.0, 0.1});
}

// With the base turning at 0.02 rad/s under the arm, a place that is fixed on the base asks nothing
// of the joints. Twist and motion of the base are sums of the same products: round-off of 0.05 m/s
// is left, times the duration of 1 s.
TEST_F(Flown, WhatTheCarrierDoesIsNotAskedOfTheJoints) {
  std::string text = kGantry;
  text.replace(text.find("frames: [{name: mount}]"), 23,
               "angular_velocity: [0.01, 0.02, 0.02] rad/s, frames: [{name: mount, position: \"[0, "
               "0, 0.3] m\"}]");
  text += R"(trajectories:
  - {name: stay, type: line, relative_to: base/mount, duration: 1 s, poses: [{position: "[0, 0, 0] m"}, {position: "[0, 0, 0] m"}]}
controllers:
  - name: arm
    type: resolved-rate
    joints: [x, y, z, yaw, pitch, roll]
    frame: hand/tip
    trajectory: stay
    follow: 0.5 1/s
    proportional: 1e4
    derivative: 2e2
    period: 10 ms
simulate: {duration: 1 s, integrator: rk4, step: 1 ms}
)";
  grapple::Simulation sim(write(text));
  while (sim.advance(0.1)) {
    for (const char* joint : {"x", "y", "z", "yaw", "pitch", "roll"}) {
      EXPECT_NEAR(sim.get(std::string("block/arm/") + joint + "/set_point"), 0.0, 1e-6) << joint;
    }
  }
}

constexpr char kCart[] = R"(grapple: 1
name: cart
bodies:
  - {name: cart, solid: {box: [1, 1, 1] m, mass: 4 kg}}
  - {name: buoy, solid: {box: [1, 1, 1] m, mass: 4 kg}, position: "[0.5, 0, 0] m"}
joints:
  - {name: rail, type: prismatic, axis: x, parent: world, child: cart}
forces:
  - {name: thrust, type: point-force, at: cart, force: [{signal: operator/thrust/command}, 0, 0]}
loops:
  - {name: hold, type: fixed, between: [cart, buoy], active: false, capture: {distance: 1 m, speed: 1 m/s}}
events:
  - {name: snare, channel: operator/snare/command, crosses: 0.5, direction: rising, action: latch, target: hold}
operator:
  - {name: thrust, full: 8 N, keys: [a, d]}
  - {name: snare, full: 1, keys: [r, Enter]}
measures:
  - {name: caught, channel: loop/hold/latched, kind: first_time, above: 0.5}
  - {name: far, channel: joint/rail/position, kind: max}
score:
  - {name: time, measure: caught, weight: 10, full: 0 s, none: 2 s}
  - {name: way, measure: far, weight: 5, full: 1 m, none: 0 m}
simulate: {duration: 1 s, integrator: rk4, step: 1 ms, record: {every: 100 ms}}
)";

/// Holds at a time.
class Until final : public Pace {
 public:
  Until(SteeredRun& run, double t) : run_(run), t_(t) {}
  Verdict after_step() override {
    return run_.time() >= t_ - 1e-9 ? Verdict::kHold : Verdict::kGoOn;
  }

 private:
  SteeredRun& run_;
  double t_;
};

// Full thrust for half a second, then the snare.
void fly(SteeredRun& run) {
  run.operate("thrust", 1.0);
  Until half(run, 0.5);
  run.advance(half);
  run.operate("thrust", 0.0);
  run.operate("snare", 1.0);
  Until end(run, 2.0);
  run.advance(end);
}

TEST_F(Flown, ASignalOfAnOperatorHasItsUnitAndItsEnds) {
  SteeredRun run(write(kCart), {});
  const int thrust = run.system().find_signal("operator/thrust/command");
  ASSERT_GE(thrust, 0);
  const element::Signal& signal = run.system().signals()[static_cast<std::size_t>(thrust)];
  EXPECT_EQ(signal.unit, "N");
  EXPECT_EQ(signal.upper, 8.0);
  run.operate("thrust", -7.0);  // cut
  EXPECT_EQ(run.system().modes().signals[static_cast<std::size_t>(thrust)], -8.0);
}

TEST_F(Flown, TheSnareClosesWhenItsSignalPasses) {
  SteeredRun run(write(kCart), {});
  fly(run);
  ASSERT_EQ(run.events().size(), 1U);
  EXPECT_EQ(run.events().front().name, "snare");
  EXPECT_NEAR(run.events().front().time, 0.5, 0.001);  // at the end of a step, at most one later
}

TEST_F(Flown, ScoreIsTheSameWatchedRecordedRepeatedAndFromTheFile) {
  const std::filesystem::path file = write(kCart);
  SteeredRun watched(file, {});
  fly(watched);
  const record::Score live = watched.score().value();
  EXPECT_GT(live.points, 0.0);
  EXPECT_NEAR(live.terms[0].result.value, 0.5, 0.001);

  SteeredRun recorded(file, {});
  record(recorded, "a");
  fly(recorded);
  ASSERT_TRUE(recorded.summary().has_value());
  EXPECT_EQ(recorded.summary()->score.value().points, live.points);

  SteeredRun repeated(file, {});
  const auto commands = record::read_commands(directory_ / "a");
  prepare_replay(commands, repeated);
  record(repeated, "b");
  replay(commands, repeated);
  EXPECT_EQ(repeated.summary()->score.value().points, live.points);

  const RecordedScore found = recorded_score((directory_ / "a").string(), "");
  EXPECT_EQ(record::score_of(found.terms, found.measures).points, live.points);
}

TEST_F(Flown, ARunIsScoredByTheRulesOfAnotherFile) {
  SteeredRun run(write(kCart), {});
  record(run, "a");
  fly(run);
  std::string other = kCart;
  other.replace(other.find("weight: 10"), 10, "weight: 40");
  std::ofstream(directory_ / "other.yaml") << other;
  const auto points = [&](const std::string& rules) {
    const RecordedScore found = recorded_score((directory_ / "a").string(), rules);
    return record::score_of(found.terms, found.measures).terms[0].points;
  };
  EXPECT_DOUBLE_EQ(points((directory_ / "other.yaml").string()), 4.0 * points(""));
}

std::string id_of(const std::string& directory, const std::string& rules) {
  try {
    recorded_score(directory, rules);
  } catch (const Error& error) {
    return ids_in(error);
  }
  return "";
}

TEST_F(Flown, WhatCannotBeScoredIsRefused) {
  std::string text = kCart;
  text.erase(text.find("score:"), text.find("simulate:") - text.find("score:"));
  SteeredRun run(write(text), {});
  record(run, "a");
  fly(run);
  const std::string directory = (directory_ / "a").string();
  EXPECT_EQ(id_of(directory, ""), "GR-946");
  EXPECT_EQ(id_of((directory_ / "none").string(), ""), "GR-507");
  std::string other = kCart;
  other.replace(other.find("name: far"), 9, "name: fax");
  other.replace(other.find("measure: far"), 12, "measure: fax");
  std::ofstream(directory_ / "other.yaml") << other;
  EXPECT_EQ(id_of(directory, (directory_ / "other.yaml").string()), "GR-947");
  std::ofstream(directory_ / "a" / record::kSummaryFile) << "{}";
  EXPECT_EQ(id_of(directory, ""), "GR-945");
  std::filesystem::remove(directory_ / "a" / record::kSummaryFile);
  EXPECT_EQ(id_of(directory, ""), "GR-945");
}

}  // namespace
}  // namespace grapple::scenario
