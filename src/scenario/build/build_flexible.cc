// Flexible bodies of a scenario: beams by modes, elements or pieces, rigid ones, bodies from files
// and meshes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "grapple/base/nearest_name.h"
#include "grapple/flexible/body_file.h"
#include "grapple/force/body_elasticity.h"
#include "grapple/force/deployed_elasticity.h"
#include "grapple/force/joint_elements.h"
#include "grapple/force/line_elasticity.h"
#include "grapple/scenario/build/finite_elements/solid_keys.h"
#include "grapple/scenario/build/internal/beam_keys.h"
#include "grapple/spatial/rotation.h"

namespace grapple::scenario {

namespace {

using flexible::BeamFrame;
using spatial::Mat3;
using spatial::Pose;
using spatial::Vec3;

constexpr int kDefaultElements = 8;

// All digits, so that two places are two frames however near they are.
std::string frame_at(double x) { return fmt::format("x={}", x); }

bool has_frame(const FlexiblePlan& plan, const std::string& name) {
  for (const BeamFrame& frame : plan.frames) {
    if (frame.name == name) return true;
  }
  return name == "root" || name == "tip";
}

// The frame of the section at x, planned if there is none.
std::string section_at(double x, FlexiblePlan& plan) {
  if (x == 0.0) return "root";
  if (x == plan.length) return "tip";
  if (!has_frame(plan, frame_at(x))) plan.frames.push_back({frame_at(x), x, Mat3::Identity()});
  return frame_at(x);
}

// A place written as "boom at [x, y, z] m" asks for an elastic frame on the axis at x.
void plan_place(const Reader& reader, std::string_view key, const Place& place,
                Assembly& assembly) {
  const auto it = assembly.flexible.find(place.body);
  if (it == assembly.flexible.end() || !place.frame.empty()) return;
  FlexiblePlan& plan = it->second;
  if (plan.kind == FlexiblePlan::Kind::kReduced) {
    if (key != "child" && place.offset != std::array<double, 3>{}) {
      assembly.automatic_values.push_back(
          fmt::format("{}: this place rides the root of '{}' rigidly; a body from a file or a mesh "
                      "bends at its frames",
                      reader.where(key), place.body));
    }
    return;
  }
  const double x = place.offset[0];
  if (!(x >= 0.0 && x <= plan.length)) {
    assembly.faults.add("GR-341", reader.where(key),
                        fmt::format("x = {:g} m is off the beam '{}', which runs from 0 to {:g} m",
                                    x, place.body, plan.length));
  }
  if (x == 0.0 || has_frame(plan, frame_at(x)) || plan.kind == FlexiblePlan::Kind::kRigidBeam) {
    return;
  }
  // A frame off the beam is noted; put on its end it gives no further faults.
  plan.frames.push_back({frame_at(x), std::clamp(x, 0.0, plan.length), Mat3::Identity()});
}

void plan_frame(const std::string& name, const Reader& frame, const std::string& body,
                Assembly& assembly) {
  FlexiblePlan& plan = assembly.flexible.at(body);
  const Vec3 position = frame.vector3("position");
  if (plan.kind == FlexiblePlan::Kind::kReduced) {
    assembly.faults.add(
        "GR-341", frame.where(),
        "the frames of a body from a file are in that file, those of a mesh are its "
        "interfaces");
    return;
  }
  const double x = position.x();
  if (!(x >= 0.0 && x <= plan.length)) {
    assembly.faults.add("GR-341", frame.where("position"),
                        fmt::format("a frame on a beam is fixed to a section of it, x from 0 to "
                                    "{:g} m",
                                    plan.length));
    return;
  }
  const Mat3 R = read_rotation(frame, "rotation", assembly.faults);
  if (position.y() == 0.0 && position.z() == 0.0) {
    plan.frames.push_back({name, x, R});
    return;
  }
  const Vec3 beside(0.0, position.y(), position.z());
  plan.brackets.push_back({name, section_at(x, plan), x, {R, beside}});
}

// A rail runs along a beam that is one body; its shapes are taken at points along it.
void plan_rail(const Reader& joint, Assembly& assembly) {
  const Place parent = joint.place("parent");
  const auto it = assembly.flexible.find(parent.body);
  if (it == assembly.flexible.end() || it->second.kind != FlexiblePlan::Kind::kBeam ||
      it->second.deploys || !parent.frame.empty() || parent.offset[0] != 0.0) {
    assembly.faults.add(
        "GR-374", joint.where("parent"),
        "a rail runs along a beam of one body (modes, elements, rigid) that does not deploy: give "
        "its "
        "parent as the beam, or 'BEAM at [0, y, z]' for a rail beside its axis; where it "
        "starts is its position");
    assembly.incomplete = true;
    return;
  }
  FlexiblePlan& plan = it->second;
  FlexiblePlan::Rail rail;
  rail.spec.joint = rail.spec.frame = joint.text("name");
  rail.spec.upper = plan.length;
  if (joint.has("range")) {
    const std::vector<Quantity> range = joint.numbers("range");
    rail.spec.lower = range[0].value;
    rail.spec.upper = range[1].value;
  }
  rail.spec.start = 0.5 * (rail.spec.lower + rail.spec.upper);
  for (const char* key : {"position", "displacement"}) {
    if (joint.has(key)) rail.spec.start = joint.numbers(key)[0].value;
  }
  const bool on_beam = rail.spec.lower >= 0.0 && rail.spec.upper <= plan.length;
  if (!on_beam || !(rail.spec.lower < rail.spec.upper && rail.spec.lower <= rail.spec.start &&
                    rail.spec.start <= rail.spec.upper)) {
    assembly.faults.add(
        "GR-372", joint.where(),
        fmt::format(
            "it starts at {:g} m on a rail from {:g} to {:g} m, on a beam from 0 to {:g} m; "
            "the rail must be on the beam and the start on the rail",
            rail.spec.start, rail.spec.lower, rail.spec.upper, plan.length));
    assembly.incomplete = true;
    return;
  }
  rail.spec.reflected_inertia = reflected_by_motor(joint);
  constexpr int kModesOfRail = 4;
  for (const double x : flexible::chebyshev_points(rail.spec.lower, rail.spec.upper,
                                                   flexible::rail_points(kModesOfRail))) {
    rail.frames.push_back(fmt::format("{}#{}", rail.spec.joint, rail.frames.size()));
    plan.rail_frames.push_back({rail.frames.back(), x, Mat3::Identity()});
  }
  plan.rails.push_back(std::move(rail));
}

// Everything of a scenario that stands or acts on a body.
template <class Visit>
void for_each_place(const Reader& scenario, const Visit& visit) {
  for (const Reader& joint : scenario.objects("joints")) {
    visit(joint, "parent", joint.place("parent"));
    visit(joint, "child", joint.place("child"));
  }
  for (const Reader& loop : scenario.objects("loops")) {
    if (!loop.has("between")) continue;
    for (const Place& place : loop.places("between")) visit(loop, "between", place);
  }
  for (const Reader& force : scenario.objects("forces")) {
    if (force.has("at")) {
      visit(force, "at", force.place("at"));
      continue;
    }
    for (const Place& place : force.places("between")) visit(force, "between", place);
  }
  for (const Reader& sensor : scenario.objects("sensors")) {
    for (const char* key : {"frame", "in", "target"}) {
      if (sensor.has(key)) visit(sensor, key, sensor.place(key));
    }
  }
  for (const Reader& shape : scenario.objects("shapes")) visit(shape, "on", shape.place("on"));
  for (const Reader& body : scenario.objects("bodies")) {
    for (const Reader& shape : body.objects("shapes")) {
      visit(shape, "position", place_of_body_shape(body, shape));
    }
  }
}

bool carries_rail(const Reader& scenario, const std::string& body) {
  const std::vector<Reader> joints = scenario.objects("joints");
  return std::ranges::any_of(joints, [&](const Reader& joint) {
    return joint.text("type") == "rail" && joint.place("parent").body == body;
  });
}

}  // namespace

int FlexiblePlan::piece_at(double x) const {
  const double place = x / length * pieces;
  if (kind == Kind::kLumpedBeam) return std::min(pieces, static_cast<int>(std::floor(place + 0.5)));
  return std::min(pieces - 1, static_cast<int>(std::floor(place)));
}

double FlexiblePlan::piece_start(int piece) const {
  if (kind == Kind::kLumpedBeam) return piece == 0 ? 0.0 : (piece - 0.5) * length / pieces;
  return piece * length / pieces;
}

std::string piece_name(const std::string& body, int piece) {
  return piece == 0 ? body : fmt::format("{}.{}", body, piece);
}

std::string node_name(int node) { return fmt::format("node{}", node); }

Assembly::DeclaredFrame Assembly::on_flexible_body(const Place& place, const FlexiblePlan& plan,
                                                   const Vec3& offset) const {
  const bool at_body_frame = plan.kind == FlexiblePlan::Kind::kReduced ||
                             plan.kind == FlexiblePlan::Kind::kRigidBeam || offset.x() == 0.0;
  if (place.frame.empty() && at_body_frame) return {place.body, {Mat3::Identity(), offset}, ""};
  const bool named = !place.frame.empty();
  const std::string frame = named ? place.frame : frame_at(offset.x());
  const Vec3 rest = named ? offset : Vec3(0.0, offset.y(), offset.z());
  const bool root = frame == "root" && offset.isZero() && plan.root == FlexiblePlan::Root::kHeld;
  if (root && !plan.is_of_rigid_or_several()) return {place.body, {}, ""};
  const auto declared = frames.find(place.body + "/" + frame);
  if (declared != frames.end()) {
    DeclaredFrame found = declared->second;
    found.X_BF = found.X_BF * Pose{Mat3::Identity(), rest};
    return found;
  }
  if (plan.is_of_rigid_or_several()) return {place.body, {}, ""};  // a faulty beam, which is noted
  return {place.body, {Mat3::Identity(), rest}, frame};
}

void plan_flexible_bodies(const Reader& scenario, Assembly& assembly) {
  for (const Reader& body : scenario.objects("bodies")) {
    FlexiblePlan plan;
    const bool reduced = body.has("flexible_file") || body.has("finite_elements");
    if (reduced) plan.kind = FlexiblePlan::Kind::kReduced;
    if (body.has("beam")) {
      const Reader beam = body.object("beam");
      plan.length = beam.number("length");
      if (beam.text("method") == "lumped") plan.kind = FlexiblePlan::Kind::kLumpedBeam;
      if (beam.text("method") == "chain") plan.kind = FlexiblePlan::Kind::kChainedBeam;
      // One that deploys or carries rails has coordinates, though it does not bend.
      const bool one_rigid_body = beam.text("method") == "rigid" && !beam.has("deploys") &&
                                  !carries_rail(scenario, body.text("name"));
      if (one_rigid_body) plan.kind = FlexiblePlan::Kind::kRigidBeam;
      if (beam.text("method") == "modes" && beam.has("boundary")) {
        const std::string boundary = beam.text("boundary");
        const bool moves = boundary == "pinned-free" || boundary == "free-free";
        plan.root = moves ? FlexiblePlan::Root::kMoves : FlexiblePlan::Root::kHeld;
      }
      plan.deploys = beam.has("deploys");
      plan.pieces =
          beam.has("elements") ? static_cast<int>(beam.integer("elements")) : kDefaultElements;
    }
    if (body.has("beam") || reduced) assembly.flexible[body.text("name")] = plan;
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
    assembly.flexible.at(body).own_names.push_back(frame.text("name"));
  }
  for_each_place(scenario, [&](const Reader& reader, std::string_view key, const Place& place) {
    plan_place(reader, key, place, assembly);
  });
  for (const Reader& joint : scenario.objects("joints")) {
    if (joint.text("type") == "rail") plan_rail(joint, assembly);
  }
}

void check_frames_of_reduced(const Reader& scenario, Assembly& assembly) {
  for_each_place(scenario, [&](const Reader& reader, std::string_view key, const Place& place) {
    const auto it = assembly.flexible.find(place.body);
    if (it == assembly.flexible.end() || it->second.kind != FlexiblePlan::Kind::kReduced) return;
    const std::vector<std::string>& known = it->second.reduced_frames;
    const bool unmade = known.empty();  // the file has a fault, which is noted
    if (unmade || place.frame.empty() || std::ranges::find(known, place.frame) != known.end()) {
      return;
    }
    assembly.faults.add("GR-210", reader.where(key),
                        fmt::format("body '{}' has no frame '{}'{}", place.body, place.frame,
                                    suggestion(place.frame, known)));
    assembly.incomplete = true;
  });
}

namespace {

flexible::FlexibleBody without_rails(const Reader& body, const FlexiblePlan& plan,
                                     Assembly& assembly) {
  if (body.has("finite_elements")) return finite_element_solid(body, assembly);
  if (plan.kind == FlexiblePlan::Kind::kReduced) {
    const std::string where = body.where("flexible_file");
    return at_place(where, [&] {
      return flexible::read_body_file(directory_of(where) / body.text("flexible_file"));
    });
  }
  const std::string name = body.text("name");
  const Reader beam = body.object("beam");
  if (beam.has("deploys")) return deployable_beam(beam, name, plan, assembly);
  const std::string method = beam.text("method");
  if (method == "elements") return element_beam(beam, name, plan, assembly.materials);
  if (method == "absolute-nodal") return nodal_beam(beam, name, plan, assembly);
  if (method == "rigid") return rigid_beam_with_rails(beam, name, plan, assembly.materials);
  return modal_beam(beam, name, plan, assembly);
}

}  // namespace

flexible::FlexibleBody one_flexible_body(const Reader& body, const FlexiblePlan& plan,
                                         Assembly& assembly) {
  flexible::FlexibleBody made = without_rails(body, plan, assembly);
  for (const FlexiblePlan::Rail& rail : plan.rails) {
    made = flexible::with_rail(made, rail.frames, rail.spec);
  }
  return made;
}

namespace {

void add_one_flexible_body(const Reader& body, const FlexiblePlan& plan, Assembly& assembly) {
  const std::string name = body.text("name");
  flexible::FlexibleBody made = one_flexible_body(body, plan, assembly);
  assembly.stand_in.add_body(name, {1.0, Vec3::UnitX(), Mat3::Identity()});
  if (plan.deploys) {
    assembly.stand_in.add_body(name + "/length", {1.0, Vec3::UnitX(), Mat3::Identity()});
    assembly.stand_in.add_joint({.name = name + "/length",
                                 .type = model::JointType::kPrismatic,
                                 .child = name + "/length"});
  }
  for (const flexible::FrameShape& frame : made.frames) {
    assembly.stand_in.add_frame(name + "/" + frame.name, name, {});
  }
  if (plan.kind == FlexiblePlan::Kind::kReduced) {
    std::vector<std::string>& names = assembly.flexible.at(name).reduced_frames;
    names = {"root"};
    for (const flexible::FrameShape& frame : made.frames) names.push_back(frame.name);
  }
  assembly.builder.add_flexible_body(name, std::move(made));
  for (const BeamFrame& frame : plan.frames) {
    assembly.frames[name + "/" + frame.name] = {name, {}, frame.name};
  }
}

// Frames beside the axis, on the sections they are fixed to. The section of a clamped root is the
// body frame itself.
void add_brackets(const std::string& body, const FlexiblePlan& plan, Assembly& assembly) {
  for (const FlexiblePlan::Bracket& bracket : plan.brackets) {
    const std::string name = body + "/" + bracket.name;
    Assembly::DeclaredFrame seat = assembly.resolve({body, bracket.section, {}});
    seat.X_BF = seat.X_BF * bracket.X_SF;
    assembly.frames[name] = seat;
    assembly.builder.add_frame({.name = name,
                                .body = seat.body,
                                .elastic_frame = seat.elastic,
                                .X_BF = seat.X_BF,
                                .deflects_from = body,
                                .p_rest_B = bracket.x * Vec3::UnitX() + bracket.X_SF.p});
    assembly.stand_in.add_frame(name, seat.body, {});
  }
}

// A frame declared beside the bodies bears its own name, without the body's.
void add_own_names(const std::string& body, const FlexiblePlan& plan, Assembly& assembly) {
  const auto add = [&](const std::string& name, const Vec3& p_rest_B) {
    if (std::ranges::find(plan.own_names, name) == plan.own_names.end()) return;
    const Assembly::DeclaredFrame seat = assembly.frames.at(body + "/" + name);
    assembly.frames[name] = seat;
    assembly.builder.add_frame({.name = name,
                                .body = seat.body,
                                .elastic_frame = seat.elastic,
                                .X_BF = seat.X_BF,
                                .deflects_from = body,
                                .p_rest_B = p_rest_B});
    assembly.stand_in.add_frame(name, seat.body, {});
  };
  for (const BeamFrame& frame : plan.frames) add(frame.name, frame.x * Vec3::UnitX());
  for (const FlexiblePlan::Bracket& bracket : plan.brackets) {
    add(bracket.name, bracket.x * Vec3::UnitX() + bracket.X_SF.p);
  }
}

// Keys that the method of a beam does not read. They are no fault: `--set ...beam.method=...`
// compares methods of one file.
void note_unused_keys(const Reader& beam, const std::string& name, Assembly& assembly) {
  const std::map<std::string, std::vector<std::string>> unused = {
      {"modes", {"elements", "craig_bampton", "motions"}},
      {"elements", {"shapes", "boundary"}},
      {"lumped",
       {"modes", "shapes", "craig_bampton", "motions", "boundary", "theory", "stiffening",
        "inertia", "EA", "GA"}},
      {"chain", {"modes", "shapes", "craig_bampton", "boundary", "inertia"}},
      {"absolute-nodal",
       {"modes", "shapes", "craig_bampton", "boundary", "theory", "stiffening", "inertia", "GJ",
        "GA", "rho_I"}},
      {"rigid",
       {"modes", "shapes", "elements", "craig_bampton", "motions", "boundary", "stiffening",
        "inertia", "damping", "EI", "EI_y", "EI_z", "GJ", "EA", "GA"}}};
  const std::string method = beam.text("method");
  std::vector<std::string> found;
  for (const std::string& key : unused.at(method)) {
    if (beam.has(key)) found.push_back(key);
  }
  if (found.empty()) return;
  assembly.automatic_values.push_back(
      fmt::format("body '{}': method {} does not use {}", name, method, fmt::join(found, ", ")));
}

void make_flexible_body(const Reader& body, Assembly& assembly) {
  const std::string name = body.text("name");
  const FlexiblePlan& plan = assembly.flexible.at(name);
  if (body.has("beam")) note_unused_keys(body.object("beam"), name, assembly);
  switch (plan.kind) {
    case FlexiblePlan::Kind::kLumpedBeam:
      add_lumped_beam(body, assembly);
      break;
    case FlexiblePlan::Kind::kChainedBeam:
      add_chained_beam(body, assembly);
      break;
    case FlexiblePlan::Kind::kRigidBeam:
      add_rigid_beam(body, assembly);
      break;
    case FlexiblePlan::Kind::kBeam:
    case FlexiblePlan::Kind::kReduced:
      add_one_flexible_body(body, plan, assembly);
  }
  add_brackets(name, plan, assembly);
  add_own_names(name, plan, assembly);
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
    if (model.flexible_body(model.link(i)).line) {
      parts.elements.push_back(force::make_deployed_elasticity(model, i));
      continue;
    }
    const auto line = assembly.line_strains.find(model.body_of_link(i).name);
    parts.elements.push_back(line == assembly.line_strains.end()
                                 ? force::make_body_elasticity(model, i)
                                 : force::make_line_elasticity(model, i, line->second.points,
                                                               line->second.time_constant));
  }
  for (int i = 1; i < model.link_count(); ++i) {
    if (model.guided(model.link(i)) != nullptr) {
      parts.elements.push_back(force::make_guided_range(model, i));
    }
  }
  for (const Assembly::LumpedSpring& spring : assembly.lumped_springs) {
    const int at = model.find_joint(spring.joint);
    if (at < 0) continue;
    const int link = model.joints()[static_cast<std::size_t>(at)].link;
    parts.elements.push_back(
        force::make_joint_spring(model, link, spring.stiffness, std::vector<double>(3, 0.0)));
    if (spring.damping[1] > 0.0) {
      parts.elements.push_back(force::make_joint_damper(model, link, spring.damping));
    }
  }
}

}  // namespace grapple::scenario
