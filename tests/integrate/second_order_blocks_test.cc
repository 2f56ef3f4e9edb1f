// Generalized-alpha over blocks of unknowns: a pendulum of the tree and a chain with a sparse
// tangent, joined by a row, against the same system as one dense block and against closed forms.
#include <gtest/gtest.h>

#include <numbers>

#include "grapple/base/bracketed_root.h"
#include "grapple/integrate/internal/generalized_alpha.h"
#include "pendulum_on_chain.h"
#include "problems.h"

namespace grapple::integrate::testing {
namespace {

constexpr double kPi = std::numbers::pi;

IntegratorOptions fixed_alpha(double h, double spectral_radius = 0.8) {
  IntegratorOptions options{.method = Method::kGeneralizedAlpha, .step = h};
  options.relative_tolerance = 1e-12;
  options.alpha.spectral_radius = spectral_radius;
  options.alpha.steps = StepControl::kFixed;
  return options;
}

struct End {
  std::vector<double> x;
  double force = 0.0;  ///< of the row
};

End run(PendulumOnChain& problem, const IntegratorOptions& options, const std::vector<double>& x0,
        double t_end) {
  GeneralizedAlpha stepper(problem, options);
  Observer silent;
  const Result result = simulate(problem, stepper, x0, {.t_end = t_end}, {}, silent);
  EXPECT_EQ(result.status, Status::kCompleted) << result.failure.cause;
  return {result.x, PendulumOnChain::force_of(view(stepper.multipliers()))};
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) largest = std::max(largest, std::abs(a[k] - b[k]));
  return largest;
}

TEST(SecondOrderBlocks, TreeAndChainMoveAsOneDenseBlock) {
  for (const double rho : {0.5, 1.0}) {
    SCOPED_TRACE(rho);
    PendulumOnChain parts({}, {.masses = 40, .stiffness = 4000.0}, Blocks::kTreeAndChain);
    PendulumOnChain whole({}, {.masses = 40, .stiffness = 4000.0}, Blocks::kOneDense);
    const std::vector<double> x0 = parts.state(0.8, -1.0);
    const End a = run(parts, fixed_alpha(0.01, rho), x0, 3.0),
              b = run(whole, fixed_alpha(0.01, rho), x0, 3.0);
    // Newton's iteration leaves 1e-14 of positions and rates per step, and there are 300.
    EXPECT_LT(distance(a.x, b.x), 1e-10);
    EXPECT_NEAR(a.force, b.force, 1e-8 * std::abs(b.force) + 1e-8);
    EXPECT_GT(distance(a.x, x0), 0.5) << "nothing moved";
  }
}

TEST(SecondOrderBlocks, StepsByErrorAreThoseOfOneDenseBlock) {
  PendulumOnChain parts({}, {}, Blocks::kTreeAndChain), whole({}, {}, Blocks::kOneDense);
  IntegratorOptions options{.method = Method::kGeneralizedAlpha};
  options.relative_tolerance = 1e-6;
  const std::vector<double> x0 = parts.state(1.0, 0.0);
  // Some 400 steps, the same up to round-off (1e-15 seen). Much later the last digit may decide
  // whether a step grows, and the runs differ by what the tolerance allows.
  EXPECT_LT(distance(run(parts, options, x0, 0.15).x, run(whole, options, x0, 0.15).x), 1e-12);
}

// The wall pulls the pendulum aside: m g tan(angle) = -F with F = k / n (L sin(angle) - wall).
TEST(SecondOrderBlocks, HoldTheStaticForceOfSpringsInSeries) {
  const PendulumParameters bob;
  const ChainParameters chain{.masses = 2000, .mass = 0.001, .stiffness = 2e4, .wall = 0.6};
  const double k = chain.stiffness / chain.masses;
  const auto balance = [&](double angle) {
    return bob.mass * bob.gravity * std::tan(angle) +
           k * (bob.length * std::sin(angle) - chain.wall);
  };
  const double angle = bracket_root(balance, 0.0, 1.0, 1e-16).b;
  PendulumOnChain problem(bob, chain, Blocks::kTreeAndChain);
  const std::vector<double> x0 = problem.state(angle, 0.0);
  const End end = run(problem, fixed_alpha(0.01), x0, 0.5);
  const double force = k * (bob.length * std::sin(angle) - chain.wall);
  ASSERT_LT(force, -1.0);
  // Round-off of displacements of 1 m times a spring's 2e4 N/m: 5e-12 N at every mass.
  EXPECT_NEAR(end.force, force, 1e-9);
  EXPECT_LT(distance(end.x, x0), 1e-8);
}

// The lowest mode of the chain with the pendulum at its end: u_i = sin(i phi), and at the last mass
//   (m + M) w^2 u_n = k (u_n - u_n-1) + M g / L u_n,     w = 2 sqrt(k / m) sin(phi / 2).
TEST(SecondOrderBlocks, SwingWithTheFrequencyOfTheChainAndItsEndMass) {
  const PendulumParameters bob;
  const ChainParameters chain{.masses = 200, .mass = 0.01, .stiffness = 1e5};
  const int n = chain.masses;
  const auto frequency = [&](double phi) {
    return 2.0 * std::sqrt(chain.stiffness / chain.mass) * std::sin(0.5 * phi);
  };
  const auto balance = [&](double phi) {
    const double w = frequency(phi), end = std::sin(n * phi);
    return (chain.mass + bob.mass) * w * w * end -
           chain.stiffness * (end - std::sin((n - 1) * phi)) -
           bob.mass * bob.gravity / bob.length * end;
  };
  const double phi = bracket_root(balance, 1e-6, 0.5 * kPi / n, 1e-18).b;
  const double period = 2.0 * kPi / frequency(phi);
  constexpr double kAmplitude = 1e-5;  // rad; its square changes the period by 1e-11
  PendulumOnChain problem(bob, chain, Blocks::kTreeAndChain);
  std::vector<double> x0 = problem.state(kAmplitude, 0.0);
  const double end = bob.length * std::sin(kAmplitude);
  for (int i = 1; i <= n; ++i) {
    x0[static_cast<std::size_t>(i)] = end * std::sin(i * phi) / std::sin(n * phi);
  }
  // The trapezoidal rule lengthens the period by (w h)^2 / 12: at a quarter of it the angle is
  // that times pi / 2, here 5.2e-6 of the amplitude, instead of zero.
  const IntegratorOptions options = [&] {
    IntegratorOptions o = fixed_alpha(period / 1000.0);
    o.alpha.scheme = AlphaScheme::kNewmark;
    o.absolute_tolerance = 1e-16;
    return o;
  }();
  const End quarter = run(problem, options, x0, 0.25 * period);
  const double wh = 2.0 * kPi / 1000.0;
  EXPECT_NEAR(quarter.x[0] / kAmplitude, 0.5 * kPi * wh * wh / 12.0, 2e-7);
}

// Errors against a sixteenth of the step; what the reference itself lacks is 1/200 of them.
TEST(SecondOrderBlocks, HaveOrderTwoInMotionAndForce) {
  const auto end = [](double h) {
    PendulumOnChain problem({}, {}, Blocks::kTreeAndChain);
    return run(problem, fixed_alpha(h), problem.state(1.0, 0.5), 1.0);
  };
  const End coarse = end(2e-3), fine = end(1e-3), reference = end(1.25e-4);
  const auto order = [](double one, double half) { return std::log2(one / half); };
  EXPECT_NEAR(order(distance(coarse.x, reference.x), distance(fine.x, reference.x)), 2.0, 0.1);
  EXPECT_NEAR(
      order(std::abs(coarse.force - reference.force), std::abs(fine.force - reference.force)), 2.0,
      0.15);
}

TEST(SecondOrderBlocks, KeepTheEnergyToTheSquareOfTheStep) {
  const auto drift = [](double h) {
    PendulumOnChain problem({}, {}, Blocks::kTreeAndChain);
    const std::vector<double> x0 = problem.state(1.0, 0.5);
    const End end = run(problem, fixed_alpha(h, 1.0), x0, 10.0);
    return std::abs(problem.energy(end.x) - problem.energy(x0)) / problem.energy(x0);
  };
  const double coarse = drift(2e-3), fine = drift(1e-3);
  EXPECT_LT(coarse, 1e-3);
  EXPECT_LT(fine, 0.3 * coarse);
}

TEST(SecondOrderBlocks, LeaveOutARowThatFollowsFromAnother) {
  PendulumOnChain once({}, {}, Blocks::kTreeAndChain, 1), twice({}, {}, Blocks::kTreeAndChain, 2);
  const std::vector<double> x0 = once.state(1.0, 0.0);
  const End a = run(once, fixed_alpha(5e-3), x0, 1.0), b = run(twice, fixed_alpha(5e-3), x0, 1.0);
  EXPECT_LT(distance(a.x, b.x), 1e-11);
  EXPECT_NEAR(a.force, b.force, 1e-9);
}

TEST(SecondOrderBlocks, ResumeWithTheSameBits) {
  IntegratorOptions options{.method = Method::kGeneralizedAlpha};
  options.relative_tolerance = 1e-5;
  const SimulationSpan span{.t_end = 2.0, .output_interval = 0.1};
  PendulumOnChain problem({}, {.masses = 20}, Blocks::kTreeAndChain);
  Recorder whole;
  whole.checkpoint_after = 0.7;
  auto stepper = make_stepper(problem, options);
  const std::vector<double> x0 = problem.state(1.0, 0.0);
  const Result reference = simulate(problem, *stepper, x0, span, {}, whole);
  ASSERT_EQ(reference.status, Status::kCompleted) << reference.failure.cause;
  ASSERT_TRUE(whole.taken);
  ASSERT_LT(reference.statistics.linear_setups, reference.statistics.steps / 2)
      << "factors must outlive steps for the test to mean something";

  PendulumOnChain again({}, {.masses = 20}, Blocks::kTreeAndChain);
  Recorder rest;
  auto stepper_again = make_stepper(again, options);
  const Result resumed = resume(again, *stepper_again, whole.saved, span, {}, rest);
  ASSERT_EQ(resumed.status, Status::kCompleted);
  EXPECT_EQ(resumed.x, reference.x);
  EXPECT_EQ(resumed.statistics.steps, reference.statistics.steps);
}

TEST(SecondOrderBlocks, ABlockWithoutFactorsIsAFailedStep) {
  PendulumOnChain problem({}, {}, Blocks::kTreeAndChain);
  problem.chain().is_broken = true;
  auto stepper = make_stepper(problem, {.method = Method::kGeneralizedAlpha});
  Observer silent;
  const Result result =
      simulate(problem, *stepper, problem.state(1.0, 0.0), {.t_end = 1.0}, {}, silent);
  EXPECT_EQ(result.status, Status::kFailed);
  EXPECT_NE(result.failure.cause.find("no solution"), std::string::npos) << result.failure.cause;
}

// What a sparse block stores and works on per solve.
TEST(SecondOrderBlocks, FactorsOfTheChainGrowLinearly) {
  for (const int n : {1000, 2000}) {
    PendulumOnChain problem({}, {.masses = n, .stiffness = 1e4}, Blocks::kTreeAndChain);
    run(problem, fixed_alpha(0.01), problem.state(0.1, 0.0), 0.01);
    EXPECT_EQ(problem.chain().factor_nonzeros(), n - 1);  // below the diagonal: no fill
  }
}

}  // namespace
}  // namespace grapple::integrate::testing
