// A run that is changed while it goes, its record, and its repetition.
#include "grapple/scenario/steered_run.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cmath>
#include <fstream>

#include "grapple/base/error.h"
#include "grapple/record/csv.h"
#include "grapple/record/run_directory.h"
#include "grapple/scenario/recorded_plan.h"
#include "grapple/scenario/replay.h"

namespace grapple::scenario {
namespace {

constexpr char kSpring[] = R"(grapple: 1
name: cart
parameters: {k: 100 N/m, n: 2}
bodies:
  - {name: cart, solid: {box: [1, 1, 1] m, mass: 4 kg}}
  - name: boom
    beam: {length: 1 m, mass: 1 kg, EI: 100 N*m^2, modes: "${n}"}
joints:
  - {name: rail, type: prismatic, axis: x, parent: world, child: cart, position: 0.1 m, spring: {stiffness: "${k}"}}
  - {name: clamp, type: fixed, parent: world, child: boom}
tunable:
  - {parameter: k, from: 10 N/m, to: 1000 N/m}
  - {parameter: n, from: 1, to: 3}
operator:
  - {name: stick, joint: rail, effort: 8 N, keys: [a, d]}
events:
  - {name: middle, channel: joint/rail/position, action: record}
simulate: {duration: 10 s, tolerance: 1e-10}
)";

/// Ends steps at a time, and holds there.
class Until final : public Pace {
 public:
  Until(SteeredRun& run, double t) : run_(run), t_(t) {}
  Verdict after_step() override { return run_.time() >= t_ ? Verdict::kHold : Verdict::kGoOn; }
  double hold(double from, double to) override { return from < t_ && t_ < to ? t_ : to; }

 private:
  SteeredRun& run_;
  double t_;
};

class Steered : public ::testing::Test {
 protected:
  Steered() {
    std::string name = (std::filesystem::temp_directory_path() / "grapple-steer-XXXXXX").string();
    directory_ = mkdtemp(name.data());
    std::ofstream(directory_ / "cart.yaml") << kSpring;
    run_ = fresh({});
  }
  ~Steered() override {
    run_.reset();
    std::filesystem::remove_all(directory_);
  }

  std::unique_ptr<SteeredRun> fresh(std::vector<std::string> settings) {
    return std::make_unique<SteeredRun>(directory_ / "cart.yaml", std::move(settings));
  }
  double value(const std::string& channel) {
    return run_->row()[static_cast<std::size_t>(run_->system().find_channel(channel))];
  }
  void advance_to(double t) {
    Until pace(*run_, t);
    run_->advance(pace);
  }
  void record(const std::string& name) {
    record::RunOptions options;
    options.directory = directory_ / name;
    options.steered_by = "live";
    run_->record(std::move(options));
  }

