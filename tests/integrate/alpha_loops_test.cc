// Generalized-alpha on a body held by a point: steps allocate nothing, and steps of any size keep
// Newton's method and the multipliers in order.
#include <gtest/gtest.h>

#include "grapple/integrate/internal/generalized_alpha.h"
#include "grapple/integrate/simulate.h"
#include "grapple/integrate/system_problem.h"
#include "support/allocations.h"

namespace grapple::integrate::testing {
namespace {

using spatial::Vec3;
using spatial::VecX;

// A spinning body, free but for one of its points.
system::System held_body() {
  model::ModelBuilder builder;
  builder.set_gravity({0.0, 0.0, -9.81});
  builder.add_body("top", {2.0, Vec3::Zero(), Vec3(0.02, 0.03, 0.01).asDiagonal()});
  model::Model model = builder.build();
  VecX q = model::State(model).q, v = VecX::Zero(6);
  q[0] = 0.3;
  v << 0.0, 3.0, 0.0, 0.0, 0.0, 10.0;
  const constraint::Constraint loop{
      "point",
      constraint::LoopClosure{{{"", 0, {}}, {"", 1, {spatial::Mat3::Identity(), {-0.3, 0.0, 0.0}}}},
                              constraint::LoopType::kSpherical}};
  system::SystemParts parts{std::move(model), q, v, {}, {}, {}};
  parts.constraints = {loop};
  return system::System(std::move(parts));
}

TEST(AlphaLoops, StepsAllocateNothing) {
  if (GRAPPLE_SANITIZED) GTEST_SKIP() << "the sanitizer owns malloc";
  system::System system = held_body();
  SystemProblem problem(system, {});
  for (const StepControl control : {StepControl::kFixed, StepControl::kAdaptive}) {
    IntegratorOptions options{.method = Method::kGeneralizedAlpha, .relative_tolerance = 1e-6};
    options.alpha.steps = control;
    auto stepper = make_stepper(problem, options);
    stepper->start(0.0, view(system.initial_state()));
    ASSERT_TRUE(stepper->step(10.0));
    const long before = allocations.load();
    for (int k = 0; k < 300; ++k) ASSERT_TRUE(stepper->step(10.0));
    EXPECT_EQ(allocations.load(), before);
  }
}

TEST(AlphaLoops, TinyStepsKeepNewtonAndTheMultipliersInOrder) {
  std::int64_t most = 50 * 8;  // residuals of the largest step: eight per step
  for (const double h : {1e-3, 1e-5, 1e-7}) {
    SCOPED_TRACE(h);
    system::System system = held_body();
    SystemProblem problem(system, {});
    IntegratorOptions options{.method = Method::kGeneralizedAlpha, .step = h};
    options.alpha.steps = StepControl::kFixed;
    GeneralizedAlpha stepper(problem, options);
    stepper.start(0.0, view(system.initial_state()));
    for (int k = 0; k < 50; ++k) ASSERT_TRUE(stepper.step(1.0)) << stepper.failure().cause;
    EXPECT_LE(stepper.statistics().evaluations, most);
    most = stepper.statistics().evaluations;  // smaller steps must not need more
    const VecX expected = problem.evaluate(stepper.t(), stepper.x()).constraints.lambda;
    // Round-off of rates, 1e-16 of 10 rad/s, divided by h; and second order.
    const double allowed = 1e2 * (1e-15 / h + 1e3 * h * h);
    EXPECT_LT((stepper.multipliers() - expected).norm(), allowed * expected.norm());
  }
}

}  // namespace
}  // namespace grapple::integrate::testing
