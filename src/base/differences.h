// First and second derivative of a scalar function by central differences of order 8:
//   f'(t)  = sum_k a_k (f(t + k h) - f(t - k h)) / h,                k = 1..4
//   f''(t) = (b_0 f(t) + sum_k b_k (f(t + k h) + f(t - k h))) / h^2
// (Fornberg 1988, table 1). The step starts small, where every reasonable function is resolved,
// and grows while the result stays inside the error bound of the previous step, so that neither
// round-off (small h) nor aliasing (large h) wins.
#pragma once

#include <array>
#include <cmath>
#include <limits>

namespace grapple {

struct Derivative {
  double value = 0.0;
  double error = std::numeric_limits<double>::infinity();  ///< bound used to choose the step
};

struct Derivatives {
  Derivative first, second;
};

namespace differences_detail {

/// The samples f(t + k h) and f(t - k h).
struct Stencil {
  double h = 0.0, centre = 0.0, magnitude = 0.0;
  std::array<double, 4> sum{}, difference{};
};

Derivatives estimate(const Stencil& stencil, double t);
/// Takes `next` if it confirms and sharpens `best`; returns whether it did.
enum class Growth { kContinue, kStop };
Growth improve(Derivative& best, const Derivative& next);

inline constexpr double kSmallestStep = 0.7071 / 131072.0;
inline constexpr double kStepRatio = 4.0;
inline constexpr int kSteps = 13;

}  // namespace differences_detail

template <typename F>
Derivatives differentiate(const F& f, double t) {
  namespace detail = differences_detail;
  Derivatives best;
  detail::Growth first = detail::Growth::kContinue, second = detail::Growth::kContinue;
  detail::Stencil stencil;
  stencil.centre = f(t);
  stencil.h = detail::kSmallestStep;
  for (int level = 0; level < detail::kSteps; ++level, stencil.h *= detail::kStepRatio) {
    stencil.magnitude = std::abs(stencil.centre);
    for (std::size_t k = 0; k < 4; ++k) {
      const double offset = static_cast<double>(k + 1) * stencil.h;
      const double after = f(t + offset), before = f(t - offset);
      stencil.sum[k] = after + before;
      stencil.difference[k] = after - before;
      stencil.magnitude =
          std::fmax(stencil.magnitude, std::fmax(std::abs(after), std::abs(before)));
    }
    const Derivatives next = detail::estimate(stencil, t);
    if (first == detail::Growth::kContinue) first = detail::improve(best.first, next.first);
    if (second == detail::Growth::kContinue) second = detail::improve(best.second, next.second);
    if (first == detail::Growth::kStop && second == detail::Growth::kStop) break;
  }
  return best;
}

}  // namespace grapple
