#include "grapple/record/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <set>
#include <sstream>

#include "grapple/base/error.h"
#include "grapple/base/saved_numbers.h"
#include "grapple/base/version.h"
#include "grapple/record/internal/checkpoint.h"
#include "grapple/record/internal/checkpoint_modes.h"
#include "grapple/record/internal/deflection_watch.h"
#include "grapple/record/internal/ledger.h"
#include "grapple/record/internal/run_ending.h"
#include "grapple/record/internal/same_run.h"
#include "grapple/record/internal/space_reserve.h"
#include "grapple/record/internal/step_measures.h"
#include "grapple/record/internal/ticker.h"
#include "grapple/record/internal/watchdog.h"
#include "grapple/record/results_file.h"
#include "grapple/record/run_directory.h"
#include "grapple/run/session.h"

namespace grapple::record {

namespace {

using system::System;

std::vector<ChannelInfo> all_channels(const System& system) {
  std::vector<ChannelInfo> infos;
  for (const system::Channel& channel : system.channels()) {
    infos.push_back({channel.name, channel.unit, ""});
  }
  return infos;
}

// Recorded channels: those the plan selects and those it measures, in the system's order.
std::vector<std::size_t> recorded_channels(const RunPlan& plan,
                                           const std::vector<ChannelInfo>& all) {
  std::vector<std::size_t> selected = select_channels(all, plan.record_channels);
  std::set<std::size_t> chosen(selected.begin(), selected.end());
  for (const MeasureSpec& measure : plan.measures)
    chosen.insert(find_channel(all, measure.channel));
  return {chosen.begin(), chosen.end()};
}

// A run of few rows and thousands of channels would otherwise write mostly empty chunks.
std::size_t chunk_rows(const RunPlan& plan) {
  constexpr double kGrain = 16.0;
  const double most = static_cast<double>(ResultsOptions{}.chunk_rows);
  if (!(plan.record_every > 0.0)) return ResultsOptions{}.chunk_rows;
  const double rows = plan.duration / plan.record_every + 2.0;
  return static_cast<std::size_t>(std::min(most, kGrain * std::ceil(rows / kGrain)));
}

constexpr std::chrono::milliseconds kBeat(200);
constexpr int kBeatsToStandby = 3;  ///< and to the next flush of the rows, between two steps
constexpr int kBeatsToFlush = 4;    ///< inside a step: rows wait less than a second
constexpr int kBeatsToGiveUp = 1;   ///< that a step may still take after an interrupt
constexpr std::size_t kReserveBytes = std::size_t{1} << 17;  ///< a summary and a state

/// The problem feels the pulse as long as this lives.
class Felt {
 public:
  Felt(integrate::SystemProblem& problem, integrate::Pulse& pulse) : problem_(problem) {
    problem_.set_pulse(&pulse);
  }
  ~Felt() { problem_.set_pulse(nullptr); }
  Felt(const Felt&) = delete;
  Felt& operator=(const Felt&) = delete;

 private:
  integrate::SystemProblem& problem_;
};

// What a session tells, turned into rows, events, measures and checkpoints.
class Recorder final : public run::Sink {
 public:
  Recorder(System& system, integrate::SystemProblem& problem, const RunPlan& plan,
           const RunOptions& options)
      : system_(system),
        problem_(problem),
        plan_(plan),
        options_(options),
        channels_(select(plan, system)),
        infos_(infos_of(system, channels_)),
        row_(channels_.size()),
        measures_(system, problem, plan.measures, channels_, infos_, plan.record_every),
        ledger_(system, plan.duration),
        watchdog_(system, integrate::has_fixed_step(plan.integrator)
                              ? 0.0
                              : plan.integrator.relative_tolerance),
        deflection_(system.model()),
        writer_(open_writer()) {}

  const std::vector<ChannelInfo>& infos() const { return infos_; }

  void begins(double t, std::span<const double> x) override {
    timed([&] { measures_.begin(t, x); });
  }
  void path(double from, double to, integrate::Path& path) override {
    timed([&] { measures_.follow(from, to, path); });
  }
  void output(double t, std::span<const double> x) override {
    timed([&] { record(t, x); });
  }

