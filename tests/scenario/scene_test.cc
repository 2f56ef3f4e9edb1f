// What a viewer draws agrees with what the simulator computes.
#include "grapple/scenario/build/scene.h"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "grapple/dynamics/kinematics.h"
#include "grapple/scenario/build/build.h"
#include "grapple/spatial/rotation.h"

namespace grapple::scenario {
namespace {

using spatial::Vec3;

constexpr char kDrawnArm[] = R"(grapple: 1
name: arm
bodies:
  - name: base
    mass: 12 kg
    inertia: [2, 5, 5] kg*m^2
  - name: boom
    beam: {length: 2 m, mass: 3 kg, EI: 40 N*m^2, modes: 2, METHOD}
  - name: hand
    solid: {box: [0.2, 0.1, 0.1] m, mass: 1 kg}
joints:
  - {name: shoulder, type: revolute, axis: y, parent: base at [0.5, 0, 0] m, child: boom at [0, 0, 0] m}
  - {name: wrist, type: revolute, axis: x, parent: boom/tip, child: hand}
forces:
  - {name: push, type: point-force, at: boom at [1, 0, 0] m, force: [0 N, 0 N, 1 N]}
simulate: {duration: 1 s}
)";

std::string arm_by(const std::string& method) {
  std::string text = kDrawnArm;
  return text.replace(text.find("METHOD"), 6, "method: " + method);
}

const record::SceneBody& body_of(const record::Scene& scene, const std::string& name) {
  for (const record::SceneBody& body : scene.bodies) {
    if (body.name == name) return body;
  }
  throw std::out_of_range(name);
}

class SceneOfBeam : public ::testing::TestWithParam<const char*> {};

// The last station is where the simulator puts the tip, second-order shortening included.
TEST_P(SceneOfBeam, EndsWhereTheSimulatorPutsTheTip) {
  const CheckedScenario checked = load_scenario_text(arm_by(GetParam()), "arm.yaml", {});
  const Simulation simulation = build(checked);
  const model::Model& model = simulation.system->model();
  const record::Scene scene = scene_of(checked, model);
  const record::SceneBody& boom = body_of(scene, "boom");
  ASSERT_EQ(boom.flexible.stations.size(), 25u);

  model::State state(model);
  const model::Body& body = model.bodies()[static_cast<std::size_t>(model.find_body("boom"))];
  const model::Link& link = model.link(body.link);
  ASSERT_EQ(boom.flexible.modes.size(), static_cast<std::size_t>(link.modes));
  spatial::VecX eta(link.modes);
  for (int k = 0; k < link.modes; ++k) state.q[link.q_modal + k] = eta[k] = 0.02 * (k + 1);
  model::Workspace workspace(model);
  dynamics::forward_kinematics(model, state, workspace);
  const model::Frame& tip = model.frames()[static_cast<std::size_t>(model.find_frame("boom/tip"))];
  const auto& carrier = workspace.motion[static_cast<std::size_t>(body.link)];
  const spatial::Pose X_WB = spatial::Pose{carrier.R_WL, carrier.p_WL} * body.X_LB;
  const Vec3 p_BT =
      (X_WB.inverse() * spatial::Pose{spatial::Mat3::Identity(),
                                      workspace.motion[static_cast<std::size_t>(tip.link)].p_WL})
          .p;

  const flexible::FrameShape& last = boom.flexible.stations.back();
  Vec3 drawn = last.position + last.phi * eta;
  for (int c = 0; c < 3; ++c) {
    const spatial::MatX& H = last.H[static_cast<std::size_t>(c)];
    if (H.size() > 0) drawn[c] += 0.5 * eta.dot(H * eta);
  }
  EXPECT_GT((p_BT - Vec3(2, 0, 0)).norm(), 0.01);  // it is bent
  EXPECT_LT((drawn - p_BT).norm(), 1e-12);         // round-off of lengths of 2 m
}

INSTANTIATE_TEST_SUITE_P(Methods, SceneOfBeam,
                         ::testing::Values("modes", "elements, motions: [bending_y, bending_z]"));

TEST(Scene, SaysWhereJointsSolidsAndForcesSit) {
  const CheckedScenario checked = load_scenario_text(arm_by("modes"), "arm.yaml", {});
  const Simulation simulation = build(checked);
  const auto json = nlohmann::ordered_json::parse(
      record::scene_json(scene_of(checked, simulation.system->model())));
  const auto& base = json["bodies"][0];
  EXPECT_EQ(base["joint"]["type"], "free");
  EXPECT_EQ(base["attachments"][0][0], 0.5);
  const auto& hand = json["bodies"][2];
  EXPECT_EQ(hand["parent"], "boom");
  EXPECT_EQ(hand["seat"], "tip");
  EXPECT_EQ(hand["shapes"][0]["size"], nlohmann::ordered_json({0.2, 0.1, 0.1}));
  EXPECT_EQ(json["forces"][0]["places"][0]["body"], "boom");
  EXPECT_EQ(json["forces"][0]["places"][0]["frame"], "x=1");
}

// Edges a, b, c of a uniform box: J_x = m (b^2 + c^2) / 12.
TEST(Scene, GivesABodyWithoutSolidTheBoxOfItsInertia) {
  const CheckedScenario checked = load_scenario_text(arm_by("modes"), "arm.yaml", {});
  const auto json = nlohmann::ordered_json::parse(
      record::scene_json(scene_of(checked, build(checked).system->model())));
  const auto& box = json["bodies"][0]["inertia_box"];
  const auto& q = box["pose"];
  const spatial::Mat3 R = spatial::rotation_matrix<double>(spatial::Quat(
      q[3].get<double>(), q[4].get<double>(), q[5].get<double>(), q[6].get<double>()));
  const Vec3 edges(box["size"][0].get<double>(), box["size"][1].get<double>(),
                   box["size"][2].get<double>());
  const Vec3 squares = edges.cwiseAbs2();
  const Vec3 moments =
      Vec3(squares[1] + squares[2], squares[0] + squares[2], squares[0] + squares[1]);
  const spatial::Mat3 J = R * moments.asDiagonal() * R.transpose();  // mass 12: m / 12 = 1
  EXPECT_LT((J - spatial::Mat3(Vec3(2, 5, 5).asDiagonal())).norm(), 1e-12);
}

constexpr char kShapes[] = R"(grapple: 1
name: shapes
bodies:
  - name: grain
    solid: {sphere: 1 cm, mass: 1 g}
    copies: {grid: [3, 2, 1], spacing: [3, 3, 3] cm}
    shapes: [{name: skin, sphere: 1 cm}]
  - name: hook
    solid: {sphere: 0.1 m, mass: 1 kg}
    position: [1, 0, 0] m
    shapes:
      - {name: claw, position: [0, 0, 0.2] m, rotation: {axis: x, angle: 90 deg}, cells: [{box: [1, 2, 3] cm}, {position: [0, 0, 5] cm, cone: {radius: 1 cm, length: 2 cm}}]}
shapes:
  - {name: floor, half_space: z, on: "world at [0, 0, -1] m"}
  - {name: unused, torus: {radius: 10 cm, tube: 1 cm, axis: x}}
  - {name: wedge, on: "world at [5, 0, 0] m", extrusion: {profile: [[0, 0], [1, 0], [0, 1]], length: 2 m}}
contacts: [{name: landing, between: [hook/claw, wedge], model: volumetric, foundation: 1e6, restitution: 0.5, friction: none}]
contact_groups: [{name: grains, members: ["grain.*/skin"], walls: [floor], stiffness: 1e5, restitution: 0.5, friction: none}]
simulate: {duration: 1 s}
)";

