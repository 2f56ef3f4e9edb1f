// `method: rigid` of a beam, and frames beside the axis of beams of every method.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "grapple/analysis/natural_modes.h"
#include "grapple/dynamics/kinematics.h"
#include "grapple/dynamics/manifold.h"
#include "grapple/scenario/build/scene.h"
#include "scenario/build_support.h"

namespace grapple::scenario {
namespace {

using spatial::MassProperties;
using spatial::Mat3;
using spatial::Vec3;
using spatial::VecX;

std::span<const double> view(const VecX& x) {
  return {x.data(), static_cast<std::size_t>(x.size())};
}

const MassProperties& mass_of(const Simulation& simulation, const std::string& body) {
  const model::Model& model = simulation.system->model();
  return model.bodies()[static_cast<std::size_t>(model.find_body(body))].mass_properties_B;
}

constexpr char kBoom[] = R"(grapple: 1
bodies:
  - name: boom
    beam: {length: 2 m, mass_per_length: 1.5 kg/m, EI: 100 N*m^2, GJ: 50 N*m^2, rho_I: 3e-3 kg*m, theory: rayleigh,
           method: rigid, tip_body: {mass: 0.7 kg, com: "[0.1, 0.05, -0.02] m", inertia: "[0.01, 0.02, 0.03] kg*m^2"},
           hub: {mass: 0.4 kg, com: "[0, 0.03, 0] m", inertia: "[0.02, 0.01, 0.01] kg*m^2"}}
joints: [{name: hinge, type: revolute, axis: y, parent: world, child: boom}]
)";

TEST(RigidBeam, HasTheMassPropertiesOfItsParts) {
  const Simulation simulation = built(kBoom);
  EXPECT_EQ(simulation.system->model().nv(), 1);
  MassProperties rod = spatial::slender_rod(3.0, 2.0);
  rod.inertia_com_B += Vec3(2 * 3e-3 * 2, 3e-3 * 2, 3e-3 * 2).asDiagonal().toDenseMatrix();
  const MassProperties tip{0.7, {2.1, 0.05, -0.02}, Vec3(0.01, 0.02, 0.03).asDiagonal()};
  const MassProperties hub{0.4, {0.0, 0.03, 0.0}, Vec3(0.02, 0.01, 0.01).asDiagonal()};
  const MassProperties expected = spatial::combined(spatial::combined(rod, tip), hub);
  const MassProperties& found = mass_of(simulation, "boom");
  EXPECT_NEAR(found.mass, expected.mass, 1e-14);
  EXPECT_LT((found.com_B - expected.com_B).norm(), 1e-14);
  EXPECT_LT((found.inertia_com_B - expected.inertia_com_B).norm(), 1e-13);
}

// Volume, centre and moments of a frustum by Simpson's rule, exact up to the third power; the
// fourth and sixth powers here by many panels.
TEST(RigidBeam, IntegratesATaper) {
  const Simulation simulation = built(R"(grapple: 1
bodies:
  - {name: cone, beam: {length: 1.5 m, material: {young: 70 GPa, poisson: 0.3, density: 2700 kg/m^3}, round: 40 mm,
                        taper_to: {round: 10 mm}, method: rigid, theory: rayleigh}}
joints: [{name: hinge, type: revolute, axis: y, parent: world, child: cone}]
)");
  const double L = 1.5, rho = 2700, a = 0.04, b = 0.01;
  const auto integral = [&](auto f) {
    const int n = 2000;
    double sum = 0.0;
    for (int k = 0; k <= n; ++k) {
      const double x = L * k / n, r = a + (b - a) * x / L;
      sum += (k == 0 || k == n ? 1.0 : k % 2 == 1 ? 4.0 : 2.0) * f(x, r);
    }
    return sum * L / (3.0 * n);
  };
  const double mass = integral([&](double, double r) { return rho * M_PI * r * r; });
  const double moment = integral([&](double x, double r) { return rho * M_PI * r * r * x; });
  const double com = moment / mass;
  const double along = integral([&](double, double r) { return rho * M_PI_2 * r * r * r * r; });
  const double across = integral([&](double x, double r) {
    return rho * M_PI * (r * r * (x - com) * (x - com) + 0.25 * r * r * r * r);
  });
  const MassProperties& found = mass_of(simulation, "cone");
  EXPECT_NEAR(found.mass, mass, 1e-12 * mass);
  EXPECT_NEAR(found.com_B.x(), com, 1e-12);
  EXPECT_NEAR(found.inertia_com_B(0, 0), along, 1e-12 * along);
  EXPECT_NEAR(found.inertia_com_B(1, 1), across, 1e-12 * across);
}

// Two beams on hinges, and the same as bodies with numbers.
constexpr char kPendulum[] = R"(grapple: 1
environment: {gravity: 9.81 m/s^2}
bodies: [BODIES]
joints:
  - {name: upper, type: revolute, axis: y, parent: world, child: a}
  - {name: lower, type: revolute, axis: "[0, 1, 0.3]", parent: PLACE, child: b}
)";

