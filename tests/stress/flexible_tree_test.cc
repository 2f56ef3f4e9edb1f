// Random gentle flexible trees: beams of every maker on joints of every kind, with springs, tip
// bodies and wheels, on a hub that floats or stands, at deflections of a few hundredths of their
// length. The default inertia is compared with `inertia: exact` (the sum over every station) and
// with its own limit as the tolerance shrinks; energy and momentum are conserved.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "stress.h"

namespace grapple::stress {
namespace {

enum class Base { kFree, kFixed };

class RandomTree {
 public:
  explicit RandomTree(unsigned seed) : generator_(seed) {
    base_ = integer(0, 1) == 0 ? Base::kFree : Base::kFixed;
    beams_ = integer(2, 4);
    add_hub();
    for (int b = 0; b < beams_; ++b) add_beam(b);
    add_springs();
  }

  int beams() const { return beams_; }
  Base base() const { return base_; }

  /// `inertia`: what every beam adds to its keys.
  std::string text(const std::string& inertia) const {
    std::string bodies = bodies_;
    for (std::size_t at = bodies.find("INERTIA"); at != std::string::npos;
         at = bodies.find("INERTIA", at)) {
      bodies.replace(at, 7, inertia);
    }
    std::string measures;
    for (int b = 0; b < beams_; ++b) {
      for (const char* axis : {"y", "z"}) {
        for (const char* kind : {"final", "max", "min"}) {
          measures += fmt::format(
              "  - {{name: {2}_{0}_{1}, channel: frame/b{0}/tip/deflection_{1}, kind: {2}}}\n", b,
              axis, kind);
        }
      }
    }
    for (const char* momentum : {"linear_x", "linear_y", "angular_x", "angular_z"}) {
      for (const char* kind : {"max", "min"}) {
        measures += fmt::format("  - {{name: {1}_{0}, channel: momentum/{0}, kind: {1}}}\n",
                                momentum, kind);
      }
    }
    return "grapple: 1\nname: flexible-tree\nbodies:\n" + bodies + "joints:\n" + joints_ +
           "forces:\n" + forces_ + "measures:\n" + measures +
           "simulate: {duration: 0.4 s, tolerance: 1e-9, record: {every: 5 ms, channels: "
           "['energy/*']}}\n";
  }

 private:
  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(generator_);
  }
  int integer(int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(generator_);
  }
  std::string vector(double size) {
    return fmt::format("[{:.4f}, {:.4f}, {:.4f}]", uniform(-size, size), uniform(-size, size),
                       uniform(-size, size));
  }
  std::string axis() {
    return fmt::format("[{:.3f}, {:.3f}, {:.3f}]", uniform(-1, 1), uniform(-1, 1), uniform(0.2, 1));
  }

  void add_hub() {
    std::string frames;
    for (int b = 0; b < beams_; ++b) {
      frames += fmt::format("{}{{name: f{}, position: {} m, rotation: {{euler_xyz: {}}}}}",
                            b == 0 ? "" : ", ", b, vector(0.5), vector(2.0));
    }
    bodies_ += fmt::format(
        "  - {{name: hub, mass: {:.3f} kg, com: {} m, inertia: [3.5, 3.6, 3.2, 0.01, 0.08, 0.17] "
        "kg*m^2, {}frames: [{}]}}\n",
        uniform(10, 40), vector(0.1),
        base_ == Base::kFree ? fmt::format("angular_velocity: {} rad/s, velocity: {} m/s, ",
                                           vector(0.8), vector(0.5))
                             : "",
        frames);
    if (base_ == Base::kFixed)
      joints_ += "  - {name: mount, type: fixed, parent: world, child: hub}\n";
  }

