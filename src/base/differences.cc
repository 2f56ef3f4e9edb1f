#include "grapple/base/differences.h"

namespace grapple::differences_detail {

namespace {

constexpr std::array kFirst8{4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0};
constexpr std::array kFirst6{3.0 / 4.0, -3.0 / 20.0, 1.0 / 60.0, 0.0};
constexpr std::array kSecond8{8.0 / 5.0, -1.0 / 5.0, 8.0 / 315.0, -1.0 / 560.0};
constexpr std::array kSecond6{3.0 / 2.0, -3.0 / 20.0, 1.0 / 90.0, 0.0};
constexpr double kSecond8Centre = -205.0 / 72.0;
constexpr double kSecond6Centre = -49.0 / 18.0;

double dot(const std::array<double, 4>& a, const std::array<double, 4>& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

}  // namespace

// The difference between orders 8 and 6 bounds the truncation error from above; the round-off part
// counts the error of the samples and of their times (t + k h is rounded to the spacing at t).
Derivatives estimate(const Stencil& s, double t) {
  constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
  Derivatives d;
  d.first.value = dot(kFirst8, s.difference) / s.h;
  d.second.value = (kSecond8Centre * s.centre + dot(kSecond8, s.sum)) / (s.h * s.h);
  const double first6 = dot(kFirst6, s.difference) / s.h;
  const double second6 = (kSecond6Centre * s.centre + dot(kSecond6, s.sum)) / (s.h * s.h);
  const double noise = kEpsilon * (s.magnitude + std::abs(t * d.first.value));
  d.first.error = std::abs(d.first.value - first6) + 2.0 * noise / s.h;
  d.second.error = std::abs(d.second.value - second6) + 6.0 * noise / (s.h * s.h);
  return d;
}

Growth improve(Derivative& best, const Derivative& next) {
  const bool usable = std::isfinite(next.value) && std::isfinite(next.error);
  const bool first = !std::isfinite(best.error);
  if (first && !usable) {
    best.value = next.value;
    return Growth::kContinue;
  }
  const bool confirms = usable && (first || std::abs(next.value - best.value) <= 2.0 * best.error);
  if (!confirms || next.error > best.error) return Growth::kStop;
  best = next;
  return Growth::kContinue;
}

}  // namespace grapple::differences_detail
