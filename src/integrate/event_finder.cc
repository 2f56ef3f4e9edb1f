#include "grapple/integrate/event_finder.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "grapple/base/assert.h"
#include "grapple/integrate/bracketed_root.h"

namespace grapple::integrate {

namespace {

constexpr std::array kSamples{0.2, 0.4, 0.6, 0.8, 1.0};
constexpr std::array kEndOnly{1.0};
// Right after an event: late enough to rise above its round-off, early enough that a function which
// bounces back within a step is seen leaving zero first.
constexpr double kEarlySample = 1e-5;

int sign(double value) { return value > 0.0 ? 1 : value < 0.0 ? -1 : 0; }

}  // namespace

double event_resolution(double t) { return 1e-14 * std::max(1.0, std::abs(t)); }

EventFinder::EventFinder(Problem& problem, Stepper& stepper, std::vector<Crossing> crossings)
    : problem_(problem),
      stepper_(stepper),
      crossings_(std::move(crossings)),
      signs_(crossings_.size(), 0),
      x_(static_cast<std::size_t>(problem.size()), 0.0),
      values_(crossings_.size(), 0.0),
      values_a_(values_),
      values_b_(values_),
      samples_(kSamples) {
  if (stepper.options().method == Method::kSemiImplicitEuler) samples_ = kEndOnly;
  GRAPPLE_ASSERT(static_cast<int>(crossings_.size()) == problem.event_count());
  fired_.reserve(crossings_.size());
}

void EventFinder::reread(double t, std::span<const double> x) {
  if (empty()) return;
  problem_.event_values(t, x, values_);
  for (std::size_t i = 0; i < signs_.size(); ++i) signs_[i] = sign(values_[i]);
  for (const Fired& event : fired_) signs_[static_cast<std::size_t>(event.index)] = 0;
  needs_early_sample_ = true;
  known_ = true;
  known_at_ = t;
}

void EventFinder::sample(double time) {
  known_ = false;
  if (time == stepper_.t()) {
    problem_.event_values(time, stepper_.x(), values_);
    return;
  }
  stepper_.interpolate(time, x_);
  problem_.event_values(time, x_, values_);
}

double EventFinder::value(std::size_t index, double time) {
  sample(time);
  return values_[index];
}

bool EventFinder::wanted(std::size_t index, int sign_after) const {
  const int before = signs_[index];
  if (before == 0 || sign_after == before) return false;
  if (crossings_[index] == Crossing::kBoth) return true;
  return (crossings_[index] == Crossing::kFalling) == (before > 0);
}

std::optional<double> EventFinder::first_after(double from) {
  if (empty()) return std::nullopt;
  const double to = stepper_.t();
  const double span = to - from;
  double a = from;
  if (!known_ || known_at_ != from) sample(a);
  values_a_ = values_;
  if (std::exchange(needs_early_sample_, false)) {
    const double early = from + kEarlySample * span;
    if (early > a && early < to) {
      if (const auto found = scan(a, early)) return found;
      a = early;
    }
  }
  for (const double part : samples_) {
    const double b = part == 1.0 ? to : from + part * span;
    if (!(b > a)) continue;
    if (const auto found = scan(a, b)) return found;
    a = b;
  }
  return std::nullopt;
}

// The first wanted change in (a, b]; without one the signs move on to b. On entry values_a_ are the
// values at a, on return those at b.
std::optional<double> EventFinder::scan(double a, double b) {
  sample(b);
  values_b_ = values_;
  std::optional<double> first;
  for (std::size_t i = 0; i < signs_.size(); ++i) {
    if (!wanted(i, sign(values_b_[i]))) continue;
    const double time = locate(i, a, b);
    if (first && *first <= time) continue;
    first = time;
    first_ = i;
  }
  if (!first) {
    values_ = values_b_;
    known_ = true;
    known_at_ = b;
    settle();
    values_a_ = values_b_;
  }
  return first;
}

void EventFinder::settle() {
  for (std::size_t i = 0; i < signs_.size(); ++i) signs_[i] = sign(values_[i]);
}

double EventFinder::locate(std::size_t index, double a, double b) {
  const double before = signs_[index];
  const double fa = values_a_[index];
  const double fb = values_b_[index];
  // Round-off of the last event may leave fa on the wrong side; then the change is at a.
  return bracketed_root([this, index](double time) { return value(index, time); }, a,
                        fa * before > 0.0 ? fa : 0.0, b, fb, -before, event_resolution(b));
}

double EventFinder::refine(double from, double time) {
  const double last = stepper_.t();
  const double start = stepper_.previous_t();
  // An event at the very start of a step still needs a step, or time would stand still.
  const double earliest =
      from + 4.0 * std::numeric_limits<double>::epsilon() * std::max(std::abs(from), 1e-3);
  double t = std::clamp(time, std::min(earliest, last), last);
  for (int correction = 0; correction < 3; ++correction) {
    if (!stepper_.truncate(t)) return correction == 0 ? t : stepper_.t();
    const double span = t - start;
    const double back = 1e-4 * span;
    const double residual = value(first_, t);
    const double slope = (residual - value(first_, t - back)) / back;
    const double shift = -residual / slope;
    // A shift as long as the step means a grazing contact whose root the redone step has lost.
    if (!(std::abs(shift) > event_resolution(t)) || !(std::abs(shift) < 0.1 * span)) break;
    t = std::clamp(t + shift, std::min(earliest, last), last);
  }
  if (stepper_.t() != t && !stepper_.truncate(t)) return stepper_.t();
  return t;
}

// The sign of a function a few resolutions of time behind the event: what crosses there crosses
// together with the event, and must not be lost if the event moves the state across.
int EventFinder::sign_just_after(std::size_t index, double slope, double time) const {
  const double ahead = values_[index] + 4.0 * event_resolution(time) * slope;
  return sign(values_[index]) == signs_[index] ? sign(ahead) : sign(values_[index]);
}

std::span<const EventFinder::Fired> EventFinder::fire(double time, std::span<const double> x) {
  const double back = 1e-4 * (time - stepper_.previous_t());
  sample(time - back);
  values_a_ = values_;
  problem_.event_values(time, x, values_);
  fired_.clear();
  for (std::size_t i = 0; i < signs_.size(); ++i) {
    // Over less than the resolution of time a difference is all round-off.
    const double slope = back > event_resolution(time) ? (values_[i] - values_a_[i]) / back : 0.0;
    const int after = sign_just_after(i, slope, time);
    if (i != first_ && !wanted(i, after)) {
      signs_[i] = sign(values_[i]);
      continue;
    }
    const int direction = -signs_[i];
    fired_.push_back({static_cast<int>(i), direction});
    // A function that stays at zero has no side; it must not fire by staying.
    signs_[i] = values_[i] == 0.0 ? 0 : direction;
  }
  needs_early_sample_ = true;
  known_ = true;
  known_at_ = time;
  return fired_;
}

void EventFinder::save(std::vector<double>& memory) const {
  memory.insert(memory.end(), signs_.begin(), signs_.end());
  memory.push_back(needs_early_sample_ ? 1.0 : 0.0);
  memory.insert(memory.end(), values_.begin(), values_.end());
  memory.push_back(known_ ? known_at_ : std::numeric_limits<double>::quiet_NaN());
}

void EventFinder::restore(std::span<const double> memory) {
  GRAPPLE_ASSERT(memory.size() == memory_size());
  for (std::size_t i = 0; i < signs_.size(); ++i) signs_[i] = static_cast<int>(memory[i]);
  needs_early_sample_ = memory[signs_.size()] != 0.0;
  std::copy_n(memory.begin() + static_cast<std::ptrdiff_t>(signs_.size()) + 1, values_.size(),
              values_.begin());
  known_at_ = memory.back();
  known_ = !std::isnan(known_at_);
}

}  // namespace grapple::integrate
