// Every function of loop formulas: derivatives along a motion against differences of the values,
// derivatives by dual numbers against differences of those, and the ends of each range, where a
// derivative that does not exist must not come out as a number.
#include "grapple/base/formula.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>

#include "grapple/base/jet.h"
#include "grapple/spatial/dual_functions.h"

namespace grapple::constraint {
namespace {

using spatial::Dual;
template <class T>
using Motion = jets::JetOf<T>;

const std::vector<std::string> kNames = {"a", "b", "t"};

Motion<double> at(const Formula& formula, const std::array<Motion<double>, 3>& variables) {
  return formula.evaluate(std::span<const Motion<double>>(variables));
}

// The variables run along a + a' s + a'' s^2 / 2.
double value_along(const Formula& formula, const std::array<Motion<double>, 3>& from, double s) {
  std::array<Motion<double>, 3> moved = from;
  for (Motion<double>& one : moved) {
    one.value += one.rate * s + 0.5 * one.acceleration * s * s;
  }
  return at(formula, moved).value;
}

bool is_finite(const Motion<double>& m) {
  return std::isfinite(m.value) && std::isfinite(m.rate) && std::isfinite(m.acceleration);
}

constexpr const char* kAll[] = {"a + b*t",      "a - b",
                                "a*b",          "a/(b + t)",
                                "-a",           "a^2",
                                "a^3",          "(a - 2)^5",
                                "(a - 3)^-3",   "a^0.5",
                                "a^2.5",        "a^b",
                                "b^(a + t)",    "2^a",
                                "sin(a*b)",     "cos(a + b)",
                                "tan(0.5*a)",   "asin(0.4*a)",
                                "acos(0.4*b)",  "atan(a*b)",
                                "atan2(a, b)",  "atan2(-b, a - 3)",
                                "sinh(a)",      "cosh(b)",
                                "tanh(a*b)",    "exp(-a)",
                                "ln(a + b)",    "sqrt(a*b)",
                                "log10(a + b)", "a^(1 + 1)",
                                "sqrt(0)*a",    "asin(1) + a"};

TEST(Formula, EveryFunctionHasTheDerivativesOfItsValues) {
  std::mt19937 generator(7);
  std::uniform_real_distribution<double> position(0.4, 1.9), rate(-1.0, 1.0);
  for (const char* text : kAll) {
    const Formula formula(text, kNames);
    for (int sample = 0; sample < 20; ++sample) {
      std::array<Motion<double>, 3> v;
      for (Motion<double>& one : v) {
        one = {position(generator), rate(generator), rate(generator)};
      }
      SCOPED_TRACE(fmt::format("{} at {}, {}, {}", text, v[0].value, v[1].value, v[2].value));
      const Motion<double> exact = at(formula, v);
      // Sixth order with h = 2e-3: truncation below 1e-10 of functions that change over 0.1,
      // rounding 1e-13 and 1e-10.
      constexpr double h = 2e-3;
      constexpr double first[] = {0.75, -0.15, 1.0 / 60.0}, second[] = {1.5, -0.15, 1.0 / 90.0};
      double slope = 0.0, bend = -49.0 / 18.0 * exact.value / (h * h);
      for (int k = 1; k <= 3; ++k) {
        const double ahead = value_along(formula, v, k * h),
                     behind = value_along(formula, v, -k * h);
        slope += first[k - 1] * (ahead - behind) / h;
        bend += second[k - 1] * (ahead + behind) / (h * h);
      }
      const double size = 1.0 + std::abs(exact.value) + std::abs(exact.rate);
      EXPECT_NEAR(exact.rate, slope, 1e-8 * size);
      EXPECT_NEAR(exact.acceleration, bend, 1e-6 * (size + std::abs(exact.acceleration)));
    }
  }
}

// Also where an exponent or a rate happens to be a whole number or zero.
TEST(Formula, DualNumbersCarryTheDerivativesByEveryVariable) {
  std::mt19937 generator(8);
  std::uniform_real_distribution<double> position(0.4, 1.9), rate(-1.0, 1.0);
  for (const char* text : kAll) {
    const Formula formula(text, kNames);
    for (int sample = 0; sample < 12; ++sample) {
      std::array<Motion<double>, 3> v;
      for (Motion<double>& one : v) {
        one = {position(generator), rate(generator), rate(generator)};
        if (sample % 3 == 1) one.rate = one.acceleration = 0.0;
      }
      if (sample % 4 == 1) v[1].value = 1.0;
      std::array<Motion<Dual>, 3> moving;
      for (std::size_t k = 0; k < 3; ++k) {
        moving[k] = {v[k].value, v[k].rate, v[k].acceleration};
        moving[k].value.d[k] = 1.0;
      }
      const Motion<Dual> found = formula.evaluate(std::span<const Motion<Dual>>(moving));
      for (std::size_t k = 0; k < 3; ++k) {
        SCOPED_TRACE(fmt::format("{} by variable {}, sample {}", text, k, sample));
        constexpr double h = 1e-5;  // second order: truncation and rounding about 1e-9
        std::array<Motion<double>, 3> plus = v, minus = v;
        plus[k].value += h;
        minus[k].value -= h;
        const Motion<double> ahead = at(formula, plus), behind = at(formula, minus);
        const double size = 1.0 + std::abs(found.value.d[k]) + std::abs(found.rate.d[k]) +
                            std::abs(found.acceleration.d[k]);
        EXPECT_NEAR(found.value.d[k], (ahead.value - behind.value) / (2.0 * h), 1e-6 * size);
        EXPECT_NEAR(found.rate.d[k], (ahead.rate - behind.rate) / (2.0 * h), 1e-6 * size);
        EXPECT_NEAR(found.acceleration.d[k], (ahead.acceleration - behind.acceleration) / (2.0 * h),
                    1e-5 * size);
      }
    }
  }
}

// Values on dual numbers, without jets: the derivatives by each variable are the rates of jets.
TEST(Formula, DualNumbersAgreeWithJets) {
  std::mt19937 generator(9);
  std::uniform_real_distribution<double> position(0.4, 1.9);
  std::vector<std::string> texts(std::begin(kAll), std::end(kAll));
  for (const char* kinked :
       {"abs(a - 1) + sign(b)", "min(a, b, t)*max(a, 1)", "step(a - 1)*b + pulse(a, 0.5, b)",
        "smooth(a, 0.3, b + 2)", "a > b && t < 1 || a == 2 ? a*b : sin(t)", "a^2 - b^3*t^4"}) {
    texts.emplace_back(kinked);
  }
  for (const std::string& text : texts) {
    const Formula formula(text, kNames);
    for (int sample = 0; sample < 20; ++sample) {
      std::array<Dual, 3> x;
      for (int k = 0; k < 3; ++k)
        x[static_cast<std::size_t>(k)] = Dual::seed(position(generator), k);
      const Dual found = formula.evaluate(std::span<const Dual>(x));
      for (std::size_t k = 0; k < 3; ++k) {
        std::array<Motion<double>, 3> moving;
        for (std::size_t i = 0; i < 3; ++i) moving[i] = {x[i].value, i == k ? 1.0 : 0.0, 0.0};
        const Motion<double> jet = at(formula, moving);
        SCOPED_TRACE(fmt::format("{} by variable {}, sample {}, seed 9", text, k, sample));
        // A few roundings each; division on dual numbers multiplies by an inverse.
        EXPECT_NEAR(found.value, jet.value, 4e-15 * (1.0 + std::abs(jet.value)));
        EXPECT_NEAR(found.d[k], jet.rate, 2e-14 * (1.0 + std::abs(jet.rate)));
      }
    }
  }
}

// f = a^2 b + exp(a) b^3: f_aa = 2 b + exp(a) b^3, f_ab = 2 a + 3 exp(a) b^2, f_bb = 6 exp(a) b.
TEST(Formula, JetsOfDualNumbersCarryTheHessian) {
  const double a = 0.7, b = 1.3, e = std::exp(a);
  const double hessian[2][2] = {{2.0 * b + e * b * b * b, 2.0 * a + 3.0 * e * b * b},
                                {2.0 * a + 3.0 * e * b * b, 6.0 * e * b}};
  const Formula formula("a^2*b + exp(a)*b^3", {"a", "b"});
  for (std::size_t k = 0; k < 2; ++k) {
    std::array<Motion<Dual>, 2> x{Motion<Dual>{Dual::seed(a, 0)}, Motion<Dual>{Dual::seed(b, 1)}};
    x[k].rate = 1.0;
    const Motion<Dual> found = formula.evaluate(std::span<const Motion<Dual>>(x));
    for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(found.rate.d[i], hessian[k][i], 1e-14);
    EXPECT_NEAR(found.acceleration.value, hessian[k][k], 1e-14);
  }
}

// By hand; the motion of the variable is a' = 2, a'' = 3.
TEST(Formula, EdgesOfTheRangeWhereDerivativesExist) {
  struct Edge {
    const char* text;
    double a, value, rate, acceleration;
  };
  for (const Edge& edge :
       {Edge{"tanh(a)", 800.0, 1.0, 0.0, 0.0}, Edge{"tanh(a)", -800.0, -1.0, 0.0, 0.0},
        Edge{"tanh(a)", 0.0, 0.0, 2.0, 3.0}, Edge{"sinh(a)", 0.0, 0.0, 2.0, 3.0},
        Edge{"cosh(a)", 0.0, 1.0, 0.0, 4.0}, Edge{"asin(a)", 0.0, 0.0, 2.0, 3.0},
        Edge{"atan(a)", 1e200, std::acos(0.0), 0.0, 0.0},
        Edge{"atan2(a, 1e-200)", 0.0, 0.0, 2e200, 3e200}, Edge{"a^2", 0.0, 0.0, 0.0, 8.0},
        Edge{"a^1", 0.0, 0.0, 2.0, 3.0}, Edge{"a^0", 0.0, 1.0, 0.0, 0.0},
        Edge{"a^2.5", 0.0, 0.0, 0.0, 0.0},
        Edge{"a^65", -1.0, -1.0, 130.0, 65.0 * 3.0 - 65.0 * 64.0 * 4.0},
        Edge{"sqrt(0) + a", 0.0, 0.0, 2.0, 3.0}, Edge{"asin(1)*0 + a", 0.0, 0.0, 2.0, 3.0}}) {
    SCOPED_TRACE(fmt::format("{} at {}", edge.text, edge.a));
    const Motion<double> found =
        at(Formula(edge.text, kNames), {Motion<double>{edge.a, 2.0, 3.0}, {}, {}});
    EXPECT_NEAR(found.value, edge.value, 1e-15 * (1.0 + std::abs(edge.value)));
    EXPECT_NEAR(found.rate, edge.rate, 1e-14 * (1.0 + std::abs(edge.rate)));
    EXPECT_NEAR(found.acceleration, edge.acceleration, 1e-13 * (1.0 + std::abs(edge.acceleration)));
  }
}

// At rest too: a derivative that does not exist times a rate of zero is not zero.
TEST(Formula, WhereADerivativeDoesNotExistItIsNoNumber) {
  struct Edge {
    const char* text;
    double a;
  };
  for (const Edge& edge :
       {Edge{"sqrt(a)", 0.0}, Edge{"sqrt(a^2)", 0.0}, Edge{"sqrt(a^4)", 0.0}, Edge{"asin(a)", 1.0},
        Edge{"asin(a)", -1.0}, Edge{"acos(a)", 1.0}, Edge{"acos(a)", -1.0}, Edge{"asin(a)", 1.5},
        Edge{"ln(a)", 0.0}, Edge{"ln(a)", -1.0}, Edge{"1/a", 0.0}, Edge{"a^-1", 0.0},
        Edge{"a^0.5", 0.0}, Edge{"a^1.5", 0.0}, Edge{"a^0.5", -1.0}, Edge{"atan2(a, b)", 0.0},
        Edge{"exp(a)", 1000.0}, Edge{"sqrt(a)", -1.0}}) {
    for (const double rate : {0.0, 1.0}) {
      const Motion<double> found =
          at(Formula(edge.text, kNames), {Motion<double>{edge.a, rate, 0.0}, {}, {}});
      EXPECT_FALSE(is_finite(found)) << edge.text << " at " << edge.a << ", rate " << rate;
    }
  }
}

}  // namespace
}  // namespace grapple::constraint
