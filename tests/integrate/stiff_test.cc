// Stiff problems with BDF.
#include <gtest/gtest.h>

#include <algorithm>

#include "problems.h"

namespace grapple::integrate::testing {
namespace {

TEST(Bdf, SolvesTheStiffVanDerPolOscillator) {
  for (const auto jacobian : {VanDerPol::Jacobian::kGiven, VanDerPol::Jacobian::kNone}) {
    for (const double tolerance : {1e-8, 1e-10}) {
      VanDerPol problem(jacobian);
      Observer silent;
      auto stepper =
          make_stepper(problem, {.method = Method::kBdf, .relative_tolerance = tolerance});
      const std::vector<double> x0{2.0, 0.0};
      const Result result = simulate(problem, *stepper, x0, {.t_end = 2000.0}, {}, silent);
      ASSERT_EQ(result.status, Status::kCompleted) << result.failure.cause;
      // The relaxation jumps multiply the local errors by a few hundred.
      EXPECT_NEAR(result.x[0], kVanDerPolAt2000, 1e3 * tolerance);
      // Stability holds an explicit method to h < 1 / mu on the slow branch: two million steps.
      EXPECT_LT(result.statistics.steps, 10'000);
      EXPECT_GT(result.statistics.linear_setups, result.statistics.jacobians);
    }
  }
}

// Heat conduction in a chain: x_i' = 1e4 (x_i-1 - 2 x_i + x_i+1), ends held at zero.
class Chain : public Problem {
 public:
  explicit Chain(VanDerPol::Jacobian jacobian) : jacobian_(jacobian) {}
  int size() const override { return kSize; }
  bool derivative(double, std::span<const double> x, std::span<double> xdot) override {
    for (std::size_t i = 0; i < kSize; ++i) {
      const double left = i > 0 ? x[i - 1] : 0.0;
      const double right = i + 1 < kSize ? x[i + 1] : 0.0;
      xdot[i] = kRate * (left - 2.0 * x[i] + right);
    }
    return true;
  }
  bool jacobian(double, std::span<const double>, std::span<double> J) override {
    if (jacobian_ == VanDerPol::Jacobian::kNone) return false;
    std::fill(J.begin(), J.end(), 0.0);
    for (std::size_t i = 0; i < kSize; ++i) {
      J[i * kSize + i] = -2.0 * kRate;
      if (i > 0) J[i * kSize + i - 1] = kRate;
      if (i + 1 < kSize) J[i * kSize + i + 1] = kRate;
    }
    return true;
  }
  bool semi_implicit_step(double, double, std::span<double>) override { return false; }
  static constexpr int kSize = 40;

 private:
  static constexpr double kRate = 1e4;
  VanDerPol::Jacobian jacobian_;
};

TEST(Bdf, AGivenJacobianSavesTheEvaluationsOfDifferences) {
  const auto run = [](VanDerPol::Jacobian jacobian) {
    Chain problem(jacobian);
    Observer silent;
    auto stepper = make_stepper(problem, {.method = Method::kBdf});
    const std::vector<double> x0(Chain::kSize, 1.0);
    return simulate(problem, *stepper, x0, {.t_end = 1.0}, {}, silent);
  };
  const Result given = run(VanDerPol::Jacobian::kGiven);
  const Result differences = run(VanDerPol::Jacobian::kNone);
  ASSERT_GT(differences.statistics.jacobians, 0);
  // Each difference Jacobian costs one evaluation per column; the rest of the work is the same
  // within a tenth (differences of a linear function are exact up to round-off).
  const double columns = static_cast<double>(Chain::kSize * differences.statistics.jacobians);
  EXPECT_NEAR(static_cast<double>(differences.statistics.evaluations) - columns,
              static_cast<double>(given.statistics.evaluations),
              0.1 * static_cast<double>(given.statistics.evaluations));
}

}  // namespace
}  // namespace grapple::integrate::testing
