// Flexible bodies of a scenario: beams by modes, elements or lumped pieces, and bodies from files.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "grapple/flexible/beam_modes.h"
#include "grapple/flexible/body_file.h"
#include "grapple/flexible/fe_beam.h"
#include "grapple/scenario/assembly.h"
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
    return;
  }
  if (plan.kind != FlexiblePlan::Kind::kBeam || x == 0.0 || has_frame(plan, frame_at(x))) return;
  plan.frames.push_back({frame_at(x), x, Mat3::Identity()});
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

double number_or(const Reader& beam, std::string_view key, double otherwise) {
  return beam.has(key) ? beam.number(key) : otherwise;
}

flexible::Beam read_beam(const Reader& beam) {
  const double length = beam.number("length");
  if (beam.has("material")) {
    const Reader material = beam.object("material");
    const flexible::Material made = flexible::isotropic(
        material.number("young"), material.number("poisson"), material.number("density"));
    flexible::CrossSection shape;
    if (beam.has("round")) shape = flexible::RoundBar{beam.number("round")};
    if (beam.has("tube")) {
      const Reader tube = beam.object("tube");
      shape = flexible::Tube{tube.number("outer"), tube.number("inner")};
    }
    if (beam.has("rectangle")) {
      const std::vector<Quantity> sizes = beam.numbers("rectangle");
      shape = flexible::Rectangle{sizes[0].value, sizes[1].value};
    }
    return flexible::uniform_beam(length, made, shape);
  }
  flexible::BeamSection section;
  section.mass_per_length =
      beam.has("mass") ? beam.number("mass") / length : beam.number("mass_per_length");
  section.axial_stiffness = number_or(beam, "EA", 0.0);
  section.bending_stiffness_y = number_or(beam, "EI_y", number_or(beam, "EI", 0.0));
  section.bending_stiffness_z = number_or(beam, "EI_z", number_or(beam, "EI", 0.0));
  section.torsion_stiffness = number_or(beam, "GJ", 0.0);
  const double rotary = number_or(beam, "rho_I", 0.0);
  section.rotary_inertia_x = 2.0 * rotary;
  section.rotary_inertia_y = section.rotary_inertia_z = rotary;
  section.shear_stiffness_y = section.shear_stiffness_z = number_or(beam, "GA", 0.0);
  return flexible::uniform_beam(length, section);
}

MassProperties read_end_body(const Reader& beam, std::string_view key) {
  if (!beam.has(key)) return {};
  const Reader body = beam.object(key);
  const std::vector<Quantity> moments = body.numbers("inertia");
  const Vec3 diagonal(moments[0].value, moments[1].value, moments[2].value);
  return {body.number("mass"), body.vector3("com"), diagonal.asDiagonal()};
}

flexible::Damping read_damping(const Reader& beam) {
  if (!beam.has("damping")) return flexible::NoDamping{};
  if (!beam.is_mapping("damping")) return flexible::ModalDamping{{beam.number("damping")}};
  const Reader damping = beam.object("damping");
  if (damping.has("kelvin_voigt")) {
    return flexible::KelvinVoigtDamping{damping.number("kelvin_voigt")};
  }
  if (damping.has("rayleigh")) {
    const Reader rayleigh = damping.object("rayleigh");
    const std::vector<Quantity> w = rayleigh.numbers("frequencies"), z = rayleigh.numbers("ratios");
    return flexible::RayleighDamping{w[0].value, z[0].value, w[1].value, z[1].value};
  }
  flexible::ModalDamping modal;
  for (const Quantity& ratio : damping.numbers("ratios")) modal.ratios.push_back(ratio.value);
  return modal;
}

flexible::Theory read_theory(const Reader& beam) {
  const std::string name = beam.text("theory");
  if (name == "timoshenko") return flexible::Theory::kTimoshenko;
  return name == "rayleigh" ? flexible::Theory::kRayleigh : flexible::Theory::kEulerBernoulli;
}

flexible::Stiffening read_stiffening(const Reader& beam) {
  return beam.text("stiffening") == "on" ? flexible::Stiffening::kOn : flexible::Stiffening::kOff;
}

flexible::Boundary read_boundary(const Reader& beam) {
  if (!beam.has("boundary")) {
    return beam.has("tip_body") ? flexible::Boundary::kClampedWithTipBody
                                : flexible::Boundary::kClampedFree;
  }
  const std::string name = beam.text("boundary");
  if (name == "clamped-with-tip-body") return flexible::Boundary::kClampedWithTipBody;
  if (name == "pinned-free") return flexible::Boundary::kPinnedFree;
  if (name == "free-free") return flexible::Boundary::kFreeFree;
  if (name == "clamped-clamped") return flexible::Boundary::kClampedClamped;
  return flexible::Boundary::kClampedFree;
}

