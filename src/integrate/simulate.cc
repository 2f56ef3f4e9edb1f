#include "grapple/integrate/simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "grapple/base/assert.h"
#include "grapple/base/error.h"
#include "grapple/base/saved_numbers.h"
#include "grapple/base/time_resolution.h"
#include "grapple/integrate/internal/event_finder.h"
#include "grapple/integrate/poll_request.h"

namespace grapple::integrate {

namespace {

// An event that happens this often within this part of max(1 s, |t|) will never get anywhere.
constexpr int kChatterEvents = 1000;
constexpr double kChatterSpan = 1e-8;
constexpr std::int64_t kPaceSteps = 5000;  ///< over which progress is judged
constexpr double kHopelessSteps = 1e10;
constexpr int kPatience = 10;
constexpr double kMostOutputs = 1e4;

std::vector<Crossing> or_both(std::vector<Crossing> crossings, const Problem& problem) {
  if (crossings.empty()) {
    crossings.assign(static_cast<std::size_t>(problem.event_count()), Crossing::kBoth);
  }
  return crossings;
}

// Sorted, strictly inside the span, and not closer together than time resolves.
std::vector<double> inner_breakpoints(const SimulationSpan& span) {
  std::vector<double> sorted = span.breakpoints;
  std::ranges::sort(sorted);
  std::vector<double> inner;
  double last = span.t_start;
  for (const double t : sorted) {
    if (!(t > last + time_resolution(t)) || !(t < span.t_end - time_resolution(t))) continue;
    inner.push_back(t);
    last = t;
  }
  return inner;
}

void check(const SimulationSpan& span) {
  if (std::isfinite(span.t_start) && std::isfinite(span.t_end) && span.t_end >= span.t_start) {
    return;
  }
  throw Error("GR-703", "simulation",
              fmt::format("the time span from {:g} s to {:g} s is not one; the end must be finite "
                          "and not before the start",
                          span.t_start, span.t_end));
}

}  // namespace

class Driver::Run final : private Path {
 public:
  Run(Problem& problem, Stepper& stepper, SimulationSpan span, std::vector<Crossing> crossings,
      Observer& observer, const std::atomic<bool>* interrupt)
      : problem_(problem),
        stepper_(stepper),
        span_(std::move(span)),
        breakpoints_(inner_breakpoints(span_)),
        observer_(observer),
        interrupt_(interrupt),
        has_fixed_step_(has_fixed_step(stepper.options())),
        events_(problem, stepper, or_both(std::move(crossings), problem)),
        chatter_counts_(static_cast<std::size_t>(problem.event_count()), 0),
        x_(static_cast<std::size_t>(problem.size()), 0.0),
        x_output_(x_) {}

  ~Run() { problem_.enter_segment(-kInfinity, kInfinity); }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  double t() const { return t_; }
  std::span<const double> x() const { return stepper_.x(); }
  Statistics statistics() const {
    Statistics counted = stepper_.statistics();
    counted.events = event_count_;
    return counted;
  }

  std::optional<Result> advance_to(double until) {
    until_ = until;
    if (stops_at_start_) return stop();
    while (is_before(until)) {
      if (std::optional<Result> end = step()) return end;
    }
    return at_end();
  }

  std::optional<Result> step(double until) {
    until_ = until;
    if (stops_at_start_) return stop();
    if (is_before(until)) {
      if (std::optional<Result> end = step()) return end;
    }
    return at_end();
  }

  void note_change(Action action, std::span<const double> x) {
    std::ranges::copy(x, x_.begin());
    settle(action);
  }

  Checkpoint save() { return checkpoint(stepper_.save()); }

  // Inside a step: the stepper's state is anything.
  Result given_up() {
    Result made = ended(Status::kInterrupted);
    made.x = x_;
    made.given_up = true;
    return made;
  }

  void begin(std::span<const double> x_start) {
    std::ranges::copy(x_start, x_.begin());
    problem_.enter_segment(span_.t_start, segment_end());
    problem_.commit(span_.t_start, x_);
    stepper_.start(span_.t_start, x_);
    t_ = pace_start_ = stepper_.t();
    if (t_ < span_.t_end) update_at_start();
    events_.reread(t_, stepper_.x());
    observer_.begins(t_, stepper_.x());
    if (t_ < span_.t_end) output(t_, stepper_.x());
    next_output_ = first_output_after(t_);
  }

