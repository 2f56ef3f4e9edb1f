// `adaptive`: Dormand-Prince, and BDF where only stability would limit the steps.
#include <gtest/gtest.h>

#include <algorithm>

#include "problems.h"

namespace grapple::integrate::testing {
namespace {

struct Outcome {
  Result result;
  std::vector<std::vector<double>> states;
};

class States : public Observer {
 public:
  std::vector<std::vector<double>> states;
  void output(double /*t*/, std::span<const double> x) override {
    states.emplace_back(x.begin(), x.end());
  }
};

Outcome run(Problem& problem, Method method, double tolerance, std::vector<double> x0,
            const SimulationSpan& span) {
  States states;
  auto stepper = make_stepper(problem, {.method = method, .relative_tolerance = tolerance});
  Result result = simulate(problem, *stepper, x0, span, {}, states);
  EXPECT_EQ(result.status, Status::kCompleted) << result.failure.cause;
  return {std::move(result), std::move(states.states)};
}

TEST(Adaptive, IsDormandPrinceToTheBitWhereNothingIsStiff) {
  SecondOrder pendulum(1, [](double, auto q, auto, auto a) { a[0] = -9.81 * std::sin(q[0]); });
  const SimulationSpan span{.t_end = 20.0, .output_interval = 0.1};
  const Outcome own = run(pendulum, Method::kAdaptive, 1e-9, {1.0, 0.0}, span);
  const Outcome pure = run(pendulum, Method::kDormandPrince, 1e-9, {1.0, 0.0}, span);
  EXPECT_EQ(own.states, pure.states);
  EXPECT_EQ(own.result.statistics.evaluations, pure.result.statistics.evaluations);
  EXPECT_EQ(own.result.statistics.smallest_step, pure.result.statistics.smallest_step);
}

// The slow branches last a thousand seconds each; h < 3.3 / mu would take a million steps.
TEST(Adaptive, SolvesTheStiffVanDerPolOscillator) {
  for (const double tolerance : {1e-6, 1e-8}) {
    VanDerPol problem(VanDerPol::Jacobian::kGiven);
    const Outcome own = run(problem, Method::kAdaptive, tolerance, {2.0, 0.0}, {.t_end = 2000.0});
    // As for BDF alone (stiff_test.cc).
    EXPECT_NEAR(own.result.x[0], kVanDerPolAt2000, 1e3 * tolerance);
    EXPECT_LT(own.result.statistics.steps, 10'000);
    EXPECT_GT(own.result.statistics.jacobians, 0);
  }
}

// A mass put down on a stiff, damped spring: it rings for 0.1 s and rests for 1000 s. The slow
// pendulum beside it is what there is to follow.
SecondOrder rest_beside_a_pendulum() {
  return SecondOrder(2, [](double, auto q, auto v, auto a) {
    a[0] = -9.81 - 1e6 * q[0] - 400.0 * v[0];
    a[1] = -q[1];
  });
}

TEST(Adaptive, RestOnAStiffSpringIsCheapAndTheRestIsFollowed) {
  SecondOrder problem = rest_beside_a_pendulum();
  const double t_end = 200.0;
  const Outcome own = run(problem, Method::kAdaptive, 1e-7, {0.0, 1.0, 0.0, 0.0}, {.t_end = t_end});
  const Outcome pure =
      run(problem, Method::kDormandPrince, 1e-7, {0.0, 1.0, 0.0, 0.0}, {.t_end = t_end});
  EXPECT_LT(20 * own.result.statistics.evaluations, pure.result.statistics.evaluations);
  EXPECT_NEAR(own.result.x[0], -9.81e-6, 1e-9);
  // Local errors of 1e-7 add up over some 1e3 steps.
  EXPECT_NEAR(own.result.x[1], std::cos(t_end), 1e-4);
}

// BDF gains nothing on fast oscillations without damping: the attempts must not cost much.
TEST(Adaptive, FastOscillationsWithoutDampingCostLittleMoreThanBefore) {
  SecondOrder problem(2, [](double, auto q, auto, auto a) {
    a[0] = -1e6 * q[0];
    a[1] = -q[1];
  });
  const std::vector<double> x0{1e-9, 1.0, 0.0, 0.0};  // the fast one below the tolerance
  const Outcome own = run(problem, Method::kAdaptive, 1e-6, x0, {.t_end = 50.0});
  const Outcome pure = run(problem, Method::kDormandPrince, 1e-6, x0, {.t_end = 50.0});
  EXPECT_LT(static_cast<double>(own.result.statistics.evaluations),
            1.2 * static_cast<double>(pure.result.statistics.evaluations));
  EXPECT_NEAR(own.result.x[1], std::cos(50.0), 1e-4);
}

// Both halves of a run that is resumed while BDF is at work.
TEST(Adaptive, ResumesInItsStiffPhase) {
  class Taker : public States {
   public:
    bool wants_checkpoint(double t) override { return t > 50.0 && !taken; }
    void checkpoint(const Checkpoint& made) override {
      taken = true;
      kept = made;
      states.clear();
    }
    bool taken = false;
    Checkpoint kept;
  };
  SecondOrder problem = rest_beside_a_pendulum();
  const IntegratorOptions options{.method = Method::kAdaptive, .relative_tolerance = 1e-7};
  const SimulationSpan span{.t_end = 100.0, .output_interval = 1.0};
  const std::vector<double> x0{0.0, 1.0, 0.0, 0.0};
  Taker whole;
  auto first = make_stepper(problem, options);
  const Result a = simulate(problem, *first, x0, span, {}, whole);
  ASSERT_TRUE(whole.taken);
  ASSERT_GT(a.statistics.jacobians, 0);
  States rest;
  auto second = make_stepper(problem, options);
  const Result b = resume(problem, *second, whole.kept, span, {}, rest);
  EXPECT_EQ(a.x, b.x);
  EXPECT_EQ(whole.states, rest.states);
  EXPECT_EQ(a.statistics.steps, b.statistics.steps);
  EXPECT_EQ(a.statistics.evaluations, b.statistics.evaluations);
}

}  // namespace
}  // namespace grapple::integrate::testing
