// Beams of any length, method and section that `check` accepts can run, and their frames are where
// the scenario puts them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "grapple/analysis/equilibrium.h"
#include "grapple/analysis/natural_modes.h"
#include "grapple/dynamics/kinematics.h"
#include "grapple/flexible/fe_beam.h"
#include "grapple/scenario/build/build.h"
#include "grapple/scenario/build/scene.h"
#include "grapple/scenario/first_step.h"
#include "grapple/scenario/modal_beams.h"
#include "scenario/support.h"

namespace grapple::scenario {
namespace {

std::span<const double> span_of(const spatial::VecX& x) {
  return {x.data(), static_cast<std::size_t>(x.size())};
}

struct Built {
  CheckedScenario checked;
  Simulation simulation;
};

Built built(const std::string& text) {
  CheckedScenario checked = load_scenario_text(with_simulate(text), "test.yaml", {});
  Simulation simulation = build(checked);
  return {std::move(checked), std::move(simulation)};
}

std::string ids_of_build(const std::string& text) {
  try {
    built(text);
  } catch (const Error& error) {
    return error.id();
  }
  return "";
}

double first_frequency(const std::string& text) {
  const Built b = built(text);
  const spatial::VecX x = b.simulation.system->initial_state();
  return analysis::natural_modes(*b.simulation.system, 0.0, span_of(x)).front().frequency_hz;
}

// length * parts / parts exceeds the length for one length in seven.
TEST(BeamParts, EndExactlyAtTheLength) {
  std::mt19937 generator(7);
  std::uniform_real_distribution<double> exponent(-6.0, 6.0);
  for (int i = 0; i < 20000; ++i) {
    const double length = i < 1000 ? 0.1 * (i + 1) : std::pow(10.0, exponent(generator));
    const int parts = 1 + static_cast<int>(generator() % 64);
    double before = 0.0;
    for (int part = 1; part <= parts; ++part) {
      const double end = flexible::end_of_part(length, part, parts);
      ASSERT_GT(end, before);
      ASSERT_LE(end, length);
      before = end;
    }
    ASSERT_EQ(before, length);
  }
}

TEST(BeamLengths, NoneDecidesWhetherARunStarts) {
  for (const char* method :
       {"modes: 1", "method: elements, elements: 3, motions: [bending_y]",
        "method: chain, elements: 3, motions: [bending_y]",
        "method: absolute-nodal, elements: 3, EA: 1e5 N, motions: [bending_y]"}) {
    for (int i = 1; i <= 60; ++i) {
      const double length = 0.1 * i;
      const std::string text = fmt::format(
          "grapple: 1\nbodies: [{{name: b, beam: {{length: {} m, mass: 1 kg, EI: 1 "
          "N*m^2, {}}}}}]\njoints: [{{name: c, type: revolute, parent: world, child: "
          "b}}]\n",
          length, method);
      const Built b = built(text);
      ASSERT_NO_THROW(check_first_step(b.checked, b.simulation)) << text;
    }
  }
}

// Frames at the nodes of a chain: x minus the start of the element may round to either side.
TEST(BeamLengths, FramesMaySitAtEveryNodeOfAChain) {
  for (int i = 1; i <= 20; ++i) {
    const double length = 0.37 * i;
    std::string frames;
    for (int k = 1; k < 7; ++k) {
      frames += fmt::format("{}{{name: f{}, position: [{}, 0, 0] m}}", k > 1 ? ", " : "", k,
                            length * k / 7);
    }
    const std::string text = fmt::format(
        "grapple: 1\nbodies: [{{name: b, frames: [{}], beam: {{length: {} m, mass: 1 kg, EI: 1 "
        "N*m^2, method: chain, elements: 7, motions: [bending_y]}}}}]\njoints: [{{name: c, type: "
        "fixed, parent: world, child: b}}]\n",
        frames, length);
    ASSERT_EQ(ids_of_build(text), "") << text;
  }
}

TEST(BeamPlaces, TwoNearPlacesAreTwoPlaces) {
  const Built b = built(R"(grapple: 1
bodies: [{name: b, beam: {length: 1 m, mass: 1 kg, EI: 1 N*m^2, modes: 1}}]
joints: [{name: c, type: fixed, parent: world, child: b}]
forces:
  - {name: f, type: point-force, at: "b at [0.1234567, 0, 0] m", force: [0, 1, 0]}
  - {name: g, type: point-force, at: "b at [0.1234568, 0, 0] m", force: [0, 1, 0]}
)");
  const model::Model& model = b.simulation.system->model();
  EXPECT_GE(model.find_frame("b/x=0.1234567"), 0);
  EXPECT_GE(model.find_frame("b/x=0.1234568"), 0);
}

constexpr char kStrip[] = R"(grapple: 1
bodies: [{name: b, beam: {length: 0.5 m, material: {young: 70 GPa, density: 2700 kg/m^3}, rectangle: [30, 1] mm,
          method: chain, elements: N}}]
joints: [{name: c, type: fixed, parent: world, child: b}]
)";

std::string strip_of(int elements) {
  std::string text = kStrip;
  return text.replace(text.find('N', text.find("elements")), 1, std::to_string(elements));
}

// Refused before with 20 elements and more; the first frequency is that of the thin bar,
// (1.8751040687^2 / 2 pi) sqrt(EI / (mu L^4)).
TEST(ChainedStrips, CanBeRefined) {
  const double E = 70e9, I = 30e-3 * 1e-9 / 12, mu = 2700 * 30e-6;
  const double exact = std::pow(1.8751040687, 2) / (2 * M_PI) * std::sqrt(E * I / mu) / (0.5 * 0.5);
  // 32 elements are in rounding: the fastest of their modes has 1e10 times the square of this one.
  for (const int elements : {8, 32}) {
    EXPECT_NEAR(first_frequency(strip_of(elements)) / exact, 1.0, 1e-5) << elements;
  }
}

TEST(ChainedStrips, OneElementHasATip) {
  const Built b = built(strip_of(1));
  EXPECT_GE(b.simulation.system->find_channel("frame/b/tip/position_x"), 0);
}

TEST(BeamSections, TakeNoStiffnessBesideTheirMaterial) {
  for (const char* key : {"EI: 1 N*m^2", "EI_y: 1 N*m^2", "EI_z: 1 N*m^2", "GJ: 1 N*m^2", "EA: 1 N",
                          "GA: 1 N", "rho_I: 1 kg*m"}) {
    EXPECT_EQ(ids_of(fmt::format("grapple: 1\nbodies: [{{name: b, beam: {{length: 1 m, material: "
                                 "{{young: 70 GPa, density: 2700 kg/m^3}}, round: 1 cm, {}}}}}]\n",
                                 key)),
              "GR-209")
        << key;
  }
}

// The section at a free root moves in the body frame, and what stands on it moves with it.
TEST(BeamPlaces, AForceAtAFreeRootActsOnItsSection) {
  const Built b = built(R"(grapple: 1
bodies: [{name: b, beam: {length: 1 m, mass: 1 kg, EI: 10 N*m^2, rho_I: 1e-4 kg*m, modes: {bending_y: 2}, boundary: free-free}}]
forces: [{name: f, type: point-force, at: b/root, force: [0, 1, 0]}]
)");
  system::Snapshot<double> at(*b.simulation.system);
  const spatial::VecX x = b.simulation.system->initial_state();
  b.simulation.system->evaluate<double>(0.0, span_of(x), at);
  // Free-free modes of unit modal mass have the value 2 at their ends, whatever the length.
  const model::Model& model = b.simulation.system->model();
  const model::Link& link = model.link(model.bodies()[0].link);
  EXPECT_NEAR(at.workspace.vdot[link.v_modal], 2.0, 1e-6);
}

constexpr char kCrane[] = R"(grapple: 1
bodies:
  - {name: boom, beam: {length: 6.37 m, material: {young: 70 GPa, density: 2700 kg/m^3},
     tube: {outer: 17 cm, inner: 16 cm}, modes: 2}}
  - {name: load, solid: {box: [4, 4, 4] m, mass: MASS kg}}
joints:
  - {name: s, type: fixed, parent: world, child: boom}
  - {name: w, type: fixed, parent: boom/tip, child: "load at [-2, 0, 0] m"}
)";

