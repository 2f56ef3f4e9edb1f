#include "grapple/record/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "grapple/record/atomic_file.h"
#include "grapple/record/run_directory.h"

namespace grapple::record {

namespace {

// Objects are made as such: one that [] makes of nothing crashes in nlohmann-json 3.11.2 where
// there is no memory for it.
using Json = nlohmann::ordered_json;

/// Builds the document and remembers which numbers JSON cannot hold.
class SummaryText {
 public:
  Json number(double value, const std::string& place) {
    // Counters read better without ".0"; 2^53 is the last integer every reader keeps exact.
    if (std::abs(value) <= 9007199254740992.0 && value == std::trunc(value) &&
        !(value == 0.0 && std::signbit(value))) {
      return static_cast<std::int64_t>(value);
    }
    if (std::isfinite(value)) return value;
    warnings_.push_back(fmt::format("{} is not finite ({})", place,
                                    std::isnan(value) ? "nan"
                                    : value > 0.0     ? "inf"
                                                      : "-inf"));
    return nullptr;
  }

  Json counts(const RunSummary& summary) {
    Json object = Json::object();
    for (const auto& [name, value] : summary.counts) object[name] = number(value, name);
    return object;
  }

  Json energy(const EnergyLedger& ledger) {
    Json object = Json::object();
    object["ledger"] = Json::array();
    for (const LedgerEntry& entry : ledger.entries) {
      Json line = Json::object();
      line["name"] = entry.name;
      line["joule"] = number(entry.joule, fmt::format("energy '{}'", entry.name));
      object["ledger"].push_back(std::move(line));
    }
    object["residual_joule"] = number(ledger.residual_joule, "energy residual");
    object["moved_joule"] = number(ledger.moved_joule, "energy moved");
    object["relative_residual"] = number(ledger.relative_residual, "relative energy residual");
    object["largest_relative_residual"] =
        number(ledger.largest_relative_residual, "largest relative energy residual");
    return object;
  }

  Json measure(const MeasureReport& report) {
    const std::string place = fmt::format("measure '{}'", report.name);
    Json object = Json::object();
    object["name"] = report.name;
    object["channel"] = report.channel;
    object["unit"] = report.unit;
    object["found"] = report.result.found;
    object["value"] = report.result.found ? number(report.result.value, place) : Json();
    object["time"] = report.result.found ? number(report.result.time, "time of " + place) : Json();
    return object;
  }

  Json event(const EventRecord& record) {
    Json object = Json::object();
    object["time"] = number(record.time, fmt::format("time of event '{}'", record.name));
    object["name"] = record.name;
    object["direction"] = record.direction;
    return object;
  }

  Json score(const Score& score) {
    Json object = Json::object();
    object["points"] = number(score.points, "score");
    object["of"] = number(score.most, "best score");
    object["limit_broken"] = score.broken();
    object["terms"] = Json::array();
    for (const TermScore& one : score.terms) {
      const std::string place = fmt::format("score '{}'", one.term.name);
      Json line = Json::object();
      line["name"] = one.term.name;
      line["measure"] = one.term.measure;
      line["unit"] = one.unit;
      line["value"] = one.result.found ? number(one.result.value, place) : Json();
      line["full"] = number(one.term.full, place);
      line["none"] = number(one.term.none, place);
      line["limit"] = one.term.limit ? number(*one.term.limit, place) : Json();
      line["weight"] = number(one.term.weight, place);
      line["points"] = number(one.points, place);
      line["beyond_limit"] = one.broken;
      object["terms"].push_back(std::move(line));
    }
    return object;
  }

  Json steering(const Steering& steering) {
    Json object = Json::object();
    object["by"] = steering.by;
    object["commands"] = steering.commands;
    object["tuned"] = Json::array();
    for (const Command& command : steering.tuned) {
      Json line = Json::object();
      line["time"] = number(command.time, "time of a command");
      line["name"] = command.name;
      line["value"] = number(command.value, "value of a command");
      line["unit"] = command.unit;
      line["joule"] = number(command.joule, "work of a command");
      object["tuned"].push_back(std::move(line));
    }
    return object;
  }

  Json timing(const Timing& timing) {
    Json object = Json::object();
    object["wall_seconds"] = finite_or_null(timing.wall_seconds);
    object["solver_seconds"] = finite_or_null(timing.solver_seconds);
    object["recording_seconds"] = finite_or_null(timing.recording_seconds);
    object["real_time_factor"] = finite_or_null(timing.real_time_factor);
    return object;
  }

  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  /// Timing may differ between runs, so it must not reach the warnings, which may not.
  static Json finite_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(); }

  std::vector<std::string> warnings_;
};

}  // namespace

std::string summary_json(const RunSummary& summary) {
  SummaryText writer;
  Json document = Json::object();
  document["status"] = status_text(summary.status);
  document["cause"] = summary.cause;
  document["scenario"] = summary.scenario_name;
  document["version"] = summary.version;
  document["simulated_seconds"] = writer.number(summary.simulated_seconds, "simulated time");
  document["counts"] = writer.counts(summary);
  document["energy"] = summary.energy ? writer.energy(*summary.energy) : Json();
  document["measures"] = Json::array();
  for (const MeasureReport& measure : summary.measures) {
    document["measures"].push_back(writer.measure(measure));
  }
  if (summary.score) document["score"] = writer.score(*summary.score);
  document["events"] = Json::array();
  // A run that chatters for an hour has millions; all are in the results.
  constexpr std::size_t kMostEvents = 1000;
  for (std::size_t k = 0; k < std::min(kMostEvents, summary.events.size()); ++k) {
    document["events"].push_back(writer.event(summary.events[k]));
  }
  if (summary.events.size() > kMostEvents) {
    document["events_left_out"] = summary.events.size() - kMostEvents;
  }
  document["warnings"] = summary.warnings;
  for (const std::string& warning : writer.warnings()) document["warnings"].push_back(warning);
  if (!summary.redundant.empty()) document["redundant_conditions"] = summary.redundant;
  if (summary.steering) document["steering"] = writer.steering(*summary.steering);
  document["timing"] = writer.timing(summary.timing);
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

void write_summary(const std::filesystem::path& directory, const RunSummary& summary) {
  write_file_atomically(directory / kSummaryFile, summary_json(summary));
}

}  // namespace grapple::record
