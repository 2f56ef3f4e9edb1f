// Estimators of `lqr` controllers, through scenario files: the dual of the regulator, separation,
// measurements of any age.
#include <cmath>
#include <numbers>

#include "scenario/lqr_support.h"

namespace grapple {
namespace {

class Lqg : public Lqr {};

// An estimator of the double integrator from its position, in the limit of short periods:
// L = [sqrt(2 W), W] T with W = sigma_u / (I sigma_y), the dual of the regulator.
TEST_F(Lqg, GainsOfTheEstimatorAreTheDualOfTheRegulator) {
  const double I = 0.5, sigma_u = 2.0, sigma_y = 1e-3;
  const auto gains = [&](double T) -> VecX {
    const std::string period = std::to_string(1e3 * T) + " ms";
    const HybridModel model = held_model(rigid_joint(
        "weights: {position: 0.1 rad, effort: 3 N*m}, sensors: [enc], estimator: {process: 2 N*m}, "
        "period: " +
            period,
        "sensors:\n  - {name: enc, type: encoder, joint: axle, noise: 1e-3 rad, period: " + period +
            "}\n"));
    const analysis::LinearBlock& law = block_of(model, "law");
    return law.memory_in.col(0).segment(3, 2) / T;  // behind set point, error and integral
  };
  const double W = sigma_u / (I * sigma_y);
  const VecX limit = 2.0 * gains(1e-5) - gains(2e-5);
  EXPECT_NEAR(limit[0] / std::sqrt(2.0 * W), 1.0, 1e-4);
  EXPECT_NEAR(limit[1] / W, 1.0, 1e-4);
}

// Closed-loop poles = poles of the regulator with known states + poles of the estimator, which do
// not depend on the weights.
TEST_F(Lqg, PolesOfRegulatorAndEstimatorAreSeparate) {
  std::vector<std::vector<Complex>> of_estimator;
  for (const char* effort : {"effort: 2 N*m", "effort: 0.7 N*m"}) {
    std::string lqg = text_of(example("lqg-flexible-link"), "effort: 2 N*m", effort);
    lqg.replace(lqg.find("quantum: 0.02 deg"), 17, "noise: 0.006 deg");  // smooth
    std::string known = lqg;
    known.replace(known.find("    sensors: [encoder, gauge]\n"), 30, "");
    const std::size_t estimator = known.find("    estimator");
    known.replace(estimator, known.find('\n', estimator) + 1 - estimator, "");
    const std::size_t measure = known.find("  - {name: last-estimate");
    known.replace(measure, known.find('\n', measure) + 1 - measure, "");
    std::vector<Complex> all = poles_of(held_model(lqg));
    const std::vector<Complex> regulator = poles_of(held_model(known));
    ASSERT_EQ(regulator.size(), 6U);
    EXPECT_LT(take_out(regulator, all), 1e-6);
    of_estimator.push_back(all);
  }
  ASSERT_EQ(of_estimator[0].size(), 6U);
  EXPECT_LT(take_out(of_estimator[1], of_estimator[0]), 1e-6);
}

// The estimator reads values that are a period old, or as old as an offset makes them: with exact
// sensors and no disturbance its estimates are the true states either way.
TEST_F(Lqg, EstimatesFollowTheTruthWhateverTheAgeOfTheMeasurements) {
  for (const char* offset : {"offset: 0 ms", "offset: 3 ms"}) {
    std::string text =
        text_of(example("lqg-flexible-link"), "quantum: 0.02 deg", "noise: 1e-6 rad");
    text.replace(text.find("noise: 2e-6"), 11, "noise: 2e-8");
    text.replace(text.find("process: 0.5"), 12, "process: 0.005");  // gains as in the example
    text.replace(text.find("    period: 4 ms\nmeasures"), 16,
                 "    period: 4 ms\n    " + std::string(offset));
    Simulation sim(write(text));
    double worst = 0.0, moved = 0.0;
    for (int k = 25; k <= 400; k += 5) {
      sim.advance_to(0.004 * k + (offset[8] == '3' ? 0.003 : 0.0) + 1e-9);
      const double truth = sim.get("joint/shoulder/rate");
      moved = std::max(moved, std::abs(truth));
      worst = std::max(worst, std::abs(truth - sim.get("block/law/estimate/joint/shoulder/rate")));
    }
    // What stays are the noise and what is not linear: centrifugal terms at 1.4 rad/s.
    EXPECT_GT(moved, 0.9);
    EXPECT_LT(worst, 0.01 * moved) << offset;
  }
}

}  // namespace
}  // namespace grapple
