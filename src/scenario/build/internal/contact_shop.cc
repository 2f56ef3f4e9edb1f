#include "grapple/scenario/build/internal/contact_shop.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "grapple/scenario/build/internal/read_shape.h"
#include "grapple/scenario/build/internal/shape_on_beam.h"

namespace grapple::scenario {

namespace {

using contact::FrictionData;
using contact::Material;
using spatial::Pose;
using spatial::Vec3;

constexpr double kStandardGravity = 9.81;  // m/s^2, where there is none to go by
std::optional<double> given(const Reader& reader, std::string_view key) {
  if (!reader.has(key)) return std::nullopt;
  return reader.number(key);
}

void refuse_foreign_keys(const Reader& friction, FrictionData::Law law, Diagnostics& faults) {
  const bool bristle = law == FrictionData::Law::kBristle;
  const std::vector<std::string_view> foreign =
      bristle ? std::vector<std::string_view>{"transition_speed"}
              : std::vector<std::string_view>{"static",    "stribeck_speed", "dwell_time",
                                              "stiffness", "damping",        "start_dwell"};
  for (const std::string_view key : foreign) {
    if (!friction.has(key)) continue;
    faults.add(
        "GR-406", friction.where(key),
        fmt::format("'{}' does not belong to the friction law '{}'; remove it or use law: {}", key,
                    friction.text("law"), bristle ? "coulomb" : "bristle"));
  }
}

Material read_material(const Reader& reader, Diagnostics& faults) {
  Material material;
  if (reader.has("young")) {
    material.elasticity = contact::Elasticity{reader.number("young"), reader.number("poisson")};
  }
  material.foundation = given(reader, "foundation");
  material.restitution = read_restitution(reader);
  if (reader.has("friction")) {
    material.friction = read_friction(reader.object("friction"), faults);
  }
  return material;
}

void add_shape(const std::string& name, const Reader& reader, const Place& place,
               Assembly& assembly, const model::Model& model, ContactShop& shop,
               Diagnostics& faults) {
  const BuiltGeometry geometry = read_geometry(reader, faults);
  const spatial::Mat3 R_FS = read_rotation(reader, "rotation", faults) * geometry.R;
  check_shape_on_beam(reader, "name", place, geometry.shape, R_FS, assembly);
  model::Frame frame = assembly.frame(model, place);
  frame.X_LF = frame.X_LF * Pose{R_FS, Vec3::Zero()};
  shop.shapes[name] = {geometry.shape, frame, reader.has("material") ? reader.text("material") : "",
                       geometry.is_stand_in};
}

double extent_of(const geometry::TriangleMesh& mesh) {
  Vec3 low = mesh.corners.front(), high = low;
  for (const Vec3& c : mesh.corners) {
    low = low.cwiseMin(c);
    high = high.cwiseMax(c);
  }
  return (high - low).norm();
}

// The diagonal of a cube with the mass and the mean moment of inertia of a body.
double extent_of(const spatial::MassProperties& body) {
  return body.mass > 0.0 ? std::sqrt(6.0 * body.inertia_com_B.trace() / body.mass) : 0.0;
}

// Files in millimetres read as metres are a thousand times too large; a hundred times the body a
// mesh sits on, or the largest body of all, is no longer a matter of shape.
void add_mesh_hints(const ContactShop& shop, const model::Model& model, Assembly& assembly) {
  constexpr double kTooLarge = 100.0;
  double largest = 0.0;
  for (const model::Body& body : model.bodies()) {
    largest = std::max(largest, extent_of(body.mass_properties_B));
  }
  for (const auto& [name, shape] : shop.shapes) {
    const auto* mesh = std::get_if<geometry::Mesh>(&shape.shape);
    if (mesh == nullptr) continue;
    const int body = model.link(shape.frame.link).body;
    const double own =
        body < 0 ? 0.0
                 : extent_of(model.bodies()[static_cast<std::size_t>(body)].mass_properties_B);
    const double extent = extent_of(*mesh->surface), beside = own > 0.0 ? own : largest;
    if (!(beside > 0.0) || extent < kTooLarge * beside) continue;
    assembly.hints.push_back(fmt::format(
        "the mesh of '{}' is {:.3g} m across, {} only some {:.2g} m by its inertia; if the lengths "
        "of the file are millimetres, give the mesh 'scale: 0.001'",
        name, extent, own > 0.0 ? "the body it sits on" : "the largest body", beside));
  }
}

}  // namespace

std::optional<contact::Restitution> read_restitution(const Reader& reader) {
  if (!reader.has("restitution")) return std::nullopt;
  return contact::Restitution{reader.number("restitution"),
                              given(reader, "restitution_slope").value_or(0.0)};
}

contact::FrictionData read_friction(const Reader& friction, Diagnostics& faults) {
  FrictionData data;
  data.law =
      friction.text("law") == "coulomb" ? FrictionData::Law::kCoulomb : FrictionData::Law::kBristle;
  refuse_foreign_keys(friction, data.law, faults);
  data.kinetic = friction.number("kinetic");
  data.static_ = given(friction, "static");
  data.viscous = given(friction, "viscous");
  data.stiffness = given(friction, "stiffness");
  data.damping = given(friction, "damping");
  data.stribeck_speed = given(friction, "stribeck_speed");
  data.dwell_time = given(friction, "dwell_time");
  data.start_dwell = given(friction, "start_dwell");
  data.transition_speed = given(friction, "transition_speed");
  if (data.static_ && *data.static_ < data.kinetic) {
    faults.add("GR-405", friction.where("static"),
               fmt::format("the static coefficient {:g} is below the kinetic one, {:g}",
                           *data.static_, data.kinetic));
    data.static_ = data.kinetic;
  }
  return data;
}

Material ContactShop::material_of(const BuiltShape& shape) const {
  return shape.material.empty() ? Material{} : materials.at(shape.material);
}

double ContactShop::load_per_mass() const { return gravity > 0.0 ? gravity : kStandardGravity; }

ContactShop read_contact_shop(const Reader& scenario, Assembly& assembly,
                              const model::Model& model) {
  ContactShop shop;
  for (const Reader& material : scenario.objects("materials")) {
    shop.materials[material.text("name")] = read_material(material, assembly.faults);
  }
  for (const Reader& shape : scenario.objects("shapes")) {
    add_shape(shape.text("name"), shape, shape.place("on"), assembly, model, shop, assembly.faults);
  }
  for (const Reader& body : scenario.objects("bodies")) {
    for (const Reader& shape : body.objects("shapes")) {
      add_shape(body.text("name") + "/" + shape.text("name"), shape,
                place_of_body_shape(body, shape), assembly, model, shop, assembly.faults);
    }
  }
  shop.gravity = model.gravity().norm();
  add_mesh_hints(shop, model, assembly);
  return shop;
}

Place place_of_body_shape(const Reader& body, const Reader& shape) {
  const Vec3 position = shape.vector3("position");
  return {body.text("name"), "", {position.x(), position.y(), position.z()}};
}

}  // namespace grapple::scenario
