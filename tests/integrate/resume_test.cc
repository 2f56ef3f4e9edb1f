// A run resumed from a checkpoint has the bits of the run that saved it.
#include <gtest/gtest.h>

#include "problems.h"

namespace grapple::integrate::testing {
namespace {

class Resume : public ::testing::TestWithParam<Method> {};

// A bouncing, driven ball with breakpoints: outputs, events, restarts and kinks on both sides.
SecondOrder driven_ball() {
  SecondOrder ball(1, [](double t, auto q, auto v, auto a) {
    a[0] = -9.81 + std::sin(7.0 * t) - 0.1 * v[0] * std::abs(v[0]) + 0.01 * q[0];
  });
  ball.events = {[](double, std::span<const double> x) { return x[0]; },
                 [](double, std::span<const double> x) { return x[1]; }};
  return ball;
}

TEST_P(Resume, GivesTheSameBits) {
  const IntegratorOptions options{.method = GetParam(), .step = 0.003};
  const SimulationSpan span{
      .t_end = 3.0, .output_interval = 0.01, .breakpoints = {0.5, 1.0, 1.5, 2.0, 2.5}};
  const std::vector<double> x0{1.0, 0.0};
  const auto bounce = [](int index, double, std::span<double> x) {
    if (index != 0) return Action::kContinue;
    x[0] = 0.0;
    x[1] = -0.9 * x[1];
    return Action::kRestart;
  };
  for (const double when : {0.0, 0.3, 1.0, 1.77, 2.9}) {
    SCOPED_TRACE(when);
    SecondOrder ball = driven_ball();
    Recorder whole;
    whole.on_event = bounce;
    whole.checkpoint_after = when;
    auto stepper = make_stepper(ball, options);
    const Result reference = simulate(ball, *stepper, x0, span, {}, whole);
    ASSERT_EQ(reference.status, Status::kCompleted) << reference.failure.cause;
    ASSERT_TRUE(whole.taken);

    SecondOrder ball_again = driven_ball();
    Recorder rest;
    rest.on_event = bounce;
    auto stepper_again = make_stepper(ball_again, options);
    const Result resumed = resume(ball_again, *stepper_again, whole.saved, span, {}, rest);
    ASSERT_EQ(resumed.status, Status::kCompleted);
    EXPECT_EQ(resumed.x, reference.x);
    EXPECT_EQ(resumed.statistics.steps, reference.statistics.steps);
    EXPECT_EQ(resumed.statistics.events, reference.statistics.events);
    ASSERT_EQ(whole.outputs_before_checkpoint + rest.times.size(), whole.times.size());
    for (std::size_t k = 0; k < rest.times.size(); ++k) {
      ASSERT_EQ(rest.times[k], whole.times[whole.outputs_before_checkpoint + k]);
      ASSERT_EQ(rest.states[k], whole.states[whole.outputs_before_checkpoint + k]);
    }
    ASSERT_EQ(whole.events_before_checkpoint + rest.events.size(), whole.events.size());
    for (std::size_t k = 0; k < rest.events.size(); ++k) {
      ASSERT_EQ(rest.events[k].t, whole.events[whole.events_before_checkpoint + k].t);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(EveryMethod, Resume,
                         ::testing::Values(Method::kRungeKutta4, Method::kSemiImplicitEuler,
                                           Method::kVelocityVerlet, Method::kDormandPrince,
                                           Method::kDormandPrince8, Method::kAdams, Method::kBdf,
                                           Method::kGeneralizedAlpha, Method::kAdaptive));

// CVODE is different: it begins a new history where it is saved (stepper.h).
TEST(Save, DoesNotChangeARunOfAOneStepMethod) {
  for (const Method method :
       {Method::kRungeKutta4, Method::kSemiImplicitEuler, Method::kVelocityVerlet,
        Method::kDormandPrince, Method::kGeneralizedAlpha}) {
    SCOPED_TRACE(method_name(method));
    SecondOrder ball = driven_ball();
    const std::vector<double> x0{1.0, 0.0};
    Recorder with, without;
    with.checkpoint_after = 0.2;
    auto stepper = make_stepper(ball, {.method = method});
    const Result a = simulate(ball, *stepper, x0, {.t_end = 1.0}, {}, with);
    const Result b = simulate(ball, *stepper, x0, {.t_end = 1.0}, {}, without);
    ASSERT_TRUE(with.taken);
    EXPECT_EQ(a.x, b.x);
    EXPECT_EQ(with.states, without.states);
  }
}

}  // namespace
}  // namespace grapple::integrate::testing