std::string crane_with(const std::string& mass) {
  std::string text = kCrane;
  return text.replace(text.find("MASS"), 4, mass);
}

TEST(ModeEstimate, IsTheFrequencyOfTheWholeSystemWhereTheJointsAreFixed) {
  const std::string text = crane_with("20000");
  const Built b = built(text);
  const std::vector<analysis::ModeEstimate> found =
      analysis::estimate_modes(*b.simulation.system, modal_beams(b.checked));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].load, 20000.0);
  EXPECT_NEAR(found[0].by_modes[0], first_frequency(text), 1e-9 * found[0].by_modes[0]);
  std::string by_nodes = text;
  by_nodes.replace(by_nodes.find("modes: 2"), 8,
                   "method: elements, elements: 16, craig_bampton: 4, motions: [bending_y, "
                   "bending_z]");
  EXPECT_NEAR(found[0].by_nodes[0], first_frequency(by_nodes), 1e-7 * found[0].by_nodes[0]);
  EXPECT_GT(found[0].error(), 0.02);  // two clamped modes per plane under twenty tonnes
  EXPECT_LT(found[0].advised_error, 1e-4);
  EXPECT_NE(analysis::mode_warning(found[0]).find("craig_bampton: 4"), std::string::npos);
}

TEST(ModeEstimate, IsSilentAboutALightLoad) {
  const Built b = built(crane_with("1"));
  const std::vector<analysis::ModeEstimate> found =
      analysis::estimate_modes(*b.simulation.system, modal_beams(b.checked));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(analysis::mode_warning(found[0]), "");
}