  void record(double t, std::span<const double> x) {
    const system::Snapshot<double>& snapshot = problem_.evaluate(t, x);
    for (std::size_t k = 0; k < channels_.size(); ++k) {
      row_[k] = system::channel_value(system_, system_.channels()[channels_[k]], snapshot);
    }
    writer_.append_row(t, row_);
    last_row_time_ = t;
    measures_.measures().row(t, row_);
    ledger_.add(snapshot);
    watchdog_.observe(snapshot);
    deflection_.step(x);
    deflection_.observe(snapshot);
  }

  void step_accepted(double t, double step, std::span<const double> x) override {
    watchdog_.step(t, x, problem_);
    deflection_.step(x);
    if (ledger_.is_due()) timed([&] { ledger_.add(problem_.evaluate(t, x)); });
    if (options_.progress) options_.progress({t, plan_.duration, step});
  }

  // Records the state, and again what a jump made of it.
  void before_switch(double t, std::span<const double> x) override { output(t, x); }
  void after_switch(const run::Fired& fired, std::span<const double> x, bool changed) override {
    const bool missed = !fired.miss.empty();
    writer_.append_event(fired.time, missed ? fired.name + " (missed)" : fired.name,
                         fired.direction);
    watchdog_.forget();
    if (missed) misses_.push_back(fired.miss);
    if (changed) output(fired.time, x);
  }
  void stops(const run::Fired& fired) override {  // the driver reports the last state itself
    writer_.append_event(fired.time, fired.name, fired.direction);
  }

  void step_too_long(int source, double t, double step, double longest) override {
    watchdog_.step_too_long(source, t, step, longest);
  }

  bool wants_checkpoint(double t) override {
    return options_.checkpoint_every > 0.0 && t >= next_checkpoint_;
  }

  void checkpoint(const integrate::Checkpoint& solver) override {
    const double every = options_.checkpoint_every;
    next_checkpoint_ = every * (std::floor(solver.t / every) + 1.0);
    if (next_checkpoint_ <= solver.t) next_checkpoint_ += every;
    save(solver);
  }

  void save(const integrate::Checkpoint& solver) {
    standby(solver);
    save_standby();
  }

  bool wants_standby() override { return !standby_ || beats_ >= kBeatsToStandby; }

  // The rows it counts are in their file, so that it can be resumed from whatever comes.
  void standby(const integrate::Checkpoint& solver) override {
    timed([&] { writer_.flush(); });
    beats_ = 0;
    standby_ = checkpoint_of(solver);
  }

  /// The run can be resumed from the last standby; if there is none yet, it must begin anew.
  void save_standby() {
    if (!standby_) return;
    standby_->texts["scenario"] = plan_.scenario_text;
    standby_->texts["inputs"] = input_lines(plan_.inputs);
    write_checkpoint(options_.directory, *standby_);
  }

  // At a beat, in the middle of an evaluation.
  void attend() {
    const bool interrupted =
        options_.interrupt != nullptr && options_.interrupt->load(std::memory_order_relaxed);
    if (interrupted && ++beats_interrupted_ > kBeatsToGiveUp) throw integrate::Interrupted{};
    if (++beats_ < kBeatsToFlush) return;
    timed([&] { writer_.flush(); });
    beats_ = kBeatsToStandby;  // which is still due
  }

  Checkpoint checkpoint_of(const integrate::Checkpoint& solver) const {
    Checkpoint file;
    file.texts["suspicion"] = watchdog_.suspicion();
    file.reals["time"] = {solver.t, next_checkpoint_};
    file.reals["stepper"] = solver.stepper;
    file.reals["driver"] = solver.driver;
    file.reals["measures"] = measures_.measures().save();
    file.reals["ledger"] = ledger_.save();
    file.reals["watchdog"] = watchdog_.save();
    file.reals["deflection"] = deflection_.save();
    put_modes(system_.modes(), file);
    file.texts["misses"] = fmt::format("{}", fmt::join(misses_, "\n"));
    file.integers["rows"] = {static_cast<std::int64_t>(writer_.row_count()),
                             static_cast<std::int64_t>(writer_.event_count())};
    return file;
  }

