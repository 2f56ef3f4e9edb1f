// Bodies of finite elements from a scenario: mass, frames, drawing, every mesher.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "grapple/scenario/build/scene.h"
#include "scenario/build_support.h"

namespace grapple::scenario {
namespace {

const std::string kBoom = R"(grapple: 1
materials: [{name: steel, density: 7850 kg/m^3, young: 206 GPa, poisson: 0.3}]
bodies:
  - name: boom
    finite_elements:
      mesh: {block: {size: "[1, 0.04, 0.06] m", elements: [12, 1, 1]}}
      material: steel
      root: x-min
      interfaces:
        - {name: tip, group: x-max}
        - {name: skin, group: z-max, tie: mean}
      modes: 5
joints: [{name: hinge, type: revolute, axis: z, parent: world, child: boom}]
)";

const flexible::FlexibleBody& body_named(const Simulation& simulation, const std::string& name) {
  const model::Model& model = simulation.system->model();
  const int link = model.bodies()[static_cast<std::size_t>(model.find_body(name))].link;
  return model.flexible_body(model.link(link));
}

TEST(FiniteElements, BlockHasItsMassModesAndFrames) {
  const Simulation simulation = built(kBoom);
  const flexible::FlexibleBody& body = body_named(simulation, "boom");
  EXPECT_NEAR(body.mass, 7850.0 * 0.04 * 0.06, 1e-9);
  EXPECT_EQ(body.modes, 5);
  ASSERT_EQ(body.frames.size(), 2u);
  EXPECT_EQ(body.frames[1].name, "skin");
  EXPECT_NEAR(start_value(simulation, "frame/boom/tip/position_x"), 1.0, 1e-12);
}

// The last section drawn is where the interface at the end is, to second order.
TEST(FiniteElements, BlockIsDrawnBentToItsTip) {
  const CheckedScenario checked = load_scenario_text(with_simulate(kBoom), "boom.yaml", {});
  const Simulation simulation = build(checked);
  const record::Scene scene = scene_of(checked, simulation.system->model());
  const record::SceneFlexible& drawn = scene.bodies.at(0).flexible;
  EXPECT_EQ(drawn.layout, record::SceneFlexible::Layout::kAxis);
  ASSERT_EQ(drawn.stations.size(), 13u);
  EXPECT_EQ(drawn.section, (std::array<double, 2>{0.04, 0.06}));
  const flexible::FrameShape& tip = body_named(simulation, "boom").frames[0];
  EXPECT_LT((drawn.stations.back().phi - tip.phi).norm(), 1e-9 * tip.phi.norm());
  EXPECT_LT((drawn.stations.back().H[0] - tip.H[0]).norm(), 1e-7 * tip.H[0].norm());
  EXPECT_LT(drawn.stations.front().phi.norm(), 1e-12 * tip.phi.norm());
}

TEST(FiniteElements, EveryKindOfElementAndMesherBuilds) {
  const auto with_mesh = [](const std::string& mesh, const std::string& groups) {
    std::string text = kBoom;
    const std::string block = R"({block: {size: "[1, 0.04, 0.06] m", elements: [12, 1, 1]}})";
    text.replace(text.find(block), block.size(), mesh);
    text.replace(text.find("x-min"), 5, groups.substr(0, 5));
    text.replace(text.find("x-max"), 5, groups.substr(6));
    const std::string skin = "        - {name: skin, group: z-max, tie: mean}\n";
    return text.erase(text.find(skin), skin.size());
  };
  const auto mass = [](const std::string& text) {
    const Simulation simulation = built(text);
    return body_named(simulation, "boom").mass / 7850.0;
  };
  for (const char* element : {"tet4", "tet10"}) {
    const std::string block = R"({block: {size: "[1, 0.1, 0.1] m", elements: [3, 1, 1], element: )";
    EXPECT_NEAR(mass(with_mesh(block + element + "}}", "x-min x-max")), 0.01, 1e-9) << element;
  }
  const double polygon = 8.0 * std::sin(std::numbers::pi / 8.0);  // 16 edges
  EXPECT_NEAR(mass(with_mesh("{cylinder: {radius: 10 cm, length: 1 m, layers: 3}}", "z-min z-max")),
              0.01 * polygon, 1e-9);
  EXPECT_NEAR(mass(with_mesh("{cylinder: {radius: 10 cm, inner: 9 cm, length: 1 m, layers: 3}}",
                             "z-min z-max")),
              0.0019 * polygon, 1e-9);
  EXPECT_GT(mass(with_mesh(R"({plate: {size: "[0.4, 0.2, 0.01] m", hole: 5 cm, layers: 1}})",
                           "x-min x-max")),
            0.4 * 0.2 * 0.01 - 3.1416 * 0.0025 * 0.01);
}

TEST(FiniteElements, NamesOfInterfacesAreFramesOfTheBody) {
  std::string text = kBoom;
  text.replace(text.find("name: skin"), 10, "name: tip ");
  EXPECT_NE(refusal(text), "");
  text = kBoom + "frames: [{name: eye, body: boom, position: \"[0.5, 0, 0] m\"}]\n";
  EXPECT_EQ(ids_of_build(text), "GR-341");
}

}  // namespace
}  // namespace grapple::scenario
