#include "grapple/run/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "grapple/base/assert.h"
#include "grapple/base/error.h"
#include "grapple/run/internal/switches.h"

namespace grapple::run {

using integrate::Action;
using system::System;

namespace {

constexpr std::size_t kMostEvents = 100000;  ///< remembered of one session

Action action_of(System::SignalChange change) {
  switch (change) {
    case System::SignalChange::kNone:
      return Action::kContinue;
    case System::SignalChange::kRate:
      return Action::kKink;
    case System::SignalChange::kState:
      return Action::kRestart;
  }
  return Action::kRestart;
}

}  // namespace

/// What the integrator tells, acted on and passed on.
class Session::Watcher final : public integrate::Observer {
 public:
  Watcher(System& system, integrate::SystemProblem& problem, const Plan& plan)
      : system_(system), problem_(problem), plan_(plan) {}

  void begins(double t, std::span<const double> x) override { sink_->begins(t, x); }
  double hold(double from, double to, integrate::Path& path) override {
    return pacer_ == nullptr ? to : pacer_->hold(from, to, path);
  }
  void path(double from, double to, integrate::Path& path) override { sink_->path(from, to, path); }
  void output(double t, std::span<const double> x) override { sink_->output(t, x); }
  Action step_accepted(double t, double step, std::span<double> x) override {
    sink_->step_accepted(t, step, x);
    return Action::kContinue;
  }
  void step_too_long(int source, double t, double step, double longest) override {
    sink_->step_too_long(source, t, step, longest);
  }
  bool wants_checkpoint(double t) override { return sink_->wants_checkpoint(t); }
  void checkpoint(const integrate::Checkpoint& made) override { sink_->checkpoint(made); }
  bool wants_standby() override { return sink_->wants_standby(); }
  void standby(const integrate::Checkpoint& made) override { sink_->standby(made); }

  Action event(int index, double t, int direction, std::span<double> x) override {
    if (index >= problem_.channel_crossing_count()) return Action::kContinue;  // a kink
    const EventSpec& spec = plan_.events[static_cast<std::size_t>(index)];
    return fire({t, spec.name, direction, ""}, spec.action, x);
  }

  Action breakpoint(double t, std::span<double> x) override {
    Action strongest = Action::kContinue;
    for (const TimedSwitch& timed : plan_.switches) {
      if (timed.time != t) continue;
      strongest = std::max(strongest, fire({t, timed.name, 0, ""}, timed.action, x));
    }
    return strongest;
  }

  double next_update() const override { return system_.next_sample(); }
  Action update(double t, std::span<double> x) override {
    try {
      requests_.clear();
      Action strongest = action_of(system_.sample(t, x, requests_));
      for (const element::Request& request : requests_) {
        const Switch action = switch_of(request, system_);
        strongest = std::max(strongest, fire({t, request.target, 0, ""}, action, x));
      }
      return strongest;
    } catch (const Error& error) {
      fault_ = error.diagnostics().front().text();
      return Action::kStop;
    }
  }

  void set_sink(Sink& sink) { sink_ = &sink; }
  void set_pacer(Pacer* pacer) { pacer_ = pacer; }
  const std::string& stopping_event() const { return stopping_event_; }
  const std::vector<Fired>& events() const { return events_; }
  /// Of a block, in words; empty: none.
  const std::string& fault() const { return fault_; }

 private:
  Action fire(Fired fired, const Switch& action, std::span<double> x) {
    if (action.kind == Switch::Kind::kStop) {
      stopping_event_ = fired.name;
      note(fired);
      sink_->stops(fired);
      return Action::kStop;
    }
    sink_->before_switch(fired.time, x);
    const Applied result = apply(action, system_, fired.time, x);
    fired.miss = result.miss;
    note(fired);
    sink_->after_switch(fired, x, result.action == Action::kRestart);
    return result.action;
  }
  void note(const Fired& fired) {
    if (events_.size() < kMostEvents) events_.push_back(fired);
  }