Simulation pendulum(const std::string& bodies, const std::string& place) {
  std::string text = kPendulum;
  text.replace(text.find("BODIES"), 6, bodies);
  text.replace(text.find("PLACE"), 5, place);
  return built(text);
}

TEST(RigidBeam, SwingsAsAHandMadeRigidBody) {
  const char* beams =
      "{name: a, beam: {length: 0.8 m, mass: 2 kg, EI: 5 N*m^2, rho_I: 1e-3 kg*m, method: rigid}}, "
      "{name: b, beam: {length: 0.5 m, mass: 1 kg, EI: 5 N*m^2, rho_I: 1e-3 kg*m, method: rigid, "
      "tip_body: {mass: 0.3 kg}}}";
  // Of b: rod 1 kg at 0.25 m and 0.3 kg at 0.5 m.
  const double com = (0.25 + 0.3 * 0.5) / 1.3;
  const double across = 1.0 / 48 + std::pow(0.25 - com, 2) + 0.3 * std::pow(0.5 - com, 2);
  const std::string bodies = fmt::format(
      "{{name: a, mass: 2 kg, com: \"[0.4, 0, 0] m\", inertia: [1.6e-3, {0:.17g}, {0:.17g}]}}, "
      "{{name: b, mass: 1.3 kg, com: \"[{1:.17g}, 0, 0] m\", inertia: [1e-3, {2:.17g}, {2:.17g}]}}",
      2.0 * 0.64 / 12, com, across);
  const Simulation rigid = pendulum(beams, "a/tip");
  const Simulation made = pendulum(bodies, "\"a at [0.8, 0, 0] m\"");
  const system::System &one = *rigid.system, &other = *made.system;
  ASSERT_EQ(one.size(), other.size());
  std::mt19937 generator(3);
  std::uniform_real_distribution<double> any(-2.0, 2.0);
  system::Snapshot<double> s(one), o(other);
  for (int k = 0; k < 50; ++k) {
    VecX x = one.initial_state();
    for (int i = 0; i < 4; ++i) x[i] = any(generator);
    ASSERT_TRUE(one.evaluate<double>(0.0, view(x), s));
    ASSERT_TRUE(other.evaluate<double>(0.0, view(x), o));
    // Round-off of accelerations of some 50 rad/s^2.
    EXPECT_LT((s.workspace.vdot - o.workspace.vdot).norm(), 1e-12 * (1 + o.workspace.vdot.norm()));
  }
}

TEST(RigidBeam, IsTheLimitOfStiffBeamsOfEveryMethod) {
  const auto frequency = [](const std::string& keys) {
    const Simulation simulation = built(fmt::format(
        "grapple: 1\nenvironment: {{gravity: 9.81 m/s^2}}\nbodies:\n  - {{name: b, beam: {{length: "
        "1 m, "
        "mass: 2 kg, rho_I: 1e-3 kg*m, theory: rayleigh, tip_body: {{mass: 1 kg}}, "
        "{}}}}}\n"
        "joints: [{{name: h, type: revolute, axis: y, parent: world, child: b, angle: 90 deg}}]\n",
        keys));
    const VecX x = simulation.system->initial_state();  // hanging down
    return analysis::natural_modes(*simulation.system, 0.0, view(x)).front().frequency_hz;
  };
  const double rigid = frequency("EI: 1 N*m^2, method: rigid");
  for (const char* method :
       {"modes: {bending_z: 2}", "method: elements, elements: 2, motions: [bending_z]",
        "method: chain, elements: 3, motions: [bending_z]"}) {
    SCOPED_TRACE(method);
    double before = 0.0;
    for (const char* EI : {"1e2", "1e3", "1e4"}) {  // beyond, rounding of the fastest mode shows
      const double off = frequency(fmt::format("EI: {} N*m^2, {}", EI, method)) / rigid - 1.0;
      // The softening is proportional to 1/EI.
      if (before != 0.0) {
        EXPECT_NEAR(off / before, 0.1, 0.01) << EI;
      }
      before = off;
    }
    EXPECT_LT(std::abs(before), 1e-4);
  }
}