  run::Saved restore(const Checkpoint& file) {
    measures_.measures().restore(file.real("measures"));
    ledger_.restore(file.real("ledger"));
    deflection_.restore(file.real("deflection"));
    watchdog_.restore(file.text("suspicion"), file.real("watchdog"));
    const std::vector<double>& times = file.reals_of("time", 2);
    next_checkpoint_ = times[1];
    if (!(next_checkpoint_ >= 0.0 && std::isfinite(next_checkpoint_))) {
      refuse_saved("times of the run");
    }
    std::istringstream misses(file.text("misses"));
    for (std::string line; std::getline(misses, line);) misses_.push_back(line);
    return {{times[0], file.real("stepper"), file.real("driver")}, modes_of(file, system_)};
  }

  double recording_seconds() const { return recording_.count(); }
  const std::string& suspicion() const { return watchdog_.suspicion(); }
  const std::vector<std::string>& misses() const { return misses_; }
  std::vector<std::string> deflections() const { return deflection_.warnings(); }
  const Measures& measures() const { return measures_.measures(); }
  double last_row_time() const { return last_row_time_; }
  EnergyLedger ledger() const { return ledger_.ledger(); }
  ResultsWriter& writer() { return writer_; }

 private:
  static std::vector<std::size_t> select(const RunPlan& plan, const System& system) {
    return recorded_channels(plan, all_channels(system));
  }
  static std::vector<ChannelInfo> infos_of(const System& system,
                                           const std::vector<std::size_t>& chosen) {
    const std::vector<ChannelInfo> all = all_channels(system);
    std::vector<ChannelInfo> infos;
    infos.reserve(chosen.size());
    for (const std::size_t k : chosen) infos.push_back(all[k]);
    return infos;
  }

  ResultsWriter open_writer() {
    next_checkpoint_ = options_.checkpoint_every;
    if (options_.start == Start::kFresh) {
      return ResultsWriter::create(
          options_.directory,
          {"grapple", std::string(version()), plan_.name, plan_.scenario_text, plan_.seed,
           plan_.scene, input_lines(plan_.inputs)},
          infos_, {.chunk_rows = chunk_rows(plan_)});
    }
    const Checkpoint file = read_checkpoint(options_.directory);
    const std::vector<std::int64_t>& counts = file.integers_of("rows", 2);
    if (counts[0] < 0 || counts[1] < 0) refuse_saved("numbers of 'rows'");
    return ResultsWriter::resume(options_.directory, infos_, static_cast<std::uint64_t>(counts[0]),
                                 static_cast<std::uint64_t>(counts[1]));
  }

  template <class Work>
  void timed(Work&& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    recording_ += std::chrono::steady_clock::now() - start;
  }

