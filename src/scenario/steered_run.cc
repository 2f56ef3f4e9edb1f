#include "grapple/view/internal/live_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "grapple/base/error.h"

namespace grapple::view {

namespace {

constexpr std::size_t kMostEvents = 1000;  ///< remembered of one run

}  // namespace

/// Notes what switches.
class LiveRun::Watcher final : public run::Sink {
 public:
  explicit Watcher(LiveRun& run) : run_(run) {}
  void after_switch(const run::Fired& fired, std::span<const double> /*x*/,
                    bool /*changed*/) override {
    note(fired);
  }
  void stops(const run::Fired& fired) override {
    note(fired);
    run_.cause_ = fired.name;
  }

 private:
  void note(const run::Fired& fired) {
    if (run_.events_.size() >= kMostEvents) return;
    run_.events_.push_back({fired.time, fired.miss.empty() ? fired.name : fired.name + " (missed)",
                            fired.direction, 0});
  }
  LiveRun& run_;
};

LiveRun::LiveRun(std::filesystem::path file, std::vector<std::string> settings)
    : file_(std::move(file)),
      settings_(std::move(settings)),
      watcher_(std::make_unique<Watcher>(*this)) {
  take(load({}));
  const spatial::VecX start = system().initial_state();
  begin(0.0, {start.data(), static_cast<std::size_t>(start.size())});
}
LiveRun::~LiveRun() = default;

LiveRun::Loaded LiveRun::load(const std::vector<std::string>& tuned) const {
  std::vector<std::string> all = settings_;
  all.insert(all.end(), tuned.begin(), tuned.end());
  Loaded loaded;
  loaded.checked = scenario::load_scenario(file_, all);
  loaded.simulation = scenario::build(loaded.checked);
  return loaded;
}

void LiveRun::take(Loaded loaded) {
  session_.reset();  // it refers to the old system
  checked_ = std::move(loaded.checked);
  simulation_ = std::move(loaded.simulation);
  simulation_.plan.record_every = duration();  // rows come from row()
}

void LiveRun::begin(double t, std::span<const double> x) {
  session_ = std::make_unique<run::Session>(*simulation_.system, simulation_.plan, t);
  session_->set_sink(*watcher_);
  x_start_.assign(x.begin(), x.end());
}

void LiveRun::start() {
  if (x_start_.empty()) return;
  session_->start_from(x_start_);
  x_start_.clear();
}

std::span<const double> LiveRun::state() const {
  return x_start_.empty() ? session_->state() : std::span<const double>(x_start_);
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
  take(std::move(next));
  ended_ = false;
  status_ = record::RunStatus::kRunning;
  cause_.clear();
  events_.clear();
  const spatial::VecX start = system().initial_state();
  begin(0.0, {start.data(), static_cast<std::size_t>(start.size())});
  return change;
}

void LiveRun::fail(const std::string& cause) {
  ended_ = true;
  status_ = record::RunStatus::kFailed;
  cause_ = cause;
}

double LiveRun::stored_energy(std::span<const double> x) {
  double sum = 0.0;
  for (const double part : session_->problem().evaluate(time(), x).energies.stored) sum += part;
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
                    [](const scenario::OperatorControl& control) { return control.name; });
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
  std::vector<double> x(state().begin(), state().end());
  const double t = time(), energy_before = stored_energy(x);
  next.simulation.system->set_modes(system().modes());
  next.simulation.system->continue_ledger_from(system().initial_energy());
  take(std::move(next));
  tuned_ = std::move(tuned);
  simulation_.system->project(t, x);
  begin(t, x);
  const auto external = static_cast<std::size_t>(system().dynamic_size()) +
                        static_cast<std::size_t>(element::Supply::kExternal);
  x_start_[external] += stored_energy(x) - energy_before;
}

void LiveRun::operate(const std::string& name, double command) {
  for (const scenario::OperatorControl& control : operators()) {
    if (control.name != name) continue;
    if (!ended_) {
      start();
      session_->set(control.signal, std::isfinite(command) ? std::clamp(command, -1.0, 1.0) : 0.0);
    }
    return;
  }
  throw Error("GR-841", name, "the scenario has no such operator");
}

void LiveRun::advance(double max_step, const std::function<Verdict()>& after_step) {
  if (!ended_) start();
  const bool keeps_steps = integrate::has_fixed_step(plan().integrator);
  while (!ended_) {
    session_->step(keeps_steps ? duration() : time() + max_step);
    if (const std::optional<integrate::Result>& end = session_->end()) {
      ended_ = true;
      status_ = record::RunStatus::kCompleted;
      if (end->status == integrate::Status::kStopped) status_ = record::RunStatus::kStoppedByEvent;
      if (end->status == integrate::Status::kFailed) fail(end->failure.cause);
      return;
    }
    if (after_step() == Verdict::kHold) return;
  }
}

std::vector<double> LiveRun::row() {
  const system::Snapshot<double>& snapshot = session_->problem().evaluate(time(), state());
  std::vector<double> values;
  values.reserve(system().channels().size());
  for (const system::Channel& channel : system().channels()) {
    values.push_back(system::channel_value(system(), channel, snapshot));
  }
  return values;
}

}  // namespace grapple::view
