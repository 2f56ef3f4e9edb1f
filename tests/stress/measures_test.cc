// Random drops and swings: what is measured does not depend on what is recorded. With two rows the
// measures are those of a run with ten thousand, whose steps are the same and whose measures look
// at every row.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "stress.h"

namespace grapple::stress {
namespace {

std::string random_case(unsigned seed) {
  std::mt19937 generator(seed);
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(generator);
  };
  const char* const integrators[] = {"adaptive", "dormand-prince", "bdf", "rk4",
                                     "generalized-alpha"};
  const double stiffness = std::pow(10.0, uniform(4.0, 6.0));
  return fmt::format(
      "grapple: 1\nname: measured\nenvironment: {{gravity: 9.81 m/s^2}}\nbodies:\n"
      "  - {{name: ball, solid: {{sphere: 0.1 m, mass: 1 kg}}, position: [5, 0, {:.4f}] m, "
      "velocity: [0, 0, {:.3f}] m/s, shapes: [{{name: skin, sphere: 0.1 m}}]}}\n"
      "  - {{name: a, solid: {{rod: {{length: 1 m, axis: x, from: end}}, mass: 1 kg}}}}\n"
      "  - {{name: b, solid: {{rod: {{length: 1 m, axis: x, from: end}}, mass: 1 kg}}, "
      "frames: [{{name: tip, position: [1, 0, 0] m}}]}}\n"
      "shapes: [{{name: floor, half_space: z}}]\n"
      "contacts: [{{name: hit, between: [ball/skin, floor], stiffness: {:.4g}, friction: "
      "none, restitution: {:.3f}}}]\n"
      "joints:\n"
      "  - {{name: j1, type: revolute, axis: y, parent: \"world at [0, 0, 9] m\", child: a, angle: "
      "{:.3f}, rate: {:.3f}}}\n"
      "  - {{name: j2, type: revolute, axis: y, parent: \"a at [1, 0, 0] m\", child: b, angle: "
      "{:.3f}, rate: {:.3f}}}\n"
      "measures:\n"
      "  - {{name: peak, channel: contact/hit/normal_force, kind: max}}\n"
      "  - {{name: deepest, channel: contact/hit/gap, kind: min}}\n"
      "  - {{name: touching, channel: contact/hit/gap, kind: duration, below: 0 m}}\n"
      "  - {{name: touch, channel: contact/hit/gap, kind: first_time, below: 0 m}}\n"
      "  - {{name: high, channel: frame/b/tip/position_z, kind: max}}\n"
      "  - {{name: above, channel: frame/b/tip/position_z, kind: duration, above: {:.3f} m}}\n"
      "  - {{name: fast, channel: frame/b/tip/velocity_x, kind: max}}\n"
      "  - {{name: at, channel: frame/b/tip/acceleration_z, kind: at, time: {:.4f} s}}\n"
      "simulate: {{duration: 0.5 s, integrator: {}, step: 0.5 ms, tolerance: 1e-{}, record: "
      "{{every: "
      "0.5 s}}}}\n",
      uniform(0.11, 0.5), uniform(-3.0, 0.0), stiffness, uniform(0.3, 1.0), uniform(-3, 3),
      uniform(-10, 10), uniform(-3, 3), uniform(-10, 10), uniform(8.0, 10.0), uniform(0.0, 0.5),
      integrators[generator() % 5], 4 + generator() % 6);
}

TEST(Measures, DoNotDependOnTheRows) {
  Tally tally("measures of two rows and of ten thousand");
  for (int i = 0; i < cases(6, 300); ++i) {
    const auto seed = static_cast<unsigned>(7000 + i);
    const std::string text = random_case(seed);
    const Ending few = run_scenario(text);
    const Ending many = run_scenario(text, {"simulate.record.every=0.05 ms"});
    if (few.measures.empty() || many.measures.empty()) {
      tally.refused(few.reason);
      continue;
    }
    std::string off;
    if (few.steps != many.steps) off = "other steps";
    for (const auto& [name, value] : many.measures) {
      const auto found = few.measures.find(name);
      // Peaks to a part of 1e-8 beside a step's end, crossings to 1e-12 of a step.
      if (found != few.measures.end() &&
          std::abs(found->second - value) <= 1e-6 * std::max(1e-3, std::abs(value))) {
        continue;
      }
      off += fmt::format(" {} {:.9g} instead of {:.9g}", name,
                         found == few.measures.end() ? NAN : found->second, value);
    }
    if (off.empty()) {
      tally.right();
    } else {
      tally.wrong(fmt::format("seed {}:{}", seed, off));
    }
  }
}

}  // namespace
}  // namespace grapple::stress
