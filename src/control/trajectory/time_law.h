// How a motion from rest to rest runs along its way: s(t) from 0 to 1 over a duration T.
//   sine-on-ramp (cycloidal), bang-bang, trapezoid, cubic, quintic   as in base/manoeuvre.h
//   s-curve   jerk +j, 0, -j, 0, -j, 0, +j: the trapezoid in rate with rounded corners
// With limits on rate, acceleration and jerk the shortest duration of each is a closed form; of the
// trapezoid and the s-curve it is the shortest of all motions within the limits (Biagiotti and
// Melchiorri, Trajectory Planning for Automatic Machines and Robots, 2008, sections 3.2.3, 3.4).
#pragma once

#include <array>
#include <limits>
#include <string_view>
#include <vector>

#include "grapple/base/function.h"

namespace grapple::control {

enum class LawKind { kSineOnRamp, kBangBang, kTrapezoid, kCubic, kQuintic, kSCurve };

/// Limits in the unit of the way; infinite: none.
struct Limits {
  double rate = std::numeric_limits<double>::infinity();
  double acceleration = std::numeric_limits<double>::infinity();
  double jerk = std::numeric_limits<double>::infinity();
};

/// s(t), s'(t), s''(t) for 0 <= t <= duration; before and after it rests at 0 and 1.
struct TimeLaw {
  LawKind kind = LawKind::kSineOnRamp;
  double duration = 1.0;  ///< s, positive
  /// Trapezoid and s-curve, parts of the duration: in which the rate rises (and again falls), and
  /// in which the acceleration does (four times). rise <= 1/2, corner <= rise / 2.
  double rise = 0.25, corner = 0.0;

  Jet at(double t) const;
  /// Largest size of s', s'' and s''' (infinite where s'' jumps).
  Limits peaks() const;
  /// Where s'' or s''' jumps, from 0 to the duration, increasing.
  std::vector<double> switches() const;
};

/// The name in a scenario; "cycloidal" means sine-on-ramp as well.
LawKind law_kind(std::string_view name);

/// The law of the shortest duration over a way of this length (not negative) within the limits. A
/// way of no length takes no time: duration 0. Limits that bound nothing (GR-996) are the caller's
/// to refuse: the duration is then 0 as well. A jerk limit cannot be kept by laws whose
/// acceleration jumps; it counts for sine-on-ramp, quintic and s-curve.
TimeLaw shortest_law(LawKind kind, double way, const Limits& limits);
/// Whether the limits bound the duration of a law of this kind.
bool bounds_duration(LawKind kind, const Limits& limits);
/// Whether the acceleration of a law of this kind is continuous.
bool has_continuous_acceleration(LawKind kind);
/// A law of the given duration that keeps the limits best: that of the shortest duration, slowed
/// down; without limits the standard form (rise 1/4, corner 1/16).
TimeLaw law_of_duration(LawKind kind, double way, const Limits& limits, double duration);

}  // namespace grapple::control
