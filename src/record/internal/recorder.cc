#include "grapple/record/internal/recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>

#include "grapple/base/saved_numbers.h"
#include "grapple/base/version.h"
#include "grapple/record/internal/checkpoint_modes.h"

namespace grapple::record {

using system::System;

namespace {

constexpr int kBeatsToStandby = 3;  ///< and to the next flush of the rows, between two steps
constexpr int kBeatsToFlush = 4;    ///< inside a step: rows wait less than a second
constexpr int kBeatsToGiveUp = 1;   ///< that a step may still take after an interrupt

std::vector<ChannelInfo> all_channels(const RunPlan& plan, const System& system) {
  std::vector<ChannelInfo> infos;
  for (const system::Channel& channel : system.channels()) {
    const auto shown = plan.shown_units.find(channel.name);
    infos.push_back(
        {channel.name, channel.unit, "", shown == plan.shown_units.end() ? "" : shown->second});
  }
  return infos;
}

// Those the plan selects and those it measures, in the system's order.
std::vector<std::size_t> recorded_channels(const RunPlan& plan, const System& system) {
  const std::vector<ChannelInfo> all = all_channels(plan, system);
  std::vector<std::size_t> selected = select_channels(all, plan.record_channels);
  std::set<std::size_t> chosen(selected.begin(), selected.end());
  for (const MeasureSpec& measure : plan.measures)
    chosen.insert(find_channel(all, measure.channel));
  return {chosen.begin(), chosen.end()};
}

std::vector<ChannelInfo> infos_of(const RunPlan& plan, const System& system,
                                  const std::vector<std::size_t>& chosen) {
  const std::vector<ChannelInfo> all = all_channels(plan, system);
  std::vector<ChannelInfo> infos;
  infos.reserve(chosen.size());
  for (const std::size_t k : chosen) infos.push_back(all[k]);
  return infos;
}

// A run of few rows and thousands of channels would otherwise write mostly empty chunks.
std::size_t chunk_rows(const RunPlan& plan) {
  constexpr double kGrain = 16.0;
  const double most = static_cast<double>(ResultsOptions{}.chunk_rows);
  if (!(plan.record_every > 0.0)) return ResultsOptions{}.chunk_rows;
  const double rows = plan.duration / plan.record_every + 2.0;
  return static_cast<std::size_t>(std::min(most, kGrain * std::ceil(rows / kGrain)));
}

ResultsWriter open_writer(const System& system, const RunPlan& plan, const RunOptions& options) {
  const std::vector<ChannelInfo> infos = infos_of(plan, system, recorded_channels(plan, system));
  if (options.start == Start::kFresh) {
    return ResultsWriter::create(options.directory,
                                 {"grapple", std::string(version()), plan.name, plan.scenario_text,
                                  plan.seed, plan.scene, input_lines(plan.inputs)},
                                 infos, {.chunk_rows = chunk_rows(plan)});
  }
  const Checkpoint file = read_checkpoint(options.directory);
  const std::vector<std::int64_t>& counts = file.integers_of("rows", 2);
  if (counts[0] < 0 || counts[1] < 0) refuse_saved("numbers of 'rows'");
  return ResultsWriter::resume(options.directory, infos, static_cast<std::uint64_t>(counts[0]),
                               static_cast<std::uint64_t>(counts[1]));
}

}  // namespace

Recorder::Recorder(const System& system, integrate::SystemProblem& problem, const RunPlan& plan,
                   const RunOptions& options)
    : Recorder(system, problem, plan, options, recorded_channels(plan, system),
               open_writer(system, plan, options)) {
  next_checkpoint_ = options.checkpoint_every;
}

Recorder::Recorder(const System& system, integrate::SystemProblem& problem, const RunPlan& plan,
                   Recorder&& before)
    : Recorder(system, problem, plan, before.options_, before.channels_,
               std::move(before.writer_)) {
  Checkpoint memory;
  before.put_memory(memory);
  take_memory(memory);
  watchdog_.forget();
  recording_ = before.recording_;
  last_row_time_ = before.last_row_time_;
}

Recorder::Recorder(const System& system, integrate::SystemProblem& problem, const RunPlan& plan,
                   const RunOptions& options, std::vector<std::size_t> channels,
                   ResultsWriter writer)
    : system_(system),
      problem_(problem),
      plan_(plan),
      options_(options),
      channels_(std::move(channels)),
      row_(channels_.size()),
      measures_(system, problem, plan.measures, channels_, infos_of(plan, system, channels_),
                plan.record_every),
      ledger_(system, plan.duration),
      watchdog_(system, integrate::has_fixed_step(plan.integrator)
                            ? 0.0
                            : plan.integrator.relative_tolerance),
      deflection_(system.model()),
      writer_(std::move(writer)) {}

void Recorder::begins(double t, std::span<const double> x) {
  timed([&] { measures_.begin(t, x); });
}
void Recorder::path(double from, double to, integrate::Path& path) {
  timed([&] { measures_.follow(from, to, path); });
}
void Recorder::output(double t, std::span<const double> x) {
  timed([&] { record(t, x); });
}

void Recorder::record(double t, std::span<const double> x) {
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

void Recorder::step_accepted(double t, double step, std::span<const double> x) {
  watchdog_.step(t, x, problem_);
  deflection_.step(x);
  if (ledger_.is_due()) timed([&] { ledger_.add(problem_.evaluate(t, x)); });
  if (options_.progress) options_.progress({t, plan_.duration, step});
}

// Records the state, and again what a jump made of it.
void Recorder::before_switch(double t, std::span<const double> x) { output(t, x); }
void Recorder::after_switch(const run::Fired& fired, std::span<const double> x, bool changed) {
  const bool missed = !fired.miss.empty();
  writer_.append_event(fired.time, missed ? fired.name + " (missed)" : fired.name, fired.direction);
  watchdog_.forget();
  if (missed) misses_.push_back(fired.miss);
  if (changed) output(fired.time, x);
}
void Recorder::stops(const run::Fired& fired) {  // the driver reports the last state itself
  writer_.append_event(fired.time, fired.name, fired.direction);
}

void Recorder::step_too_long(int source, double t, double step, double longest) {
  watchdog_.step_too_long(source, t, step, longest);
}

bool Recorder::wants_checkpoint(double t) {
  return options_.checkpoint_every > 0.0 && t >= next_checkpoint_;
}

void Recorder::checkpoint(const integrate::Checkpoint& solver) {
  const double every = options_.checkpoint_every;
  next_checkpoint_ = every * (std::floor(solver.t / every) + 1.0);
  if (next_checkpoint_ <= solver.t) next_checkpoint_ += every;
  save(solver);
}

void Recorder::save(const integrate::Checkpoint& solver) {
  standby(solver);
  save_standby();
}

bool Recorder::wants_standby() { return !standby_ || beats_ >= kBeatsToStandby; }

// The rows it counts are in their file, so that it can be resumed from whatever comes.
void Recorder::standby(const integrate::Checkpoint& solver) {
  timed([&] { writer_.flush(); });
  beats_ = 0;
  standby_ = checkpoint_of(solver);
}

void Recorder::save_standby() {
  if (!standby_) return;
  standby_->texts["scenario"] = plan_.scenario_text;
  standby_->texts["inputs"] = input_lines(plan_.inputs);
  write_checkpoint(options_.directory, *standby_);
}

void Recorder::attend() {
  const bool interrupted =
      options_.interrupt != nullptr && options_.interrupt->load(std::memory_order_relaxed);
  if (interrupted && ++beats_interrupted_ > kBeatsToGiveUp) throw integrate::Interrupted{};
  if (++beats_ < kBeatsToFlush) return;
  timed([&] { writer_.flush(); });
  beats_ = kBeatsToStandby;  // which is still due
}

Checkpoint Recorder::checkpoint_of(const integrate::Checkpoint& solver) const {
  Checkpoint file;
  put_memory(file);
  file.reals["time"] = {solver.t, next_checkpoint_};
  file.reals["stepper"] = solver.stepper;
  file.reals["driver"] = solver.driver;
  file.reals["energy at start"] = {system_.initial_energy()};
  put_modes(system_.modes(), file);
  file.integers["rows"] = {static_cast<std::int64_t>(writer_.row_count()),
                           static_cast<std::int64_t>(writer_.event_count())};
  return file;
}

void Recorder::put_memory(Checkpoint& file) const {
  file.texts["suspicion"] = watchdog_.suspicion();
  file.texts["misses"] = fmt::format("{}", fmt::join(misses_, "\n"));
  file.reals["time"] = {0.0, next_checkpoint_};
  file.reals["measures"] = measures_.measures().save();
  file.reals["ledger"] = ledger_.save();
  file.reals["watchdog"] = watchdog_.save();
  file.reals["deflection"] = deflection_.save();
}

void Recorder::take_memory(const Checkpoint& file) {
  measures_.measures().restore(file.real("measures"));
  ledger_.restore(file.real("ledger"));
  deflection_.restore(file.real("deflection"));
  watchdog_.restore(file.text("suspicion"), file.real("watchdog"));
  next_checkpoint_ = file.reals_of("time", 2)[1];
  if (!(next_checkpoint_ >= 0.0 && std::isfinite(next_checkpoint_))) {
    refuse_saved("times of the run");
  }
  std::istringstream misses(file.text("misses"));
  for (std::string line; std::getline(misses, line);) misses_.push_back(line);
}

run::Saved Recorder::restore(const Checkpoint& file) {
  take_memory(file);
  return {{file.reals_of("time", 2)[0], file.real("stepper"), file.real("driver")},
          modes_of(file, system_)};
}

}  // namespace grapple::record
