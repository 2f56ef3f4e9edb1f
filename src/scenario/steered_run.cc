#include "grapple/scenario/steered_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "grapple/base/error.h"
#include "grapple/integrate/poll_request.h"
#include "grapple/scenario/recorded_plan.h"

namespace grapple::scenario {

namespace {

constexpr std::size_t kMostEvents = 1000;  ///< shown of one run

double stored_energy(run::Session& session, std::span<const double> x) {
  double sum = 0.0;
  for (const double part : session.problem().evaluate(session.time(), x).energies.stored) {
    sum += part;
  }
  return sum;
}

std::size_t place_of(element::Supply account, const system::System& system) {
  return static_cast<std::size_t>(system.dynamic_size() + static_cast<int>(account));
}

}  // namespace

/// Passes a step on to whoever watches, with a way to look into it.
class SteeredRun::Pacer final : public run::Pacer {
 public:
  explicit Pacer(SteeredRun& run) : run_(run) {}

  double hold(double from, double to, integrate::Path& path) override {
    if (pace_ == nullptr) return to;
    const Looking looking(*this, path);
    const double until = pace_->hold(from, to);
    run_.cut_ = until > from && until < to;
    return until;
  }
  void set_pace(Pace* pace) { pace_ = pace; }
  integrate::Path* path() const { return path_; }

 private:
  /// The path is there as long as this lives; hold() may throw.
  class Looking {
   public:
    Looking(Pacer& pacer, integrate::Path& path) : pacer_(pacer) { pacer_.path_ = &path; }
    ~Looking() { pacer_.path_ = nullptr; }
    Looking(const Looking&) = delete;
    Looking& operator=(const Looking&) = delete;

   private:
    Pacer& pacer_;
  };

  SteeredRun& run_;
  Pace* pace_ = nullptr;
  integrate::Path* path_ = nullptr;
};

SteeredRun::SteeredRun(std::filesystem::path file, std::vector<std::string> settings)
    : file_(std::move(file)),
      settings_(std::move(settings)),
      loaded_(load({})),
      pacer_(std::make_unique<Pacer>(*this)) {
  begin();
}
SteeredRun::~SteeredRun() = default;

std::unique_ptr<SteeredRun::Loaded> SteeredRun::load(const std::vector<std::string>& tuned) const {
  std::vector<std::string> all = settings_;
  all.insert(all.end(), tuned.begin(), tuned.end());
  auto loaded = std::make_unique<Loaded>();
  loaded->checked = load_scenario(file_, all);
  loaded->simulation = build(loaded->checked);
  return loaded;
}

std::unique_ptr<run::Session> SteeredRun::session_of(Loaded& loaded, double t) {
  auto session =
      std::make_unique<run::Session>(*loaded.simulation.system, loaded.simulation.plan, t);
  session->set_pacer(pacer_.get());
  session->set_interrupt(&interrupt_);
  return session;
}

void SteeredRun::begin() {
  measured_.reset();  // it refers to the old session
  session_ = session_of(*loaded_, 0.0);
  if (!plan().score.empty()) {
    measured_ = std::make_unique<record::MeasureSink>(*session_, plan());
  }
  const spatial::VecX start = system().initial_state();
  x_start_.assign(start.data(), start.data() + start.size());
}

void SteeredRun::start() {
  if (x_start_.empty()) return;
  session_->start_from(x_start_);
  x_start_.clear();
}

std::span<const double> SteeredRun::state() const {
  return x_start_.empty() ? session_->state() : std::span<const double>(x_start_);
}

void SteeredRun::record(record::RunOptions options) {
  complete_for_record(loaded_->checked, loaded_->simulation);
  if (options.interrupt == nullptr) options.interrupt = &interrupt_;
  recording_ = std::make_unique<record::Recording>(*session_, plan(), std::move(options));
  measured_.reset();                           // its place is taken
  for (const Tunable& tunable : tunables()) {  // as it starts with
    const std::string path = std::string(record::kParameterPrefix) + tunable.parameter;
    const bool is_tuned = std::any_of(tuned_.begin(), tuned_.end(), [&](const std::string& one) {
      return one.starts_with(path + "=");
    });
    if (is_tuned) recording_->note({0.0, path, tunable.value, tunable.unit, 0.0});
  }
}

FileChange SteeredRun::reset() {
  std::unique_ptr<Loaded> next = load(tuned_);
  if (!has_same_structure(next->simulation)) {
    throw Error("GR-843", file_.string(),
                "the file has changed: its model has other coordinates, channels, tunables or "
                "operators than the one that runs; start `grapple view` again to see it");
  }
  stop();
  const FileChange change = next->checked.resolved_text == scenario().resolved_text
                                ? FileChange::kNone
                                : FileChange::kChanged;
  session_.reset();  // it refers to the old system
  loaded_ = std::move(next);
  summary_.reset();
  interrupt_ = cut_ = ended_ = false;
  status_ = record::RunStatus::kRunning;
  cause_.clear();
  earlier_events_.clear();
  begin();
  return change;
}

bool SteeredRun::has_same_structure(const Simulation& next) const {
  const auto same_names = [](const auto& a, const auto& b, const auto& name) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [&](const auto& one, const auto& other) { return name(one) == name(other); });
  };
  return system().size() == next.system->size() &&
         same_names(system().channels(), next.system->channels(),
                    [](const system::Channel& channel) { return channel.name; }) &&
         same_names(tunables(), next.tunables,
                    [](const Tunable& tunable) { return tunable.parameter; }) &&
         same_names(operators(), next.operators,
                    [](const OperatorControl& control) { return control.name; });
}

