// What a session tells, turned into rows, events, measures and checkpoints.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "grapple/record/internal/checkpoint.h"
#include "grapple/record/internal/deflection_watch.h"
#include "grapple/record/internal/ledger.h"
#include "grapple/record/internal/step_measures.h"
#include "grapple/record/internal/watchdog.h"
#include "grapple/record/results_file.h"
#include "grapple/record/run.h"
#include "grapple/run/session.h"

namespace grapple::record {

class Recorder final : public run::Sink {
 public:
  /// Opens the results in options.directory, new ones or those to go on with.
  Recorder(const system::System& system, integrate::SystemProblem& problem, const RunPlan& plan,
           const RunOptions& options);
  /// Goes on with what another one has recorded so far, when a system of the same structure takes
  /// the place of the one before.
  Recorder(const system::System& system, integrate::SystemProblem& problem, const RunPlan& plan,
           Recorder&& before);

  void begins(double t, std::span<const double> x) override;
  void path(double from, double to, integrate::Path& path) override;
  void output(double t, std::span<const double> x) override;
  void step_accepted(double t, double step, std::span<const double> x) override;
  void before_switch(double t, std::span<const double> x) override;
  void after_switch(const run::Fired& fired, std::span<const double> x, bool changed) override;
  void stops(const run::Fired& fired) override;
  void step_too_long(int source, double t, double step, double longest) override;
  bool wants_checkpoint(double t) override;
  void checkpoint(const integrate::Checkpoint& solver) override;
  bool wants_standby() override;
  void standby(const integrate::Checkpoint& solver) override;

  /// Writes a checkpoint of the run as it is here.
  void save(const integrate::Checkpoint& solver);
  /// The run can be resumed from the last standby; if there is none yet, it must begin anew.
  void save_standby();
  run::Saved restore(const Checkpoint& file);
  /// At a beat, in the middle of an evaluation.
  void attend();

  double recording_seconds() const { return recording_.count(); }
  const std::string& suspicion() const { return watchdog_.suspicion(); }
  const std::vector<std::string>& misses() const { return misses_; }
  std::vector<std::string> deflections() const { return deflection_.warnings(); }
  const Measures& measures() const { return measures_.measures(); }
  double last_row_time() const { return last_row_time_; }
  EnergyLedger ledger() const { return ledger_.ledger(); }
  ResultsWriter& writer() { return writer_; }

 private:
  Recorder(const system::System& system, integrate::SystemProblem& problem, const RunPlan& plan,
           const RunOptions& options, std::vector<std::size_t> channels, ResultsWriter writer);
  void record(double t, std::span<const double> x);
  Checkpoint checkpoint_of(const integrate::Checkpoint& solver) const;
  void put_memory(Checkpoint& file) const;
  void take_memory(const Checkpoint& file);

  template <class Work>
  void timed(Work&& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    recording_ += std::chrono::steady_clock::now() - start;
  }

  const system::System& system_;
  integrate::SystemProblem& problem_;
  const RunPlan& plan_;
  const RunOptions& options_;
  double next_checkpoint_ = 0.0;
  std::vector<std::size_t> channels_;
  std::vector<double> row_;
  StepMeasures measures_;
  EnergyAccounting ledger_;
  Watchdog watchdog_;
  DeflectionWatch deflection_;
  ResultsWriter writer_;
  std::chrono::duration<double> recording_{0.0};
  std::vector<std::string> misses_;
  std::optional<Checkpoint> standby_;
  double last_row_time_ = 0.0;
  int beats_ = 0;              ///< since rows were last put into their file
  int beats_interrupted_ = 0;  ///< since an interrupt was first seen
};

}  // namespace grapple::record
