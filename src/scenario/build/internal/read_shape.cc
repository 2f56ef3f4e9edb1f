#include "grapple/scenario/build/internal/read_shape.h"

#include <fmt/format.h>

#include <cmath>

#include "grapple/geometry/solid/convex_hull.h"
#include "grapple/scenario/build/internal/assembly.h"
#include "grapple/spatial/rotation.h"

namespace grapple::scenario {

namespace {

using spatial::Mat3;
using spatial::Vec3;

// What stands in for a shape that has a fault.
BuiltGeometry stand_in() { return {geometry::Sphere{1.0}, Mat3::Identity(), true}; }

Mat3 turn_to(const Reader& reader, std::string_view key, Diagnostics& faults) {
  return spatial::frame_with_z(read_axis(reader, key, faults));
}

BuiltGeometry read_box(const Reader& reader, Diagnostics& faults) {
  const geometry::Box box{0.5 * reader.vector3("box"), reader.number("corner_radius")};
  if (box.corner_radius <= box.half_edges.minCoeff()) return {box};
  faults.add("GR-407", reader.where("corner_radius"),
             fmt::format("a corner radius of {:g} m does not fit a box whose shortest edge is "
                         "{:g} m",
                         box.corner_radius, 2.0 * box.half_edges.minCoeff()));
  return stand_in();
}

BuiltGeometry read_torus(const Reader& torus, Diagnostics& faults) {
  const geometry::Torus ring{torus.number("radius"), torus.number("tube")};
  if (ring.tube_radius < ring.ring_radius) return {ring, turn_to(torus, "axis", faults)};
  faults.add("GR-414", torus.where("tube"),
             fmt::format("a tube of {:g} m closes the hole of a ring of {:g} m; it must be thinner",
                         ring.tube_radius, ring.ring_radius));
  return stand_in();
}

// The frame of an edge: z halfway between the normals of its faces, x along it.
BuiltGeometry read_edge(const Reader& edge, Diagnostics& faults) {
  const Vec3 first = read_axis(edge, "first", faults).normalized();
  const Vec3 second = read_axis(edge, "second", faults).normalized();
  const Vec3 across = first.cross(second), sum = first + second;
  if (across.norm() < 1e-6) {
    faults.add("GR-414", edge.where("second"),
               "the faces of an edge are parallel; use a half_space, or turn one of them");
    return stand_in();
  }
  Mat3 R;
  R.col(0) = across.normalized();
  R.col(2) = sum.normalized();
  R.col(1) = R.col(2).cross(R.col(0));
  return {geometry::Edge{std::asin(std::min(1.0, first.dot(R.col(2))))}, R};
}

Vec3 vector_of(const std::vector<Quantity>& numbers) {
  return {numbers[0].value, numbers[1].value, numbers[2].value};
}

geometry::Polyhedron polyhedron_of(const Reader& polyhedron, Diagnostics& faults) {
  if (polyhedron.has("corners")) {
    std::vector<Vec3> corners;
    for (const auto& corner : polyhedron.number_lists("corners")) {
      corners.push_back(vector_of(corner));
    }
    return geometry::hull_of(corners, polyhedron.where("corners"));
  }
  std::vector<geometry::Plane> planes;
  for (const Reader& plane : polyhedron.objects("half_spaces")) {
    planes.push_back({read_axis(plane, "normal", faults).normalized(), plane.number("offset")});
  }
  return geometry::intersection_of(planes, polyhedron.where("half_spaces"));
}

geometry::Polyhedron extrusion_of(const Reader& extrusion) {
  std::vector<Eigen::Vector2d> profile;
  for (const auto& corner : extrusion.number_lists("profile")) {
    profile.emplace_back(corner[0].value, corner[1].value);
  }
  return geometry::extrusion_of(profile, 0.5 * extrusion.number("length"),
                                extrusion.where("profile"));
}

geometry::Mesh mesh_of(const Reader& mesh) {
  const std::string where = mesh.where("file");
  try {
    auto surface = std::make_shared<geometry::TriangleMesh>(
        geometry::read_mesh(directory_of(where) / mesh.text("file"), mesh.number("scale")));
    geometry::check_closed(*surface, where);
    return {std::move(surface)};
  } catch (const Error& fault) {
    const Diagnostic& first = fault.diagnostics().front();
    throw Error(first.id, where, fmt::format("mesh '{}': {}", mesh.text("file"), first.message));
  }
}

template <class P>
geometry::Convex convex(P&& solid) {
  return {std::make_shared<const geometry::Polyhedron>(std::forward<P>(solid))};
}

BuiltGeometry read_round(const Reader& reader, Diagnostics& faults) {
  for (const char* kind : {"capsule", "cylinder", "cone", "bar", "bore"}) {
    if (!reader.has(kind)) continue;
    const std::string_view name(kind);
    const Reader round = reader.object(kind);
    const double radius = round.number("radius");
    const Mat3 R = turn_to(round, "axis", faults);
    if (name == "bar") return {geometry::Bar{radius}, R};
    if (name == "bore") return {geometry::Bore{radius}, R};
    const double length = round.number("length");
    if (name == "cone") return {geometry::Cone{radius, length}, R};
    if (name == "cylinder") return {geometry::Cylinder{radius, 0.5 * length}, R};
    return {geometry::Capsule{radius, 0.5 * length}, R};
  }
  for (const char* kind : {"spike", "funnel"}) {
    if (!reader.has(kind)) continue;
    const Reader tip = reader.object(kind);
    const double half_angle = 0.5 * tip.number("angle");
    const Mat3 R = turn_to(tip, "axis", faults);
    if (kind == std::string_view("spike")) return {geometry::Spike{half_angle}, R};
    return {geometry::Funnel{half_angle}, R};
  }
  return stand_in();
}

BuiltGeometry read_cells(const Reader& reader, Diagnostics& faults) {
  auto parts = std::make_shared<std::vector<geometry::Cell>>();
  bool is_stand_in = false;
  for (const Reader& cell : reader.objects("cells")) {
    const BuiltGeometry part = read_geometry(cell, faults);
    is_stand_in |= part.is_stand_in;
    parts->push_back(
        {part.shape, {read_rotation(cell, "rotation", faults) * part.R, cell.vector3("position")}});
  }
  return {geometry::Cells{std::move(parts)}, Mat3::Identity(), is_stand_in};
}

BuiltGeometry read_any(const Reader& reader, Diagnostics& faults) {
  if (reader.has("sphere")) return {geometry::Sphere{reader.number("sphere")}};
  if (reader.has("half_space")) {
    return {geometry::HalfSpace{}, turn_to(reader, "half_space", faults)};
  }
  if (reader.has("box")) return read_box(reader, faults);
  if (reader.has("ellipsoid")) return {geometry::Ellipsoid{reader.vector3("ellipsoid")}};
  if (reader.has("torus")) return read_torus(reader.object("torus"), faults);
  if (reader.has("edge")) return read_edge(reader.object("edge"), faults);
  if (reader.has("polyhedron")) {
    return {convex(polyhedron_of(reader.object("polyhedron"), faults))};
  }
  if (reader.has("extrusion")) return {convex(extrusion_of(reader.object("extrusion")))};
  if (reader.has("mesh")) return {mesh_of(reader.object("mesh"))};
  return read_round(reader, faults);
}

}  // namespace

BuiltGeometry read_geometry(const Reader& reader, Diagnostics& faults) {
  if (reader.has("cells")) return read_cells(reader, faults);
  try {
    return read_any(reader, faults);
  } catch (const Error& fault) {
    faults.add(fault);
    return stand_in();
  }
}

}  // namespace grapple::scenario