TEST(RigidBeam, KeepsFramesPlacesAndKeysOfTheFlexibleOne) {
  std::string text = R"(grapple: 1
bodies:
  - {name: boom, modal_amplitudes: [0.1], beam: {length: 2 m, mass: 3 kg, EI: 100 N*m^2, modes: {bending_y: 1}, method: rigid},
     frames: [{name: mid, position: "[1, 0, 0] m"}, {name: arm, position: "[1.5, 0.2, 0] m"}]}
  - {name: load, mass: 1 kg, inertia: [1, 1, 1]}
joints:
  - {name: hinge, type: revolute, axis: y, parent: world, child: boom/root}
  - {name: wrist, type: revolute, axis: y, parent: "boom at [0.7, 0, 0.1] m", child: load}
forces: [{name: push, type: point-force, at: boom/arm, force: [0, 1, 0]}]
)";
  const Simulation simulation = built(text);
  const model::Model& model = simulation.system->model();
  for (const char* frame : {"boom/root", "boom/tip", "boom/mid", "boom/arm"}) {
    EXPECT_GE(model.find_frame(frame), 0) << frame;
  }
  EXPECT_NEAR(start_value(simulation, "frame/boom/tip/position_x"), 2.0, 1e-15);
  EXPECT_NEAR(start_value(simulation, "frame/boom/arm/position_y"), 0.2, 1e-15);
  EXPECT_NEAR(start_value(simulation, "frame/boom/tip/deflection_x"), 0.0, 1e-15);
  EXPECT_NEAR(start_value(simulation, "body/load/position_x"), 0.7, 1e-15);
  EXPECT_NEAR(start_value(simulation, "body/load/position_z"), 0.1, 1e-15);
  const CheckedScenario checked = load_scenario_text(with_simulate(text), "test.yaml", {});
  const record::Scene scene = scene_of(checked, model);
  EXPECT_EQ(scene.bodies[static_cast<std::size_t>(model.find_body("boom"))].shapes.size(), 1u);
}

const char* const kMethods[] = {"modes: {bending_y: 2, bending_z: 1, torsion: 1}",
                                "method: elements, elements: 3",
                                "method: absolute-nodal, elements: 3",
                                "method: lumped, elements: 4",
                                "method: chain, elements: 3",
                                "method: rigid"};

class Brackets : public testing::TestWithParam<const char*> {
 protected:
  // A frame beside the axis and one on it, at the same x, on a body and at the top level.
  static std::string text(double x, const std::string& force) {
    return fmt::format(R"(grapple: 1
bodies:
  - name: boom
    beam: {{length: 2 m, mass: 3 kg, EI: 10 N*m^2, GJ: 8 N*m^2, EA: 1e4 N, rho_I: 1e-3 kg*m, {0}}}
    frames:
      - {{name: bracket, position: "[{1}, 0.3, -0.2] m", rotation: {{axis: "[1, 2, 3]", angle: 40 deg}}}}
      - {{name: section, position: "[{1}, 0, 0] m"}}
frames: [{{name: camera, body: boom, position: "[{1}, -0.1, 0.4] m"}}]
joints: [{{name: hinge, type: universal, parent: world, child: boom}}]
{2})",
                       GetParam(), x, force);
  }
  static VecX random_state(const system::System& system, unsigned seed) {
    const model::Model& model = system.model();
    std::mt19937 generator(seed);
    std::uniform_real_distribution<double> any(-0.2, 0.2);
    VecX x = system.initial_state();
    VecX q = x.head(model.nq()), delta(model.nv());
    for (int k = 0; k < model.nv(); ++k) delta[k] = any(generator);
    dynamics::move_positions<double>(model, delta, q);
    x.head(model.nq()) = q;
    for (int k = 0; k < model.nv(); ++k) x[model.nq() + k] = any(generator);
    return x;
  }
  static dynamics::FrameMotion<double> motion(const system::System& system,
                                              const system::Snapshot<double>& s,
                                              const std::string& frame) {
    const model::Model& model = system.model();
    const int at = model.find_frame(frame);
    EXPECT_GE(at, 0) << frame;
    return dynamics::frame_motion(model.frames()[static_cast<std::size_t>(at)], s.workspace);
  }
};
INSTANTIATE_TEST_SUITE_P(OfEveryMethod, Brackets, testing::ValuesIn(kMethods), [](const auto& one) {
  return std::string(
      std::array{"modes", "elements", "absolute_nodal", "lumped", "chain", "rigid"}[one.index]);
});

