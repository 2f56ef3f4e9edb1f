// What goes wrong becomes a status with a cause, and the state before it stays.
#include <gtest/gtest.h>

#include "grapple/base/error.h"
#include "problems.h"

namespace grapple::integrate::testing {
namespace {

const std::vector<double> kOscillatorStart{1.0, 0.0};

TEST(Failure, ANonFiniteRightHandSideIsAStatusWithTimeAndComponent) {
  for (const Method method : kAllMethods) {
    SCOPED_TRACE(method_name(method));
    SecondOrder problem(1, [](double t, auto q, auto, auto a) {
      a[0] = t > 1.0 ? std::numeric_limits<double>::quiet_NaN() : -q[0];
    });
    Recorder observer;
    auto stepper = make_stepper(problem, {.method = method, .step = 0.01});
    ::testing::internal::CaptureStderr();
    const Result result = simulate(problem, *stepper, kOscillatorStart,
                                   {.t_end = 2.0, .output_interval = 0.1}, {}, observer);
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
    EXPECT_EQ(result.status, Status::kFailed);
    EXPECT_EQ(result.failure.component, 1) << result.failure.cause;
    EXPECT_NE(result.failure.cause.find("right-hand side"), std::string::npos)
        << result.failure.cause;
    // A fixed step fails a step or two before or after the wall; an adaptive one creeps up to it
    // (CVODE gives up after ten cuts by 4 of a step below 0.1 s).
    EXPECT_NEAR(result.t, 1.0, 0.02);
    EXPECT_NEAR(result.x[0], std::cos(result.t), 0.01);
    EXPECT_GE(observer.times.size(), 10u);
  }
}

TEST(Failure, ARefusalAtTheStartIsAStatus) {
  class Refusing : public Problem {
   public:
    int size() const override { return 1; }
    bool derivative(double, std::span<const double>, std::span<double>) override { return false; }
    bool semi_implicit_step(double, double, std::span<double>) override { return false; }
  };
  for (const Method method : kAllMethods) {
    SCOPED_TRACE(method_name(method));
    Refusing problem;
    Observer silent;
    auto stepper = make_stepper(problem, {.method = method});
    const std::vector<double> x0{3.0};
    const Result result = simulate(problem, *stepper, x0, {.t_end = 1.0}, {}, silent);
    EXPECT_EQ(result.status, Status::kFailed);
    EXPECT_EQ(result.t, 0.0);
    EXPECT_EQ(result.x[0], 3.0);
    EXPECT_NE(result.failure.cause.find("right-hand side"), std::string::npos);
  }
}

TEST(Failure, ASingularityEndsTheAdaptiveMethodsInFiniteTime) {
  // x' = x^2 from 1 explodes at t = 1.
  class Explosion : public Problem {
   public:
    int size() const override { return 1; }
    bool derivative(double, std::span<const double> x, std::span<double> xdot) override {
      xdot[0] = x[0] * x[0];
      return true;
    }
    bool semi_implicit_step(double, double, std::span<double>) override { return false; }
  };
  for (const Method method :
       {Method::kDormandPrince, Method::kDormandPrince8, Method::kAdams, Method::kBdf}) {
    SCOPED_TRACE(method_name(method));
    Explosion problem;
    Observer silent;
    auto stepper = make_stepper(problem, {.method = method, .max_steps = 100'000});
    const std::vector<double> x0{1.0};
    const Result result = simulate(problem, *stepper, x0, {.t_end = 2.0}, {}, silent);
    EXPECT_EQ(result.status, Status::kFailed);
    // The pole of the numerical solution is off by the accumulated error, some 1e2 tolerances.
    EXPECT_NEAR(result.t, 1.0, 1e-5);
    EXPECT_FALSE(result.failure.cause.empty());
  }
}

TEST(Failure, TooManyStepsIsAStatus) {
  SecondOrder problem = oscillator();
  Observer silent;
  auto stepper = make_stepper(problem, {.max_steps = 10});
  const Result result = simulate(problem, *stepper, kOscillatorStart, {.t_end = 1e3}, {}, silent);
  EXPECT_EQ(result.status, Status::kFailed);
  EXPECT_EQ(result.statistics.steps, 10);
  EXPECT_NE(result.failure.cause.find("10 steps"), std::string::npos) << result.failure.cause;
}

TEST(Interrupt, KeepsTheStateAndCanGoOn) {
  SecondOrder problem = oscillator();
  const SimulationSpan span{.t_end = 10.0, .output_interval = 0.5};
  Recorder whole;
  auto stepper = make_stepper(problem, {});
  const Result uninterrupted = simulate(problem, *stepper, kOscillatorStart, span, {}, whole);

  std::atomic<bool> interrupt{false};
  Recorder first;
  first.on_step = [&interrupt](double t, double, std::span<double>) {
    interrupt = t > 4.0;
    return Action::kContinue;
  };
  const Result half = simulate(problem, *stepper, kOscillatorStart, span, {}, first, &interrupt);
  EXPECT_EQ(half.status, Status::kInterrupted);
  EXPECT_GT(half.t, 4.0);
  EXPECT_LT(half.t, 6.0);
  EXPECT_NEAR(half.x[0], std::cos(half.t), 1e-6);

  Recorder second;
  auto other = make_stepper(problem, {});
  const Result rest = resume(problem, *other, half.end, span, {}, second);
  EXPECT_EQ(rest.status, Status::kCompleted);
  EXPECT_EQ(rest.x, uninterrupted.x);
  EXPECT_EQ(rest.statistics.steps, uninterrupted.statistics.steps);
  EXPECT_EQ(first.times.size() + second.times.size(), whole.times.size());
}

TEST(Options, WrongValuesAreNamedAllAtOnce) {
  SecondOrder problem = oscillator();
  try {
    make_stepper(problem, {.relative_tolerance = 0.0, .step = -1.0});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.id(), "GR-701");
    EXPECT_EQ(error.diagnostics().size(), 2u);
  }
}

TEST(Options, MethodNamesGoBothWaysAndMisspellingsAreErrors) {
  for (const Method method : kAllMethods) {
    EXPECT_EQ(method_from_name(method_name(method)), method);
  }
  EXPECT_EQ(method_name(Method::kSemiImplicitEuler), "semi-implicit-euler");
  try {
    method_from_name("dormand-prinz");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.id(), "GR-702");
  }
}

TEST(Span, AnEndBeforeTheStartIsTheUsersFault) {
  SecondOrder problem = oscillator();
  Observer silent;
  auto stepper = make_stepper(problem, {});
  EXPECT_THROW(
      simulate(problem, *stepper, kOscillatorStart, {.t_start = 1.0, .t_end = 0.0}, {}, silent),
      Error);
}

}  // namespace
}  // namespace grapple::integrate::testing
