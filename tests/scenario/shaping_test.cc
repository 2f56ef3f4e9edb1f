// Input shaping: the shapers' equations, and what is left of the vibration of a flexible link.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "grapple/control/shaping/input_shaper.h"
#include "grapple/scenario/simulation.h"
#include "scenario/build_support.h"

namespace grapple {
namespace {

using control::make_shaper;
using control::residual_vibration;
using control::ShaperKind;
using std::numbers::pi;

TEST(Shaping, PartsAddUpToOneAndCancelAtTheFrequency) {
  for (const double damping : {0.0, 0.05, 0.3}) {
    for (const auto kind : {ShaperKind::kZeroVibration, ShaperKind::kZeroVibrationDerivative}) {
      const control::Shaper shaper = make_shaper(kind, 7.0, damping, 0.0);
      double sum = 0.0;
      for (const control::Impulse& impulse : shaper) sum += impulse.part;
      EXPECT_NEAR(sum, 1.0, 1e-15);
      EXPECT_LT(residual_vibration(shaper, 7.0, damping), 1e-15);
    }
    const control::Shaper ei = make_shaper(ShaperKind::kExtraInsensitive, 7.0, damping, 0.05);
    EXPECT_LE(residual_vibration(ei, 7.0, damping), 0.05 + 1e-12);
  }
  EXPECT_NEAR(
      residual_vibration(make_shaper(ShaperKind::kExtraInsensitive, 7.0, 0.0, 0.05), 7.0, 0.0),
      0.05, 1e-15);
}

// Errors of the frequency count to first order with ZV, to second with ZVD.
TEST(Shaping, ZeroDerivativeIsInsensitiveToFirstOrder) {
  const auto left = [](ShaperKind kind, double error) {
    return residual_vibration(make_shaper(kind, 7.0, 0.0, 0.0), 7.0 * (1.0 + error), 0.0);
  };
  for (const double error : {1e-3, 1e-4}) {
    EXPECT_NEAR(left(ShaperKind::kZeroVibration, error), 0.5 * pi * error, 1e-3 * error);
    EXPECT_NEAR(left(ShaperKind::kZeroVibrationDerivative, error), std::pow(0.5 * pi * error, 2),
                1e-3 * error * error);
  }
}

// The vibration after a slew of a flexible link whose joint follows the shaped motion, against the
// slew without shaping: |cos(pi w / 2 w_s)| with ZV, its square with ZVD.
TEST(Shaping, WhatIsLeftOfTheVibrationOfASlewIsTheClosedForm) {
  const std::string file = std::string(GRAPPLE_SOURCE_DIR) + "/examples/control/shaped-slew.yaml";
  // One clamped-free mode of a uniform beam: w = 1.8751^2 sqrt(EI / (m L^3)).
  const double w = std::pow(1.87510406871, 2) * std::sqrt(8.0 / 0.4);
  const auto amplitude = [&](const std::string& type, double hertz) {
    Simulation sim(
        file, {"trajectories.slew.shaping.type=" + type,
               "parameters.frequency=" + std::to_string(hertz) + " Hz",
               "trajectories.slew.points=[\"[0] deg\", \"[10] deg\"]", "simulate.tolerance=1e-9"});
    double size = 0.0;
    for (int k = 0; k <= 150; ++k) {
      sim.advance_to(1.6 + 0.004 * k);
      const double p = sim.get("body/link/mode/bending_y_1/position");
      const double v = sim.get("body/link/mode/bending_y_1/rate");
      size = std::max(size, std::hypot(p, v / w));
    }
    return size;
  };
  const double hertz = w / (2.0 * pi), plain = amplitude("zv", 1e4);
  EXPECT_LT(amplitude("zv", hertz), 0.01 * plain);
  EXPECT_LT(amplitude("zvd", hertz), 0.01 * plain);
  const double off = 1.15;
  const double zv = std::abs(std::cos(0.5 * pi / off));
  EXPECT_NEAR(amplitude("zv", off * hertz) / plain, zv, 0.05 * zv + 0.003);
  EXPECT_NEAR(amplitude("zvd", off * hertz) / plain, zv * zv, 0.05 * zv * zv + 0.003);
}

}  // namespace
}  // namespace grapple