void SteeredRun::tune(const std::string& parameter, double value) {
  const auto known =
      std::find_if(tunables().begin(), tunables().end(),
                   [&](const Tunable& tunable) { return tunable.parameter == parameter; });
  if (known == tunables().end() || !(value >= known->from && value <= known->to)) {
    throw Error("GR-841", parameter,
                known == tunables().end()
                    ? std::string("the scenario marks no such parameter as tunable")
                    : fmt::format("{:g} is outside its slider from {:g} to {:g}", value,
                                  known->from, known->to));
  }
  if (known->value == value) return;
  const std::string path = std::string(record::kParameterPrefix) + parameter;
  std::vector<std::string> tuned = tuned_;
  std::erase_if(tuned, [&](const std::string& one) { return one.starts_with(path + "="); });
  tuned.push_back(fmt::format("{}={}{}", path, value, known->unit == "1" ? "" : " " + known->unit));
  std::unique_ptr<Loaded> next = load(tuned);
  if (!has_same_structure(next->simulation)) {
    throw Error("GR-842", file_.string(),
                "this change would give the model other coordinates or channels; such parameters "
                "cannot be tuned while it runs");
  }
  const bool has_begun = time() > 0.0 || x_start_.empty() || recording_ != nullptr;
  if (!has_begun) {
    session_.reset();  // it refers to the old system
    loaded_ = std::move(next);
    tuned_ = std::move(tuned);
    return begin();
  }
  if (recording_) start();  // its record begins before the change
  std::vector<double> x(state().begin(), state().end());
  const double t = time(), energy_before = stored_energy(*session_, x);
  system::System& system_next = *next->simulation.system;
  system_next.set_modes(system().modes());
  system_next.continue_ledger_from(system().initial_energy());
  system_next.project(t, x);
  std::unique_ptr<run::Session> session = session_of(*next, t);
  const double added = stored_energy(*session, x) - energy_before;
  x[place_of(element::Supply::kExternal, system_next)] += added;
  if (recording_) {
    next->simulation.plan.warnings = plan().warnings;
    recording_->go_on_with(*session, next->simulation.plan, {t, path, value, known->unit, added});
  } else if (measured_) {
    measured_ = std::make_unique<record::MeasureSink>(*session, next->simulation.plan, *measured_);
  }
  const std::vector<run::Fired>& fired = session_->events();
  earlier_events_.insert(earlier_events_.end(), fired.begin(), fired.end());
  session_ = std::move(session);
  loaded_ = std::move(next);
  tuned_ = std::move(tuned);
  x_start_ = std::move(x);
  cut_ = false;
}

void SteeredRun::operate(const std::string& name, double command) {
  for (const OperatorControl& control : operators()) {
    if (control.name != name) continue;
    set(control.signal, control.value_of(command));
    return;
  }
  throw Error("GR-841", name, "the scenario has no such operator");
}

void SteeredRun::set(std::string_view signal, double value) {
  const int place = system().find_signal(signal);
  if (place < 0) {
    throw Error("GR-952", std::string(signal), "the scenario has no such signal");
  }
  set(place, value);
}

