// Head-on impacts of two bodies, however stiff, far apart and loosely resolved: a step that begins
// at the touch must feel it. The velocity afterwards is that of restitution.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "stress.h"

namespace grapple::stress {
namespace {

struct Impact {
  double speed, restitution, tolerance;
  std::string text;
  double after() const { return speed * (1.0 - 3.0 * restitution) / 4.0; }  // of 1 kg on 3 kg
};

Impact random_impact(unsigned seed) {
  std::mt19937 engine(seed);
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(engine);
  };
  const auto logarithmic = [&](double low, double high) {
    return std::exp(uniform(std::log(low), std::log(high)));
  };
  Impact impact{logarithmic(0.3, 300.0), uniform(0.1, 1.0), logarithmic(1e-10, 0.1), ""};
  const double size = logarithmic(1e-3, 0.1), apart = logarithmic(0.01, 30.0);
  // The reduced mass of 0.75 kg goes so deep: 0.4 k d^2.5 = m v^2 / 2; of the lens of two balls
  // V = pi r d^2 / 2, so k_v pi r d^3 / 6 = m v^2 / 2.
  const double depth = size * logarithmic(1e-4, 0.1), square = impact.speed * impact.speed;
  const bool volumetric = uniform(0.0, 1.0) < 0.4;
  const bool plate = !volumetric && uniform(0.0, 1.0) < 0.5;
  const std::string law =
      volumetric ? fmt::format("model: volumetric, foundation: {:.6g} N/m^3",
                               2.25 * square / (3.141592653589793 * size * depth * depth * depth))
                 : fmt::format("stiffness: {:.6g}", 0.9375 * square / std::pow(depth, 2.5));
  const std::string other = plate ? fmt::format("box: [{:.9g}, 0.3, 0.3]", 2.0 * size)
                                  : fmt::format("sphere: {:.9g}", size);
  impact.text = fmt::format(
      "grapple: 1\nbodies:\n"
      "  - {{name: a, mass: 1 kg, inertia: [1, 1, 1], velocity: [{:.17g}, 0, 0], shapes: [{{name: "
      "s, sphere: {:.9g}}}]}}\n"
      "  - {{name: b, mass: 3 kg, inertia: [1, 1, 1], position: [{:.17g}, 0, 0], shapes: [{{name: "
      "s, {}}}]}}\n"
      "contacts: [{{name: hit, between: [a/s, b/s], {}, restitution: {:.6g}, friction: none}}]\n"
      "measures: [{{name: va, channel: body/a/velocity_x, kind: final}}]\n"
      "simulate: {{duration: {:.6g} s, integrator: {}, tolerance: {:.3g}, record: {{every: {:.6g} "
      "s}}}}\n",
      impact.speed, size, apart + 2.0 * size, other, law, impact.restitution,
      2.0 * apart / impact.speed + 10.0 * size / impact.speed,
      uniform(0.0, 1.0) < 0.5 ? "adaptive" : "dormand-prince", impact.tolerance,
      apart / impact.speed);
  return impact;
}

TEST(Impacts, AreFeltHoweverStiff) {
  Tally tally("head-on impacts");
  for (int i = 0; i < cases(40, 1500); ++i) {
    const auto seed = static_cast<unsigned>(7000 + i);
    const Impact impact = random_impact(seed);
    const Ending ending = run_scenario(impact.text);
    if (!ending.claims_to_be_right) {
      tally.refused("the balance is off, and said so");
      continue;
    }
    // Some ten steps of an impact, each within the tolerance, which is one of the speed; the
    // balance claims 1e-3 of the energy moved. The damping factor is that of restitution to 1e-3 or
    // so.
    const double allowed = (5e-3 + 30.0 * impact.tolerance) * impact.speed;
    const double off = std::abs(ending.measures.at("va") - impact.after());
    if (off < std::min(allowed, 0.05 * impact.speed)) {
      tally.right();
    } else {
      tally.wrong(fmt::format("seed {}: {} m/s instead of {} m/s", seed, ending.measures.at("va"),
                              impact.after()));
    }
  }
}

}  // namespace
}  // namespace grapple::stress