  System& system_;
  integrate::SystemProblem& problem_;
  const Plan& plan_;
  Sink nobody_;
  Sink* sink_ = &nobody_;
  Pacer* pacer_ = nullptr;
  std::string stopping_event_, fault_;
  std::vector<Fired> events_;
  std::vector<element::Request> requests_;
};

Session::Session(System& system, const Plan& plan, double t_start)
    : system_(system), plan_(plan), t_start_(t_start) {
  integrate::check(plan.integrator);
  problem_ = std::make_unique<integrate::SystemProblem>(system, crossings_of(plan, system));
  watcher_ = std::make_unique<Watcher>(system_, *problem_, plan_);
}
Session::~Session() = default;

void Session::set_sink(Sink& sink) { watcher_->set_sink(sink); }
void Session::set_pacer(Pacer* pacer) { watcher_->set_pacer(pacer); }
void Session::set_interrupt(const std::atomic<bool>* interrupt) { interrupt_ = interrupt; }

void Session::make_driver() {
  driver_.reset();  // it lets go of the problem before the next one takes it
  end_.reset();
  stepper_ = integrate::make_stepper(*problem_, plan_.integrator);
  driver_ =
      std::make_unique<integrate::Driver>(*problem_, *stepper_, span_of(system_, plan_, t_start_),
                                          problem_->crossings(), *watcher_, interrupt_);
}

void Session::start() {
  const spatial::VecX x = system_.initial_state();
  start_from({x.data(), static_cast<std::size_t>(x.size())});
}

void Session::start_from(std::span<const double> x) {
  make_driver();
  driver_->start(x);
}

void Session::restore(const Saved& saved) {
  system_.set_modes(saved.modes);
  make_driver();
  driver_->restore(saved.solver);
}

Saved Session::save() {
  GRAPPLE_ASSERT(driver_ != nullptr);
  return {driver_->save(), system_.modes()};
}

void Session::advance_to(double t) {
  GRAPPLE_ASSERT(driver_ != nullptr);
  if (!end_) end_ = driver_->advance_to(t);
  note_fault();
}

// A fault of a block stops the run, and is its failure.
void Session::note_fault() {
  if (!end_ || watcher_->fault().empty()) return;
  end_->status = integrate::Status::kFailed;
  end_->failure.cause = watcher_->fault();
}

void Session::step(double until) {
  GRAPPLE_ASSERT(driver_ != nullptr);
  if (!end_) end_ = driver_->step(until);
  note_fault();
}

double Session::time() const { return driver_ == nullptr ? t_start_ : driver_->t(); }
std::span<const double> Session::state() const {
  GRAPPLE_ASSERT(driver_ != nullptr);
  return driver_->x();
}
const std::string& Session::stopping_event() const { return watcher_->stopping_event(); }
const std::vector<Fired>& Session::events() const { return watcher_->events(); }

integrate::Statistics Session::statistics() const {
  return driver_ == nullptr ? integrate::Statistics{} : driver_->statistics();
}

void Session::set(std::string_view signal, double value) {
  set(place_of_signal(system_, signal), value);
}

void Session::set(int signal, double value) {
  GRAPPLE_ASSERT(driver_ != nullptr);
  const element::Signal& own = system_.signals()[static_cast<std::size_t>(signal)];
  if (!std::isfinite(value) || value < own.lower || value > own.upper) {
    throw Error("GR-953", fmt::format("signal '{}'", own.name),
                fmt::format("it cannot be {:g} {}; finite values from {:g} to {:g} are allowed",
                            value, own.unit, own.lower, own.upper));
  }
  std::vector<double> x(state().begin(), state().end());
  driver_->note_change(action_of(system_.set_signal(signal, value, time(), x)), x);
}

double Session::get(std::string_view channel) { return get(place_of_channel(system_, channel)); }
double Session::get(int channel) {
  return system::channel_value(system_, system_.channels()[static_cast<std::size_t>(channel)],
                               problem_->evaluate(time(), state()));
}

}  // namespace grapple::run
