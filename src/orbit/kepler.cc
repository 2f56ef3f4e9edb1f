#include "grapple/orbit/kepler.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace grapple::orbit {

namespace {

constexpr double kPi = std::numbers::pi;

// x - sin x without cancellation.
double excess_over_sine(double x) {
  if (std::abs(x) > 1.5) return x - std::sin(x);
  double term = x * x * x / 6.0, sum = term;
  for (int k = 4; k <= 22; k += 2) {
    term *= -x * x / (k * (k + 1.0));
    sum += term;
  }
  return sum;
}

// For 0 <= M <= pi, where E - e sin E grows and is convex: Newton steps kept inside the bracket.
double half_turn_anomaly(double M, double e) {
  double low = M, high = std::min(M + e, kPi);
  // The start solves the cubic of the series at perigee where e is near one.
  double E = e < 0.8 ? M + e * std::sin(M) / (1.0 - std::sin(M + e) + std::sin(M))
                     : std::min(std::cbrt(6.0 * M), kPi);
  for (int k = 0; k < 60; ++k) {
    if (!(E >= low && E <= high)) E = 0.5 * (low + high);
    const double f = (1.0 - e) * E + e * excess_over_sine(E) - M;
    if (f == 0.0) return E;
    (f > 0.0 ? high : low) = E;
    const double half = std::sin(0.5 * E);
    const double next = E - f / ((1.0 - e) + 2.0 * e * half * half);
    if (std::abs(next - E) <= 1e-16 * std::abs(E)) return std::clamp(next, low, high);
    E = next;
  }
  return std::clamp(E, low, high);
}

}  // namespace

double eccentric_anomaly(double mean_anomaly, double eccentricity) {
  const double turns = std::round(mean_anomaly / (2.0 * kPi));
  const double rest = std::remainder(mean_anomaly, 2.0 * kPi);
  return std::copysign(half_turn_anomaly(std::abs(rest), eccentricity), rest) + turns * 2.0 * kPi;
}

double mean_anomaly(double true_anomaly, double eccentricity) {
  const double turns = std::round(true_anomaly / (2.0 * kPi));
  const double f = std::remainder(true_anomaly, 2.0 * kPi), e = eccentricity;
  const double E = 2.0 * std::atan2(std::sqrt(1.0 - e) * std::sin(0.5 * f),
                                    std::sqrt(1.0 + e) * std::cos(0.5 * f));
  return (1.0 - e) * E + e * excess_over_sine(E) + turns * 2.0 * kPi;
}

}  // namespace grapple::orbit
