#include "grapple/integrate/internal/event_finder.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "grapple/base/assert.h"
#include "grapple/base/bracketed_root.h"
#include "grapple/base/saved_numbers.h"

namespace grapple::integrate {

namespace {

constexpr std::array kSamples{0.2, 0.4, 0.6, 0.8, 1.0};
constexpr std::array kEndOnly{1.0};
// Right after an event: late enough to rise above its round-off, early enough that a function which
// bounces back within a step is seen leaving zero first.
constexpr double kEarlySample = 1e-5;
// The speeds at the ends and in the middle bound those between: 1.25 would hold for a parabola.
constexpr double kFaster = 1.5;
constexpr double kMiddle = 0.5;
// Grains a distance is followed over in one step, and reads for one interval of it (a fixed step
// that blows up has more).
constexpr double kMostGrains = 2e3;
constexpr int kMostReads = 20'000;

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
      bounded_(crossings_.size(), 0),
      speeds_(crossings_.size(), kInfinity),
      skip_(bounded_),
      only_(crossings_.size(), 1),
      fastest_(speeds_),
      speeds_there_(speeds_),
      scratch_(values_),
      parts_(kSamples),
      signs_before_(signs_),
      values_before_(values_),
      bounded_before_(bounded_) {
  if (has_chord(stepper.options())) parts_ = kEndOnly;
  GRAPPLE_ASSERT(static_cast<int>(crossings_.size()) == problem.event_count());
  for (std::size_t i = 0; i < crossings_.size(); ++i) {
    passages_.push_back(problem.event_passage(static_cast<int>(i)));
    has_distances_ = has_distances_ || passages_.back().depth > 0.0;
  }
  samples_.fill(values_);
  fired_.reserve(crossings_.size());
}

void EventFinder::reread(double t, std::span<const double> x) {
  if (empty()) return;
  problem_.event_values(t, x, values_);
  std::ranges::fill(bounded_, std::uint8_t{0});
  if (has_distances_) problem_.event_speeds(t, x, speeds_);
  for (std::size_t i = 0; i < signs_.size(); ++i) signs_[i] = sign(values_[i]);
  for (const Fired& event : fired_) signs_[static_cast<std::size_t>(event.index)] = 0;
  needs_early_sample_ = true;
  known_ = true;
  known_at_ = t;
}

// Into values_, those of skip_ left as they are.
void EventFinder::read(double time) {
  known_ = false;
  if (time == stepper_.t()) {
    problem_.event_values_except(skip_, time, stepper_.x(), values_);
    return;
  }
  stepper_.interpolate(time, x_);
  problem_.event_values_except(skip_, time, x_, values_);
}

void EventFinder::read_speeds(double time, std::vector<double>& speeds) {
  if (time == stepper_.t()) {
    problem_.event_speeds(time, stepper_.x(), speeds);
    return;
  }
  stepper_.interpolate(time, x_);
  problem_.event_speeds(time, x_, speeds);
}

double EventFinder::value(std::size_t index, double time) {
  only_[index] = 0;
  if (time == stepper_.t()) {
    problem_.event_values_except(only_, time, stepper_.x(), scratch_);
  } else {
    stepper_.interpolate(time, x_);
    problem_.event_values_except(only_, time, x_, scratch_);
  }
  only_[index] = 1;
  return scratch_[index];
}

bool EventFinder::wanted(std::size_t index, int sign_after) const {
  const int before = signs_[index];
  if (before == 0 || sign_after == before) return false;
  if (crossings_[index] == Crossing::kBoth) return true;
  return (crossings_[index] == Crossing::kFalling) == (before > 0);
}

// From one end alone; a value that is a bound will do.
bool EventFinder::cannot_touch(std::size_t index, double span) const {
  return passages_[index].depth > 0.0 && signs_[index] > 0 &&
         values_[index] > fastest_[index] * span;
}

// Which functions must be read in this step.
void EventFinder::choose(double from, double to) {
  std::ranges::fill(skip_, std::uint8_t{0});
  bool open = false, bounds = false;  // a pair apart; a touching one that bounds the next step
  for (std::size_t i = 0; i < signs_.size(); ++i) {
    open = open || (passages_[i].depth > 0.0 && signs_[i] >= 0);
    bounds = bounds || (passages_[i].depth > 0.0 && passages_[i].depth < kInfinity);
  }
  speeds_there_ = speeds_;
  const bool has_middle = open && parts_.size() > 1;  // a chord has the speeds of its ends
  if (has_middle) read_speeds(from + kMiddle * (to - from), fastest_);
  if (open || bounds) read_speeds(to, speeds_there_);  // last: the values there are read next
  if (!open) return;
  if (!has_middle) fastest_ = speeds_there_;
  for (std::size_t i = 0; i < skip_.size(); ++i) {
    fastest_[i] = kFaster * std::max({speeds_[i], fastest_[i], speeds_there_[i]});
    skip_[i] = cannot_touch(i, to - from) ? 1 : 0;
  }
}

// The distances that come near after steps in which they were not read.
void EventFinder::read_bounded(double from) {
  bool any = false;
  for (std::size_t i = 0; i < only_.size(); ++i) {
    only_[i] = skip_[i] == 0 && bounded_[i] != 0 ? 0 : 1;
    any = any || only_[i] == 0;
  }
  if (!any) return;
  stepper_.interpolate(from, x_);
  problem_.event_values_except(only_, from, x_, values_);
  std::ranges::fill(only_, std::uint8_t{1});
}

void EventFinder::pass_unread(double span) {
  for (std::size_t i = 0; i < skip_.size(); ++i) {
    bounded_[i] = skip_[i];
    if (skip_[i] != 0) values_[i] -= fastest_[i] * span;
  }
}

std::optional<double> EventFinder::first_after(double from) {
  const double to = stepper_.t();
  const double span = to - from;
  if (!known_ || known_at_ != from) {
    std::ranges::fill(skip_, std::uint8_t{0});
    std::ranges::fill(bounded_, std::uint8_t{0});
    read(from);
    if (has_distances_) read_speeds(from, speeds_);
  }
  signs_before_ = signs_;
  values_before_ = values_;
  bounded_before_ = bounded_;
  choose(from, to);
  read_bounded(from);
  for (std::size_t i = 0; i < skip_.size(); ++i) skip_[i] = cannot_touch(i, span) ? 1 : 0;

  nodes_ = 0;
  times_[nodes_++] = from;
  samples_[0] = values_;
  const bool all_skipped = std::ranges::all_of(skip_, [](std::uint8_t s) { return s != 0; });
  const bool early = std::exchange(needs_early_sample_, false);
  const double soon = from + kEarlySample * span;
  if (!all_skipped && early && soon > from && soon < to) times_[nodes_++] = soon;
  for (const double part : parts_) {
    const double time = part == 1.0 ? to : from + part * span;
    if (!all_skipped && time > times_[nodes_ - 1]) times_[nodes_++] = time;
  }
  for (std::size_t k = 1; k < nodes_; ++k) {
    read(times_[k]);
    samples_[k] = values_;
  }
  for (std::size_t k = 1; k < nodes_; ++k) {
    if (const auto found = scan(k)) return found;
  }
  pass_unread(span);
  if (has_distances_) std::swap(speeds_, speeds_there_);
  known_ = true;
  known_at_ = to;
  return std::nullopt;
}

// The first wanted change between the node before and this one; without one the signs move on.
std::optional<double> EventFinder::scan(std::size_t node) {
  std::optional<double> first;
  for (std::size_t i = 0; i < signs_.size(); ++i) {
    if (skip_[i] != 0) continue;
    const int before = signs_[i];
    const std::optional<double> time = search(i, node);
    const int sign_there = std::exchange(signs_[i], before);
    if (!time || (first && *first <= *time)) continue;
    first = time;
    first_ = i;
    first_sign_ = sign_there;
  }
  if (first) {
    signs_[first_] = first_sign_;
  } else {
    settle(node);
  }
  return first;
}

// Leaves the sign before the change in signs_.
std::optional<double> EventFinder::search(std::size_t i, std::size_t node) {
  const double a = times_[node - 1], b = times_[node];
  const double fa = samples_[node - 1][i], fb = samples_[node][i];
  if (wanted(i, sign(fb))) return locate(i, a, fa, b, fb, signs_[i]);
  if (signs_[i] == 0 || sign(fb) != signs_[i] || sign(fa) != signs_[i]) return std::nullopt;
  const std::optional<double> beyond = unseen(i, node);
  if (!beyond) return std::nullopt;
  const double f = value(i, *beyond);
  if (wanted(i, sign(f))) return locate(i, a, fa, *beyond, f, signs_[i]);
  signs_[i] = sign(f);  // the way back is what is waited for
  return locate(i, *beyond, f, b, fb, signs_[i]);
}

void EventFinder::settle(std::size_t node) {
  for (std::size_t i = 0; i < signs_.size(); ++i) {
    if (skip_[i] == 0) signs_[i] = sign(samples_[node][i]);
  }
}

// A time between two samples of one sign at which the function has the other.
std::optional<double> EventFinder::unseen(std::size_t i, std::size_t node) {
  const double a = times_[node - 1], b = times_[node];
  const double fa = samples_[node - 1][i], fb = samples_[node][i];
  const bool is_distance = passages_[i].depth > 0.0 && fastest_[i] < kInfinity;
  reads_ = 0;
  if (is_distance) return signs_[i] > 0 ? halve(i, a, fa, b, fb) : std::nullopt;
  return bends_to_zero(i, node) ? beyond_zero(i, a, fa, b, fb) : std::nullopt;
}

// A distance: what its rate cannot reach is left out.
std::optional<double> EventFinder::halve(std::size_t i, double a, double fa, double b, double fb) {
  const double motion = fastest_[i] * (b - a);
  if (fa + fb > motion || b - a <= event_resolution(b)) return std::nullopt;
  if (++reads_ > kMostReads) return std::nullopt;
  if (!(motion > passages_[i].grain)) {
    // The slopes at both ends, a thousandth of the interval inside.
    const double inside = 1e-3 * (b - a);
    const double after = value(i, a + inside), before = value(i, b - inside);
    if (after < 0.0) return a + inside;
    if (before < 0.0) return b - inside;
    return after < fa && before < fb ? beyond_zero(i, a + inside, after, b - inside, before)
                                     : std::nullopt;
  }
  const double middle = 0.5 * (a + b);
  const double f = value(i, middle);
  if (f < 0.0) return middle;
  if (const auto found = halve(i, a, fa, middle, f)) return found;
  return halve(i, middle, f, b, fb);
}

// Whether a parabola through the two samples and the next one on either side has its vertex between
// them and comes less than half as near to zero as they are.
bool EventFinder::bends_to_zero(std::size_t i, std::size_t node) const {
  const double a = times_[node - 1], b = times_[node], h = b - a;
  const double side = signs_[i];
  const double fa = side * samples_[node - 1][i], fb = side * samples_[node][i];
  const auto shows = [&](std::size_t third) {
    const double c = times_[third], fc = side * samples_[third][i];
    const double slope = (fb - fa) / h;
    const double bend =
        ((fc - fa) / (c - a) - slope) / (c - b);  // f = fa + s (t-a) + bend (t-a)(t-b)
    const double at = 0.5 * h - 0.5 * slope / bend;
    if (!(bend > 0.0) || !(at > 0.0) || !(at < h)) return false;
    return fa + slope * at + bend * at * (at - h) < 0.5 * std::min(fa, fb);
  };
  return (node >= 2 && shows(node - 2)) || (node + 1 < nodes_ && shows(node + 1));
}

// Golden section for the least size of the function, until it has the other sign.
std::optional<double> EventFinder::beyond_zero(std::size_t i, double a, double fa, double b,
                                               double fb) {
  constexpr double kGolden = 0.6180339887498949;
  constexpr int kCuts = 24;  // to 1e-5 of the interval: what dips less is 1e-10 of its bend
  const double side = signs_[i];
  const bool is_distance = passages_[i].depth > 0.0 && fastest_[i] < kInfinity;
  double low = a, high = b, left = b - kGolden * (b - a), right = a + kGolden * (b - a);
  double f_left = side * value(i, left), f_right = side * value(i, right);
  double least = std::min(side * fa, side * fb);
  for (int cut = 0; cut < kCuts; ++cut) {
    if (f_left < 0.0) return left;
    if (f_right < 0.0) return right;
    least = std::min({least, f_left, f_right});
    if (is_distance && least > fastest_[i] * (high - low)) return std::nullopt;
    if (f_left < f_right) {
      high = right;
      right = left;
      f_right = f_left;
      left = high - kGolden * (high - low);
      f_left = side * value(i, left);
    } else {
      low = left;
      left = right;
      f_left = f_right;
      right = low + kGolden * (high - low);
      f_right = side * value(i, right);
    }
  }
  return std::nullopt;
}

double EventFinder::locate(std::size_t index, double a, double fa, double b, double fb,
                           double before) {
  // Round-off of the last event may leave fa on the wrong side; then the change is at a.
  return bracket_root([this, index](double time) { return value(index, time); }, a,
                      fa * before > 0.0 ? fa : 0.0, b, fb, -before, event_resolution(b))
      .b;
}

std::optional<double> EventFinder::step_onto_first_after(double from) {
  if (empty()) return std::nullopt;
  for (;;) {
    const bool early = needs_early_sample_;
    const std::optional<double> found = first_after(from);
    if (!found) return std::nullopt;
    if (const auto time = refine(from, *found)) return time;
    // The step had to be shorter and ends before: it is looked at as any other.
    signs_ = signs_before_;
    values_ = values_before_;
    bounded_ = bounded_before_;
    needs_early_sample_ = early;
    known_ = true;
    known_at_ = from;
  }
}

// None: the redone step ends earlier.
std::optional<double> EventFinder::refine(double from, double time) {
  const double last = stepper_.t();
  const double start = stepper_.previous_t();
  // An event at the very start of a step still needs a step, or time would stand still.
  const double earliest =
      from + 4.0 * std::numeric_limits<double>::epsilon() * std::max(std::abs(from), 1e-3);
  double t = std::clamp(time, std::min(earliest, last), last);
  for (int correction = 0; correction < 3; ++correction) {
    if (!stepper_.truncate(t)) return correction == 0 ? t : stepper_.t();
    if (stepper_.t() < t) return std::nullopt;
    const double span = t - start;
    const double back = 1e-4 * span;
    const double residual = value(first_, t);
    const double slope = (residual - value(first_, t - back)) / back;
    const double shift = -residual / slope;
    // A shift as long as the step means a grazing contact whose root the redone step has lost.
    if (!(std::abs(shift) > event_resolution(t)) || !(std::abs(shift) < 0.1 * span)) break;
    t = std::clamp(t + shift, std::min(earliest, last), last);
  }
  if (stepper_.t() != t) {
    if (!stepper_.truncate(t)) return stepper_.t();
    if (stepper_.t() < t) return std::nullopt;
  }
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
  std::ranges::fill(skip_, std::uint8_t{0});
  read(time - back);
  std::vector<double>& before = samples_[0];
  before = values_;
  problem_.event_values(time, x, values_);
  std::ranges::fill(bounded_, std::uint8_t{0});
  if (has_distances_) problem_.event_speeds(time, x, speeds_);
  fired_.clear();
  for (std::size_t i = 0; i < signs_.size(); ++i) {
    // Over less than the resolution of time a difference is all round-off.
    const double slope = back > event_resolution(time) ? (values_[i] - before[i]) / back : 0.0;
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

Problem::StepBound EventFinder::longest_step() const {
  Problem::StepBound bound;
  if (!has_distances_) return bound;
  for (std::size_t i = 0; i < signs_.size(); ++i) {
    if (passages_[i].depth <= 0.0 || !(speeds_[i] > 0.0) || !(speeds_[i] < kInfinity)) continue;
    // A pair apart may move so far that its distance can still be followed.
    const double way =
        signs_[i] > 0 ? values_[i] + kMostGrains * passages_[i].grain : passages_[i].depth;
    const double seconds = way / speeds_[i];
    if (seconds < bound.seconds) bound = {seconds, passages_[i].source};
  }
  return bound;
}

void EventFinder::save(std::vector<double>& memory) const {
  memory.insert(memory.end(), signs_.begin(), signs_.end());
  memory.push_back(needs_early_sample_ ? 1.0 : 0.0);
  memory.insert(memory.end(), values_.begin(), values_.end());
  memory.insert(memory.end(), bounded_.begin(), bounded_.end());
  memory.insert(memory.end(), speeds_.begin(), speeds_.end());
  memory.push_back(known_ ? known_at_ : std::numeric_limits<double>::quiet_NaN());
}

void EventFinder::restore(std::span<const double> memory) {
  SavedNumbers saved(memory, "events");
  for (int& sign : signs_) sign = static_cast<int>(saved.whole(-1, 1));
  needs_early_sample_ = saved.flag();
  saved.copy_to(values_);
  for (std::uint8_t& bounded : bounded_) bounded = saved.flag() ? 1 : 0;
  saved.copy_to(speeds_);
  known_at_ = saved.number();
  saved.expect_end();
  known_ = !std::isnan(known_at_);
}

}  // namespace grapple::integrate
