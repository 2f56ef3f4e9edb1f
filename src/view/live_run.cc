#include "grapple/view/live_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "grapple/base/error.h"
#include "grapple/integrate/simulate.h"
#include "grapple/record/run_parts.h"

namespace grapple::view {

namespace {

using integrate::Action;

constexpr std::size_t kMostEvents = 1000;  ///< remembered of one run

}  // namespace

/// What the integrator tells, passed on.
class LiveRun::Watcher final : public integrate::Observer {
 public:
  Watcher(LiveRun& run, const std::function<Verdict()>& after_step)
      : run_(run), after_step_(after_step) {}

  Action step_accepted(double t, double /*step*/, std::span<double> x) override {
    keep(t, x);
    switch (after_step_()) {
      case Verdict::kGoOn:
        return Action::kContinue;
      case Verdict::kChanged:
        return Action::kRestart;
      case Verdict::kHold:
        held_ = true;
        return Action::kStop;
    }
    return Action::kContinue;
  }

  Action event(int index, double t, int direction, std::span<double> x) override {
    if (index >= run_.problem_->channel_crossing_count()) return Action::kContinue;  // a kink
    const record::EventSpec& spec = run_.plan().events[static_cast<std::size_t>(index)];
    return fire(spec.name, spec.action, t, direction, x);
  }

  Action breakpoint(double t, std::span<double> x) override {
    Action strongest = Action::kContinue;
    for (const record::TimedSwitch& timed : run_.plan().switches) {
      if (timed.time != t) continue;
      strongest = std::max(strongest, fire(timed.name, timed.action, t, 0, x));
    }
    return strongest;
  }

  bool held() const { return held_; }

 private:
  void keep(double t, std::span<const double> x) {
    run_.t_ = t;
    std::copy(x.begin(), x.end(), run_.x_.begin());
  }

  Action fire(const std::string& name, const record::Switch& action, double t, int direction,
              std::span<double> x) {
    const record::Applied result = record::apply(action, *run_.simulation_.system, t, x);
    if (run_.events_.size() < kMostEvents) {
      run_.events_.push_back({t, result.miss.empty() ? name : name + " (missed)", direction, 0});
    }
    if (result.action == Action::kStop) run_.cause_ = name;
    keep(t, x);
    return result.action;
  }

  LiveRun& run_;
  const std::function<Verdict()>& after_step_;
  bool held_ = false;
};

LiveRun::LiveRun(std::filesystem::path file, std::vector<std::string> settings)
    : file_(std::move(file)), settings_(std::move(settings)) {
  take(load({}));
  go_to(system().initial_state());
}

LiveRun::Loaded LiveRun::load(const std::vector<std::string>& tuned) const {
  std::vector<std::string> all = settings_;
  all.insert(all.end(), tuned.begin(), tuned.end());
  Loaded loaded;
  loaded.checked = scenario::load_scenario(file_, all);
  loaded.simulation = scenario::build(loaded.checked);
  const system::System& system = *loaded.simulation.system;
  loaded.problem = std::make_unique<integrate::SystemProblem>(
      *loaded.simulation.system, record::crossings_of(loaded.simulation.plan, system));
  return loaded;
}

void LiveRun::take(Loaded loaded) {
  checked_ = std::move(loaded.checked);
  problem_ = std::move(loaded.problem);  // the old one refers to the old system
  simulation_ = std::move(loaded.simulation);
}

void LiveRun::go_to(const spatial::VecX& start) {
  x_.assign(start.begin(), start.end());
  t_ = 0.0;
  ended_ = false;
  status_ = record::RunStatus::kRunning;
  cause_.clear();
  events_.clear();
}

FileChange LiveRun::reset() {
  Loaded next = load(tuned_);
  if (!has_same_structure(next.simulation)) {
    throw Error("GR-843", file_.string(),
                "the file has changed: its model has other coordinates, channels, tunables or "
                "operators than the one that runs; start `grapple view` again to see it");
  }
  const FileChange change = next.checked.resolved_text == checked_.resolved_text
                                ? FileChange::kNone
                                : FileChange::kChanged;
  const spatial::VecX start = next.simulation.system->initial_state();
  take(std::move(next));
  go_to(start);
  return change;
}

void LiveRun::fail(const std::string& cause) {
  ended_ = true;
  status_ = record::RunStatus::kFailed;
  cause_ = cause;
}

double LiveRun::stored_energy() {
  double sum = 0.0;
  for (const double part : problem_->evaluate(t_, x_).energies.stored) sum += part;
  return sum;
}

bool LiveRun::has_same_structure(const scenario::Simulation& next) const {
  const auto same_names = [](const auto& a, const auto& b, const auto& name) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [&](const auto& one, const auto& other) { return name(one) == name(other); });
  };
  return system().size() == next.system->size() &&
         same_names(system().channels(), next.system->channels(),
                    [](const system::Channel& channel) { return channel.name; }) &&
         same_names(tunables(), next.tunables,
                    [](const scenario::Tunable& tunable) { return tunable.parameter; }) &&
         same_names(operators(), next.operators,
                    [](const scenario::OperatorControl& control) { return control.input->name; });
}

