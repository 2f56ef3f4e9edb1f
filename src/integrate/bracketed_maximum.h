// Maximum of a function between a and b, of which a point m inside is not lower than both ends, by
// parabolas through the best three points and golden sections where those do not serve.
// Source: Brent, Algorithms for Minimization without Derivatives, 1973, ch. 5.
#pragma once

#include <algorithm>
#include <cmath>

namespace grapple::integrate {

struct CurvePoint {
  double t = 0.0, y = 0.0;
};

/// The highest point met; its t is within 2 `tolerance` of a local maximum. f is not called at a,
/// m and b.
template <class Function>
CurvePoint bracketed_maximum(Function&& f, CurvePoint a, CurvePoint m, CurvePoint b,
                             double tolerance) {
  constexpr double kGolden = 0.3819660112501051;  // (3 - sqrt 5) / 2
  constexpr int kMostCalls = 60;                  // golden sections alone reach 3e-13 of the span
  double low = a.t, high = b.t;
  CurvePoint x = m, second = a.y > b.y ? a : b, third = a.y > b.y ? b : a;
  double step = high - low, step_before = step;
  for (int call = 0; call < kMostCalls; ++call) {
    const double middle = 0.5 * (low + high);
    if (std::abs(x.t - middle) <= 2.0 * tolerance - 0.5 * (high - low)) break;
    const double r = (x.t - second.t) * (x.y - third.y), s = (x.t - third.t) * (x.y - second.y);
    double p = (x.t - third.t) * s - (x.t - second.t) * r, q = 2.0 * (s - r);
    if (q > 0.0) p = -p;
    q = std::abs(q);
    const bool inside = p > q * (low - x.t) && p < q * (high - x.t);
    if (inside && std::abs(p) < std::abs(0.5 * q * step_before)) {
      step_before = step;
      step = p / q;
      const double next = x.t + step;
      if (next - low < 2.0 * tolerance || high - next < 2.0 * tolerance) {
        step = std::copysign(tolerance, middle - x.t);
      }
    } else {
      step_before = x.t >= middle ? low - x.t : high - x.t;
      step = kGolden * step_before;
    }
    const double t = x.t + (std::abs(step) >= tolerance ? step : std::copysign(tolerance, step));
    const CurvePoint u{t, f(t)};
    if (u.y >= x.y) {
      (u.t >= x.t ? low : high) = x.t;
      third = second;
      second = x;
      x = u;
    } else {
      (u.t < x.t ? low : high) = u.t;
      if (u.y >= second.y || second.t == x.t) {
        third = second;
        second = u;
      } else if (u.y >= third.y || third.t == x.t || third.t == second.t) {
        third = u;
      }
    }
  }
  return x;
}

}  // namespace grapple::integrate
