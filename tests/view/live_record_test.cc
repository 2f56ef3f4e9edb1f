// A live run leaves the record of a run: what was shown, and when, is not in it; what was commanded
// is.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "grapple/record/csv.h"
#include "grapple/record/run_directory.h"
#include "grapple/scenario/recorded_plan.h"
#include "grapple/scenario/replay.h"
#include "grapple/view/internal/live_session.h"

namespace grapple::view {
namespace {

using std::chrono::milliseconds;

constexpr char kShortCart[] = R"(grapple: 1
name: cart
parameters: {k: 100 N/m}
bodies:
  - {name: cart, solid: {box: [1, 1, 1] m, mass: 4 kg}}
joints:
  - {name: rail, type: prismatic, axis: x, parent: world, child: cart, position: 0.1 m, spring: {stiffness: "${k}"}}
tunable:
  - {parameter: k, from: 10 N/m, to: 1000 N/m}
operator:
  - {name: stick, joint: rail, effort: 8 N, keys: [a, d]}
simulate: {duration: 4 s, tolerance: 1e-6, record: {every: 20 ms}}
)";

class LiveRecords : public ::testing::Test {
 protected:
  LiveRecords() {
    std::string name = (std::filesystem::temp_directory_path() / "grapple-view-XXXXXX").string();
    directory_ = mkdtemp(name.data());
    std::ofstream(directory_ / "cart.yaml") << kShortCart;
  }
  ~LiveRecords() override {
    live_.reset();
    std::filesystem::remove_all(directory_);
  }

