// Generalized-alpha against closed forms of the linear oscillator: order, special cases, numerical
// damping; its step control; what a failing step says.
#include "grapple/integrate/internal/generalized_alpha.h"

#include <gtest/gtest.h>

#include "grapple/base/error.h"
#include "problems.h"

namespace grapple::integrate::testing {
namespace {

IntegratorOptions fixed(double h, AlphaOptions alpha = {}) {
  alpha.steps = StepControl::kFixed;
  IntegratorOptions options{.method = Method::kGeneralizedAlpha, .step = h};
  options.relative_tolerance = 1e-12;
  options.alpha = alpha;
  return options;
}

double alpha_error(const AlphaOptions& alpha, double h) {
  SecondOrder problem = oscillator();
  const auto x = end_state(problem, fixed(h, alpha), {1.0, 0.0}, 2.0);
  return std::hypot(x[0] - std::cos(2.0), x[1] + std::sin(2.0));
}

double order(const AlphaOptions& alpha) {
  return std::log2(alpha_error(alpha, 0.02) / alpha_error(alpha, 0.01));
}

TEST(GeneralizedAlpha, HasOrderTwoForEverySpectralRadius) {
  for (const double rho : {0.0, 0.5, 0.8, 1.0}) {
    EXPECT_NEAR(order({.spectral_radius = rho}), 2.0, 0.05) << rho;  // next term: h = 0.02
  }
}

TEST(GeneralizedAlpha, HhtHasOrderTwoAndNewmarkOnlyWithGammaOneHalf) {
  EXPECT_NEAR(order({.scheme = AlphaScheme::kHht, .spectral_radius = 0.7}), 2.0, 0.05);
  EXPECT_NEAR(order({.scheme = AlphaScheme::kNewmark}), 2.0, 0.05);
  // Kim's choice for contact.
  EXPECT_NEAR(order({.scheme = AlphaScheme::kNewmark, .newmark_beta = 0.5}), 2.0, 0.05);
  EXPECT_NEAR(
      order({.scheme = AlphaScheme::kNewmark, .newmark_gamma = 0.6, .newmark_beta = 0.3025}), 1.0,
      0.1);
}

// Per step, of an oscillator a thousand times faster than the step.
double decay_of_fast_modes(const AlphaOptions& alpha) {
  SecondOrder stiff(1, [](double, auto q, auto, auto a) { a[0] = -1e6 * q[0]; });
  auto stepper = make_stepper(stiff, fixed(1.0, alpha));
  const std::vector<double> x0{1.0, 0.0};
  stepper->start(0.0, x0);
  const auto size = [&] { return std::hypot(stepper->x()[0], 1e-3 * stepper->x()[1]); };
  double early = 0.0;
  for (int k = 0; k < 60; ++k) {
    if (k == 20) early = size();
    EXPECT_TRUE(stepper->step(1e9));
  }
  return std::pow(size() / early, 1.0 / 40.0);
}

// The modes there have nearly double roots: amplitudes go as n rho^n, which the mean over steps 20
// to 60 shows as a factor of at most 3^(1/40) = 1.028.
TEST(GeneralizedAlpha, LeavesTheSpectralRadiusOfFastOscillations) {
  for (const double rho : {0.3, 0.5, 0.8}) {
    EXPECT_NEAR(decay_of_fast_modes({.spectral_radius = rho}), rho, 0.03 * rho) << rho;
  }
}

// The trapezoidal rule keeps the energy of a linear oscillator, at any step.
TEST(GeneralizedAlpha, NewmarkAsTheTrapezoidalRuleKeepsTheEnergy) {
  SecondOrder problem = oscillator();
  for (const double h : {0.01, 0.5, 5.0}) {
    const auto x =
        end_state(problem, fixed(h, {.scheme = AlphaScheme::kNewmark}), {1.0, 0.0}, 50.0);
    EXPECT_NEAR(std::hypot(x[0], x[1]), 1.0, 1e-10) << h;  // Newton's share of 1e-12, summed
  }
}

TEST(GeneralizedAlpha, ErrorFollowsTheTolerance) {
  double last = 10.0;
  for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
    SecondOrder problem = kepler();
    IntegratorOptions options{.method = Method::kGeneralizedAlpha};
    options.relative_tolerance = tolerance;
    // One turn of an ellipse of eccentricity 0.6: steps must change by a factor of ten.
    const auto x = end_state(problem, options, {0.4, 0.0, 0.0, 2.0}, 2.0 * std::numbers::pi);
    const double error = std::hypot(x[0] - 0.4, x[1]);
    // Errors go as the two-thirds power of the tolerance of a second-order method: a hundred times
    // less gives a factor of 21.
    EXPECT_LT(error, 0.1 * last) << tolerance;
    last = error;
  }
  EXPECT_LT(last, 1e-3);
}

TEST(GeneralizedAlpha, KeepsItsFactorsWhileTheyServe) {
  SecondOrder problem = oscillator();
  auto stepper = make_stepper(problem, fixed(0.01));
  const std::vector<double> x0{1.0, 0.0};
  Observer silent;
  const Result result = simulate(problem, *stepper, x0, {.t_end = 10.0}, {}, silent);
  EXPECT_EQ(result.statistics.steps, 1000);
  EXPECT_LE(result.statistics.linear_setups, 2);
}

TEST(GeneralizedAlpha, AStepWithoutSolutionFailsWithItsTime) {
  // x'' = 1 / (1 - x): no motion beyond x = 1, which it reaches at the integral of
  // exp(-s) / sqrt(1 + 2 s) over all s > 0, that is sqrt(e pi / 2) erfc(sqrt(1/2)) = 0.6556795 s.
  SecondOrder wall(1, [](double, auto q, auto, auto a) {
    a[0] = q[0] < 1.0 ? 1.0 / (1.0 - q[0]) : std::numeric_limits<double>::quiet_NaN();
  });
  auto stepper = make_stepper(wall, {.method = Method::kGeneralizedAlpha});
  const std::vector<double> x0{0.0, 1.0};
  Observer silent;
  const Result result = simulate(wall, *stepper, x0, {.t_end = 10.0}, {}, silent);
  EXPECT_EQ(result.status, Status::kFailed);
  EXPECT_NE(result.failure.cause.find("t = 0.65567"), std::string::npos) << result.failure.cause;
}

TEST(GeneralizedAlpha, OptionsOutOfRangeAreRefused) {
  SecondOrder problem = oscillator();
  for (const AlphaOptions& alpha :
       {AlphaOptions{.spectral_radius = 1.1},
        AlphaOptions{.scheme = AlphaScheme::kHht, .spectral_radius = 0.4},
        AlphaOptions{.scheme = AlphaScheme::kNewmark, .newmark_gamma = 0.4},
        AlphaOptions{.scheme = AlphaScheme::kNewmark, .newmark_beta = 0.2}}) {
    EXPECT_THROW(make_stepper(problem, fixed(0.1, alpha)), Error);
  }
}

}  // namespace
}  // namespace grapple::integrate::testing
