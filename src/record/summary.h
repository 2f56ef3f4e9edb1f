// summary.json: how a run ended, what it cost, the energy ledger, measures and events. Everything
// except the object `timing` is the same for two runs of one scenario.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "grapple/record/commands.h"
#include "grapple/record/measures.h"
#include "grapple/record/results_file.h"
#include "grapple/record/run_status.h"
#include "grapple/record/score/score.h"

namespace grapple::record {

struct LedgerEntry {
  std::string name;  ///< "kinetic", "friction", ...
  double joule = 0.0;
};

struct EnergyLedger {
  std::vector<LedgerEntry> entries;
  double residual_joule = 0.0;             ///< at the end
  double moved_joule = 0.0;                ///< the energy that was moved (ledger.h)
  double relative_residual = 0.0;          ///< residual over the energy that was moved
  double largest_relative_residual = 0.0;  ///< of the residuals during the run
  /// Where most of the largest residual came from.
  struct Origin {
    double from = 0.0, to = 0.0;  ///< s
    std::string account;          ///< that changed most meanwhile
    std::string contact;          ///< that pressed hardest where the residual jumped; may be empty
  } origin = {};
};

struct Timing {
  double wall_seconds = 0.0;
  double solver_seconds = 0.0;     ///< of it, in steps and events
  double recording_seconds = 0.0;  ///< of it, in evaluating and writing rows and measures
  double real_time_factor = 0.0;   ///< simulated over wall time
};

/// Of a run into which commands came from outside.
struct Steering {
  std::string by;                   ///< "live", "replay of out/arm"
  std::int64_t commands = 0;        ///< settings of signals; all are in commands.csv
  std::vector<Command> tuned = {};  ///< changes of parameters
};

struct RunSummary {
  RunStatus status = RunStatus::kFailed;
  std::string cause;
  std::string scenario_name;
  std::string version;
  double simulated_seconds = 0.0;
  std::vector<std::pair<std::string, double>> counts;  ///< "steps", "rejected", ... in this order
  std::optional<EnergyLedger> energy;
  std::vector<MeasureReport> measures;
  std::optional<Score> score;  ///< none: the scenario gives no points
  std::vector<EventRecord> events;
  std::vector<std::string> warnings;
  std::vector<std::string> redundant;  ///< conditions that follow from others, in words
  std::optional<Steering> steering;    ///< none: it ran by itself
  Timing timing;
};

/// Pretty JSON, keys in a fixed order, numbers as the shortest decimals that read back. A number
/// that is not finite becomes null and a warning that names its place; a measure that was not found
/// has null for value and time. Invalid UTF-8 is replaced.
std::string summary_json(const RunSummary& summary);

/// Writes DIR/summary.json atomically. Throws GR-511.
void write_summary(const std::filesystem::path& directory, const RunSummary& summary);

}  // namespace grapple::record