  System& system_;
  integrate::SystemProblem& problem_;
  const RunPlan& plan_;
  const RunOptions& options_;
  double next_checkpoint_ = 0.0;
  std::vector<std::size_t> channels_;
  std::vector<ChannelInfo> infos_;
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

// Evaluations feel a beat five times a second.
const integrate::Result& solve(run::Session& session, Recorder& recorder, const RunOptions& options,
                               const std::optional<Checkpoint>& from) {
  integrate::Pulse pulse([&recorder] { recorder.attend(); });
  const Ticker ticker(kBeat, [&pulse] { pulse.beat(); });
  const Felt felt(session.problem(), pulse);
  session.set_sink(recorder);
  session.set_interrupt(options.interrupt);
  if (from) {
    session.restore(recorder.restore(*from));
  } else {
    session.start();
  }
  session.advance_to(session.plan().duration);
  return *session.end();
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void note_solver(const integrate::Result& result, std::chrono::steady_clock::time_point start,
                 const Recorder& recorder, RunSummary& summary) {
  summary.timing.recording_seconds = recorder.recording_seconds();
  summary.timing.solver_seconds = seconds_since(start) - summary.timing.recording_seconds;
  summary.simulated_seconds = result.given_up ? recorder.last_row_time() : result.t;
  summary.counts = counts_of(result.statistics);
}

void note_time(std::chrono::steady_clock::time_point start, RunSummary& summary) {
  summary.timing.wall_seconds = seconds_since(start);
  summary.timing.real_time_factor = summary.simulated_seconds / summary.timing.wall_seconds;
}

void describe_ending(run::Session& session, const RunPlan& plan, const integrate::Result& result,
                     const Recorder& recorder, RunSummary& summary) {
  summary.status = status_of(result.status);
  summary.cause = result.status == integrate::Status::kFailed
                      ? cause_of_failure(session.system(), session.problem(), plan, result)
                      : session.stopping_event();
  if (is_complete(summary.status) && !recorder.suspicion().empty()) {
    summary.status = RunStatus::kSuspect;
    summary.cause = recorder.suspicion();
  }
}

void note_findings(const System& system, const Recorder& recorder, RunSummary& summary) {
  summary.energy = recorder.ledger();
  summary.measures = report(recorder.measures());
  for (const constraint::Dependence& one : system.dependences()) {
    summary.redundant.push_back(
        constraint::dependence_text(system.model(), system.constraints(), one));
  }
  const auto warn = [&summary](const std::vector<std::string>& warnings) {
    summary.warnings.insert(summary.warnings.end(), warnings.begin(), warnings.end());
  };
  warn(recorder.misses());
  warn(system.cautions());
  warn(recorder.deflections());
}

// After a fault of the outside world (a full disk): the rows that are in the file, a checkpoint and
// a summary that says what happened, as far as the fault lets them be written.
void keep_what_is_there(const std::exception& fault, const System& system, Recorder& recorder,
                        const RunOptions& options, std::chrono::steady_clock::time_point start,
                        RunSummary& summary) {
  const auto attempt = [](auto&& work) {
    try {
      work();
    } catch (const std::exception&) {  // the first fault is the one to report
    }
  };
  summary.status = RunStatus::kFailed;
  summary.cause = fault.what();
  if (summary.counts.empty()) summary.simulated_seconds = recorder.last_row_time();
  summary.counts.emplace_back("rows", static_cast<double>(recorder.writer().committed_row_count()));
  attempt([&] { recorder.writer().finish(RunStatus::kFailed, summary.cause); });
  attempt([&] { recorder.save_standby(); });
  attempt([&] { note_findings(system, recorder, summary); });
  note_time(start, summary);
  attempt([&] { write_summary(options.directory, summary); });
}

}  // namespace

RunSummary run(System& system, const RunPlan& plan, const RunOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  integrate::check(plan.integrator);
  std::optional<Checkpoint> from;
  if (options.start == Start::kResume) {
    from = read_checkpoint(options.directory);
    check_same_scenario(*from, plan, options.directory);
  }
  run::Session session(system, plan);
  Recorder recorder(system, session.problem(), plan, options);
  SpaceReserve reserve(options.directory, kReserveBytes + plan.scenario_text.size());
  RunSummary summary;
  summary.scenario_name = plan.name;
  summary.version = version();
  summary.warnings = plan.warnings;
  try {
    const integrate::Result& result = solve(session, recorder, options, from);
    note_solver(result, start, recorder, summary);
    describe_ending(session, plan, result, recorder, summary);
    if (options.solved) options.solved();
    if (result.given_up) recorder.save_standby();
    if (result.status == integrate::Status::kInterrupted && !result.given_up) {
      recorder.save(result.end);
    }
    note_findings(system, recorder, summary);
    judge_energy(plan, summary);
    summary.counts.emplace_back("rows", static_cast<double>(recorder.writer().row_count()));
    const std::filesystem::path results = recorder.writer().finish(summary.status, summary.cause);
    summary.events = ResultsReader(results).events();
  } catch (const std::exception& fault) {
    reserve.release();
    keep_what_is_there(fault, system, recorder, options, start, summary);
    throw;
  }
  note_time(start, summary);
  try {
    write_summary(options.directory, summary);
  } catch (const Error&) {  // a disk that is full now, after the last row?
    reserve.release();
    write_summary(options.directory, summary);
  }
  // Last of all: who is killed before this can resume.
  if (is_complete(summary.status)) std::filesystem::remove(options.directory / kCheckpointFile);
  return summary;
}

}  // namespace grapple::record