void SteeredRun::set(int signal, double value) {
  if (ended_) return;
  start();
  const auto place = static_cast<std::size_t>(signal);
  if (system().modes().signals[place] == value) return;
  const double before = work();
  session_->set(signal, value);
  const element::Signal& set = system().signals()[place];
  note({time(), set.name, value, set.unit, work() - before});
}

/// What changes of signals book.
double SteeredRun::work() const {
  return state()[place_of(element::Supply::kExternal, system())] +
         state()[place_of(element::Supply::kLocking, system())];
}

void SteeredRun::note(const record::Command& command) {
  cut_ = false;
  if (recording_) recording_->note(command);
}

// A run that repeats this one must end its step there too.
void SteeredRun::note_unused_cut() {
  if (cut_) note({time(), "", 0.0, "", 0.0});
}

void SteeredRun::advance(Pace& pace) {
  if (ended_) return;
  pacer_->set_pace(&pace);
  try {
    start();
    do {
      note_unused_cut();
      session_->step();
      if (session_->end()) finish();
    } while (!ended_ && pace.after_step() == Verdict::kGoOn);
  } catch (const std::exception& fault) {
    pacer_->set_pace(nullptr);
    fail(fault);
    throw;
  }
  pacer_->set_pace(nullptr);
}

void SteeredRun::finish() {
  const integrate::Result& end = *session_->end();
  ended_ = true;
  switch (end.status) {
    case integrate::Status::kCompleted:
      status_ = record::RunStatus::kCompleted;
      break;
    case integrate::Status::kStopped:
      status_ = record::RunStatus::kStoppedByEvent;
      break;
    case integrate::Status::kInterrupted:
      status_ = record::RunStatus::kInterrupted;
      break;
    case integrate::Status::kFailed:
      status_ = record::RunStatus::kFailed;
      break;
  }
  cause_ = status_ == record::RunStatus::kFailed ? end.failure.cause : session_->stopping_event();
  if (!recording_) return;
  const std::unique_ptr<record::Recording> recording = std::move(recording_);
  summary_ = recording->finish();
  status_ = summary_->status;
  cause_ = summary_->cause;
}

void SteeredRun::stop() {
  if (ended_ || !recording_) return;
  interrupt_ = true;
  try {
    start();
    note_unused_cut();
    session_->step();
    finish();
  } catch (const std::exception& fault) {
    fail(fault);
  }
}

void SteeredRun::fail(const std::exception& fault) {
  ended_ = true;
  status_ = record::RunStatus::kFailed;
  cause_ = fault.what();
  if (!recording_) return;
  const std::unique_ptr<record::Recording> recording = std::move(recording_);
  summary_ = recording->fail(fault);
}

void SteeredRun::note_rest(double seconds) {
  if (recording_) recording_->note_rest(seconds);
}
void SteeredRun::attend() {
  if (!recording_) return;
  try {
    recording_->attend();
  } catch (const integrate::Interrupted&) {
    if (pacer_->path() != nullptr) throw;  // inside a step: the driver takes it
  }
}

std::vector<record::EventRecord> SteeredRun::events() const {
  std::vector<record::EventRecord> records;
  for (const std::vector<run::Fired>* all : {&earlier_events_, &session_->events()}) {
    for (const run::Fired& fired : *all) {
      if (records.size() >= kMostEvents) return records;
      records.push_back({fired.time, fired.miss.empty() ? fired.name : fired.name + " (missed)",
                         fired.direction, 0});
    }
  }
  return records;
}

std::optional<record::Score> SteeredRun::score() const {
  if (plan().score.empty()) return std::nullopt;
  if (recording_) return record::score_of(plan().score, recording_->measures());
  if (measured_) return record::score_of(plan().score, measured_->measures());
  return summary_ ? summary_->score : std::nullopt;
}

std::vector<double> SteeredRun::row() { return row(time()); }

std::vector<double> SteeredRun::row(double t) {
  std::vector<double> x(static_cast<std::size_t>(system().size()));
  if (pacer_->path() != nullptr) {
    pacer_->path()->state(t, x);
  } else {
    t = time();
    x.assign(state().begin(), state().end());
  }
  const system::Snapshot<double>& snapshot = session_->problem().evaluate(t, x);
  std::vector<double> values;
  values.reserve(system().channels().size());
  for (const system::Channel& channel : system().channels()) {
    values.push_back(system::channel_value(system(), channel, snapshot));
  }
  return values;
}

}  // namespace grapple::scenario
