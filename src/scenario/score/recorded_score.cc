#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "grapple/base/nearest_name.h"
#include "grapple/base/whole_file.h"
#include "grapple/record/results_file.h"
#include "grapple/record/run_directory.h"
#include "grapple/scenario/scenario.h"
#include "grapple/scenario/score/read_score.h"

namespace grapple::scenario {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

[[noreturn]] void refuse_summary(const fs::path& file, const std::string& why) {
  throw Error("GR-945", file.string(),
              fmt::format("{}; a run is scored by the measures in its summary, so run it, or "
                          "`grapple run --replay` it, again",
                          why));
}

record::MeasureReport measure_in(const Json& entry, const fs::path& file) {
  const auto text = [&](const char* key) {
    const auto it = entry.find(key);
    if (it == entry.end() || !it->is_string()) refuse_summary(file, "a measure in it is damaged");
    return it->get<std::string>();
  };
  record::MeasureReport report{text("name"), text("channel"), text("unit"), {}};
  const auto number = [&](const char* key) -> std::optional<double> {
    const auto it = entry.find(key);
    if (it == entry.end() || !it->is_number()) return std::nullopt;
    return it->get<double>();
  };
  const std::optional<double> value = number("value"), time = number("time");
  if (value && time) report.result = {*value, *time, true};
  return report;
}

std::vector<record::MeasureReport> measures_in(const fs::path& file) {
  constexpr std::size_t kMostBytes = std::size_t{1} << 26;
  const WholeFile text = read_whole_file(file, kMostBytes);
  if (text.state != FileState::kRead) refuse_summary(file, "there is no such file to read");
  const Json summary = Json::parse(text.bytes, nullptr, false);
  if (!summary.is_object() || !summary.contains("measures") || !summary["measures"].is_array()) {
    refuse_summary(file, "it is no summary of a run");
  }
  std::vector<record::MeasureReport> measures;
  for (const Json& entry : summary["measures"]) measures.push_back(measure_in(entry, file));
  return measures;
}

// GR-947 for terms whose measures the run does not have: with the rules of another file.
void check_measured(const Reader& scenario, const std::map<std::string, std::string>& units,
                    const std::string& directory, Diagnostics& faults) {
  std::vector<std::string> names;
  for (const auto& [name, unit] : units) names.push_back(name);
  for (const Reader& term : scenario.objects("score")) {
    const std::string measure = term.text("measure");
    if (units.contains(measure)) continue;
    faults.add("GR-947", term.where("measure"),
               fmt::format("the run in '{}' has no measure '{}'{}", directory, measure,
                           suggestion(measure, names)));
  }
}

}  // namespace

RecordedScore recorded_score(const std::string& directory, const std::string& rules) {
  const record::ResultsReader results = record::ResultsReader::open_directory(directory);
  RecordedScore found;
  found.measures = measures_in(fs::path(directory) / record::kSummaryFile);
  std::map<std::string, std::string> units;
  for (const record::MeasureReport& measure : found.measures) units[measure.name] = measure.unit;
  const CheckedScenario scenario =
      rules.empty() ? load_scenario_text(results.info().scenario,
                                         fmt::format("{} (its scenario)", directory), {})
                    : load_scenario(rules, {});
  Diagnostics faults;
  check_measured(scenario.reader(), units, directory, faults);
  found.terms = read_score(scenario.reader(), units, faults);
  faults.throw_if_any();
  if (found.terms.empty()) {
    throw Error("GR-946", rules.empty() ? directory : rules,
                "the scenario has no section 'score'; `--by FILE` takes the rules of another one");
  }
  return found;
}

}  // namespace grapple::scenario
