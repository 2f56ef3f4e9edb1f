#include "stress.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "grapple/base/error.h"
#include "grapple/scenario/build/build.h"

namespace grapple::stress {
namespace {

// A directory of its own for each process: tests run side by side.
std::filesystem::path scratch_directory() {
  return std::filesystem::temp_directory_path() / ("grapple-stress-" + std::to_string(getpid()));
}

std::string last_scenario;  // that ran

// Keeps what went wrong, so that it can be run again by itself.
std::string kept_scenario() {
  static int count = 0;
  const auto directory = std::filesystem::temp_directory_path() / "grapple-stress-failures";
  std::filesystem::create_directories(directory);
  const auto file = directory / fmt::format("{}-{}.yaml", getpid(), ++count);
  std::ofstream(file) << last_scenario;
  return file.string();
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += (text.empty() ? "" : "; ") + line;
  return text;
}

Ending ending_of(const record::RunSummary& summary) {
  Ending ending;
  ending.status = summary.status;
  ending.warnings = summary.warnings;
  const bool completed = summary.status == record::RunStatus::kCompleted ||
                         summary.status == record::RunStatus::kStoppedByEvent;
  ending.claims_to_be_right = completed && summary.warnings.empty();
  if (!completed) ending.reason = summary.cause;
  if (completed) ending.reason = joined(summary.warnings);
  if (summary.energy) ending.relative_residual = summary.energy->relative_residual;
  for (const record::MeasureReport& measure : summary.measures) {
    if (measure.result.found) ending.measures[measure.name] = measure.result.value;
  }
  for (const auto& [name, value] : summary.counts) {
    if (name == "steps") ending.steps = value;
  }
  return ending;
}

}  // namespace

int cases(int gist, int full) {
  const char* wish = std::getenv("GRAPPLE_STRESS");
  return wish != nullptr && std::string_view(wish) == "full" ? full : gist;
}

Ending run_scenario(const std::string& yaml, const std::vector<std::string>& settings) {
  const std::filesystem::path directory = scratch_directory();
  std::filesystem::remove_all(directory);
  last_scenario = yaml;
  Ending ending;
  try {
    scenario::Simulation simulation =
        scenario::build(scenario::load_scenario_text(yaml, "stress.yaml", settings));
    record::RunOptions options;
    options.directory = directory;
    ending = ending_of(record::run(*simulation.system, simulation.plan, options));
  } catch (const Error& error) {
    ending.reason = error.what();
  }
  std::filesystem::remove_all(directory);
  return ending;
}

void Tally::refused(const std::string& reason) {
  ++refused_;
  ++reasons_[reason.substr(0, 100)];
}

void Tally::wrong(const std::string& what) {
  ++wrong_;
  ADD_FAILURE() << family_ << ": " << what << "; the scenario run last: " << kept_scenario();
}

Tally::~Tally() {
  std::printf("[ stress   ] %s: %d cases, %d right, %d honest refusals, %d silent failures\n",
              family_.c_str(), count(), right_, refused_, wrong_);
  for (const auto& [reason, times] : reasons_) {
    std::printf("[ stress   ]   %d x %s\n", times, reason.c_str());
  }
  // A family that is mostly refused tests nothing.
  EXPECT_GT(2 * right_, count()) << family_;
}

}  // namespace grapple::stress
