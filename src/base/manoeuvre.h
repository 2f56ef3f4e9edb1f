// Manoeuvres: a value that goes from one rest to another along a standard profile. With
// s = (t - start) / duration and D = to - from,
//   sine-on-ramp  from + D (s - sin(2 pi s) / (2 pi))   Chen (1999), 2.74; the cycloid of Kim, 6.8
//   bang-bang     acceleration 4 D/T^2 over the first half, its opposite over the second
//   trapezoid     rate that rises evenly, stays, and falls evenly
//   cubic         from + D (3 s^2 - 2 s^3)
//   quintic       from + D (10 s^3 - 15 s^4 + 6 s^5)
// Peak rates: 2, 2, 1/(1 - ramp), 3/2, 15/8 times D/T. Rates vanish at both ends; accelerations too
// for sine-on-ramp and quintic.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "grapple/base/function.h"

namespace grapple {

enum class Profile : std::uint8_t { kSineOnRamp, kBangBang, kTrapezoid, kCubic, kQuintic };

/// One manoeuvre. Before it the value is `from`, after it `to`.
struct Manoeuvre {
  Profile profile = Profile::kSineOnRamp;
  double from = 0.0, to = 0.0;
  double start = 0.0;     ///< s
  double duration = 1.0;  ///< s, positive
  /// Trapezoid: part of the duration in which the rate rises, and again falls; above 0, at most
  /// 1/2.
  double ramp = 0.25;

  double end() const { return start + duration; }
};

/// The ramp of a trapezoid whose acceleration is `limit` in size: r (1 - r) = |D| / (limit T^2),
/// the smaller root. Throws Error GR-136 if the limit is below 4 |D| / T^2, that of bang-bang.
double ramp_for_acceleration(double difference, double duration, double limit);

/// Value, rate and acceleration; at a switch of the acceleration those right after it.
Jet evaluate(const Manoeuvre& manoeuvre, double t);

/// Start, end, and where the acceleration jumps between them, increasing.
std::vector<double> switch_times(const Manoeuvre& manoeuvre);

/// Manoeuvres one after another as one function, each from where the last ended. Throws Error
/// GR-136 on a duration or ramp out of range, a value that is not finite, one that does not begin
/// where the last ended, or one that begins before the last ended.
Function manoeuvres(std::vector<Manoeuvre> sequence);

}  // namespace grapple