  void start(std::vector<std::string> settings = {}, Table table = Table::kNone) {
    settings_ = std::move(settings);
    live_ = std::make_unique<LiveSession>(directory_ / "cart.yaml", settings_,
                                          LiveRecord{directory_ / "live", 0.0, table});
  }
  void command(const std::string& json) { live_->command(json); }
  /// Waits until a file is there; false after twenty seconds.
  bool wait_for(const std::filesystem::path& file) const {
    for (int k = 0; k < 4000 && !std::filesystem::exists(file); ++k) {
      std::this_thread::sleep_for(milliseconds(5));
    }
    return std::filesystem::exists(file);
  }
  nlohmann::json summary_in(const std::string& name) const {
    std::ifstream file(directory_ / name / record::kSummaryFile);
    return nlohmann::json::parse(file);
  }
  /// All rows as text: the shortest decimals that read back to the same bits.
  std::string rows_of(const std::string& name) const {
    const std::filesystem::path table = directory_ / (name + ".csv");
    record::export_csv(record::ResultsReader::open_directory(directory_ / name), table);
    std::ifstream file(table);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void replay_as(const std::string& name) {
    scenario::SteeredRun again(directory_ / "cart.yaml", settings_);
    record::RunOptions options;
    options.directory = directory_ / name;
    options.steered_by = "replay";
    again.record(std::move(options));
    scenario::replay(record::read_commands(directory_ / "live"), again);
  }

  std::filesystem::path directory_;
  std::vector<std::string> settings_;
  std::unique_ptr<LiveSession> live_;
};

// Pauses, speeds and watchers at random moments; seed 7.
TEST_F(LiveRecords, AreThoseOfARunWhateverIsShownWhen) {
  start();
  std::mt19937 engine(7);
  command(R"({"command":"speed","value":4})");
  for (int k = 0; k < 30; ++k) {
    command(R"({"command":"start"})");
    std::this_thread::sleep_for(milliseconds(engine() % 20));
    command(engine() % 2 == 0 ? R"({"command":"pause"})" : R"({"command":"speed","value":8})");
    std::this_thread::sleep_for(milliseconds(engine() % 5));
    command(R"({"command":"speed","value":5})");
  }
  command(R"({"command":"speed","value":null})");
  command(R"({"command":"start"})");
  ASSERT_TRUE(wait_for(directory_ / "live" / record::kResultsFile));
  live_->end();
  const scenario::CheckedScenario checked = scenario::load_scenario(directory_ / "cart.yaml", {});
  scenario::Simulation simulation = scenario::build(checked);
  scenario::complete_for_record(checked, simulation);
  record::RunOptions options;
  options.directory = directory_ / "alone";
  record::run(*simulation.system, simulation.plan, options);
  EXPECT_EQ(rows_of("live"), rows_of("alone"));
  EXPECT_EQ(summary_in("live")["status"], "completed");
  EXPECT_EQ(summary_in("live")["steering"]["by"], "live");
  EXPECT_EQ(summary_in("live")["steering"]["commands"], 0);
}

TEST_F(LiveRecords, AreRepeatedToTheBitByTheirCommands) {
  for (const char* integrator : {"adaptive", "rk4"}) {
    start({std::string("simulate.integrator=") + integrator});
    command(R"({"command":"start"})");
    ASSERT_TRUE(wait_for(directory_ / "live" / record::kCommandsFile));
    for (const char* value : {"0.5", "-1", "0.25", "-0.75"}) {  // each when the one before acts
      const std::size_t before = record::read_commands(directory_ / "live").size();
      command(std::string(R"({"command":"operate","name":"stick","value":)") + value + "}");
      for (int k = 0; k < 100; ++k) {
        if (record::read_commands(directory_ / "live").size() > before) break;
        std::this_thread::sleep_for(milliseconds(5));
      }
    }
    command(R"({"command":"tune","name":"k","value":250})");
    command(R"({"command":"speed","value":null})");
    ASSERT_TRUE(wait_for(directory_ / "live" / record::kResultsFile));
    live_->end();
    replay_as("again");
    EXPECT_EQ(rows_of("live"), rows_of("again")) << integrator;
    const nlohmann::json steering = summary_in("live")["steering"];
    EXPECT_GE(steering["commands"], 4) << integrator;
    ASSERT_EQ(steering["tuned"].size(), 1u);
    EXPECT_EQ(steering["tuned"][0]["name"], "parameters.k");
    EXPECT_EQ(steering["tuned"][0]["value"], 250);
    EXPECT_LT(summary_in("live")["energy"]["largest_relative_residual"], 1e-3);
    for (const char* name : {"live", "again"}) std::filesystem::remove_all(directory_ / name);
  }
}

TEST_F(LiveRecords, GoToADirectoryOfTheirOwnAfterEachReset) {
  std::filesystem::create_directory(directory_ / "live");
  std::ofstream(directory_ / "live" / record::kResultsFile) << "mine";
  start({}, Table::kCsv);
  command(R"({"command":"reset"})");  // before the start: nothing to record
  command(R"({"command":"start"})");
  ASSERT_TRUE(wait_for(directory_ / "live-2" / record::kPartialResultsFile));
  std::this_thread::sleep_for(milliseconds(100));
  command(R"({"command":"reset"})");
  ASSERT_TRUE(wait_for(directory_ / "live-2" / record::kPartialCsvFile));
  command(R"({"command":"start"})");
  ASSERT_TRUE(wait_for(directory_ / "live-3" / record::kPartialResultsFile));
  live_->end();
  EXPECT_FALSE(std::filesystem::exists(directory_ / "live-4"));
  for (const char* name : {"live-2", "live-3"}) {
    EXPECT_EQ(summary_in(name)["status"], "interrupted") << name;
    EXPECT_GT(record::ResultsReader::open_directory(directory_ / name).row_count(), 0u) << name;
  }
  std::ifstream old(directory_ / "live" / record::kResultsFile);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(old), {}), "mine");
}

TEST_F(LiveRecords, AreNotMadeUnlessAsked) {
  live_ = std::make_unique<LiveSession>(directory_ / "cart.yaml", std::vector<std::string>{});
  command(R"({"command":"speed","value":null})");
  command(R"({"command":"start"})");
  std::this_thread::sleep_for(milliseconds(100));
  live_->end();
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory_), {}), 1);
}

}  // namespace
}  // namespace grapple::view