  void add_beam(int b) {
    bodies_ += fmt::format(
        "  - {{name: b{}, beam: {{length: {:.2f} m, mass_per_length: {:.3f} kg/m, EI_y: {:.2f} "
        "N*m^2, EI_z: {:.2f} N*m^2, GJ: {:.2f} N*m^2, rho_I: {:.5f} kg*m, {}{}INERTIA}}}}\n",
        b, uniform(0.8, 2.5), uniform(0.6, 1.4), uniform(60, 160), uniform(60, 160),
        uniform(60, 160), uniform(1e-3, 3e-3), maker(), tip());
    // On the hub, on the tip of the beam before, or on its middle.
    const std::string parent =
        b == 0 || integer(0, 2) > 0 ? fmt::format("hub/f{}", b) : fmt::format("b{}/tip", b - 1);
    joints_ +=
        fmt::format("  - {{name: j{0}, parent: {1}, child: b{0}, {2}}}\n", b, parent, joint());
  }

  std::string maker() {
    switch (integer(0, 5)) {
      case 0:
        return fmt::format("modes: {{bending_y: {}, bending_z: {}, torsion: 1}}", integer(1, 4),
                           integer(1, 3));
      case 1:
        return "modes: 2";
      case 2:
        return fmt::format("method: elements, elements: 4, modes: {}", integer(3, 8));
      case 3:
        return fmt::format("method: elements, elements: 5, craig_bampton: {}", integer(1, 3));
      case 4:
        return "method: elements, elements: 2";
      default:
        return "method: elements, elements: 3, theory: rayleigh, modes: 5";
    }
  }

  std::string tip() {
    if (integer(0, 2) == 0) return "";
    return fmt::format(
        ", tip_body: {{mass: {:.3f} kg, com: {} m, inertia: [0.01, 0.012, 0.015] kg*m^2}}",
        uniform(0.1, 3.0), vector(0.05));
  }

  std::string joint() {
    const double rate = uniform(-0.4, 0.4);
    switch (integer(0, 8)) {
      case 0:
        return "type: fixed";
      case 1:
        return fmt::format("type: revolute, axis: {}, angle: {:.3f}, rate: {:.3f} rad/s", axis(),
                           uniform(-1, 1), rate);
      case 2:
        return fmt::format(
            "type: revolute, axis: {}, rate: {:.3f} rad/s, flexible: {{stiffness: {:.1f} "
            "N*m/rad, rotor_inertia: 2e-3 kg*m^2, gear_ratio: 10, twist: {:.4f}}}",
            axis(), rate, uniform(150, 400), uniform(0.0, 0.03));
      case 3:
        return fmt::format(
            "type: prismatic, axis: {}, rate: {:.3f} m/s, spring: {{stiffness: 80 N/m}}", axis(),
            rate);
      case 4:
        return fmt::format("type: helical, axis: {}, pitch: 0.05 m/rad, rate: {:.3f} rad/s", axis(),
                           rate);
      case 5:
        return fmt::format(
            "type: cylindrical, axis: {}, rate: [{:.3f} rad/s, 0.02 m/s], spring: {{stiffness: [2 "
            "N*m/rad, 60 N/m]}}",
            axis(), rate);
      case 6:
        return fmt::format(
            "type: universal, axis: x, axis2: z, position: [{:.3f}, {:.3f}], spring: {{stiffness: "
            "[2, 3]}}",
            uniform(-0.3, 0.3), uniform(-0.3, 0.3));
      case 7:
        return fmt::format("type: spherical, rate: {} rad/s, spring: {{stiffness: [1, 2, 1.5]}}",
                           vector(0.4));
      default:
        return fmt::format("type: planar, axis: {}, rate: [0.05 m/s, -0.03 m/s, {:.3f} rad/s]",
                           axis(), rate);
    }
  }

  void add_springs() {
    forces_ += fmt::format(
        "  - {{name: spring, type: spring-damper, between: [b0/tip, b{}/tip], stiffness: {:.2f} "
        "N/m, length: {:.2f} m}}\n",
        beams_ - 1, uniform(1, 6), uniform(0.5, 1.5));
  }

