#include "grapple/record/measures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "grapple/base/assert.h"
#include "grapple/base/bracketed_root.h"
#include "grapple/base/error.h"
#include "grapple/base/saved_numbers.h"

namespace grapple::record {

namespace {

using Point = Measure::Point;

// Parts of a piece. The vertex of a peak that lies nearer to an end than the first is not looked
// for: a smooth channel rises by less than its square beyond the end. Peaks are located to the
// second, which costs their height its square; crossings to the third.
constexpr double kNearEnd = 1e-4, kPeakTime = 1e-7, kRootTime = 1e-12;
// Changes below it are round-off of the values.
constexpr double kRoundOff = 1e-13;
// Where the second half of a piece rises by less than this part of both, relative to a straight
// line, the parabola may have turned before its end.
constexpr double kBending = 0.5;

bool looks_below(MeasureKind kind) {
  return kind == MeasureKind::kFirstBelow || kind == MeasureKind::kDurationBelow;
}
bool is_extreme(MeasureKind kind) { return kind == MeasureKind::kMax || kind == MeasureKind::kMin; }
bool is_first(MeasureKind kind) {
  return kind == MeasureKind::kFirstAbove || kind == MeasureKind::kFirstBelow;
}
bool is_duration(MeasureKind kind) {
  return kind == MeasureKind::kDurationAbove || kind == MeasureKind::kDurationBelow;
}
bool gives_seconds(MeasureKind kind) { return is_first(kind) || is_duration(kind); }

double resolution(double part, const Point& a, const Point& b) {
  return std::max(part * (b.t - a.t), 4.0 * std::numeric_limits<double>::epsilon() *
                                          std::max(std::abs(a.t), std::abs(b.t)));
}

// A local maximum of f between a and b, if the three values speak for one that may pass `above`.
template <class Function>
std::optional<Point> peak(Function&& f, const Point& a, const Point& m, const Point& b,
                          double above) {
  const double first = m.y - a.y, second = b.y - m.y;
  const double change = std::abs(first) + std::abs(second);
  const double top = std::max({a.y, m.y, b.y});
  const double size = std::max({std::abs(a.y), std::abs(m.y), std::abs(b.y)});
  if (!(change > kRoundOff * size) || !(top + change > above)) return std::nullopt;
  const double within = resolution(kPeakTime, a, b);
  if (first >= 0.0 && second <= 0.0) return integrate::bracketed_maximum(f, a, m, b, within);
  const double beside = kNearEnd * (b.t - a.t);
  if (first > 0.0 && second > 0.0 && 3.0 * second - first < kBending * change) {
    const Point p{b.t - beside, f(b.t - beside)};
    if (p.y > b.y) return integrate::bracketed_maximum(f, m, p, b, within);
  }
  if (first < 0.0 && second < 0.0 && 3.0 * first - second > -kBending * change) {
    const Point p{a.t + beside, f(a.t + beside)};
    if (p.y > a.y) return integrate::bracketed_maximum(f, a, p, m, within);
  }
  return std::nullopt;
}

// Where f passes zero between two points on different sides of it.
template <class Function>
double crossing(Function&& f, const Point& a, const Point& b) {
  return bracket_root(f, a.t, a.y, b.t, b.y, b.y > 0.0 ? 1.0 : -1.0, resolution(kRootTime, a, b)).b;
}

// Seconds above zero between neighbouring points.
template <class Function>
double time_above(Function&& f, const Point& a, const Point& b) {
  if (a.y > 0.0 && b.y > 0.0) return b.t - a.t;
  if (a.y > 0.0) return crossing(f, a, b) - a.t;
  return b.y > 0.0 ? b.t - crossing(f, a, b) : 0.0;
}

}  // namespace

Measure::Measure(MeasureKind kind, double level, double time)
    : kind_(kind), level_(level), wanted_time_(time) {}

double Measure::height(double value) const {
  if (is_extreme(kind_)) return kind_ == MeasureKind::kMax ? value : -value;
  return looks_below(kind_) ? level_ - value : value - level_;
}

bool Measure::follows() const {
  return is_extreme(kind_) || is_duration(kind_) || (is_first(kind_) && !result_.found);
}

bool Measure::asks(double from, double to) const {
  return kind_ == MeasureKind::kAtTime && !result_.found && from < wanted_time_ &&
         wanted_time_ <= to;
}

void Measure::answer(Curve& curve) {
  const double value = curve.at(wanted_time_);
  if (!std::isnan(value)) result_ = {value, wanted_time_, true};
}

void Measure::row(double time, double value) {
  if (kind_ == MeasureKind::kFinal && !std::isnan(value)) result_ = {value, time, true};
}

// A point that counts alone.
void Measure::take(const Point& p) {
  if (is_extreme(kind_)) {
    if (!result_.found || p.y > height(result_.value)) {
      result_ = {kind_ == MeasureKind::kMax ? p.y : -p.y, p.t, true};
    }
  } else if (is_first(kind_)) {
    if (!result_.found && p.y > 0.0) result_ = {p.t, p.t, true};
  } else {
    result_ = {result_.value, p.t, true};
  }
}

void Measure::begin(const Point& start) {
  if (std::isnan(start.y)) {
    has_last_ = false;
    return;
  }
  if (kind_ == MeasureKind::kAtTime) {
    if (!result_.found && start.t == wanted_time_) result_ = {start.y, start.t, true};
    return;
  }
  if (!follows()) return;
  last_ = height(start);
  has_last_ = true;
  take(last_);
}

void Measure::follow(const Point& middle, const Point& end, Curve& curve) {
  if (!has_last_ || std::isnan(middle.y) || std::isnan(end.y)) {
    begin(middle);
    begin(end);
    return;
  }
  follow_heights(height(middle), height(end), curve);
}

void Measure::follow_chord(const Point& end, Curve& curve) {
  if (!has_last_ || std::isnan(end.y)) {
    begin(end);
    return;
  }
  const Point e = height(end);
  follow_heights({std::midpoint(last_.t, e.t), std::midpoint(last_.y, e.y)}, e, curve);
}

void Measure::follow_heights(const Point& middle, const Point& end, Curve& curve) {
  if (is_extreme(kind_)) follow_extreme(middle, end, curve);
  if (is_first(kind_)) follow_first(middle, end, curve);
  if (is_duration(kind_)) follow_duration(middle, end, curve);
  last_ = end;
}

void Measure::follow_extreme(const Point& middle, const Point& end, Curve& curve) {
  take(middle);
  take(end);
  const auto f = [&](double t) { return height(curve.at(t)); };
  if (const auto found = peak(f, last_, middle, end, height(result_.value))) take(*found);
}

void Measure::follow_first(const Point& middle, const Point& end, Curve& curve) {
  const auto f = [&](double t) { return height(curve.at(t)); };
  const auto cross = [&](const Point& a, const Point& b) {
    const double t = crossing(f, a, b);
    result_ = {t, t, true};
  };
  if (middle.y > 0.0) return cross(last_, middle);
  if (end.y > 0.0) return cross(middle, end);
  const auto found = peak(f, last_, middle, end, 0.0);
  if (found && found->y > 0.0) cross(found->t > middle.t ? middle : last_, *found);
}

void Measure::follow_duration(const Point& middle, const Point& end, Curve& curve) {
  const auto f = [&](double t) { return height(curve.at(t)); };
  const auto mirrored = [&](double t) { return -f(t); };
  const auto under = [](const Point& p) { return Point{p.t, -p.y}; };
  std::optional<Point> between;  // above where the three are below, or the other way round
  if (std::max({last_.y, middle.y, end.y}) <= 0.0) {
    between = peak(f, last_, middle, end, 0.0);
  } else if (std::min({last_.y, middle.y, end.y}) > 0.0) {
    between = peak(mirrored, under(last_), under(middle), under(end), 0.0);
    if (between) between = under(*between);
  }
  std::array<Point, 4> points{last_, middle, end, end};
  if (between) {
    points[between->t < middle.t ? 1 : 2] = *between;
    if (between->t < middle.t) points[2] = middle;
  }
  double gained = 0.0;
  for (std::size_t k = 0; k + 1 < points.size(); ++k) {
    gained += time_above(f, points[k], points[k + 1]);
  }
  result_ = {result_.value + gained, end.t, true};
}

std::vector<double> Measure::save() const {
  return {result_.value,         result_.time, result_.found ? 1.0 : 0.0,
          has_last_ ? 1.0 : 0.0, last_.t,      last_.y};
}

void Measure::restore(std::span<const double> state) {
  GRAPPLE_ASSERT(state.size() == kStateSize);
  result_ = {state[0], state[1], state[2] != 0.0};
  has_last_ = state[3] != 0.0;
  last_ = {state[4], state[5]};
}

Measures::Measures(std::vector<MeasureSpec> specs, const std::vector<ChannelInfo>& channels)
    : specs_(std::move(specs)) {
  Diagnostics found;
  for (const MeasureSpec& spec : specs_) {
    try {
      const std::size_t channel = find_channel(channels, spec.channel);
      channels_.push_back(channel);
      units_.push_back(gives_seconds(spec.kind) ? "s" : channels[channel].unit);
      measures_.emplace_back(spec.kind, spec.level, spec.time);
    } catch (const Error& error) {
      found.add(error.id(), fmt::format("measure '{}'", spec.name),
                error.diagnostics().front().message);
    }
  }
  found.throw_if_any();
}

void Measures::row(double time, std::span<const double> values) {
  for (std::size_t i = 0; i < measures_.size(); ++i) measures_[i].row(time, values[channels_[i]]);
}

std::vector<double> Measures::save() const {
  std::vector<double> state;
  for (const Measure& measure : measures_) {
    const std::vector<double> part = measure.save();
    state.insert(state.end(), part.begin(), part.end());
  }
  return state;
}

void Measures::restore(std::span<const double> state) {
  SavedNumbers saved(state, "measures");
  for (Measure& measure : measures_) measure.restore(saved.take(Measure::kStateSize));
  saved.expect_end();
}

std::vector<MeasureReport> report(const Measures& measures) {
  std::vector<MeasureReport> reports;
  for (std::size_t i = 0; i < measures.specs().size(); ++i) {
    const MeasureSpec& spec = measures.specs()[i];
    reports.push_back({spec.name, spec.channel, measures.unit(i), measures.result(i)});
  }
  return reports;
}

}  // namespace grapple::record
