// Every way through closed loops ends at the same place: the default, orthogonal decomposition,
// optimal partition, Baumgarte, BDF with projection, generalized-alpha. And the tangents that the
// last one uses.
#include <gtest/gtest.h>

#include "grapple/integrate/tree_second_order.h"
#include "mechanisms.h"

namespace grapple::scenario {
namespace {

using integrate::IntegratorOptions;
using integrate::Method;

struct Mechanism {
  const char* name;
  std::function<Simulation(const std::vector<std::string>&)> load;
  double t_end;
};

class LoopMethods : public testing::TestWithParam<Mechanism> {
 protected:
  // Positions and rates at the end.
  VecX end(const std::string& method, const IntegratorOptions& options) {
    Simulation simulation = GetParam().load({"simulate.loop_method=" + method});
    const int motion = simulation.system->model().nq() + simulation.system->model().nv();
    return run_to(simulation, options, GetParam().t_end).x.head(motion);
  }
  static double relative(const VecX& a, const VecX& b) {
    return (a - b).lpNorm<Eigen::Infinity>() / (1.0 + b.lpNorm<Eigen::Infinity>());
  }
};

TEST_P(LoopMethods, OfProjectionAgreeWithTheDefault) {
  const IntegratorOptions options{.relative_tolerance = 1e-10};
  const VecX expected = end("default", options);
  // Local errors of 1e-10 over some hundred steps, and what each projection makes of them.
  EXPECT_LT(relative(end("orthogonal-decomposition", options), expected), 1e-7);
  EXPECT_LT(relative(end("optimal-partition", options), expected), 1e-7);
}

TEST_P(LoopMethods, BaumgarteAgreesWithinWhatItLeavesOpen) {
  const IntegratorOptions options{.relative_tolerance = 1e-10};
  EXPECT_LT(relative(end("baumgarte", options), end("default", options)), 1e-5);
}

TEST_P(LoopMethods, BdfAndGeneralizedAlphaAgreeWithTheDefault) {
  const VecX expected = end("default", {.relative_tolerance = 1e-10});
  EXPECT_LT(
      relative(end("default", {.method = Method::kBdf, .relative_tolerance = 1e-9}), expected),
      1e-5);
  EXPECT_LT(
      relative(end("default", {.method = Method::kGeneralizedAlpha, .relative_tolerance = 1e-8}),
               expected),
      1e-3);
}

// BDF's own history stays on the loops: no drift over many steps.
TEST_P(LoopMethods, BdfKeepsTheLoopsClosed) {
  Simulation simulation = GetParam().load({});
  integrate::SystemProblem problem(*simulation.system, {});
  auto stepper = make_stepper(problem, {.method = Method::kBdf, .relative_tolerance = 1e-6});
  stepper->start(0.0, view(simulation.system->initial_state()));
  double worst = 0.0;
  while (stepper->t() < GetParam().t_end) {
    ASSERT_TRUE(stepper->step(GetParam().t_end)) << stepper->failure().cause;
    const auto& loops = problem.evaluate(stepper->t(), stepper->x()).constraints;
    worst = std::max(worst, loops.value.lpNorm<Eigen::Infinity>());
  }
  EXPECT_LT(worst, 1e-9);
}

TEST(AlphaOptions, AreReadFromTheScenario) {
  const auto options = [](const std::string& alpha) {
    return scenario_of(kFourBar, {"simulate.integrator=generalized-alpha", "simulate.step=2 ms",
                                  "simulate.alpha=" + alpha})
        .plan.integrator;
  };
  const IntegratorOptions damped = options("{spectral_radius: 0.6, steps: fixed}");
  EXPECT_EQ(damped.method, Method::kGeneralizedAlpha);
  EXPECT_EQ(damped.alpha.scheme, integrate::AlphaScheme::kGeneralized);
  EXPECT_EQ(damped.alpha.spectral_radius, 0.6);
  EXPECT_EQ(damped.step, 2e-3);
  EXPECT_TRUE(has_fixed_step(damped));
  const IntegratorOptions newmark = options("{scheme: newmark, beta: 0.5}");
  EXPECT_EQ(newmark.alpha.scheme, integrate::AlphaScheme::kNewmark);
  EXPECT_EQ(newmark.alpha.newmark_beta, 0.5);
  EXPECT_EQ(newmark.alpha.newmark_gamma, 0.5);
  EXPECT_EQ(newmark.initial_step, 2e-3);
  EXPECT_FALSE(has_fixed_step(newmark));
  EXPECT_EQ(options("{scheme: hht}").alpha.scheme, integrate::AlphaScheme::kHht);
}

// J, the rows' tangent and A against central differences of the residual, at a state off the
// solution: nothing may vanish by chance.
TEST_P(LoopMethods, TangentsEqualDifferencesOfTheResidual) {
  Simulation simulation = GetParam().load({});
  integrate::TreeSecondOrder problem(*simulation.system);
  const integrate::SecondOrderSizes n = problem.sizes();
  VecX x = simulation.system->initial_state();
  VecX u_rate(n.unknowns()), lambda(n.rows);
  ASSERT_TRUE(problem.start(0.0, view(x), integrate::view(u_rate), integrate::view(lambda)));
  x.segment(n.positions, n.rates) += VecX::LinSpaced(n.rates, 0.5, 2.0);
  u_rate += VecX::LinSpaced(n.unknowns(), -1.0, 1.0);
  lambda += VecX::LinSpaced(n.rows, 1.0, 3.0);
  const integrate::TangentWeights weights{0.7, 1.3, 0.9};
  integrate::RowTangent rows(n);
  problem.assemble({0.0, view(x), view(u_rate), view(lambda)}, weights, rows);
  const auto residual_at = [&](int k, double step) {
    VecX moved = x, rate = u_rate, delta = VecX::Zero(n.rates);
    moved[n.positions + k] += step * weights.rate;
    rate[k] += step * weights.acceleration;
    if (k < n.rates) delta[k] = step * weights.position;
    problem.move(view(delta), integrate::view(moved).first(static_cast<std::size_t>(n.positions)));
    integrate::SecondOrderResidual out{VecX::Zero(n.unknowns()), VecX::Zero(n.rows),
                                       VecX::Zero(n.rows)};
    EXPECT_TRUE(problem.residual({0.0, view(moved), view(rate), view(lambda)}, out));
    return out;
  };
  const double h = 1e-5;
  for (int k = 0; k < n.unknowns(); ++k) {
    const auto ahead = residual_at(k, h), behind = residual_at(k, -h);
    // Differences of this step are good to about 1e-9 of the residual's size.
    const auto compare = [&](const VecX& found, const VecX& expected) {
      EXPECT_LT((found - expected).norm(), 1e-6 * (1.0 + expected.norm()));
    };
    if (k < n.rates && problem.J(k, k) == 1.0 && problem.J.row(k).norm() == 1.0)
      continue;  // driven
    compare(problem.J.col(k), (ahead.r - behind.r) / (2.0 * h));
    compare(rows.rates.col(k), (ahead.row_rates - behind.row_rates) / (2.0 * h));
    compare(weights.position * rows.A.col(k), (ahead.rows - behind.rows) / (2.0 * h));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Each, LoopMethods,
    testing::Values(
        Mechanism{"squeezer", [](auto& set) { return example("iftomm/A03-squeezer.yaml", set); },
                  0.01},
        Mechanism{"slider_crank", [](auto& set) { return scenario_of(kSliderCrank, set); }, 1.0},
        Mechanism{"driven_slider_crank",
                  [](auto& set) { return example("rigid/slider-crank.yaml", set); }, 0.5},
        Mechanism{"four_bar", [](auto& set) { return scenario_of(kFourBar, set); }, 1.0},
        Mechanism{"heavy_top", [](auto& set) { return scenario_of(kHeavyTop, set); }, 0.1},
        Mechanism{"bricard", [](auto& set) { return example("iftomm/A04-bricard.yaml", set); },
                  1.0}),
    [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace grapple::scenario
