#include "grapple/flexible/quadrature.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace grapple::flexible {

using spatial::VecX;

VecX legendre(int degree, double xi) {
  VecX P(degree + 1);
  P[0] = 1.0;
  if (degree > 0) P[1] = xi;
  for (int j = 1; j < degree; ++j) {
    P[j + 1] = ((2.0 * j + 1.0) * xi * P[j] - j * P[j - 1]) / (j + 1.0);
  }
  return P;
}

std::vector<QuadraturePoint> gauss_legendre(int n) {
  std::vector<QuadraturePoint> rule(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) {
    // Tricomi's estimate is close enough for Newton to converge to the i-th root.
    double x = -std::cos(std::numbers::pi * (i + 0.75) / (n + 0.5));
    double slope = 0.0;
    for (int iteration = 0; iteration < 10; ++iteration) {
      const VecX P = legendre(n, x);
      slope = n * (x * P[n] - P[n - 1]) / (x * x - 1.0);
      const double step = P[n] / slope;
      x -= step;
      if (std::abs(step) < 1e-16) break;
    }
    rule[static_cast<std::size_t>(i)] = {x, 2.0 / ((1.0 - x * x) * slope * slope)};
  }
  return rule;
}

std::vector<QuadraturePoint> panel_rule(double length, const std::vector<double>& breaks,
                                        int panels, int points) {
  const std::vector<QuadraturePoint> unit = gauss_legendre(points);
  std::vector<double> ends = breaks;
  ends.push_back(length);
  std::vector<QuadraturePoint> rule;
  double start = 0.0;
  for (double end : ends) {
    const int pieces = std::max(1, static_cast<int>(std::ceil(panels * (end - start) / length)));
    const double half = 0.5 * (end - start) / pieces;
    for (int piece = 0; piece < pieces; ++piece) {
      const double centre = start + (2 * piece + 1) * half;
      for (const QuadraturePoint& q : unit) rule.push_back({centre + half * q.x, half * q.weight});
    }
    start = end;
  }
  return rule;
}

}  // namespace grapple::flexible
