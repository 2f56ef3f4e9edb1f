// Beams made of several bodies of the recursion: rigid pieces joined by springs, and finite
// elements chained at their nodes, both for rotations of any size; and of one rigid body.
#include <algorithm>

#include "grapple/base/error.h"
#include "grapple/flexible/rigid_beam.h"
#include "grapple/scenario/build/internal/beam_keys.h"

namespace grapple::scenario {

namespace {

using flexible::BeamFrame;
using spatial::MassProperties;
using spatial::Mat3;
using spatial::Pose;
using spatial::Vec3;

// A frame of the whole beam, now found on one of its pieces.
struct PieceFrame {
  std::string piece;
  Pose X;               // on the piece, or on its elastic frame
  std::string elastic;  // elastic frame of the piece
};

void declare_frame(const std::string& beam, const BeamFrame& frame, const PieceFrame& on_piece,
                   Assembly& assembly) {
  const std::string name = beam + "/" + frame.name;
  assembly.frames[name] = {on_piece.piece, on_piece.X, on_piece.elastic};
  // The elastic frame of the root piece may have this name already.
  if (on_piece.piece == beam && on_piece.elastic == frame.name) {
    assembly.stand_in.add_frame(name, beam, {});
    return;
  }
  assembly.builder.add_frame({.name = name,
                              .body = on_piece.piece,
                              .elastic_frame = on_piece.elastic,
                              .X_BF = on_piece.X,
                              .deflects_from = beam,
                              .p_rest_B = frame.x * Vec3::UnitX()});
  assembly.stand_in.add_frame(name, on_piece.piece, on_piece.X);
}

void add_joint(model::JointSpec joint, Assembly& assembly) {
  model::JointSpec on_world = joint;
  on_world.parent = "world";
  on_world.parent_frame.clear();
  assembly.stand_in.add_joint(std::move(on_world));
  assembly.builder.add_joint(std::move(joint));
}

// Rigid piece of a lumped beam, with what is fixed to the beam's ends.
MassProperties lumped_piece(const Reader& reader, const FlexiblePlan& plan,
                            const flexible::BeamSection& s, int piece) {
  const double part = plan.length / plan.pieces;
  const bool end = piece == 0 || piece == plan.pieces;
  const double length = end ? 0.5 * part : part;
  MassProperties mass = spatial::slender_rod(s.mass_per_length * length, length);
  mass.inertia_com_B +=
      length *
      Vec3(s.rotary_inertia_x, s.rotary_inertia_y, s.rotary_inertia_z).asDiagonal().toDenseMatrix();
  const auto attach = [&mass](const MassProperties& extra, double x) {
    MassProperties moved = extra;
    moved.com_B.x() += x;
    mass = spatial::combined(mass, moved);
  };
  if (piece == 0 && reader.has("hub")) attach(read_end_body(reader, "hub"), 0.0);
  if (piece == plan.pieces && reader.has("tip_body")) {
    attach(read_end_body(reader, "tip_body"), length);
  }
  return mass;
}

// The part of a beam from `start` on, `length` long.
flexible::Beam part_of(const flexible::Beam& whole, double start, double length) {
  if (whole.uniformity == flexible::Uniformity::kUniform) {
    return flexible::uniform_beam(length, whole.section(0.0));
  }
  std::vector<double> breaks;
  for (const double x : whole.breaks) {
    if (x > start && x < start + length) breaks.push_back(x - start);
  }
  return flexible::varying_beam(
      length,
      [section = whole.section, start, end = whole.length](double x) {
        return section(std::min(start + x, end));
      },
      breaks);
}

}  // namespace

// Rigid pieces l/2, l, ..., l, l/2 of a beam cut into n parts of length l, joined at the middle of
// each part by the part's own flexibility: EI/l and GJ/l (rigid finite elements). Second order in
// l.
void add_lumped_beam(const Reader& body, Assembly& assembly) {
  const std::string name = body.text("name");
  const Reader reader = body.object("beam");
  const FlexiblePlan& plan = assembly.flexible.at(name);
  const flexible::Beam beam = read_beam(reader, name, assembly.materials);
  const double time_constant = read_kelvin_voigt_only(reader, assembly.materials);
  const double part = plan.length / plan.pieces;
  for (int piece = 0; piece <= plan.pieces; ++piece) {
    const std::string piece_is = piece_name(name, piece);
    const double middle = std::min(plan.length, piece * part);  // of the piece's own material
    assembly.builder.add_body(piece_is, lumped_piece(reader, plan, beam.section(middle), piece));
    assembly.stand_in.add_body(piece_is, {1.0, Vec3::UnitX(), Mat3::Identity()});
    if (piece == 0) continue;
    const flexible::BeamSection s = beam.section(plan.piece_start(piece));
    if (!(s.bending_stiffness_y > 0.0 && s.bending_stiffness_z > 0.0 &&
          s.torsion_stiffness > 0.0)) {
      throw Error("GR-344", reader.where(), "a lumped beam needs EI (or EI_y and EI_z) and GJ");
    }
    add_joint({.name = piece_is,
               .type = model::JointType::kSpherical,
               .parent = piece_name(name, piece - 1),
               .parent_frame = "",
               .X_PF = {Mat3::Identity(),
                        {plan.piece_start(piece) - plan.piece_start(piece - 1), 0.0, 0.0}},
               .child = piece_is},
              assembly);
    const std::vector<double> stiffness = {s.torsion_stiffness / part, s.bending_stiffness_z / part,
                                           s.bending_stiffness_y / part};
    std::vector<double> damping = stiffness;
    for (double& d : damping) d *= time_constant;
    assembly.lumped_springs.push_back({piece_is, stiffness, damping});
  }
  for (const BeamFrame& frame : flexible::with_ends(plan.frames, plan.length)) {
    const int piece = plan.piece_at(frame.x);
    const Vec3 on_piece = (frame.x - plan.piece_start(piece)) * Vec3::UnitX();
    declare_frame(name, frame, {piece_name(name, piece), {frame.orientation, on_piece}, ""},
                  assembly);
  }
}

void add_rigid_beam(const Reader& body, Assembly& assembly) {
  const std::string name = body.text("name");
  const Reader reader = body.object("beam");
  const FlexiblePlan& plan = assembly.flexible.at(name);
  const flexible::Beam beam = read_beam(reader, name, assembly.materials);
  assembly.builder.add_body(
      name, flexible::rigid_beam(beam, read_theory(reader), read_end_body(reader, "tip_body"),
                                 read_end_body(reader, "hub")));
  assembly.stand_in.add_body(name, {1.0, Vec3::UnitX(), Mat3::Identity()});
  for (const BeamFrame& frame : flexible::with_ends(plan.frames, plan.length)) {
    declare_frame(name, frame, {name, {frame.orientation, frame.x * Vec3::UnitX()}, ""}, assembly);
  }
}

// Rotation across one element up to which a chain is right to about a tenth, rad; it converges with
// the square of the element's length.
constexpr double kElementRotation = 1.0;

flexible::FlexibleBody chain_element(const Reader& beam, const std::string& name,
                                     const FlexiblePlan& plan, int piece,
                                     std::vector<BeamFrame> frames, const Materials& materials) {
  const double part = plan.length / plan.pieces;
  flexible::FiniteElementBeam spec;
  spec.name = name;
  spec.beam = part_of(read_beam(beam, name, materials), piece * part, part);
  spec.elements = 1;
  spec.motions = read_motions(beam);
  spec.theory = read_theory(beam);
  spec.stiffening = read_stiffening(beam);
  spec.damping = flexible::KelvinVoigtDamping{read_kelvin_voigt_only(beam, materials)};
  if (piece + 1 == plan.pieces) spec.tip_body = read_end_body(beam, "tip_body");
  if (piece == 0 && beam.has("hub")) spec.lumped.push_back({0.0, read_end_body(beam, "hub")});
  spec.frames = std::move(frames);
  flexible::FlexibleBody element =
      at_place(beam.where(), [&] { return flexible::finite_element_body(spec); });
  element.rotation_limit = kElementRotation;
  // The element's root is its body frame; its far end is a node of the beam.
  std::erase_if(element.frames, [](const auto& frame) { return frame.name == "root"; });
  for (flexible::FrameShape& frame : element.frames) {
    if (frame.name == "tip") frame.name = node_name(piece + 1);
  }
  return element;
}

// One finite element per body, each carried by the last node of the one before (King 1988, 3.6: the
// recursion on element nodes). An element turns as a whole and bends little in its own axes, so
// that the chain converges to the geometrically exact beam, with shear if asked for.
void add_chained_beam(const Reader& body, Assembly& assembly) {
  const std::string name = body.text("name");
  const Reader reader = body.object("beam");
  const FlexiblePlan& plan = assembly.flexible.at(name);
  const std::vector<BeamFrame> frames = flexible::with_ends(plan.frames, plan.length);
  for (int piece = 0; piece < plan.pieces; ++piece) {
    std::vector<BeamFrame> own;
    for (const BeamFrame& frame : frames) {
      if (frame.x == 0.0 || frame.x == plan.length || plan.piece_at(frame.x) != piece) continue;
      const double part = plan.length / plan.pieces;
      const double x = std::clamp(frame.x - plan.piece_start(piece), 0.0, part);  // rounding
      own.push_back({frame.name, x, frame.orientation});
    }
    flexible::FlexibleBody element =
        chain_element(reader, name, plan, piece, std::move(own), assembly.materials);
    const std::string piece_is = piece_name(name, piece);
    assembly.builder.add_flexible_body(piece_is, std::move(element));
    assembly.stand_in.add_body(piece_is, {1.0, Vec3::UnitX(), Mat3::Identity()});
    if (piece > 0) {
      add_joint({.name = piece_is,
                 .type = model::JointType::kFixed,
                 .parent = piece_name(name, piece - 1),
                 .parent_frame = node_name(piece),
                 .child = piece_is},
                assembly);
    }
  }
  for (const BeamFrame& frame : frames) {
    PieceFrame on_piece{piece_name(name, plan.piece_at(frame.x)), {}, frame.name};
    if (frame.x == 0.0) on_piece = {name, {frame.orientation, Vec3::Zero()}, ""};
    if (frame.x == plan.length) {
      on_piece.X.R = frame.orientation;
      on_piece.elastic = node_name(plan.pieces);
    }
    declare_frame(name, frame, on_piece, assembly);
  }
}

}  // namespace grapple::scenario
