#include "grapple/record/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <set>
#include <sstream>

#include "grapple/base/error.h"
#include "grapple/base/saved_numbers.h"
#include "grapple/base/version.h"
#include "grapple/integrate/simulate.h"
#include "grapple/integrate/system_problem.h"
#include "grapple/record/cause.h"
#include "grapple/record/checkpoint.h"
#include "grapple/record/checkpoint_modes.h"
#include "grapple/record/deflection_watch.h"
#include "grapple/record/energy_verdict.h"
#include "grapple/record/ledger.h"
#include "grapple/record/results_file.h"
#include "grapple/record/run_directory.h"
#include "grapple/record/run_parts.h"
#include "grapple/record/step_measures.h"
#include "grapple/record/watchdog.h"

namespace grapple::record {

namespace {

using integrate::Action;
using system::System;

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

// Everything the driver tells, turned into rows, events, switches, checkpoints.
class Recorder final : public integrate::Observer {
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
    measures_.measures().row(t, row_);
    ledger_.add(snapshot);
    watchdog_.look(snapshot);
    deflection_.step(x);
    deflection_.look(snapshot);
  }

  Action step_accepted(double t, double step, std::span<double> x) override {
    watchdog_.step(t, x, problem_);
    deflection_.step(x);
    if (ledger_.is_due()) timed([&] { ledger_.add(problem_.evaluate(t, x)); });
    if (options_.progress) options_.progress({t, plan_.duration, step});
    return Action::kContinue;
  }

  Action event(int index, double t, int direction, std::span<double> x) override {
    if (index >= problem_.channel_crossing_count()) return Action::kContinue;  // a kink
    const EventSpec& spec = plan_.events[static_cast<std::size_t>(index)];
    return fire(spec.name, spec.action, t, direction, x);
  }

  Action breakpoint(double t, std::span<double> x) override {
    Action strongest = Action::kContinue;
    for (const TimedSwitch& timed : plan_.switches) {
      if (timed.time != t) continue;
      strongest = std::max(strongest, fire(timed.name, timed.action, t, 0, x));
    }
    return strongest;
  }

  void step_too_long(int source, double t, double step, double longest) override {
    watchdog_.step_too_long(source, t, step, longest);
  }

  bool wants_checkpoint(double t) override {
    return options_.checkpoint_every > 0.0 && t >= next_checkpoint_;
  }

  void checkpoint(const integrate::Checkpoint& solver) override {
    while (next_checkpoint_ <= solver.t) next_checkpoint_ += options_.checkpoint_every;
    save(solver);
  }

  void save(const integrate::Checkpoint& solver) {
    writer_.flush();
    Checkpoint file;
    file.texts["scenario"] = plan_.scenario_text;
    file.texts["inputs"] = input_lines(plan_.inputs);
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
    write_checkpoint(options_.directory, file);
  }

  integrate::Checkpoint restore(const Checkpoint& file) {
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
    system_.set_modes(modes_of(file, system_));
    return {times[0], file.real("stepper"), file.real("driver")};
  }

  const std::string& stopping_event() const { return stopping_event_; }
  double recording_seconds() const { return recording_.count(); }
  const std::string& suspicion() const { return watchdog_.suspicion(); }
  const std::vector<std::string>& misses() const { return misses_; }
  std::vector<std::string> deflections() const { return deflection_.warnings(); }
  const Measures& measures() const { return measures_.measures(); }
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

