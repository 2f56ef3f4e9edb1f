// Event functions that dip below zero inside a step, and distances that close there.
#include <gtest/gtest.h>

#include "problems.h"

namespace grapple::integrate::testing {
namespace {

const std::vector<Method> kAdaptiveMethods{
    Method::kAdaptive, Method::kDormandPrince, Method::kDormandPrince8,
    Method::kAdams,    Method::kBdf,           Method::kGeneralizedAlpha};

// Thrown up at 10 m/s: 10 t - g t^2/2 is above 5.05 m from 0.9215 s to 1.1172 s. A parabola needs
// one step for all of it.
TEST(Passage, AnApexAboveALevelIsSeen) {
  constexpr double g = 9.81, level = 5.05;
  for (const Method method : kAdaptiveMethods) {
    SCOPED_TRACE(method_name(method));
    SecondOrder ball(1, [](double, auto, auto, auto a) { a[0] = -g; });
    ball.events = {[](double, std::span<const double> x) { return x[0] - level; }};
    Recorder observer;
    auto stepper = make_stepper(ball, {.method = method});
    const std::vector<double> x0{0.0, 10.0};
    simulate(ball, *stepper, x0, {.t_end = 10.0}, {}, observer);
    ASSERT_EQ(observer.events.size(), 2U);
    const double half = std::sqrt(100.0 - 2.0 * g * level) / g;
    // Tolerance 1e-8 in position, at 1.0 m/s when it crosses.
    EXPECT_NEAR(observer.events[0].t, 10.0 / g - half, 1e-7);
    EXPECT_NEAR(observer.events[1].t, 10.0 / g + half, 1e-7);
    EXPECT_EQ(observer.events[0].direction, 1);
    EXPECT_EQ(observer.events[1].direction, -1);
  }
}

// A point flies at `speed` along q through a slab of half thickness `half` at `place`; the event is
// its distance to the slab. Counts how often the distance is read.
class Slab : public SecondOrder {
 public:
  Slab(double place, double half)
      : SecondOrder(1, [](double, auto, auto, auto a) { a[0] = 0.0; }), half_(half) {
    events = {[this, place, half](double, std::span<const double> x) {
      ++reads;
      return std::abs(x[0] - place) - half;
    }};
  }
  Passage event_passage(int) const override { return {half_, 0.25 * half_, 7}; }
  void event_speeds(double, std::span<const double> x, std::span<double> speeds) override {
    speeds[0] = std::abs(x[1]);
  }
  void event_values_except(std::span<const std::uint8_t> skip, double t, std::span<const double> x,
                           std::span<double> values) override {
    if (!skip.empty() && skip[0] != 0) return;
    event_values(t, x, values);
  }

  int reads = 0;

