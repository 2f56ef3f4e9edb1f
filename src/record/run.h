// One simulation from start to files: integrates a System, records channels, measures and events,
// keeps the energy ledger, writes checkpoints, and leaves readable files whatever happens.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "grapple/record/input_file.h"
#include "grapple/record/measures.h"
#include "grapple/record/summary.h"
#include "grapple/run/plan.h"
#include "grapple/system/system.h"

namespace grapple::record {

/// A run and what is kept of it.
struct RunPlan : run::Plan {
  std::string name;
  std::string scenario_text;           ///< kept with the results; a resumed run must have the same
  std::vector<InputFile> inputs = {};  ///< kept likewise; its data files must be the same too
  std::uint64_t seed = 0;
  std::string scene;  ///< JSON of scene.h, kept with the results
  std::vector<std::string> record_channels = {
      "**"};  ///< globs; measured channels are always recorded
  /// Units by channel in which tables, plots and reports show it; results stay SI.
  std::map<std::string, std::string> shown_units = {};
  std::vector<MeasureSpec> measures;
  std::vector<ScoreTerm> score = {};       ///< each names one of the measures; none: no score
  std::vector<std::string> warnings = {};  ///< known before the run, for its summary
};

struct Progress {
  double t = 0.0, t_end = 0.0, step = 0.0;
};

enum class Start { kFresh, kResume };

struct RunOptions {
  std::filesystem::path directory;
  Start start = Start::kFresh;
  /// Simulated seconds between checkpoints; 0: only when interrupted.
  double checkpoint_every = 0.0;
  /// Ends the run: after the step under way, or inside it if it takes longer than 0.2 s.
  const std::atomic<bool>* interrupt = nullptr;
  std::function<void(const Progress&)> progress;
  /// Called when the solver has ended; what is left is to write files.
  std::function<void()> solved;
  /// Who sets signals and tunes parameters while it runs, for the summary: "live"; empty: nobody.
  /// Commands are then recorded too (commands.h).
  std::string steered_by = {};
};

/// Runs the plan. A solver failure or an interrupt is a status in the summary, not an exception;
/// the files then keep their partial names. Rows are in their file after a second at most. After a
/// fault of the disk the summary, and where possible a checkpoint, is written before it is thrown.
/// Throws Error: GR-506 (channel), GR-5xx (files), GR-520
/// (the checkpoint is of another scenario), GR-521 (a file it reads has changed).
RunSummary run(system::System& system, const RunPlan& plan, const RunOptions& options);

/// The summary as text for people: status, counts, measures, ledger, warnings.
std::string full_report(const RunSummary& summary);

}  // namespace grapple::record
