// Orders of convergence, tolerances, long runs.
#include <gtest/gtest.h>

#include "problems.h"

namespace grapple::integrate::testing {
namespace {

// Error of the oscillator from (1, 0) at t = 2.
double oscillator_error(const IntegratorOptions& options) {
  SecondOrder problem = oscillator();
  const auto x = end_state(problem, options, {1.0, 0.0}, 2.0);
  return std::hypot(x[0] - std::cos(2.0), x[1] + std::sin(2.0));
}

double observed_order(Method method, double h) {
  const double coarse = oscillator_error({.method = method, .step = h});
  const double fine = oscillator_error({.method = method, .step = 0.5 * h});
  return std::log2(coarse / fine);
}

// A Dormand-Prince stepper driven at a fixed step: the tolerance never binds.
IntegratorOptions loose_fixed(double h) {
  return {.relative_tolerance = 0.1, .absolute_tolerance = 1e3, .max_step = h, .initial_step = h};
}

TEST(Convergence, RungeKutta4HasOrderFour) {
  // The next term of the error is smaller by h = 0.05: 0.1 is two of those.
  EXPECT_NEAR(observed_order(Method::kRungeKutta4, 0.05), 4.0, 0.1);
}

TEST(Convergence, SemiImplicitEulerHasOrderOne) {
  EXPECT_NEAR(observed_order(Method::kSemiImplicitEuler, 0.01), 1.0, 0.05);
}

TEST(Convergence, VelocityVerletHasOrderTwo) {
  EXPECT_NEAR(observed_order(Method::kVelocityVerlet, 0.01), 2.0, 0.05);
}

TEST(Convergence, DormandPrinceHasOrderFive) {
  const double coarse = oscillator_error(loose_fixed(0.2));
  const double fine = oscillator_error(loose_fixed(0.1));
  EXPECT_NEAR(std::log2(coarse / fine), 5.0, 0.2);
}

// On an orbit of eccentricity 0.3, whose equations are not linear: all conditions of the order
// count.
double orbit_error(Method method, double h) {
  SecondOrder problem = kepler();
  IntegratorOptions options = loose_fixed(h);
  options.method = method;
  const double e = 0.3;
  const std::vector<double> x0{1.0 - e, 0.0, 0.0, std::sqrt((1.0 + e) / (1.0 - e))};
  const auto x = end_state(problem, options, x0, 2.0 * std::numbers::pi);
  return std::hypot(x[0] - x0[0], x[1]);
}

TEST(Convergence, DormandPrinceHasOrderFiveOrEight) {
  const double turn = 2.0 * std::numbers::pi;
  EXPECT_NEAR(std::log2(orbit_error(Method::kDormandPrince, turn / 100.0) /
                        orbit_error(Method::kDormandPrince, turn / 200.0)),
              5.0, 0.5);
  EXPECT_NEAR(std::log2(orbit_error(Method::kDormandPrince8, turn / 40.0) /
                        orbit_error(Method::kDormandPrince8, turn / 80.0)),
              8.0, 0.6);
}

// Largest error of the dense output inside single steps of length h that start on the solution.
double dense_error(Method method, double h) {
  SecondOrder problem = oscillator();
  IntegratorOptions options = loose_fixed(h);
  options.method = method;
  options.step = h;
  auto stepper = make_stepper(problem, options);
  double largest = 0.0;
  for (double t = 0.0; t < 2.0; t += 0.37) {
    const double x_start[] = {std::cos(t), -std::sin(t)};
    stepper->start(t, x_start);
    EXPECT_TRUE(stepper->step(t + 10.0));
    EXPECT_NEAR(stepper->last_step(), h, 1e-12);
    for (double s = 0.1; s < 1.0; s += 0.1) {
      double x[2];
      stepper->interpolate(t + s * h, x);
      largest =
          std::max(largest, std::hypot(x[0] - std::cos(t + s * h), x[1] + std::sin(t + s * h)));
    }
  }
  return largest;
}

TEST(Convergence, DenseOutputOfDormandPrinceHasOrderFour) {
  // Order p means a local error h^(p+1).
  const double order = std::log2(dense_error(Method::kDormandPrince, 0.2) /
                                 dense_error(Method::kDormandPrince, 0.1));
  EXPECT_GT(order, 4.9);
}

TEST(Convergence, DenseOutputOfDormandPrince8HasOrderSeven) {
  const double order = std::log2(dense_error(Method::kDormandPrince8, 0.8) /
                                 dense_error(Method::kDormandPrince8, 0.4));
  EXPECT_GT(order, 7.8);
}

TEST(Convergence, DenseOutputOfRungeKutta4HasOrderThree) {
  const double order =
      std::log2(dense_error(Method::kRungeKutta4, 0.2) / dense_error(Method::kRungeKutta4, 0.1));
  EXPECT_GT(order, 3.9);  // local error h^4
}

TEST(Convergence, DenseOutputMeetsBothEndsOfTheStep) {
  for (const std::string& name : method_names()) {
    SCOPED_TRACE(name);
    SecondOrder problem = oscillator();
    auto stepper = make_stepper(problem, {.method = method_from_name(name), .step = 0.1});
    stepper->start(0.0, std::vector{1.0, 0.0});
    std::vector<double> x_start;
    for (int i = 0; i < 20; ++i) {
      x_start.assign(stepper->x().begin(), stepper->x().end());
      ASSERT_TRUE(stepper->step(10.0));
    }
    double x[2];
    stepper->interpolate(stepper->t(), x);
    EXPECT_NEAR(x[0], stepper->x()[0], 1e-14);
    // CVODE corrects its history in a step, so the old end is met within the tolerance only.
    stepper->interpolate(stepper->previous_t(), x);
    EXPECT_NEAR(x[0], x_start[0], 1e-7);
  }
}

TEST(SemiImplicitEuler, KeepsTheEnergyBoundedOverManySteps) {
  SecondOrder problem = oscillator();
  Recorder observer;
  double lowest = 1.0, highest = 0.0;
  observer.on_step = [&](double, double, std::span<double> x) {
    const double energy = 0.5 * (x[0] * x[0] + x[1] * x[1]);
    lowest = std::min(lowest, energy);
    highest = std::max(highest, energy);
    return Action::kContinue;
  };
  auto stepper = make_stepper(problem, {.method = Method::kSemiImplicitEuler, .step = 0.01});
  const std::vector<double> x0{1.0, 0.0};
  const Result result =
      simulate(problem, *stepper, x0, {.t_end = 1000.0, .output_interval = 1000.0}, {}, observer);
  EXPECT_EQ(result.statistics.steps, 100'000);
  // The method keeps E + h q v / 2 exactly (up to round-off); |q v| <= 1 to first order in h.
  EXPECT_GT(lowest, 0.5 - 0.5 * 0.01 * 0.51 * 1.01);
  EXPECT_LT(highest, 0.5 + 0.5 * 0.01 * 0.51 * 1.01);
}

TEST(Tolerance, ErrorFollowsTheTolerance) {
  for (const Method method :
       {Method::kDormandPrince, Method::kDormandPrince8, Method::kAdams, Method::kBdf}) {
    SCOPED_TRACE(method_name(method));
    for (const double tolerance : {1e-5, 1e-7, 1e-9}) {
      const double error = oscillator_error({.method = method, .relative_tolerance = tolerance});
      // Two seconds are a few dozen steps (a few hundred for BDF), each allowed its tolerance.
      EXPECT_LT(error, (method == Method::kBdf ? 300.0 : 30.0) * tolerance);
      EXPECT_GT(error, 1e-4 * tolerance) << "the tolerance costs more than it must";
    }
  }
}

TEST(Tolerance, QuadraturesSteerTheStepOfMultistepMethodsOnly) {
  // Component 1 is a quadrature that oscillates a thousand times faster than the solution.
  class WithQuadrature : public Problem {
   public:
    explicit WithQuadrature(int controlled) : controlled_(controlled) {}
    int size() const override { return 2; }
    int controlled_size() const override { return controlled_; }
    bool derivative(double t, std::span<const double> x, std::span<double> xdot) override {
      xdot[0] = -x[0];
      xdot[1] = std::cos(1000.0 * t);
      return true;
    }
    bool semi_implicit_step(double, double, std::span<double>) override { return false; }

   private:
    int controlled_;
  };
  const auto run = [](Method method, int controlled) {
    WithQuadrature problem(controlled);
    auto stepper = make_stepper(problem, {.method = method});
    Observer silent;
    const std::vector<double> x0{1.0, 0.0};
    const Result result = simulate(problem, *stepper, x0, {.t_end = 1.0}, {}, silent);
    EXPECT_EQ(result.status, Status::kCompleted);
    EXPECT_NEAR(result.x[0], std::exp(-1.0), 1e-6);
    return result;
  };
  EXPECT_LT(10 * run(Method::kDormandPrince, 1).statistics.steps,
            run(Method::kDormandPrince, 2).statistics.steps);
  // Multistep methods take long steps: they hold the quadrature, too, to the tolerance of 1e-8
  // of its size of 1e-3; some thousand steps add up.
  for (const Method method : {Method::kAdams, Method::kBdf}) {
    SCOPED_TRACE(method_name(method));
    EXPECT_NEAR(run(method, 1).x[1], 1e-3 * std::sin(1000.0), 1e-7);
  }
}

TEST(Orbit, EccentricKeplerOrbitCloses) {
  // Eccentricity 0.9 from the perigee; ten periods of 2 pi.
  SecondOrder problem = kepler();
  const double e = 0.9;
  const std::vector<double> x0{1.0 - e, 0.0, 0.0, std::sqrt((1.0 + e) / (1.0 - e))};
  for (const Method method : {Method::kDormandPrince, Method::kDormandPrince8, Method::kAdams}) {
    SCOPED_TRACE(method_name(method));
    const auto x = end_state(problem, {.method = method, .relative_tolerance = 1e-12}, x0,
                             20.0 * std::numbers::pi);
    // About 1e4 steps of 1e-12, and the phase error grows with the square of the time.
    EXPECT_NEAR(x[0], x0[0], 1e-6);
    EXPECT_NEAR(x[1], x0[1], 1e-6);
  }
}

TEST(FixedGrid, StepTimesAreMultiplesOfTheStep) {
  SecondOrder problem = oscillator();
  for (const Method method : {Method::kRungeKutta4, Method::kSemiImplicitEuler}) {
    Recorder observer;
    auto stepper = make_stepper(problem, {.method = method, .step = 0.1});
    const std::vector<double> x0{1.0, 0.0};
    const Result result =
        simulate(problem, *stepper, x0, {.t_end = 1000.0, .breakpoints = {3.05}}, {}, observer);
    // 10 000 steps, and one more because the breakpoint splits one.
    ASSERT_EQ(result.statistics.steps, 10'001);
    EXPECT_EQ(observer.times[30], 30 * 0.1);
    EXPECT_EQ(observer.times[31], 3.05);
    EXPECT_EQ(observer.times[32], 31 * 0.1);
    EXPECT_EQ(observer.times[5000], 4999 * 0.1);
    EXPECT_EQ(observer.times.back(), 1000.0);
  }
}

}  // namespace
}  // namespace grapple::integrate::testing
