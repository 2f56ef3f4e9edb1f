// A run given up inside a step goes on from its last standby.
#include <gtest/gtest.h>

#include "grapple/integrate/poll_request.h"
#include "problems.h"

namespace grapple::integrate::testing {
namespace {

/// Keeps a standby before every step.
class Standing final : public Observer {
 public:
  void output(double t, std::span<const double> x) override {
    times.push_back(t);
    states.insert(states.end(), x.begin(), x.end());
  }
  Action event(int index, double, int, std::span<double> x) override {
    if (index != 0) return Action::kContinue;
    x[0] = 0.0;
    x[1] = -0.9 * x[1];
    return Action::kRestart;
  }
  bool wants_standby() override { return true; }
  void standby(const Checkpoint& checkpoint) override {
    kept = checkpoint;
    kept_outputs = times.size();
  }

  Checkpoint kept;
  std::size_t kept_outputs = 0;
  std::vector<double> times, states;
};

/// A bouncing ball that gives up at its n-th evaluation; 0: never.
SecondOrder ball(int* evaluations, int last) {
  SecondOrder problem(1, [=](double t, auto q, auto v, auto a) {
    if (++*evaluations == last) throw Interrupted{};
    a[0] = -9.81 + std::sin(7.0 * t) - 0.1 * v[0] * std::abs(v[0]) + 0.01 * q[0];
  });
  problem.events = {[](double, std::span<const double> x) { return x[0]; }};
  return problem;
}

class GivenUp : public ::testing::TestWithParam<Method> {};

TEST_P(GivenUp, InsideAnyStepResumesFromTheStandbyBefore) {
  const IntegratorOptions options{.method = GetParam(), .step = 0.01};
  const SimulationSpan span{.t_end = 1.0, .output_interval = 0.02, .breakpoints = {0.25}};
  const std::vector<double> x0{0.5, 0.0};
  int evaluations = 0;
  SecondOrder whole_ball = ball(&evaluations, 0);
  Standing whole;
  auto stepper = make_stepper(whole_ball, options);
  const Result reference = simulate(whole_ball, *stepper, x0, span, {}, whole);
  ASSERT_EQ(reference.status, Status::kCompleted);
  const int all = evaluations;
  const bool multistep = GetParam() == Method::kAdams || GetParam() == Method::kBdf;
  for (int last = all / 7; last < all; last += all / 7) {
    SCOPED_TRACE(last);
    evaluations = 0;
    SecondOrder cut_ball = ball(&evaluations, last);
    Standing cut;
    auto cut_stepper = make_stepper(cut_ball, options);
    const Result result = simulate(cut_ball, *cut_stepper, x0, span, {}, cut);
    ASSERT_EQ(result.status, Status::kInterrupted);
    ASSERT_TRUE(result.given_up);
    EXPECT_LT(result.t, 1.0);

    SecondOrder rest_ball = ball(&evaluations, 0);
    Standing rest;
    auto rest_stepper = make_stepper(rest_ball, options);
    const Result resumed = resume(rest_ball, *rest_stepper, cut.kept, span, {}, rest);
    ASSERT_EQ(resumed.status, Status::kCompleted);
    ASSERT_EQ(cut.kept_outputs + rest.times.size(), whole.times.size());
    if (multistep) {  // a new history: the tolerance of 1e-8, over a hundred steps
      EXPECT_NEAR(resumed.x[0], reference.x[0], 1e-5);
    } else {
      EXPECT_EQ(resumed.x, reference.x);
      EXPECT_TRUE(std::equal(rest.times.rbegin(), rest.times.rend(), whole.times.rbegin()));
      EXPECT_TRUE(std::equal(rest.states.rbegin(), rest.states.rend(), whole.states.rbegin()));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(EveryMethod, GivenUp,
                         ::testing::Values(Method::kRungeKutta4, Method::kSemiImplicitEuler,
                                           Method::kVelocityVerlet, Method::kDormandPrince,
                                           Method::kDormandPrince8, Method::kAdams, Method::kBdf,
                                           Method::kGeneralizedAlpha, Method::kAdaptive));

// A standby is no checkpoint: the bits of a multistep method do not depend on it.
TEST(Standby, LeavesNoTraceInTheRun) {
  for (const Method method : {Method::kAdams, Method::kBdf, Method::kAdaptive}) {
    SCOPED_TRACE(method_name(method));
    int evaluations = 0;
    SecondOrder problem = ball(&evaluations, 0);
    const std::vector<double> x0{0.5, 0.0};
    const SimulationSpan span{.t_end = 0.3, .output_interval = 0.02};
    Standing with;
    Observer without;
    auto stepper = make_stepper(problem, {.method = method});
    const Result a = simulate(problem, *stepper, x0, span, {}, with);
    const Result b = simulate(problem, *stepper, x0, span, {}, without);
    EXPECT_EQ(a.x, b.x);
    EXPECT_EQ(a.statistics.steps, b.statistics.steps);
  }
}

// Many events at one time are no chatter; one that happens again and again is.
TEST(Chatter, IsOfOneEvent) {
  SecondOrder problem(1, [](double, auto, auto, auto a) { a[0] = 0.0; });
  problem.events.assign(1500, [](double, std::span<const double> x) { return x[0] - 0.5; });
  Observer observer;
  auto stepper = make_stepper(problem, {.method = Method::kDormandPrince});
  const std::vector<double> x0{0.0, 1.0};
  const Result result = simulate(problem, *stepper, x0, {.t_end = 1.0}, {}, observer);
  EXPECT_EQ(result.status, Status::kCompleted) << result.failure.cause;
  EXPECT_EQ(result.statistics.events, 1500);
}

}  // namespace
}  // namespace grapple::integrate::testing
