#include "grapple/control/trajectory/time_law.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "grapple/base/assert.h"
#include "grapple/base/manoeuvre.h"

namespace grapple::control {

namespace {

constexpr double kUnlimited = std::numeric_limits<double>::infinity();

bool has_ramps(LawKind kind) { return kind == LawKind::kTrapezoid || kind == LawKind::kSCurve; }

Profile profile_of(LawKind kind) {
  switch (kind) {
    case LawKind::kBangBang:
      return Profile::kBangBang;
    case LawKind::kCubic:
      return Profile::kCubic;
    case LawKind::kQuintic:
      return Profile::kQuintic;
    default:
      return Profile::kSineOnRamp;
  }
}

// Rate that rises along 0 <= x <= rise with rounded corners, as parts of the duration; the jet with
// respect to x of the way to there. Peak rate: 1 / (1 - rise).
Jet rising(double x, double rise, double corner) {
  const double rate = 1.0 / (1.0 - rise);
  const double slope = rate / (rise - corner);
  if (corner > 0.0 && x < corner) {
    const double jerk = slope / corner;
    return {jerk * x * x * x / 6.0, 0.5 * jerk * x * x, jerk * x};
  }
  if (x < rise - corner) {
    const double y = x - 0.5 * corner;  // where the straight line of the rate began
    return {0.5 * slope * y * y + slope * corner * corner / 24.0, slope * y, slope};
  }
  const double rest = rise - x;  // the last corner, seen from its end
  const double jerk = corner > 0.0 ? slope / corner : 0.0;
  return {rate * (0.5 * rise - rest) + jerk * rest * rest * rest / 6.0,
          rate - 0.5 * jerk * rest * rest, jerk * rest};
}

// s over x = t / duration.
Jet with_ramps(double x, double rise, double corner) {
  if (x < rise) return rising(x, rise, corner);
  if (x <= 1.0 - rise) {
    const double rate = 1.0 / (1.0 - rise);
    return {rate * (x - 0.5 * rise), rate, 0.0};
  }
  const Jet back = rising(1.0 - x, rise, corner);
  return {1.0 - back.value, back.rate, -back.acceleration};
}

// Corner, rise and the whole duration in seconds.
TimeLaw of_ramps(LawKind kind, double corner, double rise, double cruise) {
  TimeLaw law{kind, 2.0 * rise + cruise};
  law.rise = rise / law.duration;
  law.corner = corner / law.duration;
  return law;
}

TimeLaw shortest_with_ramps(LawKind kind, double way, const Limits& limits) {
  const double v = limits.rate, a = limits.acceleration;
  const double j = kind == LawKind::kSCurve ? limits.jerk : kUnlimited;
  if (std::isfinite(v)) {  // does it reach the rate?
    const bool keeps_acceleration = !std::isfinite(j) || v * j >= a * a;
    const double corner = keeps_acceleration ? (std::isfinite(j) ? a / j : 0.0) : std::sqrt(v / j);
    const double rise = keeps_acceleration ? corner + v / a : 2.0 * corner;
    const double cruise = way / v - rise;
    if (cruise >= 0.0) return of_ramps(kind, corner, rise, cruise);
  }
  if (!std::isfinite(j)) return of_ramps(kind, 0.0, std::sqrt(way / a), 0.0);
  if (std::isfinite(a) && way >= 2.0 * a * a * a / (j * j)) {  // it reaches the acceleration
    const double corner = a / j;
    return of_ramps(kind, corner, 0.5 * corner + std::sqrt(0.25 * corner * corner + way / a), 0.0);
  }
  const double corner = std::cbrt(way / (2.0 * j));
  return of_ramps(kind, corner, 2.0 * corner, 0.0);
}

}  // namespace

Jet TimeLaw::at(double t) const {
  if (!(t > 0.0)) return {0.0, 0.0, 0.0};
  if (t >= duration) return {1.0, 0.0, 0.0};
  if (!has_ramps(kind)) return evaluate(Manoeuvre{profile_of(kind), 0.0, 1.0, 0.0, duration}, t);
  const Jet x = with_ramps(t / duration, rise, corner);
  return {x.value, x.rate / duration, x.acceleration / (duration * duration)};
}

Limits TimeLaw::peaks() const {
  constexpr double kPi = std::numbers::pi;
  Limits p;
  switch (kind) {
    case LawKind::kSineOnRamp:
      p = {2.0, 2.0 * kPi, 4.0 * kPi * kPi};
      break;
    case LawKind::kBangBang:
      p = {2.0, 4.0, kUnlimited};
      break;
    case LawKind::kCubic:
      p = {1.5, 6.0, kUnlimited};
      break;
    case LawKind::kQuintic:
      p = {1.875, 10.0 / std::numbers::sqrt3, 60.0};
      break;
    case LawKind::kTrapezoid:
    case LawKind::kSCurve:
      p.rate = 1.0 / (1.0 - rise);
      p.acceleration = p.rate / (rise - corner);
      p.jerk = corner > 0.0 ? p.acceleration / corner : kUnlimited;
      break;
  }
  const double T = duration;
  return {p.rate / T, p.acceleration / (T * T), p.jerk / (T * T * T)};
}

std::vector<double> TimeLaw::switches() const {
  std::vector<double> parts{0.0, 1.0};
  if (kind == LawKind::kBangBang) parts = {0.0, 0.5, 1.0};
  if (has_ramps(kind)) {
    parts = {0.0, corner, rise - corner, rise, 1.0 - rise, 1.0 - rise + corner, 1.0 - corner, 1.0};
  }
  std::vector<double> times;
  for (const double part : parts) {
    const double t = part * duration;
    if (times.empty() || t > times.back()) times.push_back(t);
  }
  return times;
}

LawKind law_kind(std::string_view name) {
  if (name == "bang-bang") return LawKind::kBangBang;
  if (name == "trapezoid") return LawKind::kTrapezoid;
  if (name == "cubic") return LawKind::kCubic;
  if (name == "quintic") return LawKind::kQuintic;
  if (name == "s-curve") return LawKind::kSCurve;
  GRAPPLE_ASSERT(name == "sine-on-ramp" || name == "cycloidal");
  return LawKind::kSineOnRamp;
}

bool has_continuous_acceleration(LawKind kind) {
  return kind == LawKind::kSineOnRamp || kind == LawKind::kQuintic || kind == LawKind::kSCurve;
}

bool bounds_duration(LawKind kind, const Limits& limits) {
  if (kind == LawKind::kTrapezoid) return std::isfinite(limits.acceleration);
  if (kind == LawKind::kSCurve) return std::isfinite(limits.jerk);
  return std::isfinite(limits.rate) || std::isfinite(limits.acceleration) ||
         (has_continuous_acceleration(kind) && std::isfinite(limits.jerk));
}

TimeLaw shortest_law(LawKind kind, double way, const Limits& limits) {
  if (!(way > 0.0) || !bounds_duration(kind, limits)) return {kind, 0.0};
  if (has_ramps(kind)) return shortest_with_ramps(kind, way, limits);
  const Limits unit = TimeLaw{kind, 1.0}.peaks();
  double duration = std::max(way * unit.rate / limits.rate,
                             std::sqrt(way * unit.acceleration / limits.acceleration));
  if (has_continuous_acceleration(kind)) {
    duration = std::max(duration, std::cbrt(way * unit.jerk / limits.jerk));
  }
  return {kind, duration};
}

TimeLaw law_of_duration(LawKind kind, double way, const Limits& limits, double duration) {
  TimeLaw law = shortest_law(kind, way, limits);
  if (!(law.duration > 0.0)) {
    law = {kind, duration};
    if (kind == LawKind::kSCurve) law.corner = 0.0625;
  }
  law.duration = duration;
  return law;
}

}  // namespace grapple::control