  void restore(const Checkpoint& checkpoint) {
    SavedNumbers saved(checkpoint.driver, "counters of the run");
    stepper_.restore(checkpoint.stepper);
    t_ = stepper_.t();
    if (t_ < span_.t_start || t_ > span_.t_end || t_ != checkpoint.t) {
      refuse_saved("times of the run");
    }
    next_output_ = saved.count();
    last_output_ = saved.number();
    event_count_ = saved.count();
    chatter_start_ = saved.number();
    pace_steps_ = saved.whole(0, stepper_.statistics().steps);
    pace_start_ = saved.number();
    slow_stretches_ = saved.small_count();
    for (int& count : chatter_counts_) count = saved.small_count();
    events_.restore(saved.rest());
    while (next_breakpoint_ < breakpoints_.size() && breakpoints_[next_breakpoint_] <= t_) {
      ++next_breakpoint_;
    }
    problem_.enter_segment(
        next_breakpoint_ > 0 ? breakpoints_[next_breakpoint_ - 1] : span_.t_start, segment_end());
  }

 private:
  static constexpr std::size_t kDriverMemory = 7;

  bool is_before(double until) const {
    return t_ < span_.t_end && (until >= span_.t_end || t_ < until - time_resolution(until));
  }

  std::optional<Result> at_end() {
    if (t_ < span_.t_end) return std::nullopt;
    output_once(span_.t_end, stepper_.x());
    return result(Status::kCompleted);
  }

  std::optional<Result> step() {
    if (observer_.wants_standby()) observer_.standby(checkpoint(stepper_.copy_memory()));
    if (interrupt_ != nullptr && interrupt_->load(std::memory_order_relaxed)) {
      return result(Status::kInterrupted);
    }
    if (stepper_.statistics().steps >= stepper_.options().max_steps) return fail_steps();
    const Problem::StepBound bound = step_bound();
    update_ = observer_.next_update();
    if (!stepper_.step(has_fixed_step_ ? limit() : adaptive_limit(bound))) {
      return fail(stepper_.failure());
    }
    if (has_fixed_step_ && stepper_.last_step() > bound.seconds) {
      observer_.step_too_long(bound.source, stepper_.t(), stepper_.last_step(), bound.seconds);
    }
    const Action action = report_step();
    if (chatters()) return fail_chatter();
    if (crawls()) return fail_crawl();
    if (action == Action::kStop) return stop();
    if (observer_.wants_checkpoint(t_)) observer_.checkpoint(save());
    return std::nullopt;
  }

  // What must not be passed unseen bounds the next step. Always some step: time must go on.
  Problem::StepBound step_bound() const {
    const Problem::StepBound by_events = events_.longest_step(), other = problem_.longest_step();
    Problem::StepBound bound = by_events.seconds <= other.seconds ? by_events : other;
    bound.seconds = std::max(bound.seconds, 1e-12 * std::max(std::abs(t_), 1e-3));
    return bound;
  }

  // A step holds so many outputs at most: between steps an interrupt is heard and progress
  // reported.
  double adaptive_limit(const Problem::StepBound& bound) const {
    const double heard =
        span_.output_interval > 0.0 ? kMostOutputs * span_.output_interval : kInfinity;
    return std::min(limit(), t_ + std::min(bound.seconds, heard));
  }

  // Of the stretch on which the problem's functions of time are smooth.
  double segment_end() const {
    return next_breakpoint_ < breakpoints_.size() ? breakpoints_[next_breakpoint_] : span_.t_end;
  }

  // Updates and the caller's wish end a step too, unless a breakpoint does within round-off.
  double limit() const {
    const double end = segment_end(), other = std::min(update_, until_);
    return other < end - time_resolution(end) ? std::max(other, t_ + time_resolution(t_)) : end;
  }

  // What is sampled at the start acts from there on.
  void update_at_start() {
    if (!is_due(observer_.next_update(), t_)) return;
    const Action action = observer_.update(t_, x_);
    if (action == Action::kKink) stepper_.pass_kink();
    if (action >= Action::kRestart) stepper_.restart(t_, x_);
    stops_at_start_ = action == Action::kStop;
  }

  // Reports the step just taken, piece by piece between its events. Multistep methods go on behind
  // an event in the same step; the others have their step cut there.
  Action report_step() {
    double from = stepper_.previous_t();
    for (;;) {
      const std::optional<double> found = events_.step_onto_first_after(from);
      t_ = found ? *found : stepper_.t();
      const bool cut = !has_fixed_step_ && cut_short(from);
      state(t_, x_);
      observer_.path(from, t_, *this);
      outputs_until(t_);
      Action action = observer_.step_accepted(t_, t_ - from, x_);
      if (cut) action = std::max(action, Action::kRestart);
      if (found && !cut) action = std::max(action, report_events());
      if (t_ == segment_end() && t_ < span_.t_end) action = std::max(action, report_breakpoint());
      if (is_due(update_, t_) && t_ < span_.t_end) {
        action = std::max(action, observer_.update(t_, x_));
        update_ = kInfinity;
      }
      if (problem_.commit(t_, x_)) action = std::max(action, Action::kRestart);
      if (action != Action::kContinue || t_ == stepper_.t()) return settle(action);
      events_.clear_fired();
      from = t_;
    }
  }

