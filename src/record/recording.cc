#include "grapple/record/recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "grapple/base/error.h"
#include "grapple/base/version.h"
#include "grapple/record/internal/recorder.h"
#include "grapple/record/internal/run_ending.h"
#include "grapple/record/internal/same_run.h"
#include "grapple/record/internal/space_reserve.h"
#include "grapple/record/internal/ticker.h"
#include "grapple/record/run_directory.h"

namespace grapple::record {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kBeat(200);
constexpr std::size_t kReserveBytes = std::size_t{1} << 17;  ///< a summary and a state

std::optional<Checkpoint> checkpoint_to_resume(const RunPlan& plan, const RunOptions& options) {
  if (options.start == Start::kFresh) return std::nullopt;
  Checkpoint from = read_checkpoint(options.directory);
  check_same_scenario(from, plan, options.directory);
  return from;
}

// Those that had acted when the checkpoint was written.
std::vector<Command> commands_until(double t, const std::filesystem::path& directory) {
  if (!std::filesystem::exists(directory / kCommandsFile)) return {};
  std::vector<Command> commands = read_commands(directory);
  std::erase_if(commands, [t](const Command& command) { return command.time > t; });
  return commands;
}

integrate::Statistics sum(const integrate::Statistics& a, const integrate::Statistics& b) {
  const auto smaller = [](double x, double y) {
    return x > 0.0 && y > 0.0 ? std::min(x, y) : x + y;
  };
  return {a.steps + b.steps,
          a.rejected + b.rejected,
          a.evaluations + b.evaluations,
          a.jacobians + b.jacobians,
          a.linear_setups + b.linear_setups,
          a.events + b.events,
          smaller(a.smallest_step, b.smallest_step),
          std::max(a.largest_step, b.largest_step)};
}

bool is_parameter(const Command& command) { return command.name.starts_with(kParameterPrefix); }

}  // namespace

class Recording::Implementation {
 public:
  Implementation(run::Session& session, const RunPlan& plan, RunOptions options)
      : options_(std::move(options)),
        session_(&session),
        plan_(&plan),
        from_(checkpoint_to_resume(plan, options_)),
        recorder_(std::make_unique<Recorder>(session.system(), session.problem(), plan, options_)),
        reserve_(options_.directory, kReserveBytes + plan.scenario_text.size()),
        poll_([this] { recorder_->attend(); }),
        ticker_(std::make_unique<Ticker>(kBeat, [this] { poll_.request(); })) {
    if (from_) commands_ = commands_until(from_->reals_of("time", 2)[0], options_.directory);
    if (!options_.steered_by.empty() || !commands_.empty()) {
      log_ = std::make_unique<CommandLog>(options_.directory, commands_);
    }
    attach();
  }
  ~Implementation() { detach(); }

  void start() {
    if (!from_) return session_->start();
    const auto energy = from_->reals.find("energy at start");
    if (energy != from_->reals.end() && energy->second.size() == 1) {
      session_->system().continue_ledger_from(energy->second.front());
    }
    session_->restore(recorder_->restore(*from_));
  }

  void note(const Command& command) {
    commands_.push_back(command);
    if (log_) log_->append(command);
  }

  void go_on_with(run::Session& next, const RunPlan& plan, const Command& change) {
    const double t = session_->time();
    if (t != recorder_->last_row_time()) recorder_->output(t, session_->state());
    recorder_->writer().append_event(
        t,
        fmt::format("{} = {:g} {}", change.name.substr(kParameterPrefix.size()), change.value,
                    change.unit),
        0);
    note(change);
    detach();
    carried_ = sum(carried_, session_->statistics());
    recorder_ =
        std::make_unique<Recorder>(next.system(), next.problem(), plan, std::move(*recorder_));
    session_ = &next;
    plan_ = &plan;
    attach();
  }

  void note_rest(double seconds) { rest_ += seconds; }
  void attend() { poll_.poll(); }

  RunSummary finish() {
    detach();
    RunSummary summary = new_summary();
    try {
      const integrate::Result& result = *session_->end();
      note_solver(result, summary);
      describe_ending(result, summary);
      if (options_.solved) options_.solved();
      if (result.given_up) recorder_->save_standby();
      if (result.status == integrate::Status::kInterrupted && !result.given_up) {
        recorder_->save(result.end);
      }
      note_findings(summary);
      judge_energy(*plan_, summary);
      summary.counts.emplace_back("rows", static_cast<double>(recorder_->writer().row_count()));
      const std::filesystem::path results =
          recorder_->writer().finish(summary.status, summary.cause);
      summary.events = ResultsReader(results).events();
    } catch (const std::exception& fault) {
      keep_what_is_there(fault, summary);
      throw;
    }
    write_last(summary);
    return summary;
  }

  RunSummary fail(const std::exception& fault) {
    detach();
    RunSummary summary = new_summary();
    keep_what_is_there(fault, summary);
    return summary;
  }

  const std::filesystem::path& directory() const { return options_.directory; }
  std::vector<MeasureReport> measures() const { return report(recorder_->measures()); }

 private:
  void attach() {
    session_->set_sink(*recorder_);
    session_->set_interrupt(options_.interrupt);
    session_->problem().set_poll(&poll_);
  }
  void detach() { session_->problem().set_poll(nullptr); }

