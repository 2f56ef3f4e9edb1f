// Random beams of every method, length and section: what `check` accepts, `run` starts, and what
// `check` refuses, `run` refuses with the same error.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "grapple/base/error.h"
#include "grapple/scenario/build/build.h"
#include "grapple/scenario/first_step.h"
#include "stress.h"

namespace grapple::stress {
namespace {

std::string random_beam(unsigned seed) {
  std::mt19937 generator(seed);
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(generator);
  };
  const auto pick = [&](const auto& list) -> std::string {
    return list[generator() % std::size(list)];
  };
  const double length =
      generator() % 2 == 0 ? 0.1 * static_cast<double>(1 + generator() % 200) : uniform(0.05, 20.0);
  const double height = length * uniform(0.002, 0.05), width = height * uniform(0.1, 10.0);
  const std::string sections[] = {
      fmt::format("round: {} m", height),
      fmt::format("tube: {{outer: {} m, inner: {} m}}", height, height * uniform(0.2, 0.99)),
      fmt::format("rectangle: \"[{}, {}] m\"", height, width)};
  const std::string theories[] = {"euler-bernoulli", "rayleigh", "timoshenko"};
  const int elements = 1 + static_cast<int>(generator() % 12);
  const std::string methods[] = {
      fmt::format("modes: {}, theory: {}", 1 + generator() % 3, pick(theories)),
      fmt::format("modes: {{bending_y: 2, bending_z: 1, torsion: 1}}, theory: {}", pick(theories)),
      fmt::format("method: elements, elements: {}, theory: {}", elements, pick(theories)),
      fmt::format("method: elements, elements: {}, craig_bampton: 2", elements + 3),
      fmt::format("method: lumped, elements: {}", elements),
      fmt::format("method: chain, elements: {}, theory: {}", elements, pick(theories)),
      fmt::format("method: absolute-nodal, elements: {}, motions: [bending_y]", elements)};
  const double part = static_cast<double>(generator() % 13) / 12.0;
  return fmt::format(
      "grapple: 1\nname: beam\nbodies:\n  - {{name: b, beam: {{length: {} m, material: {{young: 70 "
      "GPa, density: 2700 kg/m^3}}, {}, {}}}, frames: [{{name: f, position: \"[{}, 0, 0] "
      "m\"}}]}}\njoints:\n  - {{name: j, type: {}, parent: world, child: b}}\nforces:\n  - {{name: "
      "p, type: point-force, at: b/f, force: [0, 0.001, 0]}}\nsimulate: {{duration: 1e-6 s}}\n",
      length, pick(sections), pick(methods), length * part,
      generator() % 2 == 0 ? "fixed" : "revolute");
}

// What `check` says: empty, or the error.
std::string refusal(const std::string& text) {
  try {
    const scenario::CheckedScenario checked = scenario::load_scenario_text(text, "stress.yaml", {});
    const scenario::Simulation simulation = scenario::build(checked);
    scenario::check_first_step(checked, simulation);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Beams, CheckAndRunAgree) {
  Tally tally("beams, check against run");
  for (int i = 0; i < cases(30, 3000); ++i) {
    const auto seed = static_cast<unsigned>(40000 + i);
    const std::string text = random_beam(seed);
    const std::string refused = refusal(text);
    const Ending ending = run_scenario(text);
    if (refused.empty() && ending.claims_to_be_right) {
      tally.right();
    } else if (!refused.empty() && !ending.claims_to_be_right) {
      tally.refused(refused);
    } else {
      tally.wrong(fmt::format("seed {}: check says '{}', run '{}'\n{}", seed, refused,
                              ending.reason, text));
    }
  }
  EXPECT_LT(tally.refusals(), tally.count() / 20) << "these beams are ordinary";
}

}  // namespace
}  // namespace grapple::stress
