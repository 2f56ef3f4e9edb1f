#include <fmt/format.h>

#include "grapple/base/printable.h"
#include "grapple/record/run.h"

namespace grapple::record {

namespace {

std::string measures_text(const RunSummary& summary) {
  std::string text = "\nmeasures\n";
  for (const MeasureReport& measure : summary.measures) {
    text += measure.result.found
                ? fmt::format("  {:<28} {:>16.9g} {:<8} at {:.6g} s\n", measure.name,
                              measure.result.value, measure.unit, measure.result.time)
                : fmt::format("  {:<28} {:>16}\n", measure.name, "not met");
  }
  return text;
}

// The first and the last few; all of them are in the results.
std::string events_text(const std::vector<EventRecord>& events) {
  constexpr std::size_t kFirst = 20, kLast = 5;
  std::string text;
  for (std::size_t k = 0; k < events.size(); ++k) {
    if (events.size() > kFirst + kLast && k == kFirst) {
      k = events.size() - kLast;
      text += fmt::format("  and {} more events, then\n", events.size() - kFirst - kLast);
    }
    text += fmt::format("  event {:<22} {:>16.12g} s\n", printable(events[k].name), events[k].time);
  }
  return text;
}

std::string steering_text(const Steering& steering) {
  std::string text = fmt::format("\nsteered ({}): signals were set {} times\n",
                                 printable(steering.by), steering.commands);
  for (const Command& command : steering.tuned) {
    text += fmt::format("  {:<28} {:>16.9g} {:<8} at {:.6g} s, work {:.4g} J\n",
                        printable(command.name), command.value, command.unit, command.time,
                        command.joule);
  }
  return text;
}

std::string ledger_text(const EnergyLedger& ledger) {
  std::string text = "\nenergy ledger\n";
  for (const LedgerEntry& entry : ledger.entries) {
    if (entry.joule != 0.0) text += fmt::format("  {:<28} {:>16.9g} J\n", entry.name, entry.joule);
  }
  // The verdict is on the largest one, which a motion that comes back may hide at the end.
  const bool was_larger = ledger.largest_relative_residual > 2.0 * ledger.relative_residual &&
                          ledger.largest_relative_residual > 1e-6;
  text += fmt::format(
      "  {:<28} {:>16.3g} J  (relative {:.1e}{})\n", "residual", ledger.residual_joule,
      ledger.relative_residual,
      was_larger ? fmt::format(", at most {:.1e} during the run", ledger.largest_relative_residual)
                 : "");
  return text;
}

}  // namespace

std::string full_report(const RunSummary& summary) {
  std::string text = fmt::format("{}: {} at {:.9g} s", printable(summary.scenario_name),
                                 status_text(summary.status), summary.simulated_seconds);
  if (!summary.cause.empty()) text += fmt::format(" ({})", printable(summary.cause));
  const Timing& timing = summary.timing;
  text += fmt::format(
      "\n  wall time {:.3g} s, {:.3g} times real time (solver {:.3g} s, recording {:.3g} s)\n",
      timing.wall_seconds, timing.real_time_factor, timing.solver_seconds,
      timing.recording_seconds);
  for (const auto& [name, count] : summary.counts) {
    if (count != 0.0) text += fmt::format("  {:<28} {:>16.6g}\n", name, count);
  }
  text += events_text(summary.events);
  if (!summary.measures.empty()) text += measures_text(summary);
  if (summary.score) text += score_text(*summary.score);
  if (summary.energy) text += ledger_text(*summary.energy);
  if (summary.steering) text += steering_text(*summary.steering);
  if (!summary.redundant.empty()) {
    text += fmt::format("\nredundant conditions\n  {}\n", fmt::join(summary.redundant, "\n  "));
  }
  for (const std::string& warning : summary.warnings) {
    text += "warning: " + printable(warning) + "\n";
  }
  return text;
}

}  // namespace grapple::record
