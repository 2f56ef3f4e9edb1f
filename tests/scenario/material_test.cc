// One entry of `materials` serves beams, solids and contacts.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "scenario/build_support.h"

namespace grapple::scenario {
namespace {

// The rates of a state in which everything moves: equal bits mean equal masses, stiffnesses and
// damping.
spatial::VecX rates_of(const Simulation& simulation) {
  const system::System& system = *simulation.system;
  spatial::VecX x = system.initial_state();
  for (Eigen::Index i = 0; i < x.size(); ++i) x[i] += 1e-3 * std::sin(1.0 + double(i));
  system::Snapshot<double> s(system);
  system.evaluate<double>(0.0, {x.data(), static_cast<std::size_t>(x.size())}, s);
  return s.workspace.vdot;
}

const char* const kSteel =
    "materials: [{name: steel, density: 7850 kg/m^3, young: 206 GPa, poisson: 0.29, damping: "
    "{kelvin_voigt: 3 us}}]\n";

std::string blade(const std::string& material, const std::string& method) {
  return fmt::format(
      "grapple: 1\n{}bodies: [{{name: blade, beam: {{length: 0.4 m, rectangle: [4, 20] mm, {}, "
      "material: {}}}}}]\njoints: [{{name: hinge, type: revolute, parent: world, child: blade}}]\n",
      kSteel, method, material);
}

TEST(MaterialOfABeam, ByNameHasTheBitsOfTheSameNumbers) {
  for (const char* method :
       {"modes: {bending_y: 2, bending_z: 2, torsion: 1, axial: 1}, theory: timoshenko",
        "method: elements, elements: 3", "method: elements, elements: 4, modes: 3",
        "method: elements, elements: 4, craig_bampton: 2", "method: lumped, elements: 4",
        "method: chain, elements: 3, theory: timoshenko",
        "method: absolute-nodal, elements: 3, motions: [bending_y]",
        "modes: 2, taper_to: {rectangle: [2, 10] mm}"}) {
    const Simulation named = built(blade("steel", method));
    const Simulation numbers =
        built(blade("{young: 206 GPa, poisson: 0.29, density: 7850 kg/m^3}, damping: "
                    "{kelvin_voigt: 3 us}",
                    method));
    const spatial::VecX one = rates_of(named), other = rates_of(numbers);
    ASSERT_GT(one.cwiseAbs().maxCoeff(), 1e-3) << method;
    EXPECT_EQ(one, other) << method;
  }
}

TEST(MaterialOfABeam, GivesWayToItsOwnDamping) {
  const std::string method = "modes: {bending_y: 2}";
  const auto damping = [&](const std::string& own) {
    const Simulation simulation = built(blade("steel" + own, method));
    return simulation.system->model().flexible_body(simulation.system->model().link(1)).damping;
  };
  EXPECT_GT(damping("")(0, 0), 0.0);
  EXPECT_EQ(damping(", damping: 0 %"), spatial::MatX::Zero(2, 2));
}

double mass_of_solid(const std::string& solid) {
  const Simulation simulation =
      built("grapple: 1\n" + std::string(kSteel) + "bodies: [{name: b, solid: {" + solid + "}}]\n" +
            "joints: [{name: j, type: fixed, parent: world, child: b}]\n");
  return simulation.system->model().bodies()[0].mass_properties_B.mass;
}

TEST(MaterialOfASolid, GivesTheDensityUnlessTheSolidHasItsOwn) {
  for (const char* shape :
       {"box: [0.1, 0.2, 0.3] m", "sphere: 0.1 m", "cylinder: {radius: 5 cm, length: 1 m}"}) {
    const std::string of(shape);
    EXPECT_EQ(mass_of_solid(of + ", material: steel"), mass_of_solid(of + ", density: 7850 kg/m^3"))
        << of;
    EXPECT_EQ(mass_of_solid(of + ", material: steel, mass: 3 kg"), 3.0) << of;
    EXPECT_EQ(mass_of_solid(of + ", material: steel, density: 1 kg/m^3"),
              mass_of_solid(of + ", density: 1"));
  }
  EXPECT_EQ(mass_of_solid("rod: {length: 1 m}, mass: 2 kg, material: steel"), 2.0);
}

TEST(Materials, AShearModulusStandsForPoissonsRatio) {
  const auto twist = [](const std::string& constants) {
    const Simulation simulation =
        built("grapple: 1\nmaterials: [{name: m, density: 1000 kg/m^3, young: 1 GPa, " + constants +
              "}]\nbodies: [{name: b, beam: {length: 1 m, round: 1 cm, material: m, modes: "
              "{torsion: 1}}}]\njoints: [{name: c, type: fixed, parent: world, child: b}]\n");
    const model::Model& model = simulation.system->model();
    const flexible::FlexibleBody& body = model.flexible_body(model.link(1));
    return body.stiffness(0, 0) / body.E(0, 0);
  };
  // The square of omega = pi/2 sqrt(G / rho), the first torsional mode of a length of 1 m.
  const double exact = std::pow(0.5 * std::numbers::pi, 2) * 0.4e9 / 1000.0;
  EXPECT_NEAR(twist("shear: 0.4 GPa") / exact, 1.0, 1e-12);
  EXPECT_NEAR(twist("poisson: 0.25") / exact, 1.0, 1e-12);
  EXPECT_GT(twist("poisson: 0") / exact, 1.2);
}

// Hertz's stiffness of the pair, which only the materials of the shapes can give.
double stiffness(const std::string& bodies, const std::string& pair) {
  const Simulation simulation = built(
      "grapple: 1\nmaterials:\n"
      "  - {name: steel, density: 7850 kg/m^3, young: 206 GPa, poisson: 0.3, restitution: 0.9}\n"
      "  - {name: glass, density: 2500 kg/m^3, young: 70 GPa, poisson: 0.22, restitution: 0.9}\n" +
      bodies + "contacts: [{name: c, between: [" + pair + "], friction: none}]\n");
  return simulation.contacts[0].law.stiffness;
}

double hertz(double one, double other, double radius) {
  return 4.0 / 3.0 / (one + other) * std::sqrt(radius);
}
constexpr double kSteelCompliance = (1.0 - 0.3 * 0.3) / 206e9;
constexpr double kGlassCompliance = (1.0 - 0.22 * 0.22) / 70e9;

TEST(ShapesWithoutMaterial, AreMadeOfWhatTheirBodyIs) {
  const std::string ball =
      "bodies: [{name: ball, solid: {sphere: 1 cm, material: steel}, position: [0, 0, 1] m, "
      "shapes: [{name: skin, sphere: 1 cm}, {name: coat, sphere: 1 cm, material: glass}]}]\n"
      "shapes: [{name: floor, half_space: z, material: steel}]\n";
  EXPECT_NEAR(stiffness(ball, "ball/skin, floor") / hertz(kSteelCompliance, kSteelCompliance, 0.01),
              1.0, 1e-9);
  EXPECT_NEAR(stiffness(ball, "ball/coat, floor") / hertz(kGlassCompliance, kSteelCompliance, 0.01),
              1.0, 1e-9);
}

TEST(ShapesWithoutMaterial, OnABeamOrAFrameAreMadeOfWhatTheBeamIs) {
  for (const char* method : {"modes: 1", "method: lumped", "method: chain"}) {
    for (const char* on : {"blade/tip", "\"blade at [0.4, 0, 0] m\"", "end"}) {
      const std::string bodies = fmt::format(
          "bodies:\n  - {{name: blade, beam: {{length: 0.4 m, round: 1 cm, material: glass, "
          "{}}}}}\n"
          "joints: [{{name: c, type: fixed, parent: world, child: blade}}]\n"
          "frames: [{{name: end, body: blade, position: [0.3, 0, 0] m}}]\n"
          "shapes: [{{name: tip, on: {}, sphere: 1 cm}}, {{name: wall, on: \"world at [0, -1, 0] "
          "m\", half_space: y, material: steel}}]\n",
          method, on);
      EXPECT_NEAR(stiffness(bodies, "tip, wall") / hertz(kGlassCompliance, kSteelCompliance, 0.01),
                  1.0, 1e-9)
          << method << " " << on;
    }
  }
}

TEST(MissingProperties, AreNamedWithTheMaterialAndWhoNeedsThem) {
  const std::string head =
      "grapple: 1\nmaterials: [{name: foam, density: 30 kg/m^3}, {name: cork, young: 30 MPa, "
      "poisson: 0}]\n";
  const std::string beam =
      head + "bodies: [{name: arm, beam: {length: 1 m, round: 1 cm, material: ";
  EXPECT_NE(
      refusal(beam + "foam}}]\n").find("beam 'arm' needs 'young', 'poisson' of material 'foam'"),
      std::string::npos);
  EXPECT_NE(refusal(beam + "cork}}]\n").find("beam 'arm' needs 'density' of material 'cork'"),
            std::string::npos);
  // Every faulty body is named, not only the first.
  EXPECT_EQ(ids_of_build(head + "bodies: [{name: a, solid: {sphere: 1 m, material: cork}}, {name: "
                                "b, solid: {sphere: 1 m, material: cork}}]\n"),
            "GR-364 GR-364");
  const std::string contact = refusal(
      head +
      "bodies: [{name: a, solid: {sphere: 1 m, material: foam}, position: [0, 0, 9] m, shapes: "
      "[{name: s, sphere: 1 m}]}]\nshapes: [{name: floor, half_space: z}]\n"
      "contacts: [{name: c, between: [a/s, floor], restitution: 1, friction: none}]\n");
  EXPECT_NE(contact.find("material 'foam' of 'a/s' has no 'young'"), std::string::npos) << contact;
  EXPECT_NE(contact.find("'floor' has no material"), std::string::npos) << contact;
}

}  // namespace
}  // namespace grapple::scenario