  /// `grapple run` of the same file.
  void run_alone(const std::string& name, const std::vector<std::string>& settings) {
    const CheckedScenario checked = load_scenario(directory_ / "cart.yaml", settings);
    Simulation simulation = build(checked);
    complete_for_record(checked, simulation);
    record::RunOptions options;
    options.directory = directory_ / name;
    record::run(*simulation.system, simulation.plan, options);
  }
  /// All rows as text: the shortest decimals that read back to the same bits.
  std::string rows_of(const std::string& name) const {
    const std::filesystem::path table = directory_ / (name + ".csv");
    record::export_csv(record::ResultsReader::open_directory(directory_ / name), table);
    std::ifstream file(table);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::filesystem::path directory_;
  std::unique_ptr<SteeredRun> run_;
};

TEST_F(Steered, FollowsTheOscillatorAndGoesOnAfterAHold) {
  advance_to(0.7);
  advance_to(1.3);
  // x = x0 cos(w t), w = 5 rad/s. Tolerance 1e-10 per step, some hundred steps.
  EXPECT_NEAR(value("joint/rail/position"), 0.1 * std::cos(5.0 * run_->time()), 1e-8);
}

TEST_F(Steered, TakesATunedSpringFromThereOnAndBooksItsEnergy) {
  advance_to(0.7);
  const double t0 = run_->time(), x0 = value("joint/rail/position");
  const double v0 = value("joint/rail/rate");
  run_->tune("k", 400.0);
  EXPECT_EQ(value("joint/rail/position"), x0);
  EXPECT_NEAR(value("work/external"), 0.5 * 300.0 * x0 * x0,
              1e-12);  // the stiffer spring holds more
  advance_to(1.5);
  const double s = run_->time() - t0;  // w = 10 rad/s now
  EXPECT_NEAR(value("joint/rail/position"), x0 * std::cos(10 * s) + v0 / 10 * std::sin(10 * s),
              1e-8);
  EXPECT_NEAR(value("energy/residual"), 0.0, 1e-8);
  EXPECT_EQ(run_->tunables()[0].value, 400.0);
}

TEST_F(Steered, RefusesWhatIsNotTunableOutOfRangeOrAnotherModel) {
  const auto id = [&](const std::string& name, double to) {
    try {
      run_->tune(name, to);
    } catch (const Error& error) {
      return error.id();
    }
    return std::string();
  };
  EXPECT_EQ(id("mass", 1.0), "GR-841");
  EXPECT_EQ(id("k", 5.0), "GR-841");
  EXPECT_EQ(id("k", std::nan("")), "GR-841");
  EXPECT_EQ(id("n", 3.0), "GR-842");  // another number of modes
  advance_to(0.5);                    // and goes on as if nothing had been asked
  EXPECT_NEAR(value("joint/rail/position"), 0.1 * std::cos(5.0 * run_->time()), 1e-8);
}

TEST_F(Steered, ObeysItsOperator) {
  run_->operate("stick", 0.5);
  EXPECT_EQ(value("operator/stick/effort"), 4.0);
  advance_to(0.8);
  // A constant force of 4 N moves the centre of the oscillation to 0.04 m.
  EXPECT_NEAR(value("joint/rail/position"), 0.04 + 0.06 * std::cos(5.0 * run_->time()), 1e-8);
  EXPECT_NEAR(value("work/actuators"), 4.0 * (value("joint/rail/position") - 0.1), 1e-8);
  run_->operate("stick", -7.0);
  EXPECT_EQ(value("operator/stick/command"), -1.0);
}

TEST_F(Steered, ResetsToTheStartWithItsTunedParameters) {
  run_->tune("k", 400.0);
  advance_to(1.0);
  run_->reset();
  EXPECT_EQ(run_->time(), 0.0);
  EXPECT_TRUE(run_->events().empty());
  advance_to(0.4);
  EXPECT_NEAR(value("joint/rail/position"), 0.1 * std::cos(10.0 * run_->time()), 1e-8);
}

TEST_F(Steered, EndsWithTheScenarioAndKnowsItsEvents) {
  advance_to(20.0);
  EXPECT_TRUE(run_->ended());
  EXPECT_EQ(run_->time(), 10.0);
  // cos(5 t) = 0 at t = (2 k + 1) pi / 10: 16 times in 10 s.
  EXPECT_EQ(run_->events().size(), 16u);
}

// Whatever the size of the steps: who only watches must not change the run.
TEST_F(Steered, WithoutCommandsRecordsTheRowsOfARunToTheBit) {
  for (const char* integrator :
       {"adaptive", "rk4", "semi-implicit-euler", "velocity-verlet", "bdf"}) {
    const std::vector<std::string> settings{std::string("simulate.integrator=") + integrator,
                                            "simulate.duration=2 s",
                                            "simulate.record={every: 50 ms}"};
    run_ = fresh(settings);
    record(std::string("live-") + integrator);
    advance_to(5.0);
    run_alone(std::string("alone-") + integrator, settings);
    EXPECT_EQ(rows_of(std::string("live-") + integrator),
              rows_of(std::string("alone-") + integrator))
        << integrator;
    EXPECT_EQ(run_->status(), record::RunStatus::kCompleted) << integrator;
  }
}

TEST_F(Steered, RecordsWhatWasTunedAsAnEventWithItsWork) {
  run_ = fresh({"simulate.record={every: 50 ms}", "simulate.duration=2 s"});
  record("tuned");
  advance_to(0.72);
  const double x0 = value("joint/rail/position");
  run_->tune("k", 400.0);
  advance_to(5.0);
  const auto results = record::ResultsReader::open_directory(directory_ / "tuned");
  std::vector<record::EventRecord> tuned = results.events();
  std::erase_if(tuned, [](const record::EventRecord& event) { return event.name == "middle"; });
  ASSERT_EQ(tuned.size(), 1u);
  EXPECT_EQ(tuned[0].name, "k = 400 N/m");
  EXPECT_EQ(tuned[0].time, 0.72);
  // Rows every 50 ms as if nothing had happened, one before the change and one after it.
  const std::vector<double> time = results.time(), work = results.channel("work/external");
  std::size_t at = 0;
  while (time[at] < 0.72) ++at;
  EXPECT_EQ(time[at - 1], 14 * 0.05);
  EXPECT_EQ(time[at + 1], 0.72);
  EXPECT_EQ(time[at + 2], 15 * 0.05);
  EXPECT_EQ(work[at], 0.0);
  EXPECT_NEAR(work[at + 1], 150.0 * x0 * x0, 1e-12);  // half of 300 N/m more
  ASSERT_TRUE(run_->summary() && run_->summary()->steering);
  const record::Steering& steering = *run_->summary()->steering;
  EXPECT_EQ(steering.by, "live");
  ASSERT_EQ(steering.tuned.size(), 1u);
  EXPECT_EQ(steering.tuned[0].name, "parameters.k");
  EXPECT_EQ(steering.tuned[0].joule, work[at + 1]);
  EXPECT_LT(run_->summary()->energy->largest_relative_residual, 1e-6);
  EXPECT_NEAR(results.channel("energy/residual").back(), 0.0, 1e-8);
  const auto count = [&](const std::string& name) {
    for (const auto& [key, number] : run_->summary()->counts) {
      if (key == name) return number;
    }
    return 0.0;
  };
  EXPECT_EQ(count("rows"), static_cast<double>(time.size()));
  EXPECT_GT(count("events_located"), 3.0);  // before and after: cos(5 t) = 0 at 0.31 s already
}

// Commands at any moment, also inside steps of variable size, and one that is refused.
TEST_F(Steered, IsRepeatedToTheBitByItsCommands) {
  for (const char* integrator :
       {"adaptive", "rk4", "semi-implicit-euler", "velocity-verlet", "bdf"}) {
    const std::vector<std::string> settings{std::string("simulate.integrator=") + integrator,
                                            "simulate.duration=2 s",
                                            "simulate.record={every: 50 ms}"};
    const std::string live = std::string("live-") + integrator, again = live + "-again";
    run_ = fresh(settings);
    record(live);
    run_->operate("stick", 0.25);
    advance_to(0.4111);
    run_->operate("stick", -0.7);
    advance_to(0.72);
    run_->tune("k", 400.0);
    run_->operate("stick", 0.1);
    advance_to(1.1003);
    EXPECT_THROW(run_->tune("n", 3.0), Error);
    advance_to(1.5);
    run_->operate("stick", 0.0);
    advance_to(5.0);
    const std::vector<record::Command> commands = record::read_commands(directory_ / live);
    ASSERT_GE(commands.size(), 5u);
    EXPECT_EQ(commands[0].time, 0.0);
    EXPECT_EQ(commands[0].name, "operator/stick/command");

    run_ = fresh(settings);
    record(again);
    replay(commands, *run_);
    EXPECT_EQ(rows_of(live), rows_of(again)) << integrator;
    EXPECT_EQ(record::read_commands(directory_ / again), commands) << integrator;
  }
}

// A slider that is moved before the start, or kept over a reset, is part of the record.
TEST_F(Steered, RecordsWhatItBeginsWith) {
  const std::vector<std::string> settings{"simulate.duration=2 s",
                                          "simulate.record={every: 50 ms}"};
  run_ = fresh(settings);
  run_->tune("k", 400.0);
  EXPECT_EQ(value("work/external"), 0.0);
  record("begun-tuned");
  advance_to(0.72);
  run_->tune("k", 200.0);
  run_->reset();
  record("after-reset");
  advance_to(5.0);
  for (const char* live : {"begun-tuned", "after-reset"}) {
    const std::vector<record::Command> commands = record::read_commands(directory_ / live);
    ASSERT_GE(commands.size(), 1u);
    EXPECT_EQ(commands[0].time, 0.0);
    EXPECT_EQ(commands[0].name, "parameters.k");
    EXPECT_EQ(commands[0].joule, 0.0);
    run_ = fresh(settings);
    prepare_replay(commands, *run_);
    record("again");
    replay(commands, *run_);
    EXPECT_LT(run_->summary()->energy->largest_relative_residual, 1e-6);
    if (live == std::string("after-reset")) {
      EXPECT_EQ(rows_of(live), rows_of("again"));
    }
    std::filesystem::remove_all(directory_ / "again");
  }
  const auto results = record::ResultsReader::open_directory(directory_ / "after-reset");
  const std::vector<double> time = results.time(), x = results.channel("joint/rail/position");
  const double w = std::sqrt(200.0 / 4.0);
  for (std::size_t k = 0; k < time.size(); ++k) {
    EXPECT_NEAR(x[k], 0.1 * std::cos(w * time[k]), 1e-8);
  }
}

TEST_F(Steered, RefusesCommandsOfOthersBeforeItBegins) {
  run_ = fresh({});
  EXPECT_THROW(prepare_replay({{5.0, "operator/pedal/command", 1.0, "1", 0.0}}, *run_), Error);
  EXPECT_THROW(prepare_replay({{5.0, "parameters.mass", 1.0, "kg", 0.0}}, *run_), Error);
  EXPECT_THROW(prepare_replay({{5.0, "parameters.k", 50.0, "N/mm", 0.0}}, *run_), Error);
  EXPECT_NO_THROW(prepare_replay({{5.0, "parameters.k", 50.0, "N/m", 0.0}}, *run_));
  EXPECT_NO_THROW(prepare_replay({{5.0, "", 0.0, "", 0.0}}, *run_));
}

TEST_F(Steered, EndsAnInterruptedRecordWithWhatItHad) {
  run_ = fresh({"simulate.record={every: 50 ms}"});
  record("stopped");
  advance_to(0.72);
  run_->stop();
  EXPECT_EQ(run_->status(), record::RunStatus::kInterrupted);
  const auto results = record::ResultsReader::open_directory(directory_ / "stopped");
  EXPECT_EQ(results.status(), record::RunStatus::kInterrupted);
  EXPECT_EQ(results.row_count(), 16u);  // 0, 50, ..., 700 ms, and one at the event
  EXPECT_EQ(run_->summary()->simulated_seconds, 0.72);
  EXPECT_TRUE(std::filesystem::exists(directory_ / "stopped" / record::kCheckpointFile));
}

TEST_F(Steered, NamesACommandThatTheScenarioDoesNotHave) {
  const auto fault = [&](const record::Command& command) {
    run_ = fresh({});
    try {
      replay({command}, *run_);
    } catch (const Error& error) {
      return error.id();
    }
    return std::string();
  };
  EXPECT_EQ(fault({0.1, "operator/pedal/command", 1.0, "1", 0.0}), "GR-952");
  EXPECT_EQ(fault({0.1, "operator/stick/command", 2.0, "1", 0.0}), "GR-953");
  EXPECT_EQ(fault({0.1, "parameters.mass", 1.0, "kg", 0.0}), "GR-841");
}

}  // namespace
}  // namespace grapple::scenario