void LiveRun::tune(const std::string& parameter, double value) {
  const auto known = std::find_if(
      tunables().begin(), tunables().end(),
      [&](const scenario::Tunable& tunable) { return tunable.parameter == parameter; });
  if (known == tunables().end() || !(value >= known->from && value <= known->to)) {
    throw Error("GR-841", parameter,
                known == tunables().end()
                    ? std::string("the scenario marks no such parameter as tunable")
                    : fmt::format("{:g} is outside its slider from {:g} to {:g}", value,
                                  known->from, known->to));
  }
  const std::string path = "parameters." + parameter + "=";
  const std::string setting =
      path + fmt::format("{}", value) + (known->unit == "1" ? "" : " " + known->unit);
  std::vector<std::string> tuned = tuned_;
  std::erase_if(tuned, [&](const std::string& one) { return one.starts_with(path); });
  tuned.push_back(setting);
  Loaded next = load(tuned);
  if (!has_same_structure(next.simulation)) {
    throw Error("GR-842", file_.string(),
                "this change would give the model other coordinates or channels; such parameters "
                "cannot be tuned while it runs");
  }
  const double energy_before = stored_energy();
  next.simulation.system->set_modes(system().modes());
  next.simulation.system->continue_ledger_from(system().initial_energy());
  for (std::size_t k = 0; k < operators().size(); ++k) {
    next.simulation.operators[k].input->command = operators()[k].input->command;
  }
  take(std::move(next));
  tuned_ = std::move(tuned);
  simulation_.system->project(t_, x_);
  const auto external = static_cast<std::size_t>(system().dynamic_size()) +
                        static_cast<std::size_t>(element::Supply::kExternal);
  x_[external] += stored_energy() - energy_before;
}

void LiveRun::operate(const std::string& name, double command) {
  for (const scenario::OperatorControl& control : operators()) {
    if (control.input->name != name) continue;
    control.input->command = std::isfinite(command) ? std::clamp(command, -1.0, 1.0) : 0.0;
    return;
  }
  throw Error("GR-841", name, "the scenario has no such operator");
}

void LiveRun::advance(double max_step, const std::function<Verdict()>& after_step) {
  if (ended_) return;
  integrate::IntegratorOptions options = plan().integrator;
  options.max_step = std::min(options.max_step, max_step);
  if (options.initial_step > 0.0) {
    options.initial_step = std::min(options.initial_step, options.max_step);
  }
  const auto stepper = integrate::make_stepper(*problem_, options);
  integrate::SimulationSpan span = record::span_of(system(), plan());
  span.t_start = t_;
  span.output_interval = duration();  // rows come from row()
  Watcher watcher(*this, after_step);
  const std::vector<double> start = x_;
  const integrate::Result result =
      integrate::simulate(*problem_, *stepper, start, span, problem_->crossings(), watcher);
  t_ = result.t;
  x_ = result.x;
  if (watcher.held()) return;
  ended_ = true;
  status_ = record::RunStatus::kCompleted;
  if (result.status == integrate::Status::kStopped) status_ = record::RunStatus::kStoppedByEvent;
  if (result.status == integrate::Status::kFailed) {
    status_ = record::RunStatus::kFailed;
    cause_ = result.failure.cause;
  }
}

std::vector<double> LiveRun::row() {
  const system::Snapshot<double>& snapshot = problem_->evaluate(t_, x_);
  std::vector<double> values;
  values.reserve(system().channels().size());
  for (const system::Channel& channel : system().channels()) {
    values.push_back(system::channel_value(system(), channel, snapshot));
  }
  return values;
}

}  // namespace grapple::view
