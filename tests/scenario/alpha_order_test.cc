// Generalized-alpha on closed loops: second order in positions, rates and multipliers from the very
// first step, loops closed over long runs, special cases, and an honest ledger.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "grapple/integrate/internal/generalized_alpha.h"
#include "grapple/integrate/simulate.h"
#include "grapple/integrate/system_problem.h"
#include "mechanisms.h"

namespace grapple::scenario {
namespace {

using integrate::GeneralizedAlpha;
using integrate::IntegratorOptions;
using integrate::Method;
using integrate::StepControl;
using integrate::SystemProblem;
using spatial::VecX;

struct Errors {
  double q = 0.0, v = 0.0, lambda = 0.0;
};

// Reference states and multipliers at k * every, by an explicit method of order five on
// accelerations: another way through the same equations.
struct Reference {
  std::vector<VecX> x, lambda;

  Reference(Simulation& simulation, double every, int count) {
    SystemProblem problem(*simulation.system, {});
    auto stepper =
        make_stepper(problem, {.method = Method::kDormandPrince, .relative_tolerance = 1e-12});
    stepper->start(0.0, view(simulation.system->initial_state()));
    for (int k = 1; k <= count; ++k) {
      while (stepper->t() < k * every) {
        if (!stepper->step(k * every)) throw std::runtime_error(stepper->failure().cause);
      }
      const auto& snapshot = problem.evaluate(stepper->t(), stepper->x());
      x.emplace_back(Eigen::Map<const VecX>(stepper->x().data(), simulation.system->size()));
      lambda.push_back(snapshot.constraints.lambda);
    }
  }
};

IntegratorOptions fixed(double h, double rho = 0.8) {
  IntegratorOptions options{
      .method = Method::kGeneralizedAlpha, .relative_tolerance = 1e-13, .step = h};
  options.alpha.steps = StepControl::kFixed;
  options.alpha.spectral_radius = rho;
  return options;
}

Errors errors_of(Simulation& simulation, const Reference& reference, double every, int steps,
                 double rho = 0.8) {
  SystemProblem problem(*simulation.system, {});
  GeneralizedAlpha stepper(problem, fixed(every / steps, rho));
  stepper.start(0.0, view(simulation.system->initial_state()));
  const int nq = simulation.system->model().nq(), nv = simulation.system->model().nv();
  Errors worst;
  for (std::size_t k = 0; k < reference.x.size(); ++k) {
    for (int s = 0; s < steps; ++s) {
      if (!stepper.step(1e9)) throw std::runtime_error(stepper.failure().cause);
    }
    const Eigen::Map<const VecX> x(stepper.x().data(), simulation.system->size());
    const VecX difference = x - reference.x[k];
    worst.q = std::max(worst.q, difference.head(nq).lpNorm<Eigen::Infinity>());
    worst.v = std::max(worst.v, difference.segment(nq, nv).lpNorm<Eigen::Infinity>());
    worst.lambda = std::max(
        worst.lambda, (stepper.multipliers() - reference.lambda[k]).lpNorm<Eigen::Infinity>());
  }
  return worst;
}

struct TimedMechanism {
  const char* name;
  std::function<Simulation()> load;
  double every;  // s: the coarsest step
  int count;     // of them
};

class Order : public testing::TestWithParam<TimedMechanism> {};

// The largest errors over all steps, the first ones included: a start with inconsistent
// accelerations would leave first-order errors in the multipliers there.
TEST_P(Order, IsTwoInPositionsRatesAndMultipliersFromTheFirstStep) {
  Simulation simulation = GetParam().load();
  const Reference reference(simulation, GetParam().every, GetParam().count);
  for (const double rho : {0.3, 0.8}) {
    SCOPED_TRACE(rho);
    const Errors coarse = errors_of(simulation, reference, GetParam().every, 4, rho);
    const Errors fine = errors_of(simulation, reference, GetParam().every, 8, rho);
    EXPECT_NEAR(std::log2(coarse.q / fine.q), 2.0, 0.15);
    EXPECT_NEAR(std::log2(coarse.v / fine.v), 2.0, 0.15);
    EXPECT_NEAR(std::log2(coarse.lambda / fine.lambda), 2.0, 0.15);
  }
}

// One step alone: a start with v' in place of the auxiliary acceleration would make this error of
// first order.
TEST_P(Order, OfTheMultipliersAfterOneStepIsTwo) {
  Simulation simulation = GetParam().load();
  const double h = 0.25 * GetParam().every;
  const auto error = [&](double step) {
    const Reference reference(simulation, step, 1);
    return errors_of(simulation, reference, step, 1).lambda;
  };
  EXPECT_GT(std::log2(error(h) / error(0.5 * h)), 1.85);
}

INSTANTIATE_TEST_SUITE_P(
    Each, Order,
    testing::Values(
        TimedMechanism{"squeezer", [] { return example("iftomm/A03-squeezer.yaml"); }, 4e-5, 100},
        TimedMechanism{"slider_crank", [] { return scenario_of(kSliderCrank); }, 8e-3, 50},
        TimedMechanism{"four_bar", [] { return scenario_of(kFourBar); }, 0.02, 50},
        TimedMechanism{"heavy_top", [] { return scenario_of(kHeavyTop); }, 2e-3, 50}),
    [](const auto& one) { return std::string(one.param.name); });

// The table behind the plot in docs/theory/constraints.md: largest errors over steps per interval.
std::string convergence_table() {
  const std::vector<TimedMechanism> mechanisms{
      {"squeezer", [] { return example("iftomm/A03-squeezer.yaml"); }, 4e-5, 100},
      {"slider-crank", [] { return scenario_of(kSliderCrank); }, 8e-3, 50},
      {"four-bar", [] { return scenario_of(kFourBar); }, 0.02, 50},
      {"heavy-top", [] { return scenario_of(kHeavyTop); }, 2e-3, 50}};
  std::string table = "mechanism,step_s,position,rate,multiplier\n";
  for (const TimedMechanism& mechanism : mechanisms) {
    Simulation simulation = mechanism.load();
    const Reference reference(simulation, mechanism.every, mechanism.count);
    for (const int steps : {2, 4, 8, 16, 32}) {
      const Errors e = errors_of(simulation, reference, mechanism.every, steps);
      table += fmt::format("{},{:.6g},{:.2e},{:.2e},{:.2e}\n", mechanism.name,
                           mechanism.every / steps, e.q, e.v, e.lambda);
    }
  }
  return table;
}

TEST(ConvergencePlot, ShowsWhatTheMethodDoesToday) {
  const std::string path = std::string(GRAPPLE_SOURCE_DIR) + "/docs/images/alpha-convergence.csv";
  const std::string table = convergence_table();
  if (std::getenv("GRAPPLE_UPDATE_DOCS") != nullptr) {
    std::ofstream(path) << table;
    return;
  }
  std::ifstream kept(path);
  std::stringstream today(table);
  std::string kept_line, line;
  int lines = 0;
  for (; std::getline(today, line); ++lines) {
    ASSERT_TRUE(std::getline(kept, kept_line)) << "GRAPPLE_UPDATE_DOCS=1 writes the table, "
                                                  "docs/images/draw_convergence.py draws it";
    // The last digit printed may differ with the compiler, and a Newton iteration more or less.
    for (std::size_t at = line.find(','), old = kept_line.find(','); at != std::string::npos;
         at = line.find(',', at + 1), old = kept_line.find(',', old + 1)) {
      if (lines == 0) break;
      const double now = std::stod(line.substr(at + 1));
      EXPECT_NEAR(std::stod(kept_line.substr(old + 1)), now, 0.05 * now) << line;
    }
  }
  EXPECT_EQ(lines, 21);
}

// Rows and their rates over a hundred seconds, at every output.
TEST(Violation, StaysBelowOneBillionthOverAHundredSeconds) {
  Simulation simulation = scenario_of(kFourBar);
  struct Watch : integrate::Observer {
    Watch(const system::System& s) : system(s), snapshot(s) {}
    void output(double t, std::span<const double> x) override {
      system.evaluate<double>(t, x, snapshot);
      value = std::max(value, snapshot.constraints.value.lpNorm<Eigen::Infinity>());
      rate = std::max(rate, snapshot.constraints.rate.lpNorm<Eigen::Infinity>());
    }
    const system::System& system;
    system::Snapshot<double> snapshot;
    double value = 0.0, rate = 0.0;
  } watch(*simulation.system);
  SystemProblem problem(*simulation.system, {});
  IntegratorOptions options{.method = Method::kGeneralizedAlpha, .relative_tolerance = 1e-5};
  auto stepper = make_stepper(problem, options);
  const auto result =
      integrate::simulate(problem, *stepper, view(simulation.system->initial_state()),
                          {.t_end = 100.0, .output_interval = 0.01}, {}, watch);
  ASSERT_EQ(result.status, integrate::Status::kCompleted) << result.failure.cause;
  EXPECT_LT(watch.value, 1e-9);
  EXPECT_LT(watch.rate, 1e-9);
}

// Steps far too long for the governor's springs: the method damps, the ledger says how much, and
// closes to the quadrature's accuracy all the same.
TEST(NumericalDamping, IsBookedAndTheLedgerCloses) {
  Simulation simulation = example("iftomm/A05-governor.yaml");
  IntegratorOptions options = fixed(0.02, 0.3);
  const End end = run_to(simulation, options, 2.0);
  // A tenth of a radian per step: the quadrature of the powers has a seventh-order error.
  EXPECT_LT(std::abs(end.residual), 1e-6 * end.kinetic);
  EXPECT_GT(std::abs(end.numerical), 1e3 * std::abs(end.residual));
}

// The path of a step ends on the closed loops and at the driven joints' places, so that neither
// projection nor prescribed motion leaks energy.
TEST(NumericalDamping, LedgerClosesWithLoopsAndDrivenJoints) {
  for (const char* file :
       {"rigid/slider-crank.yaml", "iftomm/A03-squeezer.yaml", "rigid/prescribed-slew.yaml"}) {
    SCOPED_TRACE(file);
    Simulation simulation = example(file);
    IntegratorOptions options{.method = Method::kGeneralizedAlpha, .relative_tolerance = 1e-5};
    const End end = run_to(simulation, options, 0.05);
    EXPECT_LT(std::abs(end.residual), 1e-8 * (1e-3 + end.kinetic));
  }
}

// A flexible body turned about: rotations, modes and their stiffness.
TEST(NumericalDamping, OfAFlexibleFloatingArmIsBooked) {
  Simulation simulation = example("flexible/floating-arm.yaml");
  const End end = run_to(simulation, fixed(2e-3), 1.0);
  EXPECT_LT(std::abs(end.residual), 1e-9 * end.kinetic);
}

// One row of the Bricard mechanism's closing joint follows from the others at every instant.
TEST(RedundantRows, AreLeftOut) {
  Simulation simulation = example("iftomm/A04-bricard.yaml");
  IntegratorOptions explicit_method{.relative_tolerance = 1e-10};
  const End expected = run_to(simulation, explicit_method, 1.0);
  IntegratorOptions options{.method = Method::kGeneralizedAlpha, .relative_tolerance = 1e-8};
  const End found = run_to(simulation, options, 1.0);
  // Second order at a local tolerance of 1e-8: some thousand steps.
  EXPECT_LT((found.x - expected.x).lpNorm<Eigen::Infinity>(), 1e-4);
}

// A ball that bounces with damping and friction: contact forces, their states, kinks and commits.
TEST(Contact, RunsUnderGeneralizedAlpha) {
  Simulation simulation = example("contact/sliding-to-rolling.yaml");
  const End expected = run_to(simulation, {.relative_tolerance = 1e-9}, 0.4);
  IntegratorOptions options{.method = Method::kGeneralizedAlpha, .relative_tolerance = 1e-6};
  const End found = run_to(simulation, options, 0.4);
  const int motion = simulation.system->model().nq() + simulation.system->model().nv();
  EXPECT_LT((found.x - expected.x).head(motion).lpNorm<Eigen::Infinity>(), 1e-3);
}

}  // namespace
}  // namespace grapple::scenario
