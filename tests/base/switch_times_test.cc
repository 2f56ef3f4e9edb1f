// Where formulas of time change their branch.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "grapple/base/error.h"
#include "grapple/base/formula.h"
#include "grapple/base/function.h"

namespace grapple {
namespace {

std::vector<double> times(const std::string& text, double end = 10.0) {
  return Function::expression(text).breakpoints(0.0, end);
}

TEST(SwitchTimes, OfLinearArgumentsAreExact) {
  EXPECT_EQ(times("10*pulse(t, 4, 8)"), (std::vector<double>{4, 8}));
  EXPECT_EQ(times("step(t - 0.1) * step(0.3 - t)").size(), 2U);
  EXPECT_EQ(times("step(t - 0.1)"), (std::vector<double>{0.1}));
  EXPECT_EQ(times("abs(t - 2.5)"), (std::vector<double>{2.5}));
  EXPECT_EQ(times("smooth(t, 1, 2)"), (std::vector<double>{1, 2}));
  EXPECT_EQ(times("min(t, 3, 5)"), (std::vector<double>{3, 5}));
  EXPECT_EQ(times("t > 2 && t < 7 ? 1 : 0"), (std::vector<double>{2, 7}));
  EXPECT_EQ(times("sign(7 - t)").size(), 1U);
  EXPECT_NEAR(times("sign(7 - t)").at(0), 7.0, 1e-14);
}

TEST(SwitchTimes, ThereAreNoneInSmoothFormulas) {
  for (const char* text : {"sin(3*t)", "exp(-t)*t^2", "sqrt(t)", "1/(1+t)", "5"}) {
    EXPECT_TRUE(times(text).empty()) << text;
  }
  EXPECT_TRUE(times("step(2 + sin(t))").empty());
  EXPECT_TRUE(times("max(0, t + 1)").empty());
  EXPECT_TRUE(times("step(ln(t - 20))").empty());  // no value anywhere
}

// min and max switch where any two of their arguments meet; constants among them do not.
TEST(SwitchTimes, OfCallsWithManyArguments) {
  EXPECT_EQ(times("min(3, t, 5)"), (std::vector<double>{3, 5}));
  EXPECT_EQ(times("max(8, 1, t, 4)"), (std::vector<double>{1, 4, 8}));
  EXPECT_EQ(times("min(1, max(2, 3))"), (std::vector<double>{}));
  // The kink of abs, where it meets 1 and 5 or 6, and the step; 2 - t is rounded near 1.
  const std::vector<double> found = times("min(abs(t - 2), 1, step(t - 7) + 5) + max(1, 2)");
  const std::vector<double> expected{1, 2, 3, 7, 8};
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t k = 0; k < found.size(); ++k) EXPECT_NEAR(found[k], expected[k], 2e-16);
}

// The argument of a whole power below zero, where the logarithm has no value.
TEST(SwitchTimes, OfPowersWithAComputedExponent) {
  EXPECT_EQ(times("step((t - 4)^(1 + 2) + 1)"), (std::vector<double>{3}));
  EXPECT_EQ(times("step(4 - t^2)"), (std::vector<double>{2}));
}

// Every zero of sin(2 pi 50 t) in 10 s is at a multiple of 10 ms.
TEST(SwitchTimes, OfAPeriodicFormulaAreAllFound) {
  const std::vector<double> found = times("step(sin(2*pi*50*t))");
  ASSERT_EQ(found.size(), 999U);
  // The argument is rounded at 2 pi 50 10 = 3142: 4.5e-13 / (2 pi 50).
  for (std::size_t k = 0; k < found.size(); ++k) {
    EXPECT_NEAR(found[k], 0.01 * static_cast<double>(k + 1), 1e-14);
  }
}

TEST(SwitchTimes, OfANestedFormulaAreAllFound) {
  // |t - 5| = 2 at 3 and 7; the kink of abs at 5; the argument falls by 5 at t = 3 in the last.
  EXPECT_EQ(times("step(abs(t - 5) - 2)"), (std::vector<double>{3, 5, 7}));
  EXPECT_EQ(times("step(t - 5*step(t - 3))"), (std::vector<double>{3, 5}));
  EXPECT_EQ(times("(t < 2 ? t : 4 - t) > 1 ? 1 : 0"), (std::vector<double>{1, 2, 3}));
}

// A dip of 1e-6 s in 100 s, and one that only touches zero.
TEST(SwitchTimes, NarrowDipsAreFound) {
  const std::vector<double> found = times("step((t - 31.4159)^2 - 2.5e-13)", 100.0);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_NEAR(found[0], 31.4159 - 5e-7, 1e-9);  // t is resolved to 4e-15, its square root to 6e-8
  EXPECT_NEAR(found[1], 31.4159 + 5e-7, 1e-9);
}

TEST(SwitchTimes, TooManyAreAnError) {
  try {
    times("step(sin(1e7*t))");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.id(), "GR-135");
  }
}

// Between the times found, on a fine grid, a random formula of nested switches keeps its branch:
// its second difference shows no kink.
TEST(SwitchTimes, NothingSwitchesBetweenThemInRandomFormulas) {
  std::mt19937 generator(7);
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(generator);
  };
  const std::function<std::string(int)> argument = [&](int depth) -> std::string {
    switch (generator() % (depth > 2 ? 3 : 7)) {
      case 0:
        return fmt::format("({:.3f}*t - {:.3f})", uniform(-2, 2), uniform(-5, 5));
      case 1:
        return fmt::format("sin({:.3f}*t + {:.3f})", uniform(0.5, 6), uniform(-3, 3));
      case 2:
        return fmt::format("((t - {:.3f})^2/9 - {:.3f})", uniform(0, 5), uniform(-0.2, 1));
      case 3:
        return "abs(" + argument(depth + 1) + ")*0.7 - 0.3";
      case 4:
        return "max(" + argument(depth + 1) + ", " + argument(depth + 1) + ")";
      case 5:
        return "(" + argument(depth + 1) + ")*exp(-0.1*t) + 0.2*cos(t)";
      default:
        return "(" + argument(depth + 1) + " > 0.1 ? " + argument(depth + 1) + " : 0.4)";
    }
  };
  for (int trial = 0; trial < 100; ++trial) {
    const std::string text = "step(" + argument(0) + ")";
    SCOPED_TRACE(text);
    const std::vector<double> found = times(text, 5.0);
    const Formula value(text, {"t"});
    constexpr int kGrid = 5000;
    std::size_t next = 0;
    for (int k = 0; k < kGrid; ++k) {
      const double a = 5.0 * k / kGrid, b = 5.0 * (k + 1) / kGrid;
      while (next < found.size() && found[next] < a - 1e-12) ++next;
      const bool holds_one = next < found.size() && found[next] <= b + 1e-12;
      if (holds_one) continue;
      ASSERT_EQ(value(a), value(b)) << "between " << a << " and " << b << ", seed 7";
    }
  }
}

}  // namespace
}  // namespace grapple
