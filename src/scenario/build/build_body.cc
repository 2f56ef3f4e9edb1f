// Bodies, solids and frames of a scenario.
#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <optional>

#include "grapple/scenario/build/internal/assembly.h"
#include "grapple/spatial/rotation.h"

namespace grapple::scenario {

namespace {

using spatial::MassProperties;
using spatial::Mat3;
using spatial::Pose;
using spatial::Vec3;

// kg/m^3; GR-364 if it is the material's and not given.
double density_of(const Reader& solid, const std::string& body, Assembly& assembly) {
  if (solid.has("density")) return solid.number("density");
  const std::string name = material_name(solid);
  const std::optional<double>& density = assembly.materials.at(name).density;
  if (!density) {
    assembly.faults.add(
        "GR-364", solid.where("material"),
        lacking_properties(fmt::format("the solid of body '{}'", body), {"density"}, name) +
            "; give it there, or give the solid its mass");
  }
  return density.value_or(1.0);
}

MassProperties read_solid(const Reader& solid, const std::string& body, Assembly& assembly) {
  const auto mass_of = [&](double volume) {
    return solid.has("mass") ? solid.number("mass") : density_of(solid, body, assembly) * volume;
  };
  if (solid.has("box")) {
    const Vec3 edges = solid.vector3("box");
    return spatial::solid_box(mass_of(edges.prod()), edges);
  }
  if (solid.has("sphere")) {
    const double r = solid.number("sphere");
    return spatial::solid_sphere(mass_of(4.0 / 3.0 * std::numbers::pi * r * r * r), r);
  }
  if (solid.has("cylinder")) {
    const Reader cylinder = solid.object("cylinder");
    const double r = cylinder.number("radius"), length = cylinder.number("length");
    const MassProperties along_z =
        spatial::solid_cylinder(mass_of(std::numbers::pi * r * r * length), r, length);
    return along_z.expressed_in(
        {spatial::frame_with_z(unit_axis(cylinder.text("axis"))), Vec3::Zero()});
  }
  const Reader rod = solid.object("rod");
  const double length = rod.number("length");
  MassProperties along_x = spatial::slender_rod(solid.number("mass"), length);
  if (rod.text("from") == "centre") along_x.com_B.setZero();
  const Mat3 turn = Eigen::Quaterniond::FromTwoVectors(Vec3::UnitX(), unit_axis(rod.text("axis")))
                        .toRotationMatrix();
  return along_x.expressed_in({turn, Vec3::Zero()});
}

Mat3 read_inertia(const Reader& body) {
  const std::vector<Quantity> n = body.numbers("inertia");
  Mat3 J = Mat3::Zero();
  for (int k = 0; k < 3; ++k) J(k, k) = n[static_cast<std::size_t>(k)].value;
  if (n.size() == 6) {
    J(0, 1) = J(1, 0) = n[3].value;
    J(0, 2) = J(2, 0) = n[4].value;
    J(1, 2) = J(2, 1) = n[5].value;
  }
  return J;
}

MassProperties read_mass(const Reader& body, Assembly& assembly) {
  MassProperties mass;
  if (body.has("solid")) {
    mass = read_solid(body.object("solid"), body.text("name"), assembly);
  } else {
    mass.mass = body.number("mass");
    if (body.has("inertia")) mass.inertia_com_B = read_inertia(body);
  }
  mass.com_B += body.vector3("com");
  return mass;
}

// The same direction, scaled where the square of its length is beyond the range of doubles.
template <class Vector>
Vector with_normal_square(const Vector& v) {
  return std::isnormal(v.squaredNorm()) ? v : Vector(v / v.cwiseAbs().maxCoeff());
}

}  // namespace

Mat3 read_rotation(const Reader& reader, std::string_view key, Diagnostics& faults) {
  if (!reader.has(key)) return Mat3::Identity();
  const Reader rotation = reader.object(key);
  if (rotation.has("quaternion")) {
    const std::vector<Quantity> n = rotation.numbers("quaternion");
    const spatial::Quat q(n[0].value, n[1].value, n[2].value, n[3].value);
    if (q.isZero(0.0)) {
      faults.add("GR-311", rotation.where("quaternion"), "a quaternion of zeros is no orientation");
      return Mat3::Identity();
    }
    return spatial::rotation_matrix<double>(with_normal_square(q));
  }
  if (rotation.has("euler_xyz")) {
    const Vec3 e = rotation.vector3("euler_xyz");
    return spatial::rotation_about(Vec3::UnitX(), e.x()) *
           spatial::rotation_about(Vec3::UnitY(), e.y()) *
           spatial::rotation_about(Vec3::UnitZ(), e.z());
  }
  return spatial::rotation_about(read_axis(rotation, "axis", faults), rotation.number("angle"));
}

Vec3 unit_axis(const std::string& letter) {
  return letter == "x" ? Vec3::UnitX() : letter == "y" ? Vec3::UnitY() : Vec3::UnitZ();
}

Vec3 read_axis(const Reader& reader, std::string_view key, Diagnostics& faults) {
  if (!reader.is_list(key)) return unit_axis(reader.text(key));
  const Vec3 axis = reader.vector3(key);
  if (axis.isZero(0.0) || !axis.allFinite()) {
    faults.add("GR-311", reader.where(key), "an axis needs a length; found a vector of zeros");
    return Vec3::UnitZ();
  }
  return with_normal_square(axis).normalized();
}

Assembly::DeclaredFrame Assembly::resolve(const Place& place) const {
  const Vec3 offset(place.offset[0], place.offset[1], place.offset[2]);
  const auto plan = flexible.find(place.body);
  if (plan != flexible.end()) return on_flexible_body(place, plan->second, offset);
  DeclaredFrame found{place.body, {}, ""};
  const std::string name = place.frame.empty() ? place.body : place.body + "/" + place.frame;
  const auto it = frames.find(name);
  if (it != frames.end()) found = it->second;
  found.X_BF = found.X_BF * Pose{Mat3::Identity(), offset};
  return found;
}

model::Frame Assembly::frame(const model::Model& model, const Place& place) const {
  const DeclaredFrame declared = resolve(place);
  if (declared.body == "world") return {"", 0, declared.X_BF};
  if (!declared.elastic.empty()) {
    const int at = model.find_frame(declared.body + "/" + declared.elastic);
    if (at >= 0) {  // absent only in the stand-in of a faulty model
      const model::Frame& elastic = model.frames()[static_cast<std::size_t>(at)];
      return {"", elastic.link, elastic.X_LF * declared.X_BF};
    }
  }
  const model::Body& body =
      model.bodies()[static_cast<std::size_t>(model.find_body(declared.body))];
  return {"", body.link, body.X_LB * declared.X_BF};
}

void add_bodies(const Reader& scenario, Assembly& assembly) {
  assembly.materials = read_materials(scenario, assembly.faults);
  assembly.material_of_place = materials_of_places(scenario);
  plan_flexible_bodies(scenario, assembly);
  const auto declare = [&](const std::string& name, const std::string& body, const Reader& frame) {
    assembly.places[fmt::format("frame '{}'", name)] = frame.where("name");
    if (assembly.flexible.contains(body)) return;  // planned with the body
    const Pose X_BF{read_rotation(frame, "rotation", assembly.faults), frame.vector3("position")};
    assembly.frames[name] = {body, X_BF, ""};
    assembly.builder.add_frame(name, body, X_BF);
    assembly.stand_in.add_frame(name, body, X_BF);
  };
  for (const Reader& body : scenario.objects("bodies")) {
    const std::string name = body.text("name");
    assembly.places[fmt::format("body '{}'", name)] = body.where();
    assembly.places.emplace(fmt::format("joint '{}'", name), body.where());
    if (assembly.flexible.contains(name)) {
      add_flexible_body(body, assembly);
    } else {
      assembly.builder.add_body(name, read_mass(body, assembly));
      assembly.stand_in.add_body(name, {1.0, Vec3::UnitX(), Mat3::Identity()});
    }
    for (const Reader& frame : body.objects("frames")) {
      declare(name + "/" + frame.text("name"), name, frame);
    }
  }
  for (const Reader& frame : scenario.objects("frames")) {
    declare(frame.text("name"), frame.text("body"), frame);
  }
}

}  // namespace grapple::scenario