  std::mt19937 generator_;
  Base base_ = Base::kFree;
  int beams_ = 0;
  std::string bodies_, joints_, forces_;
};

struct Beams {
  double deflection = 0.0;  ///< largest of all beams, m
  double off = 0.0;         ///< largest difference of final deflections, m
};

Beams compare(const RandomTree& tree, const Ending& a, const Ending& b) {
  Beams result;
  for (int beam = 0; beam < tree.beams(); ++beam) {
    for (const char* axis : {"y", "z"}) {
      const std::string of = fmt::format("_{}_{}", beam, axis);
      result.deflection = std::max({result.deflection, std::abs(b.measures.at("max" + of)),
                                    std::abs(b.measures.at("min" + of))});
      result.off =
          std::max(result.off, std::abs(a.measures.at("final" + of) - b.measures.at("final" + of)));
    }
  }
  return result;
}

// Largest change of a momentum over the run, N s or N m s.
double momentum_drift(const Ending& ending) {
  double drift = 0.0;
  for (const char* name : {"linear_x", "linear_y", "angular_x", "angular_z"}) {
    drift = std::max(drift, ending.measures.at(std::string("max_") + name) -
                                ending.measures.at(std::string("min_") + name));
  }
  return drift;
}

TEST(FlexibleTrees, DefaultInertiaAgreesWithTheSumOverEveryStation) {
  Tally tally("flexible trees, default against exact");
  for (int i = 0; i < cases(2, 50); ++i) {
    const auto seed = static_cast<unsigned>(4000 + i);
    const RandomTree tree(seed);
    const Ending ours = run_scenario(tree.text(""));
    const Ending exact = run_scenario(tree.text(", inertia: exact"));
    if (!ours.claims_to_be_right || !exact.claims_to_be_right) {
      tally.refused(
          fmt::format("seed {}: {}", seed, ours.claims_to_be_right ? exact.reason : ours.reason));
      continue;
    }
    const Beams beams = compare(tree, ours, exact);
    const double drift = tree.base() == Base::kFree ? momentum_drift(ours) : 0.0;
    // A thousandth of the deflection is what the field must hold; the balance and the momenta (some
    // tens of SI units) are those of tolerance 1e-9 over some thousand steps. What does not bend at
    // all is known to the rounding of its place, some metres away.
    if (beams.off < 1e-3 * beams.deflection + 1e-12 && ours.relative_residual < 1e-5 &&
        drift < 1e-5) {
      tally.right();
    } else {
      tally.wrong(fmt::format(
          "seed {}: off {:.2e} m of a deflection of {:.2e} m, residual {:.2e}, momentum {:.2e}",
          seed, beams.off, beams.deflection, ours.relative_residual, drift));
    }
  }
}

TEST(FlexibleTrees, ConvergeAsTheToleranceShrinks) {
  Tally tally("flexible trees, tolerance 1e-4 to 1e-8");
  for (int i = 0; i < cases(1, 20); ++i) {
    const auto seed = static_cast<unsigned>(4500 + i);
    const RandomTree tree(seed);
    const Ending limit = run_scenario(tree.text(""), {"simulate.tolerance=1e-11"});
    if (!limit.claims_to_be_right) {
      tally.refused(limit.reason);
      continue;
    }
    for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
      const Ending ending =
          run_scenario(tree.text(""), {fmt::format("simulate.tolerance={:g}", tolerance)});
      if (!ending.claims_to_be_right) {
        tally.refused(ending.reason);
        continue;
      }
      // Local errors of the tolerance add up over some thousand steps.
      const Beams beams = compare(tree, ending, limit);
      if (beams.off < 1e3 * tolerance) {
        tally.right();
      } else {
        tally.wrong(fmt::format("seed {}, tolerance {:g}: off {:.2e} m of {:.2e} m", seed,
                                tolerance, beams.off, beams.deflection));
      }
    }
  }
}

}  // namespace
}  // namespace grapple::stress