  // Records the state, acts, and records again what a jump made of it.
  Action fire(const std::string& name, const Switch& action, double t, int direction,
              std::span<double> x) {
    if (action.kind == Switch::Kind::kStop) {  // the driver reports the last state itself
      writer_.append_event(t, name, direction);
      stopping_event_ = name;
      return Action::kStop;
    }
    output(t, x);
    const Applied result = apply(action, system_, t, x);
    writer_.append_event(t, result.miss.empty() ? name : name + " (missed)", direction);
    watchdog_.forget();
    if (!result.miss.empty()) misses_.push_back(result.miss);
    if (result.action == Action::kRestart) output(t, x);
    return result.action;
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
  LedgerKeeper ledger_;
  Watchdog watchdog_;
  DeflectionWatch deflection_;
  ResultsWriter writer_;
  std::string stopping_event_;
  std::chrono::duration<double> recording_{0.0};
  std::vector<std::string> misses_;
};

RunStatus status_of(integrate::Status status) {
  switch (status) {
    case integrate::Status::kCompleted:
      return RunStatus::kCompleted;
    case integrate::Status::kStopped:
      return RunStatus::kStoppedByEvent;
    case integrate::Status::kInterrupted:
      return RunStatus::kInterrupted;
    case integrate::Status::kFailed:
      return RunStatus::kFailed;
  }
  return RunStatus::kFailed;
}

std::vector<std::pair<std::string, double>> counts_of(const integrate::Statistics& s,
                                                      std::uint64_t rows) {
  return {{"steps", static_cast<double>(s.steps)},
          {"rejected", static_cast<double>(s.rejected)},
          {"evaluations", static_cast<double>(s.evaluations)},
          {"jacobians", static_cast<double>(s.jacobians)},
          {"linear_setups", static_cast<double>(s.linear_setups)},
          {"events_located", static_cast<double>(s.events)},
          {"smallest_step_s", s.smallest_step},
          {"largest_step_s", s.largest_step},
          {"rows", static_cast<double>(rows)}};
}

// The solver blames a component of the state; when the system refused to be evaluated, the joint
// whose effort was not finite is to blame.
int blamed_component(const System& system, const integrate::SystemProblem& problem,
                     const integrate::Failure& failure) {
  if (failure.component >= 0 || problem.refused_coordinate() < 0) return failure.component;
  return system.model().nq() + problem.refused_coordinate();
}

std::string name_of_component(const System& system, int component) {
  const model::Model& model = system.model();
  for (int i = 1; i < model.link_count(); ++i) {
    const model::Link& link = model.link(i);
    const auto among = [&](int first, int count) {
      return component >= first && component < first + count;
    };
    if (among(link.q_index, link.nq) || among(model.nq() + link.v_index, link.nv) ||
        among(link.q_motor, link.motors) || among(model.nq() + link.v_motor, link.motors)) {
      return " (joint '" + model.joint_of_link(i).name + "')";
    }
  }
  return "";
}

std::string refused_by_element(const System& system, const integrate::SystemProblem& problem) {
  const std::string why = system.refusal(problem.snapshot());
  return why.empty() ? "" : "; " + why;
}

// Whether the last evaluation was close to a singular position of the loops: two rows within three
// hundredths of a radian of being one.
std::string near_singular(const System& system, const integrate::SystemProblem& problem) {
  const auto& loops = problem.snapshot().loops;
  const bool lost = loops.rank < system.loop_rank();
  if (system.loops().empty() || (!lost && loops.smallest_pivot > 1e-3)) return "";
  return "; the loops are near a singular position, where branches of the motion meet";
}

void check_same_scenario(const Checkpoint& file, const RunPlan& plan,
                         const std::filesystem::path& directory) {
  const std::vector<InputFile> then = parse_input_lines(file.text("inputs"));
  if (file.text("scenario") != plan.scenario_text) {
    const std::string which = changed_input(InputFile::Kind::kScenario, then, plan.inputs);
    throw Error(
        "GR-520", directory.string(),
        fmt::format("the checkpoint was written by another scenario (or other --set values){}; "
                    "resume with the same ones, or start afresh",
                    which.empty() ? "" : ": " + which));
  }
  const std::string which = changed_input(InputFile::Kind::kData, then, plan.inputs);
  if (which.empty()) return;
  throw Error("GR-521", directory.string(),
              fmt::format("the checkpoint was written with other data files: {}; put the old file "
                          "back, or start afresh",
                          which));
}

// A balance that is wrong makes a run that reached its end suspect; a doubtful one warns.
void judge_energy(const RunPlan& plan, RunSummary& summary) {
  if (!is_complete(summary.status)) return;
  const EnergyVerdict verdict = judge(*summary.energy, plan.integrator);
  if (verdict.kind == EnergyVerdict::Kind::kCloses) return;
  if (verdict.kind == EnergyVerdict::Kind::kWrong && summary.status != RunStatus::kSuspect) {
    summary.status = RunStatus::kSuspect;
    summary.cause = verdict.text;
    return;
  }
  summary.warnings.push_back(verdict.text);
}

}  // namespace

RunSummary run(System& system, const RunPlan& plan, const RunOptions& options) {
  const auto wall_start = std::chrono::steady_clock::now();
  integrate::check(plan.integrator);
  Checkpoint file;
  if (options.start == Start::kResume) {
    file = read_checkpoint(options.directory);
    check_same_scenario(file, plan, options.directory);
  }
  integrate::SystemProblem problem(system, crossings_of(plan, system));
  Recorder recorder(system, problem, plan, options);
  const auto stepper = integrate::make_stepper(problem, plan.integrator);
  const integrate::SimulationSpan span = span_of(system, plan);

  integrate::Result result;
  const auto solver_start = std::chrono::steady_clock::now();
  if (options.start == Start::kResume) {
    const integrate::Checkpoint from = recorder.restore(file);
    result = integrate::resume(problem, *stepper, from, span, problem.crossings(), recorder,
                               options.interrupt);
  } else {
    const spatial::VecX x = system.initial_state();
    result = integrate::simulate(problem, *stepper, {x.data(), static_cast<std::size_t>(x.size())},
                                 span, problem.crossings(), recorder, options.interrupt);
  }

  RunSummary summary;
  summary.timing.recording_seconds = recorder.recording_seconds();
  summary.timing.solver_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - solver_start).count() -
      summary.timing.recording_seconds;
  summary.warnings = plan.warnings;
  summary.status = status_of(result.status);
  summary.scenario_name = plan.name;
  summary.version = version();
  summary.simulated_seconds = result.t;
  summary.cause =
      result.status == integrate::Status::kFailed
          ? result.failure.cause +
                name_of_component(system, blamed_component(system, problem, result.failure)) +
                cause_of_refusal(system, problem, plan.integrator, result) +
                cause_of_collapse(system, problem, result) + near_singular(system, problem) +
                refused_by_element(system, problem)
          : recorder.stopping_event();
  if (result.failed_event >= 0 && result.failed_event < problem.channel_crossing_count()) {
    summary.cause +=
        " (event '" + plan.events[static_cast<std::size_t>(result.failed_event)].name + "')";
  }
  if (is_complete(summary.status) && !recorder.suspicion().empty()) {
    summary.status = RunStatus::kSuspect;
    summary.cause = recorder.suspicion();
  }
  if (result.status == integrate::Status::kInterrupted) recorder.save(result.end);
  summary.counts = counts_of(result.statistics, recorder.writer().row_count());
  summary.energy = recorder.ledger();
  summary.measures = report(recorder.measures());
  for (const constraint::Dependence& one : system.dependences()) {
    summary.redundant.push_back(constraint::dependence_text(system.model(), system.loops(), one));
  }
  summary.warnings.insert(summary.warnings.end(), recorder.misses().begin(),
                          recorder.misses().end());
  for (const std::string& caution : system.cautions()) summary.warnings.push_back(caution);
  for (std::string& warning : recorder.deflections()) {
    summary.warnings.push_back(std::move(warning));
  }
  judge_energy(plan, summary);
  const std::filesystem::path results = recorder.writer().finish(summary.status, summary.cause);
  summary.events = ResultsReader(results).events();
  if (is_complete(summary.status)) std::filesystem::remove(options.directory / kCheckpointFile);
  summary.timing.wall_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - wall_start).count();
  summary.timing.real_time_factor = summary.simulated_seconds / summary.timing.wall_seconds;
  write_summary(options.directory, summary);
  return summary;
}

}  // namespace grapple::record
