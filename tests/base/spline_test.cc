// Splines by what defines them: they pass through their points, first and second derivatives are
// continuous at the knots, and the ends are as asked.
#include "grapple/base/spline.h"

#include <gtest/gtest.h>

#include <random>

namespace grapple {
namespace {

using Values = std::vector<double>;

struct Data {
  Values knots, values;
};
// Intervals between 0.05 and 2.
Data random_data(std::mt19937& generator, std::size_t count) {
  std::uniform_real_distribution<double> step(0.05, 2.0), value(-3.0, 3.0);
  Data data;
  double at = -1.0;
  for (std::size_t k = 0; k < count; ++k) {
    data.knots.push_back(at);
    data.values.push_back(value(generator));
    at += step(generator);
  }
  return data;
}

SplinePoint<double> point(const Data& data, const Values& m, std::size_t piece, double x) {
  const double h = data.knots[piece + 1] - data.knots[piece];
  return spline_point(data.values[piece], data.values[piece + 1], m[piece], m[piece + 1], h, x);
}
SplinePoint<double> at_begin(const Data& data, const Values& m, std::size_t piece) {
  return point(data, m, piece, 0.0);
}
SplinePoint<double> at_end(const Data& data, const Values& m, std::size_t piece) {
  return point(data, m, piece, data.knots[piece + 1] - data.knots[piece]);
}

// Slopes are up to 6 / 0.05, second derivatives some hundred times that: rounding of 1e-16 of them.
constexpr double kRounding = 1e-11;

void expect_smooth(const SplinePoint<double>& before, const SplinePoint<double>& after) {
  EXPECT_NEAR(before.value, after.value, kRounding);
  EXPECT_NEAR(before.first, after.first, kRounding);
  EXPECT_NEAR(before.second, after.second, kRounding);
}

TEST(NaturalSpline, IsSmoothAndStraightAtItsEnds) {
  std::mt19937 generator(3);
  for (std::size_t count = 2; count < 30; ++count) {
    SCOPED_TRACE(count);
    const Data data = random_data(generator, count);
    const Values m = natural_spline(data.knots, data.values);
    for (std::size_t k = 0; k + 2 < count; ++k) {
      expect_smooth(at_end(data, m, k), at_begin(data, m, k + 1));
      EXPECT_EQ(at_begin(data, m, k).value, data.values[k]);
    }
    EXPECT_EQ(m.front(), 0.0);
    EXPECT_EQ(m.back(), 0.0);
  }
}

TEST(PeriodicSpline, IsSmoothWhereItCloses) {
  std::mt19937 generator(4);
  for (std::size_t count = 3; count < 30; ++count) {
    SCOPED_TRACE(count);
    Data data = random_data(generator, count);
    data.values.back() = data.values.front();
    const Values m = periodic_spline(data.knots, data.values);
    for (std::size_t k = 0; k + 2 < count; ++k) {
      expect_smooth(at_end(data, m, k), at_begin(data, m, k + 1));
    }
    expect_smooth(at_end(data, m, count - 2), at_begin(data, m, 0));
  }
}

// By hand: 4 m_1 = 6 (-1 - 1); and 2 m_0 + 4 m_1 = -12, 4 m_0 + 2 m_1 = 12.
TEST(Spline, OfThreePointsIsKnown) {
  const Values knots = {0.0, 1.0, 2.0}, values = {0.0, 1.0, 0.0};
  EXPECT_EQ(natural_spline(knots, values), (Values{0.0, -3.0, 0.0}));
  const Values closed = periodic_spline(knots, values);
  EXPECT_NEAR(closed[0], 6.0, 1e-14);
  EXPECT_NEAR(closed[1], -6.0, 1e-14);
  EXPECT_NEAR(closed[2], 6.0, 1e-14);
}

// Derivatives by differences of the values, exact for a cubic but for rounding.
TEST(SplinePoint, CarriesItsDerivatives) {
  const auto at = [](double x) { return spline_point(0.3, -0.8, 2.0, -5.0, 0.7, x); };
  const double x = 0.31, h = 1e-3;
  const auto now = at(x), plus = at(x + h), minus = at(x - h);
  EXPECT_NEAR((plus.second - minus.second) / (2 * h), now.third, 1e-12);
  EXPECT_NEAR((plus.first - minus.first) / (2 * h), now.second, 1e-12);
  EXPECT_NEAR((plus.value - minus.value) / (2 * h) - now.third * h * h / 6, now.first, 1e-12);
}

}  // namespace
}  // namespace grapple