TEST_P(Brackets, MoveWithTheirSection) {
  const Mat3 R_SB = spatial::rotation_about(Vec3(1, 2, 3).normalized(), 40 * M_PI / 180);
  for (const double x : {0.0, 0.7, 1.0, 2.0}) {
    SCOPED_TRACE(x);
    const Simulation simulation = built(text(x, ""));
    const system::System& system = *simulation.system;
    system::Snapshot<double> s(system);
    for (unsigned seed = 0; seed < 5; ++seed) {
      const VecX state = random_state(system, seed);
      ASSERT_TRUE(system.evaluate<double>(0.0, view(state), s));
      const auto section = motion(system, s, "boom/section");
      const auto bracket = motion(system, s, "boom/bracket");
      const auto camera = motion(system, s, "camera");
      const Vec3 arm = section.R_WF * Vec3(0, 0.3, -0.2);
      EXPECT_LT((bracket.p_WF - section.p_WF - arm).norm(), 1e-14);
      EXPECT_LT((bracket.R_WF - section.R_WF * R_SB).norm(), 1e-14);
      EXPECT_LT((bracket.v - section.v - section.omega.cross(arm)).norm(), 1e-14);
      EXPECT_LT((bracket.omega - section.omega).norm(), 1e-14);
      EXPECT_LT((camera.p_WF - section.p_WF - section.R_WF * Vec3(0, -0.1, 0.4)).norm(), 1e-14);
    }
  }
}

// The efforts of a force and a torque at the bracket do the work of the bracket's motion.
TEST_P(Brackets, ForcesDoTheWorkOfTheirMotion) {
  const std::string loads =
      "forces:\n"
      "  - {name: f, type: point-force, at: boom/bracket, force: [1, -2, 3], expressed_in: world}\n"
      "  - {name: g, type: torque, at: boom/bracket, torque: [0.5, 0.2, -0.7], expressed_in: "
      "world}\n";
  for (const double x : {0.7, 2.0}) {
    const Simulation loaded = built(text(x, loads)), bare = built(text(x, ""));
    const system::System& system = *loaded.system;
    system::Snapshot<double> with(system), without(*bare.system);
    for (unsigned seed = 0; seed < 5; ++seed) {
      const VecX state = random_state(system, seed);
      ASSERT_TRUE(system.evaluate<double>(0.0, view(state), with));
      const auto bracket = motion(system, with, "boom/bracket");
      const double power = Vec3(1, -2, 3).dot(bracket.v) + Vec3(0.5, 0.2, -0.7).dot(bracket.omega);
      const VecX v = with.state.v;
      system.efforts<double>(0.0, view(state), with);
      bare.system->efforts<double>(0.0, view(state), without);
      const double work = (with.workspace.tau - without.workspace.tau).dot(v);
      EXPECT_NEAR(work, power, 1e-12 * (1 + with.workspace.tau.norm()));
    }
  }
}

TEST(BracketsAtAClampedRoot, CarryTheirBeam) {
  EXPECT_EQ(ids_of_build(R"(grapple: 1
bodies:
  - {name: boom, beam: {length: 2 m, mass: 3 kg, EI: 10 N*m^2, modes: {bending_y: 1}},
     frames: [{name: lug, position: "[0, 0.1, 0] m"}, {name: far, position: "[2, 0.1, 0] m"}]}
joints: [{name: hinge, type: revolute, axis: z, parent: world, child: boom/lug}]
)"),
            "");
  EXPECT_EQ(ids_of_build(R"(grapple: 1
bodies:
  - {name: boom, beam: {length: 2 m, mass: 3 kg, EI: 10 N*m^2, modes: {bending_y: 1}},
     frames: [{name: far, position: "[2, 0.1, 0] m"}]}
joints: [{name: hinge, type: revolute, axis: z, parent: world, child: boom/far}]
)"),
            "GR-342");
}

}  // namespace
}  // namespace grapple::scenario
