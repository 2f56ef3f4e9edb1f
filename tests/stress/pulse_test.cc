// Forces that switch on and off for a short part of a long run: the velocity has a closed form, and
// no integrator steps over one.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "stress.h"

namespace grapple::stress {
namespace {

struct Pulse {
  std::string formula;
  double impulse;  // N s, its integral over the run
};

// A pulse of height 1 N from `on` to `off`, written in one of many ways.
Pulse pulse_of(unsigned kind, double on, double off) {
  const double w = off - on, middle = 0.5 * (on + off);
  switch (kind) {
    case 0:
      return {fmt::format("pulse(t, {:.17g}, {:.17g})", on, off), w};
    case 1:
      return {fmt::format("step(t - {:.17g})*step({:.17g} - t)", on, off), w};
    case 2:
      return {fmt::format("step(t - {:.17g}) - step(t - {:.17g})", on, off), w};
    case 3:
      return {fmt::format("t > {:.17g} && t < {:.17g} ? 1 : 0", on, off), w};
    case 4:  // a triangle
      return {fmt::format("max(0, 1 - abs(t - {:.17g})/{:.17g})", middle, 0.5 * w), 0.5 * w};
    case 5:  // smooth flanks of a quarter of the width
      return {fmt::format("smooth(t, {:.17g}, {:.17g}) - smooth(t, {:.17g}, {:.17g})", on,
                          on + 0.25 * w, off - 0.25 * w, off),
              0.75 * w};
    case 6:
      return {fmt::format("step({:.17g} - (t - {:.17g})^2)", 0.25 * w * w, middle), w};
    default:
      return {fmt::format("(sign(t - {:.17g}) - sign(t - {:.17g}))/2", on, off), w};
  }
}

TEST(Pulses, AreNotSteppedOver) {
  Tally tally("pulses");
  std::mt19937 generator(11);
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(generator);
  };
  const char* const methods[] = {"adaptive", "dormand-prince", "adams", "bdf", "generalized-alpha"};
  for (int i = 0; i < cases(40, 2000); ++i) {
    const double duration = 100.0;
    const double width = std::pow(10.0, uniform(-3.0, 0.5)), on = uniform(0.0, duration - width);
    const Pulse pulse = pulse_of(static_cast<unsigned>(generator() % 8), on, on + width);
    const double force = uniform(0.1, 100.0), tolerance = std::pow(10.0, -uniform(3.0, 10.0));
    const char* const method = methods[i % 5];
    const std::string text = fmt::format(
        "grapple: 1\nbodies: [{{name: a, mass: 1 kg, inertia: [1, 1, 1]}}]\n"
        "forces: [{{name: f, type: point-force, at: a, force: [\"{:.17g}*({})\", 0, 0]}}]\n"
        "measures: [{{name: v, channel: body/a/velocity_x, kind: final}}]\n"
        "simulate: {{duration: {} s, integrator: {}, tolerance: {:g}, record: {{every: 10 s}}}}\n",
        force, pulse.formula, duration, method, tolerance);
    const Ending ending = run_scenario(text);
    if (!ending.claims_to_be_right) {
      tally.refused(ending.reason);
      continue;
    }
    // The constant force is integrated exactly by every method; the flanks of case 5 within the
    // tolerance, some ten steps of it. The place of a switch in case 6 is known to the root of the
    // rounding of its argument, 1e-13 of t^2 over the width.
    const double expected = force * pulse.impulse;
    const double allowed = 100.0 * tolerance * expected + tolerance + force * 1e-9 / width;
    const double off = std::abs(ending.measures.at("v") - expected);
    if (off <= allowed) {
      tally.right();
    } else {
      tally.wrong(
          fmt::format("seed 11, case {}: {} with tolerance {:g}, {}: v = {:.9g}, not {:.9g}", i,
                      method, tolerance, pulse.formula, ending.measures.at("v"), expected));
    }
  }
  // At tolerance 1e-3 a flank may cost more than the 1e-3 of the energy that is warned of.
  EXPECT_LE(50 * tally.refusals(), tally.count());
}

}  // namespace
}  // namespace grapple::stress