 private:
  double half_;
};

TEST(Passage, AThinSlabIsMetByEveryMethod) {
  for (const Method method : kAdaptiveMethods) {
    for (const double half : {1e-1, 1e-3, 1e-5}) {
      SCOPED_TRACE(method_name(method));
      Slab problem(37.0, half);
      Recorder observer;
      auto stepper = make_stepper(problem, {.method = method});
      const std::vector<double> x0{0.0, 10.0};
      simulate(problem, *stepper, x0, {.t_end = 100.0}, {}, observer);
      ASSERT_EQ(observer.events.size(), 2U) << half;
      EXPECT_NEAR(observer.events[0].t, 0.1 * (37.0 - half), 1e-12 + 1e-9 * half);
      EXPECT_NEAR(observer.events[1].t, 0.1 * (37.0 + half), 1e-12 + 1e-9 * half);
    }
  }
}

TEST(Passage, ADistanceThatCannotCloseIsNotRead) {
  Slab problem(2000.0, 1e-3);
  Recorder observer;
  auto stepper = make_stepper(problem, {.method = Method::kDormandPrince, .max_step = 1.0});
  const std::vector<double> x0{0.0, 10.0};
  const Result result = simulate(problem, *stepper, x0, {.t_end = 100.0}, {}, observer);
  EXPECT_GE(result.statistics.steps, 100);
  // At the start; and when the bound, which falls by 1.5 times the way, is used up: at two thirds,
  // then two ninths of 2000 m and so on, of which 1000 m are flown.
  EXPECT_LE(problem.reads, 3);
}

// After the touch the steps are bounded by the slab's depth until it is left.
TEST(Passage, StepsAreShortWhileATouchLasts) {
  Slab problem(37.0, 1e-2);
  Recorder observer;
  double longest = 0.0;
  observer.on_step = [&](double t, double step, std::span<double>) {
    if (t > 3.7 - 1e-3 + 1e-12 && t <= 3.7 + 1e-3 + 1e-12) longest = std::max(longest, step);
    return Action::kContinue;
  };
  observer.on_event = [](int, double, std::span<double>) { return Action::kRestart; };
  auto stepper = make_stepper(problem, {.method = Method::kDormandPrince});
  const std::vector<double> x0{0.0, 10.0};
  simulate(problem, *stepper, x0, {.t_end = 10.0}, {}, observer);
  EXPECT_LE(longest, 1e-3 * (1.0 + 1e-9));  // 1 cm at 10 m/s
}

TEST(Passage, AFixedStepThatIsTooLongIsReported) {
  struct Listener : Recorder {
    void step_too_long(int source, double, double step, double longest_allowed) override {
      EXPECT_EQ(source, 7);
      EXPECT_GT(step, longest_allowed);
      ++reported;
    }
    int reported = 0;
  };
  for (const auto& [step, expected] : {std::pair{0.05, true}, std::pair{5e-4, false}}) {
    Slab problem(37.0, 1e-2);
    Listener observer;
    auto stepper = make_stepper(problem, {.method = Method::kRungeKutta4, .step = step});
    const std::vector<double> x0{0.0, 10.0};
    simulate(problem, *stepper, x0, {.t_end = 10.0}, {}, observer);
    EXPECT_EQ(observer.events.size(), 2U);
    EXPECT_EQ(observer.reported > 0, expected) << step;
  }
}

// Steps that shrink for ever end the run with their cause: a right-hand side that is rough at every
// scale (Weierstrass).
TEST(Progress, StepsThatShrinkToNothingEndTheRun) {
  SecondOrder rough(1, [](double t, auto, auto, auto a) {
    a[0] = 0.0;
    double size = 1.0, rate = 1.0;
    for (int k = 0; k < 60 && t > 0.5; ++k) {
      a[0] += size * std::cos(rate * (t - 0.5));
      size *= 0.9;
      rate *= 1.9;
    }
  });
  Recorder observer;
  auto stepper = make_stepper(
      rough, {.method = Method::kDormandPrince, .relative_tolerance = 1e-12, .min_step = 1e-15});
  const std::vector<double> x0{0.0, 0.0};
  const Result result = simulate(rough, *stepper, x0, {.t_end = 1e4}, {}, observer);
  EXPECT_EQ(result.status, Status::kFailed);
  EXPECT_NE(result.failure.cause.find("shrunk"), std::string::npos) << result.failure.cause;
  EXPECT_GT(result.step_at_collapse, 0.0);
  EXPECT_GE(result.failure.component, 0);
}

// A step that ends on a jump does not see what lies behind it.
TEST(Passage, AStepOntoABreakpointKeepsItsSide) {
  class Pushed : public SecondOrder {
   public:
    Pushed()
        : SecondOrder(1, [this](double t, auto, auto, auto a) {
            a[0] = std::clamp(t, begin_, end_) < 4.0 ? 0.0 : 10.0;
          }) {}
    void enter_segment(double begin, double end) override {
      begin_ = begin + 1e-14;
      end_ = end - 1e-14;
    }

   private:
    double begin_ = -1e300, end_ = 1e300;
  };
  for (const Method method : {Method::kDormandPrince, Method::kRungeKutta4}) {
    Pushed problem;
    Recorder observer;
    auto stepper = make_stepper(problem, {.method = method, .step = 1.0});
    const std::vector<double> x0{0.0, 0.0};
    const Result result =
        simulate(problem, *stepper, x0, {.t_end = 10.0, .breakpoints = {4.0}}, {}, observer);
    EXPECT_NEAR(result.x[1], 60.0, 1e-12);
    EXPECT_EQ(result.statistics.rejected, 0);
  }
}

}  // namespace
}  // namespace grapple::integrate::testing
