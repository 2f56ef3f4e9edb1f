// Derivatives of every operator and function of the formula language, against high-order central
// differences of the values.
#include "grapple/base/jet.h"

#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "grapple/base/formula.h"

namespace grapple {
namespace {

using jets::JetOf;

JetOf<double> jet_at(const Formula& formula, double t) {
  const JetOf<double> time{t, 1.0, 0.0};
  return formula.evaluate(std::span(&time, 1));
}
JetOf<double> jet_at(const std::string& text, double t) { return jet_at(Formula(text, {"t"}), t); }

struct Differences {
  double rate, acceleration;
};

// Eighth order with h = 0.02: truncation and round-off both stay below 1e-9 on functions whose time
// scale is a second.
Differences differences(const Formula& f, double t) {
  constexpr double h = 0.02;
  constexpr double first[] = {4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0};
  constexpr double second[] = {8.0 / 5.0, -1.0 / 5.0, 8.0 / 315.0, -1.0 / 560.0};
  Differences d{0.0, -205.0 / 72.0 * f(t) / (h * h)};
  for (int k = 1; k <= 4; ++k) {
    d.rate += first[k - 1] * (f(t + k * h) - f(t - k * h)) / h;
    d.acceleration += second[k - 1] * (f(t + k * h) + f(t - k * h)) / (h * h);
  }
  return d;
}

TEST(Jet, EveryFunctionHasTheDerivativesOfItsValues) {
  for (const char* text : {"3",
                           "t",
                           "-t",
                           "+t",
                           "t + t^2",
                           "t - 3*t",
                           "t*t*t",
                           "1/(1 + t)",
                           "t/(2 + t^2)",
                           "t^3",
                           "t^0.5",
                           "2^t",
                           "t^t",
                           "-t^2",
                           "2^3^2*t",
                           "(1 + t)^-2",
                           "sin(2*t)",
                           "cos(2*t + 1)",
                           "tan(0.5*t)",
                           "asin(0.4*t)",
                           "acos(0.4*t)",
                           "atan(2*t)",
                           "atan2(sin(t), 2 + cos(t))",
                           "sinh(t)",
                           "cosh(t)",
                           "tanh(t)",
                           "exp(-t)",
                           "ln(1 + t)",
                           "log10(1 + t)",
                           "sqrt(1 + t)",
                           "abs(t)",
                           "abs(-t)",
                           "abs(t - 9)",
                           "min(t, 5, 7)",
                           "max(t^2, 0.1*t)",
                           "sign(t)*t",
                           "step(t)*t^2",
                           "pulse(t, 0, 9)*sin(t)",
                           "smooth(t, 0, 3)",
                           "smooth(t, -1, 2 + t)",
                           "t > 0 ? t^2 : t",
                           "t < 0 || t >= 5 ? 1 : sin(t)",
                           "t <= 9 && t != 4 ? exp(t) : 0",
                           "t == 9 ? 0 : cos(t)",
                           "sin(cos(exp(-t)))^2/(1 + t)",
                           "1.5e1*t + .5*t^2 - 2.*t"}) {
    const Formula formula(text, {"t"});
    for (const double t : {0.7, 1.1, 1.6}) {
      SCOPED_TRACE(std::string(text) + " at " + std::to_string(t));
      const JetOf<double> jet = jet_at(formula, t);
      const Differences numerical = differences(formula, t);
      EXPECT_EQ(jet.value, formula(t));
      EXPECT_NEAR(jet.rate, numerical.rate, 1e-8 * std::max(1.0, std::abs(jet.rate)));
      EXPECT_NEAR(jet.acceleration, numerical.acceleration,
                  1e-7 * std::max(1.0, std::abs(jet.acceleration)));
    }
  }
}

TEST(Jet, ConstantsUnderARootOrPowerStayConstant) {
  for (const char* text : {"sqrt(0)", "0^2", "t^0", "0^0.5", "asin(1)", "acos(1)"}) {
    const JetOf<double> jet = jet_at(text, 0.0);
    EXPECT_EQ(jet.rate, 0.0) << text;
    EXPECT_EQ(jet.acceleration, 0.0) << text;
  }
}

// What is switched off stands still, also under a root.
TEST(Jet, ABranchThatStandsStillIsConstant) {
  for (const char* text : {"sqrt(max(t - 1, 0))", "sqrt(step(t - 1)*(t - 1))",
                           "asin(min(t + 1, 1))", "sqrt(t < 1 ? 0 : t)", "smooth(t, 1, 2)^0.5"}) {
    const JetOf<double> jet = jet_at(text, 0.5);
    EXPECT_EQ(jet.rate, 0.0) << text;
    EXPECT_EQ(jet.acceleration, 0.0) << text;
  }
}

// sqrt(t^4) is t^2, but its jet cannot be had from that of t^4 at 0: 0/0, not 0.
TEST(Jet, WhereADerivativeDoesNotExistItIsNoNumber) {
  for (const char* text : {"sqrt(t)", "sqrt(t^2)", "sqrt(t^4)", "asin(1 - t)", "acos(1 - t)",
                           "ln(t)", "1/t", "t^0.5", "t^1.5", "atan2(t, t)", "log10(t)"}) {
    const JetOf<double> jet = jet_at(text, 0.0);
    EXPECT_FALSE(std::isfinite(jet.rate) && std::isfinite(jet.acceleration)) << text;
  }
}

// By hand, far from and at the ends of ranges.
TEST(Jet, EdgesOfTheRangeWhereDerivativesExist) {
  const auto expect = [](const char* text, double t, double rate, double acceleration) {
    const JetOf<double> jet = jet_at(text, t);
    EXPECT_NEAR(jet.rate, rate, 1e-14 * (1.0 + std::abs(rate))) << text;
    EXPECT_NEAR(jet.acceleration, acceleration, 1e-14 * (1.0 + std::abs(acceleration))) << text;
  };
  expect("tanh(t)", 800.0, 0.0, 0.0);
  expect("t^2", 0.0, 0.0, 2.0);
  expect("t^2.5", 0.0, 0.0, 0.0);
  expect("atan2(t, 1e-200)", 0.0, 1e200, 0.0);
  expect("asin(t)", 1.0 - 0x1p-40, std::sqrt(1.0 / (0x1p-39 - 0x1p-80)),
         (1.0 - 0x1p-40) * std::pow(0x1p-39 - 0x1p-80, -1.5));
}

// f = exp(-t) sin(3 t): f' = exp(-t) (3 cos - sin), f'' = exp(-t) (-8 sin - 6 cos).
TEST(Jet, OfAProductIsTheClosedForm) {
  for (const double t : {0.0, 0.3, 1.7, 12.0}) {
    const JetOf<double> jet = jet_at("exp(-t)*sin(3*t)", t);
    const double e = std::exp(-t), s = std::sin(3.0 * t), c = std::cos(3.0 * t);
    EXPECT_NEAR(jet.value, e * s, 1e-16 * e);
    EXPECT_NEAR(jet.rate, e * (3.0 * c - s), 1e-15 * e);  // a few roundings of terms of 3 e
    EXPECT_NEAR(jet.acceleration, e * (-8.0 * s - 6.0 * c), 1e-14 * e);
  }
}

// Of several variables that move: the rate of x y is x' y + x y', of x/y^2 by hand.
TEST(Jet, FollowsSeveralVariables) {
  const std::vector<JetOf<double>> moving{{2.0, 3.0, 5.0}, {4.0, -1.0, 0.5}};
  const std::vector<std::string> names{"x", "y"};
  const JetOf<double> product = Formula("x*y", names).evaluate(std::span(moving));
  EXPECT_EQ(product.value, 8.0);
  EXPECT_EQ(product.rate, 10.0);
  EXPECT_EQ(product.acceleration, 5.0 * 4.0 + 2.0 * 3.0 * -1.0 + 2.0 * 0.5);
  const JetOf<double> ratio = Formula("x/y^2", names).evaluate(std::span(moving));
  EXPECT_NEAR(ratio.rate, 3.0 / 16.0 + 2.0 * 2.0 / 64.0, 1e-16);
}

}  // namespace
}  // namespace grapple
