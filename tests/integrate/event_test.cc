// Events, breakpoints, outputs: what the driver promises about times.
#include <gtest/gtest.h>

#include "problems.h"

namespace grapple::integrate::testing {
namespace {

constexpr double kGravity = 9.81;

TEST(Event, TimeOfAFallingBallIsExact) {
  for (const Method method : {Method::kRungeKutta4, Method::kDormandPrince}) {
    SCOPED_TRACE(method_name(method));
    SecondOrder ball = falling_ball(kGravity);
    Recorder observer;
    auto stepper = make_stepper(ball, {.method = method, .step = 0.01});
    const std::vector<double> x0{1.0, 0.0};
    const Result result = simulate(ball, *stepper, x0, {.t_end = 1.0}, {}, observer);
    ASSERT_EQ(observer.events.size(), 1u);
    // A parabola is integrated without truncation error.
    EXPECT_NEAR(observer.events[0].t, std::sqrt(2.0 / kGravity), 1e-12);
    EXPECT_NEAR(observer.events[0].x[0], 0.0, 1e-12);
    EXPECT_EQ(observer.events[0].direction, -1);
    EXPECT_EQ(result.statistics.events, 1);
    EXPECT_EQ(result.t, 1.0);
  }
}

TEST(Event, HasTheOrderOfTheMethodNotOfTheInterpolant) {
  // q = cos t crosses zero at pi / 2.
  const auto error = [](double h) {
    SecondOrder problem = oscillator();
    problem.events = {[](double, std::span<const double> x) { return x[0]; }};
    Recorder observer;
    IntegratorOptions options{.relative_tolerance = 0.1, .absolute_tolerance = 1e3};
    options.max_step = options.initial_step = h;
    auto stepper = make_stepper(problem, options);
    const std::vector<double> x0{1.0, 0.0};
    simulate(problem, *stepper, x0, {.t_end = 2.0}, {}, observer);
    EXPECT_EQ(observer.events.size(), 1u);
    return std::abs(observer.events.at(0).t - 0.5 * std::numbers::pi);
  };
  // The position of the event in its step varies with h: half an order is left for that.
  EXPECT_GT(std::log2(error(0.2) / error(0.05)) / 2.0, 4.5);
}

TEST(Event, MultistepMethodsLocateWithinTheirTolerance) {
  for (const Method method : {Method::kAdams, Method::kBdf}) {
    SCOPED_TRACE(method_name(method));
    SecondOrder problem = oscillator();
    problem.events = {[](double, std::span<const double> x) { return x[0]; },
                      [](double, std::span<const double> x) { return x[1] + 0.999; }};
    Recorder observer;
    auto stepper = make_stepper(problem, {.method = method});
    const std::vector<double> x0{1.0, 0.0};
    simulate(problem, *stepper, x0, {.t_end = 2.0}, {}, observer);
    // v falls through -0.999 just before q = 0 at pi / 2 and rises through it just after.
    ASSERT_EQ(observer.events.size(), 3u);
    const double half_width = std::acos(0.999);
    // About 1e2 steps of tolerance 1e-8; near the turning point of v its error counts 1/0.045-fold.
    EXPECT_NEAR(observer.events[0].t, 0.5 * std::numbers::pi - half_width, 1e-4);
    EXPECT_NEAR(observer.events[1].t, 0.5 * std::numbers::pi, 1e-6);
    EXPECT_NEAR(observer.events[2].t, 0.5 * std::numbers::pi + half_width, 1e-4);
  }
}

TEST(Event, BouncingBallFollowsTheClosedForm) {
  constexpr double kRestitution = 0.7;
  for (const Method method : kAllMethods) {
    SCOPED_TRACE(method_name(method));
    SecondOrder ball = falling_ball(kGravity);
    Recorder observer;
    observer.on_event = [](int, double, std::span<double> x) {
      x[0] = 0.0;
      x[1] = -kRestitution * x[1];
      return Action::kRestart;
    };
    auto stepper = make_stepper(ball, {.method = method, .step = 1e-3});
    const std::vector<double> x0{1.0, 0.0};
    const Result result =
        simulate(ball, *stepper, x0, {.t_end = 2.25}, {Crossing::kFalling}, observer);
    ASSERT_EQ(result.status, Status::kCompleted) << result.failure.cause;
    // Bounce k at sqrt(2 h / g) (1 + 2 e + 2 e^2 + ... + 2 e^k).
    const double fall = std::sqrt(2.0 / kGravity);
    double expected = fall;
    double flight = 2.0 * kRestitution * fall;
    // Order 1: every flight is a step short and the impact speeds carry that on, about 20 steps in
    // all. Parabolas are exact for the Runge-Kutta methods; CVODE stays near its tolerance.
    const double tolerance = method == Method::kSemiImplicitEuler ? 0.03
                             : method == Method::kRungeKutta4 || method == Method::kDormandPrince
                                 ? 1e-11
                                 : 1e-6;
    ASSERT_GE(observer.events.size(), 6u);
    for (const auto& event : observer.events) {
      EXPECT_NEAR(event.t, expected, tolerance);
      expected += flight;
      flight *= kRestitution;
    }
  }
}

TEST(Event, BothDirectionsDoNotFireOnTheirOwnRoundOff) {
  // The ball turns at the floor; the gap may be left at -1e-17, which must not count as a crossing.
  SecondOrder ball = falling_ball(kGravity);
  Recorder observer;
  observer.on_event = [](int, double, std::span<double> x) {
    x[1] = -x[1];
    return Action::kRestart;
  };
  auto stepper = make_stepper(ball, {});
  const std::vector<double> x0{1.0, 0.0};
  const double fall = std::sqrt(2.0 / kGravity);
  simulate(ball, *stepper, x0, {.t_end = 20.0 * fall}, {Crossing::kBoth}, observer);
  ASSERT_EQ(observer.events.size(), 10u);
  for (std::size_t k = 0; k < 10; ++k) {
    // Each bounce adds the round-off of one event time.
    EXPECT_NEAR(observer.events[k].t, (2.0 * static_cast<double>(k) + 1.0) * fall, 1e-11);
    EXPECT_EQ(observer.events[k].direction, -1);
  }
}

TEST(Event, HopsShorterThanAStepAreSeen) {
  // Every touch is answered by a hop of 10 ms, a tenth of the step.
  constexpr double kHop = 0.01;
  SecondOrder ball = falling_ball(kGravity);
  Recorder observer;
  observer.on_event = [](int, double, std::span<double> x) {
    x[0] = 0.0;
    x[1] = 0.5 * kGravity * kHop;
    return Action::kRestart;
  };
  auto stepper = make_stepper(ball, {.method = Method::kRungeKutta4, .step = 0.1});
  const std::vector<double> x0{1.0, 0.0};
  const double fall = std::sqrt(2.0 / kGravity);
  simulate(ball, *stepper, x0, {.t_end = fall + 20.5 * kHop}, {}, observer);
  ASSERT_EQ(observer.events.size(), 21u);
  // Each hop adds the resolution of one event time, 1e-14 s.
  EXPECT_NEAR(observer.events.back().t, fall + 20.0 * kHop, 1e-12);
}

TEST(Event, ZeroAtTheStartDoesNotFire) {
  for (const Method method : kAllMethods) {
    SCOPED_TRACE(method_name(method));
    SecondOrder ball = falling_ball(kGravity);
    Recorder observer;
    auto stepper = make_stepper(ball, {.method = method});
    const std::vector<double> x0{0.0, kGravity};  // thrown up from the floor, back after 2 s
    simulate(ball, *stepper, x0, {.t_end = 3.0}, {}, observer);
    ASSERT_EQ(observer.events.size(), 1u);
    EXPECT_NEAR(observer.events[0].t, 2.0, method == Method::kSemiImplicitEuler ? 2e-3 : 1e-6);
  }
}

TEST(Event, TwoCrossingsInOneStepAreBothSeen) {
  // A parabola that dips below zero between t = 0.45 and 0.75; one step would reach to t = 1.
  for (const Method method : {Method::kRungeKutta4, Method::kDormandPrince}) {
    SCOPED_TRACE(method_name(method));
    SecondOrder ball(1, [](double, auto, auto, auto a) { a[0] = 2.0; });
    ball.events = {[](double, std::span<const double> x) { return x[0]; }};
    Recorder observer;
    auto stepper = make_stepper(ball, {.method = method, .step = 1.0, .initial_step = 1.0});
    const std::vector<double> x0{0.45 * 0.75, -1.2};
    simulate(ball, *stepper, x0, {.t_end = 1.0}, {}, observer);
    ASSERT_EQ(observer.events.size(), 2u);
    EXPECT_NEAR(observer.events[0].t, 0.45, 1e-12);
    EXPECT_EQ(observer.events[0].direction, -1);
    EXPECT_NEAR(observer.events[1].t, 0.75, 1e-12);
    EXPECT_EQ(observer.events[1].direction, 1);
  }
}

TEST(Event, SimultaneousEventsAllFire) {
  SecondOrder ball = falling_ball(kGravity);
  ball.events.push_back([](double, std::span<const double> x) { return -3.0 * x[0]; });
  Recorder observer;
  observer.on_event = [](int, double, std::span<double> x) {
    x[0] = -0.5;  // both functions are far from zero afterwards
    return Action::kRestart;
  };
  auto stepper = make_stepper(ball, {});
  const std::vector<double> x0{1.0, 0.0};
  simulate(ball, *stepper, x0, {.t_end = 1.0}, {}, observer);
  ASSERT_EQ(observer.events.size(), 2u);
  EXPECT_EQ(observer.events[0].t, observer.events[1].t);
  EXPECT_EQ(observer.events[0].direction, -1);
  EXPECT_EQ(observer.events[1].direction, 1);
}

TEST(Event, AFunctionThatStaysAtZeroFiresOnce) {
  SecondOrder ball(1, [](double, auto, auto, auto a) { a[0] = 0.0; });
  ball.events = {[](double, std::span<const double> x) { return std::max(x[0], 0.0); }};
  for (const Method method : kAllMethods) {
    SCOPED_TRACE(method_name(method));
    Recorder observer;
    auto stepper = make_stepper(ball, {.method = method, .step = 0.1});
    const std::vector<double> x0{0.35, -1.0};
    const Result result = simulate(ball, *stepper, x0, {.t_end = 1.0}, {}, observer);
    EXPECT_EQ(result.status, Status::kCompleted);
    ASSERT_EQ(observer.events.size(), 1u);
    EXPECT_NEAR(observer.events[0].t, 0.35, 1e-12);
  }
}

TEST(Event, UnwantedDirectionsAreIgnored) {
  SecondOrder problem = oscillator();
  problem.events = {[](double, std::span<const double> x) { return x[0]; }};
  Recorder observer;
  auto stepper = make_stepper(problem, {});
  const std::vector<double> x0{1.0, 0.0};
  simulate(problem, *stepper, x0, {.t_end = 20.0}, {Crossing::kRising}, observer);
  ASSERT_EQ(observer.events.size(), 3u);  // 3 pi / 2, 7 pi / 2, 11 pi / 2
  EXPECT_NEAR(observer.events[2].t, 5.5 * std::numbers::pi, 1e-6);
}

TEST(Event, ChatteringIsAFailureThatNamesTheEvent) {
  // A relay with a dead band of 1e-12: x' = u, u = -1 above the band, +1 below.
  double u = -1.0;
  class Relay : public Problem {
   public:
    explicit Relay(double& input) : u_(input) {}
    int size() const override { return 1; }
    bool derivative(double, std::span<const double>, std::span<double> xdot) override {
      xdot[0] = u_;
      return true;
    }
    bool semi_implicit_step(double, double, std::span<double>) override { return false; }
    int event_count() const override { return 2; }
    void event_values(double, std::span<const double> x, std::span<double> values) override {
      values[0] = 1.0;  // never
      values[1] = x[0] + 1e-12 * -u_;
    }

   private:
    double& u_;
  } relay(u);
  Recorder observer;
  observer.on_event = [&u](int, double, std::span<double> x) {
    u = x[0] > 0.0 ? -1.0 : 1.0;
    return Action::kRestart;
  };
  auto stepper = make_stepper(relay, {});
  const std::vector<double> x0{0.5};
  const Result result = simulate(relay, *stepper, x0, {.t_end = 1.0}, {}, observer);
  EXPECT_EQ(result.status, Status::kFailed);
  EXPECT_EQ(result.failed_event, 1);
  EXPECT_NEAR(result.t, 0.5, 1e-6);
  EXPECT_NE(result.failure.cause.find("event 1 chatters"), std::string::npos)
      << result.failure.cause;
}

TEST(Event, StopEndsTheRunAtTheEventWithAnOutputThere) {
  for (const Method method : kAllMethods) {
    SCOPED_TRACE(method_name(method));
    SecondOrder ball = falling_ball(kGravity);
    Recorder observer;
    observer.on_event = [](int, double, std::span<double>) { return Action::kStop; };
    auto stepper = make_stepper(ball, {.method = method});
    const std::vector<double> x0{1.0, 0.0};
    const Result result =
        simulate(ball, *stepper, x0, {.t_end = 1.0, .output_interval = 0.1}, {}, observer);
    EXPECT_EQ(result.status, Status::kStopped);
    ASSERT_EQ(observer.times.size(), 6u);  // 0, 0.1 ... 0.4, touch
    EXPECT_EQ(observer.times.back(), observer.events[0].t);
    EXPECT_EQ(result.t, observer.events[0].t);
    EXPECT_NEAR(result.x[0], 0.0, 1e-9);
  }
}

TEST(Output, TimesAreMultiplesOfTheIntervalAndTheEnd) {
  for (const Method method : kAllMethods) {
    SCOPED_TRACE(method_name(method));
    SecondOrder problem = oscillator();
    Recorder observer;
    auto stepper = make_stepper(problem, {.method = method});
    const std::vector<double> x0{1.0, 0.0};
    simulate(problem, *stepper, x0, {.t_end = 3.05, .output_interval = 0.1}, {}, observer);
    ASSERT_EQ(observer.times.size(), 32u);
    for (std::size_t k = 0; k < 31; ++k) {
      EXPECT_EQ(observer.times[k], static_cast<double>(k) * 0.1);
      EXPECT_NEAR(observer.states[k][0], std::cos(observer.times[k]),
                  method == Method::kSemiImplicitEuler ? 2e-3 : 1e-6);
    }
    EXPECT_EQ(observer.times.back(), 3.05);
  }
}

TEST(Output, AnEndOnTheOutputGridIsGivenOnce) {
  SecondOrder problem = oscillator();
  Recorder observer;
  auto stepper = make_stepper(problem, {});
  const std::vector<double> x0{1.0, 0.0};
  simulate(problem, *stepper, x0, {.t_end = 0.3, .output_interval = 0.1}, {}, observer);
  // 3 * 0.1 is a unit in the last place above 0.3.
  EXPECT_EQ(observer.times, (std::vector{0.0, 0.1, 0.2, 0.3}));
}

TEST(Output, JumpsAreGivenOnBothSidesIfAsked) {
  struct Both : Recorder {
    bool wants_output_at_jumps() const override { return true; }
  } observer;
  SecondOrder ball = falling_ball(kGravity);
  observer.on_event = [](int, double, std::span<double> x) {
    x[1] = -x[1];
    return Action::kRestart;
  };
  auto stepper = make_stepper(ball, {});
  const std::vector<double> x0{1.0, 0.0};
  simulate(ball, *stepper, x0, {.t_end = 0.8, .output_interval = 10.0}, {}, observer);
  ASSERT_EQ(observer.times.size(), 4u);
  EXPECT_EQ(observer.times[1], observer.times[2]);
  EXPECT_EQ(observer.states[1][1], -observer.states[2][1]);
}

TEST(Breakpoint, StepsLandExactlyAndKinksCostNoAccuracy) {
  // A force switched at 0.3 s and 0.7 s: q'' = 0, 1, 0.
  for (const Method method : {Method::kRungeKutta4, Method::kDormandPrince, Method::kAdams}) {
    SCOPED_TRACE(method_name(method));
    double force = 0.0;
    SecondOrder problem(1, [&force](double, auto, auto, auto a) { a[0] = force; });
    Recorder observer;
    observer.on_breakpoint = [&force](double t, std::span<double>) {
      force = t < 0.5 ? 1.0 : 0.0;
      return t < 0.5 ? Action::kContinue : Action::kRestart;
    };
    auto stepper = make_stepper(problem, {.method = method, .step = 0.25});
    const std::vector<double> x0{0.0, 0.0};
    const Result result =
        simulate(problem, *stepper, x0, {.t_end = 1.0, .breakpoints = {0.7, 0.3, 0.3, 0.0, 5.0}},
                 {}, observer);
    EXPECT_EQ(observer.breakpoints, (std::vector{0.3, 0.7}));
    const double tolerance = method == Method::kAdams ? 1e-7 : 1e-15;
    EXPECT_NEAR(result.x[1], 0.4, tolerance);
    EXPECT_NEAR(result.x[0], 0.08 + 0.4 * 0.3, tolerance);
  }
}

TEST(Projection, EveryStateHandedOutIsProjected) {
  // A rotating unit vector, projected to unit length.
  class Rotation : public Problem {
   public:
    int size() const override { return 2; }
    bool derivative(double, std::span<const double> x, std::span<double> xdot) override {
      xdot[0] = -x[1];
      xdot[1] = x[0];
      return true;
    }
    void project(double, std::span<double> x) override {
      const double length = std::hypot(x[0], x[1]);
      x[0] /= length;
      x[1] /= length;
    }
    bool semi_implicit_step(double, double h, std::span<double> x) override {
      x[0] -= h * x[1];
      x[1] += h * x[0];
      return true;
    }
    bool verlet_step(double, double h, std::span<double> x) override {
      x[0] -= 0.5 * h * x[1];
      x[1] += h * x[0];
      x[0] -= 0.5 * h * x[1];
      return true;
    }
  };
  for (const Method method : kAllMethods) {
    SCOPED_TRACE(method_name(method));
    Rotation problem;
    Recorder observer;
    observer.on_step = [](double, double, std::span<double> x) {
      EXPECT_NEAR(std::hypot(x[0], x[1]), 1.0, 1e-15);
      return Action::kContinue;
    };
    auto stepper =
        make_stepper(problem, {.method = method, .relative_tolerance = 1e-4, .step = 0.05});
    const std::vector<double> x0{2.0, 0.0};  // put on the manifold at the start
    simulate(problem, *stepper, x0, {.t_end = 5.0, .output_interval = 0.01}, {}, observer);
    for (const auto& x : observer.states) EXPECT_NEAR(std::hypot(x[0], x[1]), 1.0, 1e-15);
    EXPECT_NEAR(observer.states.back()[0], std::cos(5.0), 0.2);
  }
}

}  // namespace
}  // namespace grapple::integrate::testing
