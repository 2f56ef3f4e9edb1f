// The record of a session: its rows, events, measures, energy ledger and checkpoints in one
// directory, readable whatever happens. `grapple run` and live runs record alike.
//
//   run::Session session(system, plan);
//   record::Recording recording(session, plan, options);
//   recording.start();
//   session.advance_to(plan.duration);
//   record::RunSummary summary = recording.finish();
#pragma once

#include <memory>
#include <string>

#include "grapple/record/commands.h"
#include "grapple/record/run.h"
#include "grapple/run/session.h"

namespace grapple::record {

class Recording {
 public:
  /// Opens the files and becomes the sink of the session, which has not started. Session and plan
  /// must outlive it, or what takes their place. Throws as record::run.
  Recording(run::Session& session, const RunPlan& plan, RunOptions options);
  /// An unfinished file is closed as failed.
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  /// Starts the session: at its beginning, or from the checkpoint if it is resumed.
  void start();

  /// A signal was set just now.
  void note(const Command& command);
  /// A parameter was changed: a system of the same structure, in a session that has not started,
  /// takes the place of the one before, which may then go. The change becomes an event, with a row
  /// before it; the next session's first row is the one after.
  void go_on_with(run::Session& next, const RunPlan& plan, const Command& change);
  /// Wall time that somebody watching let pass; it is not the solver's.
  void note_rest(double seconds);
  /// Puts rows into their file, if they have waited long. From where nothing is evaluated for a
  /// while. Throws integrate::Interrupted.
  void attend();

  /// The session has ended. Throws Error GR-5xx if the files cannot be completed; what there is
  /// stays.
  RunSummary finish();
  /// The session was ended by a fault of the model or of the outside world (a full disk): the rows
  /// that are in the file, a checkpoint and a summary that says what happened, as far as the fault
  /// lets them be written.
  RunSummary fail(const std::exception& fault);

  const std::filesystem::path& directory() const;
  /// What was measured so far.
  std::vector<MeasureReport> measures() const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace grapple::record