  // True: the observer wants to go on from inside the piece that ends at t_, which moves there. The
  // step is redone to end there where the method can.
  bool cut_short(double from) {
    const double wanted = observer_.hold(from, t_, *this);
    if (!(wanted > from && wanted < t_)) return false;
    t_ = wanted;
    if (stepper_.previous_t() == from && stepper_.truncate(wanted)) t_ = stepper_.t();
    return true;
  }

  Action report_events() {
    if (observer_.wants_output_at_jumps()) output_once(t_, x_);
    Action action = Action::kContinue;
    for (const EventFinder::Fired& fired : events_.fire(t_, x_)) {
      ++event_count_;
      if (t_ - chatter_start_ > kChatterSpan * std::max(1.0, std::abs(t_))) {
        chatter_start_ = t_;
        std::ranges::fill(chatter_counts_, 0);
      }
      if (++chatter_counts_[static_cast<std::size_t>(fired.index)] >= kChatterEvents) {
        chattering_ = fired.index;
      }
      action = std::max(action, observer_.event(fired.index, t_, fired.direction, x_));
    }
    return action;
  }

  Action report_breakpoint() {
    if (observer_.wants_output_at_jumps()) output_once(t_, x_);
    ++next_breakpoint_;
    problem_.enter_segment(t_, segment_end());
    return std::max(Action::kKink, observer_.breakpoint(t_, x_));
  }

  Action settle(Action action) {
    if (action == Action::kKink && t_ == stepper_.t()) {
      stepper_.pass_kink();
      observer_.begins(t_, stepper_.x());
    } else if (action == Action::kKink) {  // inside a step of a multistep method
      action = Action::kRestart;
    }
    const bool changed = !std::ranges::equal(x_, stepper_.x()) || t_ != stepper_.t();
    if (action == Action::kRestart || (action == Action::kStop && changed)) {
      stepper_.restart(t_, x_);
      events_.reread(t_, stepper_.x());
      observer_.begins(t_, stepper_.x());
      if (observer_.wants_output_at_jumps()) output(t_, stepper_.x());
    }
    events_.clear_fired();
    return action;
  }

  bool is_chord() const override { return has_chord(stepper_.options()); }

  void state(double t, std::span<double> x) override {
    if (t == stepper_.t()) {
      std::ranges::copy(stepper_.x(), x.begin());
    } else {
      stepper_.interpolate(t, x);
    }
  }

  double time_of_output(std::int64_t k) const {
    return span_.output_origin.value_or(span_.t_start) +
           static_cast<double>(k) * span_.output_interval;
  }
  std::int64_t first_output_after(double t) const {
    if (!span_.output_origin || span_.output_interval <= 0.0) return 1;
    auto k = static_cast<std::int64_t>((t - *span_.output_origin) / span_.output_interval);
    while (time_of_output(k) <= t) ++k;
    return k;
  }

  // Outputs due in this piece of the step; the one at t_end is left to the end of the run.
  void outputs_until(double t) {
    if (span_.output_interval <= 0.0) {
      if (t < span_.t_end) output_once(t, x_);
      return;
    }
    for (;; ++next_output_) {
      const double due = time_of_output(next_output_);
      // An output within round-off of the end is the end.
      if (due > t || due >= span_.t_end - 1e-9 * span_.output_interval) return;
      state(due, x_output_);
      output(due, x_output_);
    }
  }

  void output(double t, std::span<const double> x) {
    last_output_ = t;
    observer_.output(t, x);
  }
  void output_once(double t, std::span<const double> x) {
    if (t != last_output_) output(t, x);
  }

  bool chatters() const { return chattering_ >= 0; }

  // Every kPaceSteps steps: whether at their pace the rest of the run needs more steps than anyone
  // will wait for, and has so for kPatience times.
  bool crawls() {
    const std::int64_t steps = stepper_.statistics().steps;
    if (steps - pace_steps_ < kPaceSteps) return false;
    pace_ = (t_ - pace_start_) / static_cast<double>(steps - pace_steps_);
    pace_steps_ = steps;
    pace_start_ = t_;
    const bool slow = !has_fixed_step_ && span_.t_end - t_ > kHopelessSteps * pace_;
    slow_stretches_ = slow ? slow_stretches_ + 1 : 0;
    return slow_stretches_ >= kPatience;
  }

  Checkpoint checkpoint(std::vector<double> of_stepper) const {
    Checkpoint made{
        t_,
        std::move(of_stepper),
        {static_cast<double>(next_output_), last_output_, static_cast<double>(event_count_),
         chatter_start_, static_cast<double>(pace_steps_), pace_start_,
         static_cast<double>(slow_stretches_)}};
    GRAPPLE_ASSERT(made.driver.size() == kDriverMemory);
    made.driver.insert(made.driver.end(), chatter_counts_.begin(), chatter_counts_.end());
    events_.save(made.driver);
    return made;
  }

