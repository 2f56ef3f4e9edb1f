#include "grapple/scenario/build/internal/contact_shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "grapple/scenario/build/internal/read_shape.h"
#include "grapple/scenario/build/internal/shape_on_beam.h"

namespace grapple::scenario {

namespace {

using spatial::Pose;
using spatial::Vec3;

constexpr double kStandardGravity = 9.81;  // m/s^2, where there is none to go by

void add_shape(const std::string& name, const Reader& reader, const Place& place,
               Assembly& assembly, const model::Model& model, ContactShapes& all,
               Diagnostics& faults) {
  const BuiltGeometry geometry = read_geometry(reader, faults);
  const spatial::Mat3 R_FS = read_rotation(reader, "rotation", faults) * geometry.R;
  check_shape_on_beam(reader, "name", place, geometry.shape, R_FS, assembly);
  model::Frame frame = assembly.frame(model, place);
  frame.X_LF = frame.X_LF * Pose{R_FS, Vec3::Zero()};
  std::string material = material_name(reader);
  const auto of_body = assembly.material_of_place.find(place.body);
  if (material.empty() && of_body != assembly.material_of_place.end()) material = of_body->second;
  all.shapes[name] = {name, geometry.shape, frame, material, geometry.is_stand_in};
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
void add_mesh_hints(const ContactShapes& all, const model::Model& model, Assembly& assembly) {
  constexpr double kTooLarge = 100.0;
  double largest = 0.0;
  for (const model::Body& body : model.bodies()) {
    largest = std::max(largest, extent_of(body.mass_properties_B));
  }
  for (const auto& [name, shape] : all.shapes) {
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

double ContactShapes::load_per_mass() const { return gravity > 0.0 ? gravity : kStandardGravity; }

ContactShapes read_contact_shapes(const Reader& scenario, Assembly& assembly,
                                  const model::Model& model) {
  ContactShapes all;
  for (const Reader& shape : scenario.objects("shapes")) {
    add_shape(shape.text("name"), shape, shape.place("on"), assembly, model, all, assembly.faults);
  }
  for (const Reader& body : scenario.objects("bodies")) {
    for (const Reader& shape : body.objects("shapes")) {
      add_shape(body.text("name") + "/" + shape.text("name"), shape,
                place_of_body_shape(body, shape), assembly, model, all, assembly.faults);
    }
  }
  all.gravity = model.gravity().norm();
  add_mesh_hints(all, model, assembly);
  return all;
}

Place place_of_body_shape(const Reader& body, const Reader& shape) {
  const Vec3 position = shape.vector3("position");
  return {body.text("name"), "", {position.x(), position.y(), position.z()}};
}

}  // namespace grapple::scenario
