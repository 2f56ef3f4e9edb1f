// A scenario that runs while somebody watches and changes it: parameters marked `tunable`, joints
// marked `operator`. One thread at a time.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "grapple/record/results_file.h"
#include "grapple/run/session.h"
#include "grapple/scenario/build/build.h"
#include "grapple/scenario/scenario.h"

namespace grapple::view {

/// What follows after a step.
enum class Verdict {
  kGoOn,
  kHold,  ///< advance() returns
};

/// Of the scenario since it was read last, beyond the parameters that were tuned.
enum class FileChange { kNone, kChanged };

class LiveRun {
 public:
  /// Throws what loading and building a scenario throws.
  LiveRun(std::filesystem::path file, std::vector<std::string> settings);
  ~LiveRun();

  /// Back to the start, with the parameters as they are now and the file as it is now. Throws what
  /// loading and building throws, and GR-843 (another model: coordinates, channels, tunables or
  /// operators); then nothing changed.
  FileChange reset();
  /// Gives a parameter another value (SI) from here on. Positions, rates and modes stay; the energy
  /// that appears or vanishes is external work. Throws GR-841 (no such tunable, or outside its
  /// range), GR-842 (the model would have other coordinates or channels); then nothing changed.
  void tune(const std::string& parameter, double value);
  /// Command of an operator, -1 ... 1, cut to that. Throws GR-841.
  void operate(const std::string& name, double command);

  /// Steps to the end of the scenario, or until `after_step` says kHold. No step is longer than
  /// max_step; fixed-step integrators keep theirs.
  void advance(double max_step, const std::function<Verdict()>& after_step);

  /// Ends the run where it is.
  void fail(const std::string& cause);

  double time() const { return session_->time(); }
  double duration() const { return simulation_.plan.duration; }
  bool ended() const { return ended_; }
  record::RunStatus status() const { return status_; }  ///< when it ended
  const std::string& cause() const { return cause_; }
  const std::vector<record::EventRecord>& events() const { return events_; }
  /// To save, and to go on from what was saved.
  run::Session& session() {
    start();
    return *session_;
  }
  const std::vector<scenario::Tunable>& tunables() const { return simulation_.tunables; }
  const std::vector<scenario::OperatorControl>& operators() const { return simulation_.operators; }
  const system::System& system() const { return *simulation_.system; }
  const record::RunPlan& plan() const { return simulation_.plan; }
  const scenario::CheckedScenario& scenario() const { return checked_; }

  /// All channels at this moment, in the system's order.
  std::vector<double> row();

 private:
  class Watcher;
  struct Loaded {
    scenario::CheckedScenario checked;
    scenario::Simulation simulation;
  };
  Loaded load(const std::vector<std::string>& tuned) const;
  void take(Loaded loaded);
  void begin(double t, std::span<const double> x);
  void start();
  std::span<const double> state() const;
  double stored_energy(std::span<const double> x);
  bool has_same_structure(const scenario::Simulation& next) const;

  std::filesystem::path file_;
  std::vector<std::string> settings_;
  std::vector<std::string> tuned_;  ///< settings of tune(), one per parameter
  scenario::CheckedScenario checked_;
  scenario::Simulation simulation_;
  std::unique_ptr<Watcher> watcher_;
  std::unique_ptr<run::Session> session_;
  std::vector<double>
      x_start_;  ///< of a session that has not started: implicit methods take a while
  bool ended_ = false;
  record::RunStatus status_ = record::RunStatus::kRunning;
  std::string cause_;
  std::vector<record::EventRecord> events_;
};

}  // namespace grapple::view
