#include "grapple/scenario/build/scene.h"

#include <string_view>

#include "grapple/scenario/build/finite_elements/solid_keys.h"
#include "grapple/scenario/build/internal/assembly.h"
#include "grapple/scenario/build/internal/beam_keys.h"
#include "grapple/scenario/build/internal/scene_contacts.h"
#include "grapple/scenario/build/live/live_parts.h"
#include "grapple/spatial/rotation.h"

namespace grapple::scenario {

namespace {

using record::SceneBody;
using record::SceneFlexible;
using record::SceneShape;
using spatial::Mat3;
using spatial::Vec3;

/// Points along a beam: enough for a smooth line through the highest modes people draw.
constexpr int kStations = 25;
constexpr std::string_view kStationPrefix = "station/";  // '/' cannot be in a user's name
/// Slender solids have no thickness of their own: drawn with this share of their length.
constexpr double kRodSlenderness = 0.02;

SceneShape shape_of(const Reader& solid, const Vec3& com_B) {
  SceneShape shape;
  shape.X_BS.p = com_B;
  if (solid.has("box")) {
    const Vec3 edges = solid.vector3("box");
    shape.size = {edges.x(), edges.y(), edges.z()};
    return shape;
  }
  if (solid.has("sphere")) {
    shape.kind = SceneShape::Kind::kSphere;
    shape.size = {solid.number("sphere"), 0.0, 0.0};
    return shape;
  }
  shape.kind = SceneShape::Kind::kCylinder;
  const bool rod = solid.has("rod");
  const Reader round = solid.object(rod ? "rod" : "cylinder");
  const double length = round.number("length");
  shape.size = {rod ? 0.5 * kRodSlenderness * length : round.number("radius"), length, 0.0};
  shape.X_BS.R = spatial::frame_with_z(unit_axis(round.text("axis")));
  return shape;
}

std::array<double, 2> section_of(const Reader& body) {
  if (!body.has("beam")) return {0.0, 0.0};
  const Reader beam = body.object("beam");
  if (beam.has("round")) return {2.0 * beam.number("round"), 2.0 * beam.number("round")};
  if (beam.has("tube")) {
    const double width = 2.0 * beam.object("tube").number("outer");
    return {width, width};
  }
  if (!beam.has("rectangle")) return {0.0, 0.0};
  const std::vector<Quantity> sizes = beam.numbers("rectangle");
  return {sizes[0].value, sizes[1].value};
}

// A beam that does not bend, as a bar or tube along its axis.
SceneShape rigid_beam_shape(const Reader& body) {
  const double length = body.object("beam").number("length");
  const std::array<double, 2> section = section_of(body);
  SceneShape shape;
  shape.X_BS.p = 0.5 * length * Vec3::UnitX();
  if (body.object("beam").has("rectangle")) {
    shape.size = {length, section[0], section[1]};
    return shape;
  }
  shape.kind = SceneShape::Kind::kCylinder;
  const double width = section[0] > 0.0 ? section[0] : kRodSlenderness * length;
  shape.size = {0.5 * width, length, 0.0};
  shape.X_BS.R = spatial::frame_with_z(Vec3::UnitX());
  return shape;
}

void add_stations(const Reader& body, FlexiblePlan plan, Assembly& assembly, SceneFlexible& drawn) {
  drawn.section = section_of(body);
  drawn.layout = SceneFlexible::Layout::kAxis;
  drawn.stations.clear();
  for (int k = 0; k < kStations; ++k) {
    plan.stations.push_back({std::string(kStationPrefix) + std::to_string(k),
                             flexible::end_of_part(plan.length, k, kStations - 1),
                             Mat3::Identity()});
  }
  flexible::FlexibleBody made = one_flexible_body(body, plan, assembly);
  flexible::measure_guided_from_zero(made);
  for (flexible::FrameShape& frame : made.frames) {
    if (frame.name.starts_with(kStationPrefix)) drawn.stations.push_back(std::move(frame));
  }
}

void add_solid_stations(const Reader& body, Assembly& assembly, SceneFlexible& drawn) {
  SolidLine line = solid_line(body, assembly);
  if (line.sections.empty()) return;  // drawn by its frames
  drawn.section = line.widths;
  drawn.layout = SceneFlexible::Layout::kAxis;
  drawn.stations = std::move(line.sections);
}

// Every element of a chain is drawn bent in its own axes.
void add_chain_stations(const Reader& body, const FlexiblePlan& plan, const Materials& materials,
                        const model::Model& model, record::Scene& scene) {
  constexpr int kStationsOfElement = 7;
  const std::string name = body.text("name");
  for (int piece = 0; piece < plan.pieces; ++piece) {
    std::vector<flexible::BeamFrame> frames;
    for (int k = 0; k < kStationsOfElement; ++k) {
      const double x = flexible::end_of_part(plan.length / plan.pieces, k, kStationsOfElement - 1);
      frames.push_back({std::string(kStationPrefix) + std::to_string(k), x, Mat3::Identity()});
    }
    const auto at = static_cast<std::size_t>(model.find_body(piece_name(name, piece)));
    SceneFlexible& drawn = scene.bodies[at].flexible;
    drawn.section = section_of(body);
    drawn.layout = SceneFlexible::Layout::kAxis;
    drawn.stations.clear();
    for (flexible::FrameShape& frame :
         chain_element(body.object("beam"), name, plan, piece, frames, materials).frames) {
      if (frame.name.starts_with(kStationPrefix)) drawn.stations.push_back(std::move(frame));
    }
  }
}

void add_forces(const Reader& scenario, const Assembly& assembly, record::Scene& scene) {
  for (const Reader& force : scenario.objects("forces")) {
    record::SceneForce drawn{force.text("name"), force.text("type"), {}};
    const std::vector<Place> places =
        force.has("at") ? std::vector<Place>{force.place("at")} : force.places("between");
    for (const Place& place : places) {
      const Assembly::DeclaredFrame at = assembly.resolve(place);
      drawn.places.push_back({at.body, at.elastic, at.X_BF.p});
    }
    scene.forces.push_back(std::move(drawn));
  }
}

}  // namespace

record::Scene scene_of(const CheckedScenario& checked, const model::Model& model) {
  const Reader scenario = checked.reader();
  record::Scene scene = record::scene_of(model);
  Assembly assembly;
  add_bodies(scenario, assembly);
  for (const Reader& body : scenario.objects("bodies")) {
    const int at = model.find_body(body.text("name"));
    if (at < 0) continue;
    SceneBody& drawn = scene.bodies[static_cast<std::size_t>(at)];
    const auto plan = assembly.flexible.find(drawn.name);
    if (plan != assembly.flexible.end()) {
      if (plan->second.kind == FlexiblePlan::Kind::kBeam) {
        add_stations(body, plan->second, assembly, drawn.flexible);
      } else if (plan->second.kind == FlexiblePlan::Kind::kChainedBeam) {
        add_chain_stations(body, plan->second, assembly.materials, model, scene);
      } else if (body.has("finite_elements")) {
        add_solid_stations(body, assembly, drawn.flexible);
      } else if (plan->second.kind == FlexiblePlan::Kind::kRigidBeam) {
        drawn.shapes.push_back(rigid_beam_shape(body));
      }
    } else if (body.has("solid")) {
      drawn.shapes.push_back(shape_of(body.object("solid"), drawn.mass_properties.com_B));
    }
  }
  add_forces(scenario, assembly, scene);
  add_contact_shapes(scenario, assembly, model, scene);
  scene.cameras = cameras_of(scenario, model);
  return scene;
}

}  // namespace grapple::scenario