// Lateral frequencies of a cantilever strip under a load across it, by every method; at the
// classical load 4.0126 sqrt(EI GJ) / L^2 (Timoshenko and Gere, 6.3) the lowest vanishes.
constexpr char kLateral[] = R"(grapple: 1
bodies: [{name: b, beam: {length: 1 m, mass_per_length: 1 kg/m, EI_y: 1 N*m^2, EI_z: 1e3 N*m^2, GJ: 0.8 N*m^2,
          EA: 1e7 N, rho_I: 1e-3 kg*m, METHOD}}]
joints: [{name: c, type: fixed, parent: world, child: b}]
forces: [{name: p, type: point-force, at: b/tip, force: [0, 0, -LOAD]}]
)";

analysis::Mode lateral_mode(const std::string& method, double load) {
  std::string text = kLateral;
  text.replace(text.find("METHOD"), 6, method);
  text.replace(text.find("LOAD"), 4, fmt::format("{:.12f}", load));
  const Built b = built(text);
  const spatial::VecX start = b.simulation.system->initial_state();
  const analysis::EquilibriumResult at =
      analysis::equilibrium(*b.simulation.system, 0.0, span_of(start));
  EXPECT_TRUE(at.converged) << method << " under " << load << " N";
  return analysis::natural_modes(*b.simulation.system, 0.0, span_of(at.x)).front();
}

TEST(LateralBuckling, EveryMethodLosesItsLateralStiffnessAtTheClassicalLoad) {
  const double critical = 4.0126 * std::sqrt(0.8);
  const std::string chain = "method: chain, elements: 16",
                    modes = "modes: {bending_y: 6, bending_z: 1, torsion: 6}",
                    elements = "method: elements, elements: 10, motions: [bending_y, torsion]";
  for (const double part : {0.0, 0.5, 0.9}) {
    const double reference = lateral_mode(chain, part * critical).frequency_hz;
    // The square of the frequency falls as 1 - (P / P_cr)^2, and six modes, ten elements or sixteen
    // of a chain have P_cr to half a percent.
    const double tolerance = 1e-3 + 5e-3 * part * part / (1.0 - part * part);
    for (const std::string& method : {modes, elements}) {
      EXPECT_NEAR(lateral_mode(method, part * critical).frequency_hz / reference, 1.0, tolerance)
          << method << " at " << part;
    }
  }
  // Bending in the plane of the load before raises the critical load by EI_y / (2 EI_z), 0.05 %.
  for (const std::string& method : {modes, elements, chain}) {
    EXPECT_EQ(lateral_mode(method, 0.98 * critical).kind, analysis::Mode::Kind::kOscillating);
    const analysis::Mode beyond = lateral_mode(method, 1.02 * critical);
    EXPECT_EQ(beyond.kind, analysis::Mode::Kind::kUnstable) << method;
  }
}

}  // namespace
}  // namespace grapple::scenario
