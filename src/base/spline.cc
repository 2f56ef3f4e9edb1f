#include "grapple/base/spline.h"

#include <cstddef>

#include "grapple/base/assert.h"

namespace grapple {

namespace {

double slope(std::span<const double> knots, std::span<const double> values, std::size_t i) {
  return (values[i + 1] - values[i]) / (knots[i + 1] - knots[i]);
}

// The rows within, both ends of m given.
void solve_between_ends(std::span<const double> knots, std::span<const double> values,
                        std::vector<double>& m) {
  const std::size_t last = knots.size() - 1;
  std::vector<double> upper(knots.size(), 0.0);
  for (std::size_t i = 1; i < last; ++i) {
    const double before = knots[i] - knots[i - 1], after = knots[i + 1] - knots[i];
    const double slope_change = slope(knots, values, i) - slope(knots, values, i - 1);
    const double pivot = 2.0 * (before + after) - before * upper[i - 1];
    upper[i] = after / pivot;
    m[i] = (6.0 * slope_change - before * m[i - 1]) / pivot;
  }
  for (std::size_t i = last; i-- > 1;) m[i] -= upper[i] * m[i + 1];
}

}  // namespace

std::vector<double> natural_spline(std::span<const double> knots, std::span<const double> values) {
  GRAPPLE_ASSERT(knots.size() >= 2 && values.size() == knots.size());
  std::vector<double> m(knots.size(), 0.0);
  solve_between_ends(knots, values, m);
  return m;
}

// m = u + e w: u natural, w of zero values with ends of one; e from the row where it closes,
//   2 h_0 m_0 + h_0 m_1 + h_{n-1} m_{n-1} + 2 h_{n-1} m_n = 6 (slope_0 - slope_{n-1}).
std::vector<double> periodic_spline(std::span<const double> knots, std::span<const double> values) {
  GRAPPLE_ASSERT(knots.size() >= 3 && values.size() == knots.size());
  const std::size_t n = knots.size() - 1;
  std::vector<double> m = natural_spline(knots, values);
  std::vector<double> w(knots.size(), 0.0);
  w.front() = w.back() = 1.0;
  solve_between_ends(knots, std::vector<double>(knots.size(), 0.0), w);
  const double first = knots[1] - knots[0], last = knots[n] - knots[n - 1];
  const auto closing_row = [&](const std::vector<double>& x) {
    return first * (2.0 * x[0] + x[1]) + last * (x[n - 1] + 2.0 * x[n]);
  };
  const double change = slope(knots, values, 0) - slope(knots, values, n - 1);
  const double end = (6.0 * change - closing_row(m)) / closing_row(w);
  for (std::size_t i = 0; i <= n; ++i) m[i] += end * w[i];
  return m;
}

}  // namespace grapple
