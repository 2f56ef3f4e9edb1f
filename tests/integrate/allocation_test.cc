// After set-up a step allocates nothing, also with outputs and events on the way. Every malloc of
// the program is counted (operator new and SUNDIALS both end there).
#include <gtest/gtest.h>

#include "problems.h"
#include "support/counted_malloc.h"

namespace grapple::integrate::testing {
namespace {

// Notes the count of allocations at the first and the last step; itself allocates nothing.
struct Counter : Observer {
  void output(double, std::span<const double>) override { ++outputs; }
  Action event(int, double, int, std::span<double> x) override {
    ++events;
    x[1] = -x[1];
    return Action::kRestart;
  }
  Action step_accepted(double, double, std::span<double>) override {
    if (first < 0) first = allocations.load();
    last = allocations.load();
    return Action::kContinue;
  }
  long first = -1, last = -1;
  int outputs = 0, events = 0;
};

class Allocation : public ::testing::TestWithParam<Method> {};

TEST_P(Allocation, StepsOutputsAndEventsAllocateNothing) {
  if (GRAPPLE_SANITIZED) GTEST_SKIP() << "the sanitizer owns malloc";
  SecondOrder ball = falling_ball(9.81);
  Counter counter;
  auto stepper = make_stepper(ball, {.method = GetParam()});
  const std::vector<double> x0{1.0, 0.0};
  const long before = allocations.load();
  simulate(ball, *stepper, x0,
           {.t_end = 5.0, .output_interval = 0.01, .breakpoints = {1.0, 2.0, 3.0}}, {}, counter);
  ASSERT_GT(allocations.load(), before) << "the counter does not count";
  EXPECT_GT(counter.outputs, 400);
  EXPECT_GT(counter.events, 4);
  EXPECT_EQ(counter.last - counter.first, 0);
}

INSTANTIATE_TEST_SUITE_P(EveryMethod, Allocation,
                         ::testing::Values(Method::kRungeKutta4, Method::kSemiImplicitEuler,
                                           Method::kVelocityVerlet, Method::kDormandPrince,
                                           Method::kDormandPrince8, Method::kAdams, Method::kBdf,
                                           Method::kGeneralizedAlpha, Method::kAdaptive));

}  // namespace
}  // namespace grapple::integrate::testing