  RunSummary new_summary() const {
    RunSummary summary;
    summary.scenario_name = plan_->name;
    summary.version = version();
    summary.warnings = plan_->warnings;
    if (!log_) return summary;
    summary.steering.emplace();
    summary.steering->by = options_.steered_by.empty() ? "live, then resumed" : options_.steered_by;
    for (const Command& command : commands_) {
      if (is_parameter(command)) {
        summary.steering->tuned.push_back(command);
      } else if (!command.name.empty()) {
        ++summary.steering->commands;
      }
    }
    return summary;
  }

  double seconds_since_start() const {
    return std::chrono::duration<double>(Clock::now() - start_).count();
  }

  void note_solver(const integrate::Result& result, RunSummary& summary) const {
    summary.timing.recording_seconds = recorder_->recording_seconds();
    summary.timing.solver_seconds =
        seconds_since_start() - rest_ - summary.timing.recording_seconds;
    summary.simulated_seconds = result.given_up ? recorder_->last_row_time() : result.t;
    summary.counts = counts_of(sum(carried_, result.statistics));
  }

  void describe_ending(const integrate::Result& result, RunSummary& summary) const {
    summary.status = status_of(result.status);
    summary.cause = result.status == integrate::Status::kFailed
                        ? cause_of_failure(session_->system(), session_->problem(), *plan_, result)
                        : session_->stopping_event();
    if (is_complete(summary.status) && !recorder_->suspicion().empty()) {
      summary.status = RunStatus::kSuspect;
      summary.cause = recorder_->suspicion();
    }
  }

  void note_findings(RunSummary& summary) const {
    const system::System& system = session_->system();
    summary.energy = recorder_->ledger();
    summary.measures = report(recorder_->measures());
    if (!plan_->score.empty()) summary.score = score_of(plan_->score, summary.measures);
    for (const constraint::Dependence& one : system.dependences()) {
      summary.redundant.push_back(
          constraint::dependence_text(system.model(), system.constraints(), one));
    }
    const auto warn = [&summary](const std::vector<std::string>& warnings) {
      summary.warnings.insert(summary.warnings.end(), warnings.begin(), warnings.end());
    };
    warn(recorder_->misses());
    warn(system.cautions());
    warn(recorder_->deflections());
  }

  void note_time(RunSummary& summary) const {
    summary.timing.wall_seconds = seconds_since_start();
    summary.timing.real_time_factor = summary.simulated_seconds / summary.timing.wall_seconds;
  }

  void keep_what_is_there(const std::exception& fault, RunSummary& summary) {
    const auto attempt = [](auto&& work) {
      try {
        work();
      } catch (const std::exception&) {  // the first fault is the one to report
      }
    };
    reserve_.release();
    summary.status = RunStatus::kFailed;
    summary.cause = fault.what();
    if (summary.counts.empty()) summary.simulated_seconds = recorder_->last_row_time();
    summary.counts.emplace_back("rows",
                                static_cast<double>(recorder_->writer().committed_row_count()));
    attempt([&] { recorder_->writer().finish(RunStatus::kFailed, summary.cause); });
    attempt([&] { recorder_->save_standby(); });
    attempt([&] { note_findings(summary); });
    note_time(summary);
    attempt([&] { write_summary(options_.directory, summary); });
  }

  void write_last(RunSummary& summary) {
    note_time(summary);
    try {
      write_summary(options_.directory, summary);
    } catch (const Error&) {  // a disk that is full now, after the last row?
      reserve_.release();
      write_summary(options_.directory, summary);
    }
    // Last of all: who is killed before this can resume.
    if (is_complete(summary.status)) std::filesystem::remove(options_.directory / kCheckpointFile);
  }

  const Clock::time_point start_ = Clock::now();
  const RunOptions options_;
  run::Session* session_;
  const RunPlan* plan_;
  std::optional<Checkpoint> from_;
  std::unique_ptr<Recorder> recorder_;
  SpaceReserve reserve_;
  std::vector<Command> commands_;
  std::unique_ptr<CommandLog> log_;  ///< null: nobody steers
  integrate::Statistics carried_;    ///< of the sessions before this one
  double rest_ = 0.0;
  // Evaluations are asked to attend five times a second.
  integrate::PollRequest poll_;
  std::unique_ptr<Ticker> ticker_;
};

Recording::Recording(run::Session& session, const RunPlan& plan, RunOptions options)
    : implementation_(std::make_unique<Implementation>(session, plan, std::move(options))) {}
Recording::~Recording() = default;
void Recording::start() { implementation_->start(); }
void Recording::note(const Command& command) { implementation_->note(command); }
void Recording::go_on_with(run::Session& next, const RunPlan& plan, const Command& change) {
  implementation_->go_on_with(next, plan, change);
}
void Recording::note_rest(double seconds) { implementation_->note_rest(seconds); }
void Recording::attend() { implementation_->attend(); }
RunSummary Recording::finish() { return implementation_->finish(); }
RunSummary Recording::fail(const std::exception& fault) { return implementation_->fail(fault); }
std::vector<MeasureReport> Recording::measures() const { return implementation_->measures(); }
const std::filesystem::path& Recording::directory() const { return implementation_->directory(); }

}  // namespace grapple::record