flexible::FlexibleBody modal_beam(const Reader& beam, const std::string& name,
                                  const FlexiblePlan& plan, Assembly& assembly) {
  flexible::ModalBeamSpec spec;
  spec.name = name;
  spec.beam = read_beam(beam);
  if (!beam.has("modes")) {
    spec.bending_y = spec.bending_z = 2;
    assembly.automatic_values.push_back(
        fmt::format("body '{}': two bending modes in each plane", name));
  } else if (beam.is_mapping("modes")) {
    const Reader modes = beam.object("modes");
    spec.bending_y = static_cast<int>(modes.integer("bending_y"));
    spec.bending_z = static_cast<int>(modes.integer("bending_z"));
    spec.torsion = static_cast<int>(modes.integer("torsion"));
    spec.axial = static_cast<int>(modes.integer("axial"));
  } else {
    spec.bending_y = spec.bending_z = static_cast<int>(beam.integer("modes"));
  }
  spec.boundary = read_boundary(beam);
  spec.tip_body = read_end_body(beam, "tip_body");
  spec.root_body = read_end_body(beam, "hub");
  spec.theory = read_theory(beam);
  spec.stiffening = read_stiffening(beam);
  spec.frames = plan.frames;
  spec.damping = read_damping(beam);
  return flexible::make_modal_beam(spec);
}

flexible::FiniteElementMotion motion_of(const std::string& name) {
  if (name == "bending_y") return flexible::FiniteElementMotion::kBendingY;
  if (name == "bending_z") return flexible::FiniteElementMotion::kBendingZ;
  if (name == "torsion") return flexible::FiniteElementMotion::kTorsion;
  return flexible::FiniteElementMotion::kAxial;
}

flexible::FlexibleBody element_beam(const Reader& beam, const std::string& name,
                                    const FlexiblePlan& plan) {
  flexible::FiniteElementBeam spec;
  spec.name = name;
  spec.beam = read_beam(beam);
  if (beam.has("elements")) spec.elements = static_cast<int>(beam.integer("elements"));
  spec.motions.clear();
  for (const std::string& motion : beam.texts("motions")) spec.motions.push_back(motion_of(motion));
  spec.tip_body = read_end_body(beam, "tip_body");
  if (beam.has("hub")) spec.lumped.push_back({0.0, read_end_body(beam, "hub")});
  spec.frames = plan.frames;
  spec.theory = read_theory(beam);
  spec.stiffening = read_stiffening(beam);
  spec.damping = read_damping(beam);
  if (beam.has("modes")) {
    if (beam.is_mapping("modes")) {
      throw Error("GR-343", beam.where("modes"),
                  "with elements, `modes` is the number of natural modes kept");
    }
    spec.reduction = flexible::ModalReduction{static_cast<int>(beam.integer("modes"))};
  } else if (beam.has("craig_bampton")) {
    flexible::CraigBamptonReduction reduction;
    reduction.frames = {"tip"};
    for (const BeamFrame& frame : plan.frames) reduction.frames.push_back(frame.name);
    reduction.modes = static_cast<int>(beam.integer("craig_bampton"));
    spec.reduction = reduction;
  }
  return flexible::finite_element_body(spec);
}

// Rigid pieces l/2, l, ..., l, l/2 of a beam cut into n parts of length l, joined at the middle of
// each part by the part's own flexibility: EI/l and GJ/l (rigid finite elements). Second order in
// l.
void add_lumped_beam(const Reader& body, Assembly& assembly) {
  const std::string name = body.text("name");
  const Reader reader = body.object("beam");
  const FlexiblePlan& plan = assembly.flexible.at(name);
  const flexible::Beam beam = read_beam(reader);
  flexible::check_beam(beam, name);
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

void add_flexible_body(const Reader& body, Assembly& assembly) {
  const std::string name = body.text("name");
  const FlexiblePlan& plan = assembly.flexible.at(name);
  if (plan.kind == FlexiblePlan::Kind::kLumpedBeam) {
    add_lumped_beam(body, assembly);
    return;
  }
  flexible::FlexibleBody made;
  if (plan.kind == FlexiblePlan::Kind::kFile) {
    made = flexible::read_body_file(directory_of(body.where("flexible_file")) /
                                    body.text("flexible_file"));
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
