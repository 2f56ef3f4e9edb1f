// Random chains of rigid bodies under gravity, every tolerance: the energy balance closes and the
// end agrees with that of a run with tolerance 1e-12.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "stress.h"

namespace grapple::stress {
namespace {

std::string random_chain(unsigned seed) {
  std::mt19937 generator(seed);
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(generator);
  };
  const int count = 1 + static_cast<int>(generator() % 5);
  const char* const types[] = {"revolute", "revolute", "prismatic", "spherical", "universal"};
  std::string bodies, joints;
  for (int i = 0; i < count; ++i) {
    bodies += fmt::format(
        "  - {{name: b{}, solid: {{box: \"[{:.3f}, 0.2, 0.1] m\", mass: {:.3f} kg}}, "
        "com: \"[{:.3f}, 0.02, 0] m\"}}\n",
        i, uniform(0.3, 1.0), uniform(0.5, 3.0), uniform(0.1, 0.4));
    const std::string type = types[generator() % 5];
    const std::string axis =
        fmt::format("[{:.3f}, {:.3f}, {:.3f}]", uniform(-1, 1), uniform(-1, 1), uniform(0.2, 1));
    const std::string parent =
        i == 0 ? "world" : fmt::format("\"b{} at [{:.3f}, 0.05, 0] m\"", i - 1, uniform(0.2, 0.5));
    joints += fmt::format("  - {{name: j{}, type: {}, parent: {}, child: b{}", i, type, parent, i);
    if (type == "revolute" || type == "prismatic") joints += ", axis: " + axis;
    if (type == "prismatic") joints += ", spring: {stiffness: 200 N/m}";
    if (type == "revolute") joints += fmt::format(", angle: {:.3f}", uniform(-2, 2));
    if (type == "universal") joints += ", axis: x, axis2: z";
    joints += "}\n";
  }
  return fmt::format(
      "grapple: 1\nname: chain\nenvironment: {{gravity: 9.81 m/s^2}}\nbodies:\n{}joints:\n{}"
      "measures:\n  - {{name: z, channel: center_of_mass/position_z, kind: final}}\n"
      "simulate: {{duration: 0.5 s, record: {{every: 50 ms}}}}\n",
      bodies, joints);
}

TEST(RigidTrees, AgreeWithTheirLimitAtEveryTolerance) {
  Tally tally("rigid chains");
  for (int i = 0; i < cases(6, 300); ++i) {
    const auto seed = static_cast<unsigned>(1000 + i);
    const std::string text = random_chain(seed);
    const Ending limit = run_scenario(text, {"simulate.tolerance=1e-12"});
    if (!limit.claims_to_be_right) {
      tally.refused(limit.reason);
      continue;
    }
    for (int digits = 3; digits <= 10; ++digits) {
      const double tolerance = std::pow(10.0, -digits);
      const Ending ending = run_scenario(text, {fmt::format("simulate.tolerance={:g}", tolerance)});
      if (!ending.claims_to_be_right) {
        tally.refused(ending.reason);
        continue;
      }
      // Local errors of the tolerance over some hundred steps, amplified by up to e^5 on the way.
      const double off = std::abs(ending.measures.at("z") - limit.measures.at("z"));
      if (off < 1e3 * tolerance && ending.relative_residual < 1e-3) {
        tally.right();
      } else {
        tally.wrong(fmt::format("seed {}, tolerance {:g}: off {:.2e} m, residual {:.2e}", seed,
                                tolerance, off, ending.relative_residual));
      }
    }
  }
}

}  // namespace
}  // namespace grapple::stress
