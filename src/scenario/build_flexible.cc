// Flexible bodies of a scenario: where others attach to them, lumped beams, bodies from files.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "grapple/flexible/body_file.h"
#include "grapple/scenario/assembly.h"
#include "grapple/scenario/build_beam.h"
#include "grapple/spatial/rotation.h"
#include "grapple/system/body_elasticity.h"
#include "grapple/system/joint_elements.h"

namespace grapple::scenario {

namespace {

using flexible::BeamFrame;
using spatial::MassProperties;
using spatial::Mat3;
using spatial::Pose;
using spatial::Vec3;

constexpr int kDefaultElements = 8;

std::string frame_at(double x) { return fmt::format("x={:g}", x); }

bool has_frame(const FlexiblePlan& plan, const std::string& name) {
  for (const BeamFrame& frame : plan.frames) {
    if (frame.name == name) return true;
  }
  return name == "root" || name == "tip";
}

// A place written as "boom at [x, y, z] m" asks for an elastic frame on the axis at x.
void plan_place(const Reader& reader, std::string_view key, const Place& place,
                Assembly& assembly) {
  const auto it = assembly.flexible.find(place.body);
  if (it == assembly.flexible.end() || !place.frame.empty()) return;
  FlexiblePlan& plan = it->second;
  const double x = place.offset[0];
  if (plan.kind != FlexiblePlan::Kind::kFile && !(x >= 0.0 && x <= plan.length)) {
    assembly.faults.add("GR-341", reader.where(key),
                        fmt::format("x = {:g} m is off the beam '{}', which runs from 0 to {:g} m",
                                    x, place.body, plan.length));
  }
  if (plan.kind != FlexiblePlan::Kind::kBeam || x == 0.0 || has_frame(plan, frame_at(x))) return;
  // A frame off the beam is noted; put on its end it gives no further faults.
  plan.frames.push_back({frame_at(x), std::clamp(x, 0.0, plan.length), Mat3::Identity()});
}

void plan_frame(const std::string& name, const Reader& frame, const std::string& body,
                Assembly& assembly) {
  FlexiblePlan& plan = assembly.flexible.at(body);
  const Vec3 position = frame.vector3("position");
  if (plan.kind == FlexiblePlan::Kind::kFile) {
    assembly.faults.add("GR-341", frame.where(),
                        "the frames of a body from a file are in that file");
    return;
  }
  if (position.y() != 0.0 || position.z() != 0.0 ||
      !(position.x() >= 0.0 && position.x() <= plan.length)) {
    assembly.faults.add(
        "GR-341", frame.where("position"),
        fmt::format("a frame on a beam sits on its axis, [x, 0, 0] with x from 0 to {:g} m",
                    plan.length));
    return;
  }
  const Mat3 R = read_rotation(frame, "rotation", assembly.faults);
  if (plan.kind == FlexiblePlan::Kind::kLumpedBeam) {
    const int piece = plan.piece_at(position.x());
    const Pose X{R, position - plan.piece_start(piece) * Vec3::UnitX()};
    assembly.frames[body + "/" + name] = {piece_name(body, piece), X, ""};
    return;
  }
  plan.frames.push_back({name, position.x(), R});
}

// Rigid pieces l/2, l, ..., l, l/2 of a beam cut into n parts of length l, joined at the middle of
// each part by the part's own flexibility: EI/l and GJ/l (rigid finite elements). Second order in
// l.
void add_lumped_beam(const Reader& body, Assembly& assembly) {
  const std::string name = body.text("name");
  const Reader reader = body.object("beam");
  const FlexiblePlan& plan = assembly.flexible.at(name);
  const flexible::Beam beam = read_beam(reader);
  at_place(reader.where(), [&] {
    flexible::check_beam(beam, name);
    return 0;
  });
  const flexible::BeamSection s = beam.section(0.0);
  if (!(s.bending_stiffness_y > 0.0 && s.bending_stiffness_z > 0.0 && s.torsion_stiffness > 0.0)) {
    throw Error("GR-344", reader.where(), "a lumped beam needs EI (or EI_y and EI_z) and GJ");
  }
  if (reader.has("damping") &&
      (!reader.is_mapping("damping") || !reader.object("damping").has("kelvin_voigt"))) {
    throw Error("GR-345", reader.where("damping"),
                "a lumped beam has springs, no modes: give its damping as {kelvin_voigt: time}");
  }
  const double time_constant =
      reader.has("damping") ? reader.object("damping").number("kelvin_voigt") : 0.0;
  const double part = plan.length / plan.pieces;
  const std::vector<double> stiffness = {s.torsion_stiffness / part, s.bending_stiffness_z / part,
                                         s.bending_stiffness_y / part};
  std::vector<double> damping = stiffness;
  for (double& d : damping) d *= time_constant;
  for (int piece = 0; piece <= plan.pieces; ++piece) {
    const bool end = piece == 0 || piece == plan.pieces;
    const double length = end ? 0.5 * part : part;
    MassProperties mass = spatial::slender_rod(s.mass_per_length * length, length);
    mass.inertia_com_B += length * Vec3(s.rotary_inertia_x, s.rotary_inertia_y, s.rotary_inertia_z)
                                       .asDiagonal()
                                       .toDenseMatrix();
    const auto attach = [&mass](const MassProperties& extra, double x) {
      MassProperties moved = extra;
      moved.com_B.x() += x;
      mass = spatial::combined(mass, moved);
    };
    if (piece == 0 && reader.has("hub")) attach(read_end_body(reader, "hub"), 0.0);
    if (piece == plan.pieces && reader.has("tip_body"))
      attach(read_end_body(reader, "tip_body"), length);
    assembly.builder.add_body(piece_name(name, piece), mass);
    assembly.stand_in.add_body(piece_name(name, piece), {1.0, Vec3::UnitX(), Mat3::Identity()});
    if (piece == 0) continue;
    model::JointSpec joint;
    joint.name = piece_name(name, piece);
    joint.type = model::JointType::kSpherical;
    joint.parent = piece_name(name, piece - 1);
    joint.child = joint.name;
    joint.X_PF.p.x() = plan.piece_start(piece) - plan.piece_start(piece - 1);
    assembly.builder.add_joint(joint);
    assembly.stand_in.add_joint(joint);
    assembly.lumped_springs.push_back({joint.name, stiffness, damping});
  }
  const double last = plan.length - plan.piece_start(plan.pieces);
  assembly.frames[name + "/root"] = {name, {}, ""};
  assembly.frames[name + "/tip"] = {
      piece_name(name, plan.pieces), {Mat3::Identity(), {last, 0.0, 0.0}}, ""};
  for (const auto& [frame, declared] : assembly.frames) {
    if (!frame.starts_with(name + "/")) continue;
    assembly.builder.add_frame(frame, declared.body, declared.X_BF);
    assembly.stand_in.add_frame(frame, declared.body, declared.X_BF);
  }
}

// The file a mark "dir/arm.yaml:14:9" is in, or the working directory.
std::filesystem::path directory_of(const std::string& mark) {
  const std::size_t column = mark.rfind(':');
  const std::size_t line = column == std::string::npos ? column : mark.rfind(':', column - 1);
  return line == std::string::npos ? std::filesystem::path()
                                   : std::filesystem::path(mark.substr(0, line)).parent_path();
}

}  // namespace

int FlexiblePlan::piece_at(double x) const {
  const double part = length / pieces;
  return std::min(pieces, static_cast<int>(std::floor(x / part + 0.5)));
}

double FlexiblePlan::piece_start(int piece) const {
  return piece == 0 ? 0.0 : (piece - 0.5) * length / pieces;
}

std::string piece_name(const std::string& body, int piece) {
  return piece == 0 ? body : fmt::format("{}.{}", body, piece);
}

Assembly::DeclaredFrame Assembly::on_flexible_body(const Place& place, const FlexiblePlan& plan,
                                                   const Vec3& offset) const {
  if (plan.kind == FlexiblePlan::Kind::kLumpedBeam) {
    if (!place.frame.empty()) {
      DeclaredFrame found = frames.at(place.body + "/" + place.frame);
      found.X_BF = found.X_BF * Pose{Mat3::Identity(), offset};
      return found;
    }
    const int piece = plan.piece_at(offset.x());
    return {piece_name(place.body, piece),
            {Mat3::Identity(), offset - plan.piece_start(piece) * Vec3::UnitX()},
            ""};
  }
  if (!place.frame.empty()) {
    const bool at_root = place.frame == "root" && offset.isZero();
    return {place.body, {Mat3::Identity(), offset}, at_root ? "" : place.frame};
  }
  if (plan.kind == FlexiblePlan::Kind::kFile || offset.x() == 0.0) {
    return {place.body, {Mat3::Identity(), offset}, ""};
  }
  return {place.body, {Mat3::Identity(), {0.0, offset.y(), offset.z()}}, frame_at(offset.x())};
}

void plan_flexible_bodies(const Reader& scenario, Assembly& assembly) {
  for (const Reader& body : scenario.objects("bodies")) {
    FlexiblePlan plan;
    if (body.has("flexible_file")) plan.kind = FlexiblePlan::Kind::kFile;
    if (body.has("beam")) {
      const Reader beam = body.object("beam");
      plan.length = beam.number("length");
      if (beam.text("method") == "lumped") {
        plan.kind = FlexiblePlan::Kind::kLumpedBeam;
        plan.pieces =
            beam.has("elements") ? static_cast<int>(beam.integer("elements")) : kDefaultElements;
      }
    }
    if (body.has("beam") || body.has("flexible_file")) assembly.flexible[body.text("name")] = plan;
  }
  for (const Reader& body : scenario.objects("bodies")) {
    const std::string name = body.text("name");
    if (!assembly.flexible.contains(name)) continue;
    for (const Reader& frame : body.objects("frames")) {
      plan_frame(frame.text("name"), frame, name, assembly);
    }
  }
  for (const Reader& frame : scenario.objects("frames")) {
    const std::string body = frame.text("body");
    if (!assembly.flexible.contains(body)) continue;
    plan_frame(frame.text("name"), frame, body, assembly);
    assembly.frames[frame.text("name")] = {body, {}, frame.text("name")};
  }
  for (const Reader& joint : scenario.objects("joints")) {
    plan_place(joint, "parent", joint.place("parent"), assembly);
    plan_place(joint, "child", joint.place("child"), assembly);
  }
  for (const Reader& force : scenario.objects("forces")) {
    const bool applied = force.has("at");
    if (applied) plan_place(force, "at", force.place("at"), assembly);
    if (applied) continue;
    for (const Place& place : force.places("between"))
      plan_place(force, "between", place, assembly);
  }
}

namespace {

void make_flexible_body(const Reader& body, Assembly& assembly) {
  const std::string name = body.text("name");
  const FlexiblePlan& plan = assembly.flexible.at(name);
  if (plan.kind == FlexiblePlan::Kind::kLumpedBeam) {
    add_lumped_beam(body, assembly);
    return;
  }
  flexible::FlexibleBody made;
  if (plan.kind == FlexiblePlan::Kind::kFile) {
    const std::string where = body.where("flexible_file");
    made = at_place(where, [&] {
      return flexible::read_body_file(directory_of(where) / body.text("flexible_file"));
    });
  } else {
    const Reader beam = body.object("beam");
    made = beam.text("method") == "elements" ? element_beam(beam, name, plan)
                                             : modal_beam(beam, name, plan, assembly);
  }
  assembly.stand_in.add_body(name, {1.0, Vec3::UnitX(), Mat3::Identity()});
  for (const flexible::FrameShape& frame : made.frames) {
    assembly.stand_in.add_frame(name + "/" + frame.name, name, {});
  }
  assembly.builder.add_flexible_body(name, std::move(made));
}

}  // namespace

void add_flexible_body(const Reader& body, Assembly& assembly) {
  try {
    make_flexible_body(body, assembly);
  } catch (const Error& error) {  // go on: the next body may have faults, too
    assembly.faults.add(error);
    assembly.incomplete = true;
  }
}

void add_elasticity(const Assembly& assembly, system::SystemParts& parts) {
  const model::Model& model = parts.model;
  for (int i = 1; i < model.link_count(); ++i) {
    if (model.link(i).kind != model::Link::Kind::kFlexible) continue;
    parts.elements.push_back(system::make_body_elasticity(model, i));
  }
  for (const Assembly::LumpedSpring& spring : assembly.lumped_springs) {
    const int at = model.find_joint(spring.joint);
    if (at < 0) continue;
    const int link = model.joints()[static_cast<std::size_t>(at)].link;
    parts.elements.push_back(
        system::make_joint_spring(model, link, spring.stiffness, std::vector<double>(3, 0.0)));
    if (spring.damping[1] > 0.0) {
      parts.elements.push_back(system::make_joint_damper(model, link, spring.damping));
    }
  }
}

}  // namespace grapple::scenario
