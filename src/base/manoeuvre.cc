#include "grapple/base/manoeuvre.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include "grapple/base/error.h"

namespace grapple {

namespace {

[[noreturn]] void refuse(const std::string& why) { throw Error("GR-136", "", "profile: " + why); }

// Of s from 0 to 1, for a difference and a duration of 1.
Jet sine_on_ramp(double s) {
  constexpr double kTurn = 2.0 * std::numbers::pi;
  return {s - std::sin(kTurn * s) / kTurn, 1.0 - std::cos(kTurn * s), kTurn * std::sin(kTurn * s)};
}

Jet trapezoid(double s, double ramp) {
  const double acceleration = 1.0 / (ramp * (1.0 - ramp));
  if (s < ramp) return {0.5 * acceleration * s * s, acceleration * s, acceleration};
  if (s < 1.0 - ramp) {
    const double rate = acceleration * ramp;
    return {rate * (s - 0.5 * ramp), rate, 0.0};
  }
  const double left = 1.0 - s;
  return {1.0 - 0.5 * acceleration * left * left, acceleration * left, -acceleration};
}

Jet cubic(double s) { return {s * s * (3.0 - 2.0 * s), 6.0 * s * (1.0 - s), 6.0 - 12.0 * s}; }

Jet quintic(double s) {
  return {s * s * s * (10.0 + s * (6.0 * s - 15.0)), 30.0 * s * s * (1.0 - s) * (1.0 - s),
          60.0 * s * (1.0 - s) * (1.0 - 2.0 * s)};
}

Jet unit_profile(const Manoeuvre& manoeuvre, double s) {
  switch (manoeuvre.profile) {
    case Profile::kSineOnRamp:
      return sine_on_ramp(s);
    case Profile::kBangBang:
      return trapezoid(s, 0.5);
    case Profile::kTrapezoid:
      return trapezoid(s, manoeuvre.ramp);
    case Profile::kCubic:
      return cubic(s);
    case Profile::kQuintic:
      return quintic(s);
  }
  return {};
}

void check(const Manoeuvre& m) {
  if (!std::isfinite(m.from) || !std::isfinite(m.to) || !std::isfinite(m.start)) {
    refuse("its values and its start must be finite");
  }
  if (!(m.duration > 0.0) || !std::isfinite(m.end()) || !(m.end() > m.start)) {
    refuse(fmt::format("its duration must be positive and finite, found {:g} s", m.duration));
  }
  if (m.profile == Profile::kTrapezoid && !(m.ramp > 0.0 && m.ramp <= 0.5)) {
    refuse(
        fmt::format("the ramp of a trapezoid is above 0 and at most 1/2 of the duration, found "
                    "{:g}",
                    m.ramp));
  }
}

}  // namespace

double ramp_for_acceleration(double difference, double duration, double limit) {
  const double least = 4.0 * std::abs(difference) / (duration * duration);
  // A limit rounded to six digits of the least one is that one.
  constexpr double kRounding = 1e-6;
  if (!(limit >= least * (1.0 - kRounding)) || !(limit > 0.0)) {
    refuse(
        fmt::format("an acceleration of {:g} (SI) at most is too little for {:g} in {:g} s, "
                    "which needs {:g}",
                    limit, difference, duration, least));
  }
  // The smaller root without a difference of near numbers.
  const double part = least / limit;
  if (part == 0.0) return 0.5;  // nothing moves
  return 0.5 * part / (1.0 + std::sqrt(std::max(0.0, 1.0 - part)));
}

Jet evaluate(const Manoeuvre& m, double t) {
  if (t < m.start) return {m.from, 0.0, 0.0};
  if (t >= m.end()) return {m.to, 0.0, 0.0};
  const double difference = m.to - m.from;
  const Jet unit = unit_profile(m, std::min((t - m.start) / m.duration, 1.0));
  return {m.from + difference * unit.value, difference / m.duration * unit.rate,
          difference / (m.duration * m.duration) * unit.acceleration};
}

std::vector<double> switch_times(const Manoeuvre& m) {
  std::vector<double> times{m.start};
  if (m.profile == Profile::kTrapezoid && m.ramp < 0.5) {
    times.push_back(m.start + m.ramp * m.duration);
    times.push_back(m.end() - m.ramp * m.duration);
  } else if (m.profile == Profile::kTrapezoid || m.profile == Profile::kBangBang) {
    times.push_back(m.start + 0.5 * m.duration);
  }
  times.push_back(m.end());
  return times;
}

Function manoeuvres(std::vector<Manoeuvre> sequence) {
  if (sequence.empty()) refuse("at least one manoeuvre is needed");
  std::vector<double> switches;
  for (std::size_t i = 0; i < sequence.size(); ++i) {
    const Manoeuvre& own = sequence[i];
    check(own);
    if (i > 0 && own.from != sequence[i - 1].to) {
      refuse(fmt::format("manoeuvre {} begins at {:g} (SI), the one before it ends at {:g}", i + 1,
                         own.from, sequence[i - 1].to));
    }
    if (i > 0 && own.start < sequence[i - 1].end()) {
      refuse(fmt::format("manoeuvre {} starts at {:g} s, the one before it ends at {:g} s", i + 1,
                         own.start, sequence[i - 1].end()));
    }
    for (const double t : switch_times(own)) {
      if (switches.empty() || t > switches.back()) switches.push_back(t);
    }
  }
  // Before its start a manoeuvre stands where the last ended: the one begun last tells it all.
  const auto at = [sequence = std::move(sequence)](double t) {
    const auto later =
        std::upper_bound(sequence.begin(), sequence.end(), t,
                         [](double time, const Manoeuvre& m) { return time < m.start; });
    return evaluate(later == sequence.begin() ? sequence.front() : *std::prev(later), t);
  };
  return Function::piecewise(at, std::move(switches));
}

}  // namespace grapple