  Result stop() {
    output_once(t_, stepper_.x());
    return result(Status::kStopped);
  }

  Result result(Status status) {
    Result made = ended(status);
    made.x.assign(stepper_.x().begin(), stepper_.x().end());
    made.end = checkpoint(stepper_.save());
    return made;
  }

  Result ended(Status status) const {
    Result made;
    made.status = status;
    made.t = t_;
    made.statistics = statistics();
    return made;
  }

  Result fail(const Failure& failure) {
    Result made = result(Status::kFailed);
    made.failure = failure;
    return made;
  }

  Result fail_steps() {
    return fail({fmt::format("{} steps were not enough: t = {:.9g} s of {:.9g} s reached",
                             stepper_.options().max_steps, t_, span_.t_end),
                 -1});
  }

  Result fail_chatter() {
    Result made = fail({fmt::format("event {} chatters: {} events between t = {:.12g} s and "
                                    "{:.12g} s",
                                    chattering_, kChatterEvents, chatter_start_, t_),
                        -1});
    made.failed_event = chattering_;
    return made;
  }

  Result fail_crawl() {
    Result made = fail(
        {fmt::format("the steps have shrunk to {:.2g} s at t = {:.9g} s: at this pace the rest "
                     "of the run needs {:.1g} steps",
                     pace_, t_, (span_.t_end - t_) / pace_),
         stepper_.worst_component()});
    made.step_at_collapse = std::max(pace_, event_resolution(t_));
    return made;
  }

  Problem& problem_;
  Stepper& stepper_;
  SimulationSpan span_;
  std::vector<double> breakpoints_;
  Observer& observer_;
  const std::atomic<bool>* interrupt_;
  bool has_fixed_step_;
  EventFinder events_;
  std::vector<int> chatter_counts_;  ///< per event function, since chatter_start_
  std::vector<double> x_, x_output_;
  double t_ = 0.0, until_ = kInfinity, update_ = kInfinity;
  std::int64_t next_output_ = 0;
  double last_output_ = -std::numeric_limits<double>::infinity();
  std::size_t next_breakpoint_ = 0;
  std::int64_t event_count_ = 0;
  double chatter_start_ = -std::numeric_limits<double>::infinity();
  int chattering_ = -1;
  std::int64_t pace_steps_ = 0;
  double pace_start_ = 0.0, pace_ = 0.0;
  int slow_stretches_ = 0;
  bool stops_at_start_ = false;
};

Driver::Driver(Problem& problem, Stepper& stepper, SimulationSpan span,
               std::vector<Crossing> crossings, Observer& observer,
               const std::atomic<bool>* interrupt) {
  check(span);
  run_ = std::make_unique<Run>(problem, stepper, std::move(span), std::move(crossings), observer,
                               interrupt);
}
Driver::~Driver() = default;

void Driver::start(std::span<const double> x) {
  try {
    run_->begin(x);
  } catch (const Interrupted&) {
    given_up_ = true;
  }
}
void Driver::restore(const Checkpoint& checkpoint) { run_->restore(checkpoint); }
std::optional<Result> Driver::advance_to(double until) {
  if (given_up_) return run_->given_up();
  try {
    return run_->advance_to(until);
  } catch (const Interrupted&) {
    return run_->given_up();
  }
}
std::optional<Result> Driver::step(double until) {
  if (given_up_) return run_->given_up();
  try {
    return run_->step(until);
  } catch (const Interrupted&) {
    return run_->given_up();
  }
}
void Driver::note_change(Action action, std::span<const double> x) { run_->note_change(action, x); }
double Driver::t() const { return run_->t(); }
std::span<const double> Driver::x() const { return run_->x(); }
Checkpoint Driver::save() { return run_->save(); }
Statistics Driver::statistics() const { return run_->statistics(); }

Result simulate(Problem& problem, Stepper& stepper, std::span<const double> x_start,
                const SimulationSpan& span, std::vector<Crossing> crossings, Observer& observer,
                const std::atomic<bool>* interrupt) {
  Driver driver(problem, stepper, span, std::move(crossings), observer, interrupt);
  driver.start(x_start);
  return *driver.advance_to(span.t_end);
}

Result resume(Problem& problem, Stepper& stepper, const Checkpoint& checkpoint,
              const SimulationSpan& span, std::vector<Crossing> crossings, Observer& observer,
              const std::atomic<bool>* interrupt) {
  Driver driver(problem, stepper, span, std::move(crossings), observer, interrupt);
  driver.restore(checkpoint);
  return *driver.advance_to(span.t_end);
}

}  // namespace grapple::integrate
