// A scenario that runs while somebody watches and changes it: signals are set, parameters marked
// `tunable` get other values. It may be recorded, as `grapple run` does. One thread at a time, but
// for interrupt().
#pragma once

#include <atomic>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "grapple/record/recording.h"
#include "grapple/record/watch/measure_sink.h"
#include "grapple/run/session.h"
#include "grapple/scenario/build/build.h"
#include "grapple/scenario/scenario.h"

namespace grapple::scenario {

/// What follows after a step.
enum class Verdict {
  kGoOn,
  kHold,  ///< advance() returns
};

/// Of the scenario since it was read last, beyond the parameters that were tuned.
enum class FileChange { kNone, kChanged };

/// Who watches a run. Steps do not depend on it, unless it ends one.
class Pace {
 public:
  virtual ~Pace() = default;
  virtual Verdict after_step() = 0;
  /// A step of variable size has led to `to`; row() shows any moment of it. A time between `from`
  /// and `to` ends the step there, or a little before, so that something can be set or tuned.
  virtual double hold(double /*from*/, double to) { return to; }
};

class SteeredRun {
 public:
  /// Throws what loading and building a scenario throws.
  SteeredRun(std::filesystem::path file, std::vector<std::string> settings);
  ~SteeredRun();

  /// Records this run from its start; before the first step. What is tuned already is noted as
  /// commands at 0 s without work. Throws as record::run.
  void record(record::RunOptions options);
  bool is_recording() const { return recording_ != nullptr; }
  /// Of the record when it is complete; none: the run was not recorded, or goes on.
  const std::optional<record::RunSummary>& summary() const { return summary_; }

  /// Back to the start, with the parameters as they are now and the file as it is now. Throws what
  /// loading and building throws, and GR-843 (another model: coordinates, channels, tunables or
  /// operators); then nothing changed. A record of the run so far ends as interrupted.
  FileChange reset();
  /// Gives a parameter another value (SI) from here on. Positions, rates and modes stay; the energy
  /// that appears or vanishes is external work. A run that has not begun begins with that value.
  /// Throws GR-841 (no such tunable, or outside its
  /// range), GR-842 (the model would have other coordinates or channels); then nothing changed.
  void tune(const std::string& parameter, double value);
  /// Command of an operator: -1 ... 1, or the number of a choice, cut to that. Throws GR-841.
  void operate(const std::string& name, double command);
  /// Any signal. Throws GR-952, GR-953.
  void set(std::string_view signal, double value);

  /// Steps to the end of the scenario, or until `pace` says kHold. Throws what a fault of the model
  /// or of the disk throws; the run has then failed.
  void advance(Pace& pace);

  /// Ends the run where it is, as interrupted, and its record. Does nothing to one that has ended.
  void stop();
  void fail(const std::exception& fault);
  /// From any thread: ends the run as soon as possible, if it is recorded also inside a long step.
  void interrupt() { interrupt_ = true; }

  /// Wall time that somebody watching lets pass (record::Recording); both may be called always.
  void note_rest(double seconds);
  void attend();

  double time() const { return session_->time(); }
  double duration() const { return plan().duration; }
  bool ended() const { return ended_; }
  record::RunStatus status() const { return status_; }  ///< when it ended
  const std::string& cause() const { return cause_; }
  /// The first of them, as the summary of a record names them.
  std::vector<record::EventRecord> events() const;
  const std::vector<Tunable>& tunables() const { return loaded_->simulation.tunables; }
  const std::vector<OperatorControl>& operators() const { return loaded_->simulation.operators; }
  const std::vector<Instrument>& instruments() const { return loaded_->simulation.instruments; }
  /// So far; nothing if the scenario gives no points.
  std::optional<record::Score> score() const;
  const system::System& system() const { return *loaded_->simulation.system; }
  const record::RunPlan& plan() const { return loaded_->simulation.plan; }
  const CheckedScenario& scenario() const { return loaded_->checked; }

  /// All channels at this moment, in the system's order.
  std::vector<double> row();
  /// At a moment of the step that Pace::hold() is told of; between steps as above.
  std::vector<double> row(double t);

 private:
  class Pacer;
  struct Loaded {
    CheckedScenario checked;
    Simulation simulation;
  };
  std::unique_ptr<Loaded> load(const std::vector<std::string>& tuned) const;
  std::unique_ptr<run::Session> session_of(Loaded& loaded, double t);
  void begin();
  void start();
  void finish();
  void set(int signal, double value);
  void note(const record::Command& command);
  void note_unused_cut();
  std::span<const double> state() const;
  double work() const;
  bool has_same_structure(const Simulation& next) const;

  std::filesystem::path file_;
  std::vector<std::string> settings_;
  std::vector<std::string> tuned_;  ///< settings of tune(), one per parameter
  std::unique_ptr<Loaded> loaded_;
  std::unique_ptr<Pacer> pacer_;
  std::unique_ptr<run::Session> session_;
  std::unique_ptr<record::Recording> recording_;
  std::unique_ptr<record::MeasureSink> measured_;  ///< of a run with a score that is not recorded
  std::optional<record::RunSummary> summary_;
  std::vector<double>
      x_start_;  ///< of a session that has not started: implicit methods take a while
  std::atomic<bool> interrupt_{false};
  bool cut_ = false;  ///< the last step was ended for a command, of which nothing is noted yet
  bool ended_ = false;
  record::RunStatus status_ = record::RunStatus::kRunning;
  std::string cause_;
  std::vector<run::Fired> earlier_events_;  ///< of the sessions before a tuned parameter
};

}  // namespace grapple::scenario
