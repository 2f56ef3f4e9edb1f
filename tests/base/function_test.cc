#include "grapple/base/function.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <thread>

#include "grapple/base/error.h"

namespace grapple {
namespace {

std::string id_of_function(const std::string& text) {
  try {
    Function::expression(text);
  } catch (const Error& error) {
    return error.id();
  }
  return "accepted";
}

TEST(Function, DefaultIsZeroAndConstantsStayConstant) {
  EXPECT_EQ(Function()(3.0), 0.0);
  const Function seven = Function::constant(7.0);
  EXPECT_TRUE(seven.is_constant());
  EXPECT_EQ(seven.jet(2.0).value, 7.0);
  EXPECT_EQ(seven.jet(2.0).rate, 0.0);
  EXPECT_TRUE(Function::expression("2*pi").is_constant());
  EXPECT_FALSE(Function::expression("2*t").is_constant());
}

TEST(Function, ExpressionsKnowTheListedFunctions) {
  const struct {
    const char* text;
    double value;
  } cases[] = {{"pi", std::numbers::pi},
               {"atan2(1, t)", std::atan2(1.0, 0.25)},
               {"ln(exp(t))", 0.25},
               {"log10(1000)", 3.0},
               {"min(3, t, 7)", 0.25},
               {"max(3, t)", 3.0},
               {"sign(-t)", -1.0},
               {"t > 1 ? 2 : 3", 3.0},
               {"step(t)", 1.0},
               {"step(-t)", 0.0},
               {"pulse(t, 0, 1)", 1.0},
               {"pulse(t, 0.3, 1)", 0.0},
               {"pulse(t, 0, 0.25)", 0.0},
               {"smooth(t, 0, 0.5)", 0.5},
               {"smooth(t, 0.3, 0.5)", 0.0},
               {"smooth(t, 0, 0.2)", 1.0},
               {"-t^2", -0.0625},
               {"2^3^2", 512.0},
               {"sqrt(abs(-t))", 0.5},
               {"1.5e1*t", 3.75}};
  for (const auto& c : cases) {
    EXPECT_NEAR(Function::expression(c.text)(0.25), c.value, 1e-15 * std::abs(c.value)) << c.text;
  }
}

// For a wave of unit height, relative to the derivative; sin(w t) itself knows its phase to 2e4
// eps.
TEST(Function, DerivativesOfFormulasAreExactToRoundOff) {
  double worst_rate = 0.0, worst_acceleration = 0.0;
  for (const double omega : {1e-3, 0.1, 1.0, 2.0 * std::numbers::pi, 40.0, 1000.0}) {
    const Function wave = Function::expression(fmt::format("sin({}*t)", omega));
    for (double t = 0.0; t < 20.0; t += 0.61) {
      const Jet jet = wave.jet(t);
      const double phase = omega * t;
      worst_rate = std::max(worst_rate, std::abs(jet.rate / omega - std::cos(phase)));
      worst_acceleration = std::max(worst_acceleration,
                                    std::abs(jet.acceleration / (omega * omega) + std::sin(phase)));
    }
  }
  SCOPED_TRACE(fmt::format("rate {:.2g}, acceleration {:.2g}", worst_rate, worst_acceleration));
  EXPECT_LT(worst_rate, 1e-11);
  EXPECT_LT(worst_acceleration, 1e-11);
}

TEST(Function, DerivativesOfWholeNumberFrequenciesAreNotAliased) {
  const Function wave = Function::expression("sin(2*pi*t)");
  EXPECT_NEAR(wave.jet(3.0).rate, 2.0 * std::numbers::pi, 1e-9);
  EXPECT_NEAR(wave.jet(0.25).acceleration, -4.0 * std::pow(std::numbers::pi, 2), 1e-12);
}

TEST(Function, SmoothRampStartsAndEndsAtRest) {
  const Function ramp = Function::expression("smooth(t, 1, 3)");
  for (const double t : {1.0, 3.0}) {
    EXPECT_EQ(ramp.jet(t).rate, 0.0);
    EXPECT_EQ(ramp.jet(t).acceleration, 0.0);
  }
  EXPECT_NEAR(ramp.jet(2.0).rate, 15.0 / 16.0, 1e-11);
  EXPECT_NEAR(ramp.jet(2.0).acceleration, 0.0, 1e-9);
}

TEST(Function, DerivativesBesideAKinkAreOneSided) {
  const Function bent = Function::expression("t < 1 ? 0 : 3*(t-1)");
  EXPECT_NEAR(bent.jet(0.99).rate, 0.0, 1e-9);
  EXPECT_NEAR(bent.jet(1.01).rate, 3.0, 1e-9);
}

TEST(Function, SuppliedDerivativesAreUsedExactly) {
  const Function f = Function::expression_with_derivatives("sin(3*t)", "3*cos(3*t)", "-9*sin(3*t)");
  EXPECT_EQ(f.jet(0.7).rate, 3.0 * std::cos(3.0 * 0.7));
  EXPECT_EQ(f.jet(0.7).acceleration, -9.0 * std::sin(3.0 * 0.7));
  const Function g = Function::expression_with_derivatives("sin(3*t)", "3*cos(3*t)", "");
  // From the formula itself.
  EXPECT_NEAR(g.jet(0.7).acceleration, -9.0 * std::sin(3.0 * 0.7), 1e-10);
}

TEST(Function, AContradictingDerivativeIsRefused) {
  EXPECT_THROW(Function::expression_with_derivatives("sin(3*t)", "cos(3*t)", ""), Error);
  EXPECT_THROW(Function::expression_with_derivatives("t^2", "", "1.9"), Error);
  EXPECT_THROW(Function::expression_with_derivatives("t^2", "2*t", "0"), Error);
  EXPECT_NO_THROW(Function::expression_with_derivatives("0*t", "0", "0"));
  EXPECT_NO_THROW(Function::expression_with_derivatives("sqrt(t-5)", "0.5/sqrt(t-5)", ""));
  EXPECT_NO_THROW(Function::expression_with_derivatives("step(t-0.4373)", "0", "0"));
}

TEST(Function, HostileExpressionsAreErrors) {
  EXPECT_EQ(id_of_function(""), "GR-130");
  EXPECT_EQ(id_of_function("   "), "GR-130");
  EXPECT_EQ(id_of_function("t +"), "GR-130");
  EXPECT_EQ(id_of_function("t = 3"), "GR-130");
  EXPECT_EQ(id_of_function("t, 3"), "GR-130");
  EXPECT_EQ(id_of_function("\"text\""), "GR-131");
  EXPECT_EQ(id_of_function("t\xc2\xb7t"), "GR-130");
  EXPECT_EQ(id_of_function("sin()"), "GR-130");
  EXPECT_EQ(id_of_function("min()"), "GR-130");
  EXPECT_EQ(id_of_function("t ? 1"), "GR-130");
  EXPECT_EQ(id_of_function("sinn(t)"), "GR-131");
  EXPECT_EQ(id_of_function("x"), "GR-131");
  EXPECT_EQ(id_of_function("log(t)"), "GR-131");
  EXPECT_EQ(id_of_function(std::string(5000, '1')), "GR-132");
  EXPECT_EQ(id_of_function(std::string(65, '(') + "t" + std::string(65, ')')), "GR-132");
  EXPECT_EQ(id_of_function(std::string(60, '(') + "t" + std::string(60, ')')), "accepted");
  for (const char c : std::string("-+!(^*?:<,.e"))
    EXPECT_NE(id_of_function(std::string(4000, c)), "") << c;
  EXPECT_EQ(id_of_function(std::string(4000, '-') + "t").substr(0, 2),
            id_of_function("--t").substr(0, 2));
}

TEST(Function, SplineIsSmoothAndReproducesALine) {
  const Function line = Function::table({0, 1, 3, 4}, {1, 3, 7, 9}, Interpolation::kSpline);
  EXPECT_NEAR(line.jet(2.2).value, 5.4, 1e-14);
  EXPECT_NEAR(line.jet(2.2).rate, 2.0, 1e-14);
  EXPECT_NEAR(line.jet(2.2).acceleration, 0.0, 1e-14);

  const Function curve = Function::table({0, 1, 2.5, 4}, {0, 2, -1, 1}, Interpolation::kSpline);
  for (const double knot : {1.0, 2.5}) {
    const Jet before = curve.jet(knot - 1e-9), after = curve.jet(knot);
    // The jets are 1e-9 s apart on curves with derivatives below 20.
    EXPECT_NEAR(before.value, after.value, 2e-8);
    EXPECT_NEAR(before.rate, after.rate, 2e-8);
    EXPECT_NEAR(before.acceleration, after.acceleration, 2e-8);
  }
  EXPECT_NEAR(curve.jet(0.0).acceleration, 0.0, 1e-14);
  EXPECT_EQ(curve.breakpoints(0.0, 5.0), (std::vector<double>{0.0, 4.0}));
}

// Clamped ends aside, the natural spline of sin on [0, pi] converges with h^4: f'' vanishes there.
TEST(Function, SplineConvergesWithOrderFour) {
  const auto error = [](int intervals) {
    std::vector<double> times, values;
    for (int i = 0; i <= intervals; ++i) {
      times.push_back(std::numbers::pi * i / intervals);
      values.push_back(std::sin(times.back()));
    }
    const Function spline = Function::table(times, values, Interpolation::kSpline);
    double worst = 0.0;
    for (double t = 0.0; t < 3.14; t += 0.001) {
      worst = std::max(worst, std::abs(spline(t) - std::sin(t)));
    }
    return worst;
  };
  EXPECT_NEAR(std::log2(error(20) / error(40)), 4.0, 0.05);
}

TEST(Function, LinearTableHoldsItsEndsAndNamesItsKnots) {
  const Function f = Function::table({0, 1, 2}, {0, 10, 5}, Interpolation::kLinear);
  EXPECT_EQ(f(-1), 0.0);
  EXPECT_EQ(f(9), 5.0);
  EXPECT_EQ(f(0.5), 5.0);
  EXPECT_EQ(f.jet(1.5).rate, -5.0);
  EXPECT_EQ(f.jet(9).rate, 0.0);
  EXPECT_EQ(f.breakpoints(0.0, 5.0), (std::vector<double>{0, 1, 2}));
}

TEST(Function, BadTablesAreErrors) {
  EXPECT_THROW(Function::table({0}, {0}, Interpolation::kLinear), Error);
  EXPECT_THROW(Function::table({0, 1}, {0}, Interpolation::kLinear), Error);
  EXPECT_THROW(Function::table({0, 0}, {0, 1}, Interpolation::kSpline), Error);
  EXPECT_THROW(Function::table({0, 1}, {0, NAN}, Interpolation::kSpline), Error);
}

TEST(Function, CopiesAreSafeInSeveralThreads) {
  const Function f = Function::expression("t^2 + 1");
  int wrong[2] = {0, 0};
  const auto work = [&f](int& faults, double offset) {
    for (int i = 0; i < 20000; ++i) {
      const double t = offset + i;
      if (f(t) != t * t + 1.0) ++faults;
    }
  };
  std::thread other([&] { work(wrong[1], 0.5); });
  work(wrong[0], 0.0);
  other.join();
  EXPECT_EQ(wrong[0], 0);
  EXPECT_EQ(wrong[1], 0);
}

}  // namespace
}  // namespace grapple