const record::SceneContactShape& shape_of(const record::Scene& scene, const std::string& name,
                                          std::size_t which = 0) {
  for (const record::SceneContactShape& shape : scene.contact_shapes) {
    if (shape.name == name && which-- == 0) return shape;
  }
  throw std::out_of_range(name);
}

TEST(SceneOfShapes, HoldsEveryShapeWhereItIsAndWhatSpeaksOfIt) {
  const CheckedScenario checked = load_scenario_text(kShapes, "shapes.yaml", {});
  const Simulation simulation = build(checked);
  const record::Scene scene = scene_of(checked, simulation.system->model());
  ASSERT_EQ(scene.contact_shapes.size(), 6u + 2u + 3u);
  using Names = std::vector<std::string>;
  EXPECT_EQ(shape_of(scene, "grain.3/skin").contacts, Names{"grains"});
  EXPECT_EQ(shape_of(scene, "floor").contacts, Names{"grains"});
  EXPECT_EQ(shape_of(scene, "floor").body, "world");
  EXPECT_EQ(shape_of(scene, "floor").X.p, Vec3(0, 0, -1));
  EXPECT_EQ(shape_of(scene, "unused").contacts, Names{});
  EXPECT_EQ(shape_of(scene, "hook/claw").contacts, Names{"landing"});
  EXPECT_EQ(shape_of(scene, "hook/claw").body, "hook");
  // The second cell, 5 cm along the turned z, which is -y of the body.
  EXPECT_LT((shape_of(scene, "hook/claw", 1).X.p - Vec3(0, -0.05, 0.2)).norm(), 1e-15);
  EXPECT_TRUE(std::holds_alternative<geometry::Cone>(shape_of(scene, "hook/claw", 1).shape));
}

TEST(SceneOfShapes, EqualShapesShareOneGeometryInTheJson) {
  const CheckedScenario checked = load_scenario_text(kShapes, "shapes.yaml", {});
  const Simulation simulation = build(checked);
  const auto json =
      nlohmann::json::parse(record::scene_json(scene_of(checked, simulation.system->model())));
  ASSERT_EQ(json["contact_shapes"].size(), 11u);
  std::map<std::string, std::vector<std::string>> by_kind;
  for (const auto& shape : json["contact_shapes"]) {
    const auto& geometry = json["geometries"].at(shape["geometry"].get<std::size_t>());
    by_kind[geometry["kind"]].push_back(shape["name"]);
  }
  EXPECT_EQ(json["geometries"].size(), 6u);  // ball, box, cone, half-space, torus, prism
  EXPECT_EQ(by_kind["sphere"].size(), 6u);
  EXPECT_EQ(by_kind["half-space"], std::vector<std::string>{"floor"});
  // Two triangles of the profile, and two on each of its three sides.
  for (const auto& geometry : json["geometries"]) {
    if (geometry["kind"] != "polyhedron") continue;
    EXPECT_EQ(geometry["corners"].size(), 3u * 6u);
    EXPECT_EQ(geometry["triangles"].size(), 3u * 8u);
  }
}

}  // namespace
}  // namespace grapple::scenario
