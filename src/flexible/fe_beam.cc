#include "grapple/flexible/fe_beam.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "grapple/base/error.h"
#include "grapple/flexible/internal/rigid_on_frame.h"
#include "grapple/flexible/reduction.h"

namespace grapple::flexible {

namespace {

using spatial::Mat3;
using spatial::MatX;
using spatial::Vec3;
using spatial::VecX;

// Nodes nearer than this part of the length are one node.
constexpr double kSamePlace = 1e-9;

std::string where_of(const FiniteElementBeam& spec) {
  return spec.name.empty() ? "beam" : fmt::format("beam '{}'", spec.name);
}

struct KeptPlaces {
  std::vector<std::string> frames;
  std::vector<int> nodes;
};

KeptPlaces kept_places(const FiniteElementReduction& reduction) {
  if (const auto* guyan_kept = std::get_if<GuyanReduction>(&reduction)) {
    return {guyan_kept->frames, guyan_kept->nodes};
  }
  if (const auto* kept = std::get_if<CraigBamptonReduction>(&reduction)) {
    return {kept->frames, kept->nodes};
  }
  return {};
}

double frame_position(const FiniteElementBeam& spec, const std::string& name) {
  for (const BeamFrame& frame : with_ends(spec.frames, spec.beam.length)) {
    if (frame.name == name) return frame.x;
  }
  throw Error("GR-333", where_of(spec),
              fmt::format("the reduction keeps frame '{}', which the beam does not have", name));
}

std::vector<double> requested_points(const FiniteElementBeam& spec) {
  const double length = spec.beam.length;
  if (spec.boundaries.empty()) {
    if (spec.elements < 1) {
      throw Error("GR-330", where_of(spec),
                  fmt::format("{} elements; at least 1 is needed", spec.elements));
    }
    std::vector<double> points;
    for (int i = 0; i <= spec.elements; ++i) {
      points.push_back(end_of_part(length, i, spec.elements));
    }
    return points;
  }
  const std::vector<double>& given = spec.boundaries;
  bool ascending = given.size() >= 2 && given.front() == 0.0 &&
                   std::abs(given.back() - length) <= kSamePlace * length;
  for (std::size_t i = 1; i < given.size(); ++i) ascending = ascending && given[i] > given[i - 1];
  if (!ascending) {
    throw Error(
        "GR-330", where_of(spec),
        fmt::format("the element boundaries must ascend from 0 to the length {} m", length));
  }
  std::vector<double> points = given;
  points.back() = length;
  return points;
}

void check_lumped(const FiniteElementBeam& spec) {
  for (const LumpedBody& lumped : spec.lumped) {
    if (!(lumped.x >= 0.0 && lumped.x <= spec.beam.length)) {
      throw Error("GR-332", where_of(spec),
                  fmt::format("a lumped body is at x = {} m, outside the beam (0 to {} m)",
                              lumped.x, spec.beam.length));
    }
    const std::string reason = lumped.body.unphysical();
    if (!reason.empty()) {
      throw Error("GR-332", where_of(spec),
                  fmt::format("lumped body at x = {} m: {}", lumped.x, reason));
    }
  }
  const std::string reason = spec.tip_body.unphysical();
  if (!reason.empty()) throw Error("GR-332", where_of(spec), "tip body: " + reason);
}

struct MotionNeeds {
  const char* name;
  double stiffness;
  double inertia;
};

MotionNeeds needs(FiniteElementMotion motion, const BeamSection& section) {
  switch (motion) {
    case FiniteElementMotion::kBendingY:
      return {"bending along y", section.bending_stiffness_y, section.mass_per_length};
    case FiniteElementMotion::kBendingZ:
      return {"bending along z", section.bending_stiffness_z, section.mass_per_length};
    case FiniteElementMotion::kTorsion:
      return {"torsion", section.torsion_stiffness, section.rotary_inertia_x};
    case FiniteElementMotion::kAxial:
      break;
  }
  return {"axial motion", section.axial_stiffness, section.mass_per_length};
}

void check_motions(const FiniteElementBeam& spec, const std::vector<double>& points) {
  if (spec.motions.empty()) {
    throw Error("GR-336", where_of(spec),
                "the beam moves in no way; name bending, torsion or axial");
  }
  for (std::size_t e = 1; e < points.size(); ++e) {
    const double x = 0.5 * (points[e - 1] + points[e]);
    for (const FiniteElementMotion motion : spec.motions) {
      const MotionNeeds need = needs(motion, spec.beam.section(x));
      if (need.stiffness > 0.0 && need.inertia > 0.0) continue;
      throw Error(
          "GR-336", where_of(spec),
          fmt::format(
              "{} has stiffness {} and inertia per length {} at x = {} m; both must "
              "be positive (bending needs EI, torsion GJ and rho_I, stretching EA), or leave this "
              "motion out of the mesh",
              need.name, need.stiffness, need.inertia, x));
    }
  }
}

std::vector<int> kept_coordinates(const FiniteElementBeam& spec, const BeamMesh& mesh) {
  const KeptPlaces boundary = kept_places(spec.reduction);
  std::set<int> nodes;
  for (const int node : boundary.nodes) {
    if (node < 0 || node > mesh.elements()) {
      throw Error("GR-333", where_of(spec),
                  fmt::format("the reduction keeps node {}; the mesh has nodes 0 to {}", node,
                              mesh.elements()));
    }
    nodes.insert(node);
  }
  for (const std::string& name : boundary.frames) {
    const double x = frame_position(spec, name);
    const auto nearest =
        std::min_element(mesh.points().begin(), mesh.points().end(),
                         [x](double a, double b) { return std::abs(a - x) < std::abs(b - x); });
    nodes.insert(static_cast<int>(nearest - mesh.points().begin()));
  }
  std::vector<int> kept;
  for (const int node : nodes) {
    const std::vector<int> free = mesh.coordinates_of_node(node);
    kept.insert(kept.end(), free.begin(), free.end());
  }
  if (kept.empty()) {
    throw Error("GR-333", where_of(spec),
                "the reduction keeps no node that can move; name a frame or node off the root");
  }
  return kept;
}

std::string motion_name(FiniteElementMotion motion) {
  switch (motion) {
    case FiniteElementMotion::kBendingY:
      return "bending_y";
    case FiniteElementMotion::kBendingZ:
      return "bending_z";
    case FiniteElementMotion::kTorsion:
      return "torsion";
    case FiniteElementMotion::kAxial:
      break;
  }
  return "axial";
}

// "bending_y_2": the motion that carries most of the kinetic energy, counted in order of frequency.
std::vector<std::string> names_of_modes(const BeamMesh& mesh, const MatX& M, const MatX& shapes) {
  std::map<FiniteElementMotion, int> count;
  std::vector<std::string> names;
  for (Eigen::Index k = 0; k < shapes.cols(); ++k) {
    std::map<FiniteElementMotion, double> energy;
    const VecX momentum = M * shapes.col(k);
    for (int i = 0; i < mesh.coordinates(); ++i) {
      energy[mesh.motion(i)] += shapes(i, k) * momentum[i];
    }
    const auto most =
        std::max_element(energy.begin(), energy.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    names.push_back(fmt::format("{}_{}", motion_name(most->first), ++count[most->first]));
  }
  return names;
}

struct Coordinates {
  MatX T;  // mesh coordinates = T eta
  std::vector<std::string> names;
  MatX K;  // T' K T
};

Coordinates natural_coordinates(const FiniteElementBeam& spec, const BeamMesh& mesh, const MatX& M,
                                const MatX& K, int modes) {
  const LowestModes all = lowest_modes(M, K, mesh.coordinates());
  const auto rigid = static_cast<int>((all.eigenvalues.array() == 0.0).count());
  if (modes < 1 || modes > mesh.coordinates() - rigid) {
    throw Error(
        "GR-331", where_of(spec),
        fmt::format("{} modes asked; this mesh has 1 to {}", modes, mesh.coordinates() - rigid));
  }
  const MatX T = all.shapes.middleCols(rigid, modes);
  // The eigenvalues keep digits that T' K T loses on fine meshes.
  return {T, names_of_modes(mesh, M, T), all.eigenvalues.segment(rigid, modes).asDiagonal()};
}

Coordinates craig_bampton_coordinates(const FiniteElementBeam& spec, const BeamMesh& mesh,
                                      const MatX& M, const MatX& K, int modes) {
  const std::vector<int> kept = kept_coordinates(spec, mesh);
  if (modes < 0 || modes > mesh.coordinates() - static_cast<int>(kept.size())) {
    throw Error("GR-331", where_of(spec),
                fmt::format("{} modes with the boundary held asked; this mesh has 0 to {}", modes,
                            mesh.coordinates() - static_cast<int>(kept.size())));
  }
  const MatX T = craig_bampton(M, K, kept, modes);
  Coordinates out{T, {}, congruent(K, T)};
  for (const int i : kept) out.names.push_back(mesh.names()[static_cast<std::size_t>(i)]);
  for (const std::string& name : names_of_modes(mesh, M, out.T.rightCols(modes))) {
    out.names.push_back("held_" + name);
  }
  return out;
}

Coordinates coordinates_of(const FiniteElementBeam& spec, const BeamMesh& mesh, const MatX& M,
                           const MatX& K) {
  if (const auto* modal = std::get_if<ModalReduction>(&spec.reduction)) {
    return natural_coordinates(spec, mesh, M, K, modal->modes);
  }
  if (spec.root != FiniteElementRoot::kClamped) {
    throw Error("GR-335", where_of(spec),
                "with a pinned or free root the nodes could move as a rigid body, which the body "
                "frame does already; clamp the root or ask for natural modes");
  }
  if (std::holds_alternative<WholeMesh>(spec.reduction)) {
    return {MatX::Identity(mesh.coordinates(), mesh.coordinates()), mesh.names(), K};
  }
  const auto* bampton = std::get_if<CraigBamptonReduction>(&spec.reduction);
  return craig_bampton_coordinates(spec, mesh, M, K, bampton ? bampton->modes : 0);
}

FrameShape shape_of(const BeamFrame& frame, const BeamMesh& mesh, const MatX& T,
                    const SecondOrderShapes* second) {
  const ElementField field = mesh.field(frame.x);
  const MatX local = T(field.coordinates, Eigen::all);
  FrameShape shape{frame.name,        Vec3(frame.x, 0.0, 0.0), frame.orientation,
                   field.phi * local, field.psi * local,       {}};
  if (second) {
    const SecondOrder at = second->at(frame.x);
    shape.H = without_empty(at.position);
    shape.G = without_empty(at.rotation);
  }
  return shape;
}

std::vector<LumpedBody> bodies_of(const FiniteElementBeam& spec) {
  std::vector<LumpedBody> bodies = spec.lumped;
  bodies.push_back({spec.beam.length, spec.tip_body});
  std::erase_if(bodies, [](const LumpedBody& lumped) { return lumped.body.mass == 0.0; });
  return bodies;
}

MatX mass_matrix_with_bodies(const FiniteElementBeam& spec, const BeamMesh& mesh,
                             std::vector<BeamPiece> pieces) {
  for (const LumpedBody& lumped : bodies_of(spec)) {
    pieces.push_back({lumped.x, mesh.field(lumped.x), lumped.body});
  }
  return mass_matrix(mesh, pieces);
}

std::vector<Station> stations_of(const FiniteElementBeam& spec, const BeamMesh& mesh,
                                 const std::vector<BeamPiece>& beam_slices, const MatX& T,
                                 const SecondOrderShapes* second) {
  std::vector<Station> stations;
  for (const BeamPiece& slice : beam_slices) {
    const MatX local = T(slice.field.coordinates, Eigen::all);
    Station s;
    s.mass = slice.body.mass;
    s.position = Vec3(slice.x, 0.0, 0.0);
    s.inertia = slice.body.inertia_com_B;
    s.phi = slice.field.phi * local;
    s.psi = slice.field.psi * local;
    if (second) s.H = without_empty(second->at(slice.x).position);
    stations.push_back(std::move(s));
  }
  for (const LumpedBody& lumped : bodies_of(spec)) {
    const FrameShape section = shape_of({"", lumped.x, Mat3::Identity()}, mesh, T, second);
    add_rigid_body(section, lumped.body, second ? Order::kSecond : Order::kFirst, stations);
  }
  return stations;
}

}  // namespace

std::vector<double> mesh_points(const FiniteElementBeam& spec) {
  std::vector<double> points = requested_points(spec);
  std::vector<double> wanted = spec.beam.breaks;
  for (const LumpedBody& lumped : spec.lumped) wanted.push_back(lumped.x);
  for (const std::string& name : kept_places(spec.reduction).frames) {
    wanted.push_back(frame_position(spec, name));
  }
  for (const double x : wanted) {
    const bool there = std::any_of(points.begin(), points.end(), [&](double point) {
      return std::abs(point - x) <= kSamePlace * spec.beam.length;
    });
    if (!there) points.insert(std::upper_bound(points.begin(), points.end(), x), x);
  }
  return points;
}

FlexibleBody finite_element_body(const FiniteElementBeam& spec) {
  check_beam(spec.beam, where_of(spec));
  check_frames(spec.frames, spec.beam.length, where_of(spec));
  check_lumped(spec);
  const std::vector<double> points = mesh_points(spec);
  check_motions(spec, points);
  std::vector<ShearParameters> shear;
  if (spec.theory == Theory::kTimoshenko) shear = shear_parameters(points, spec.beam);
  const BeamMesh mesh(points, spec.motions, spec.root, shear);
  const std::vector<BeamPiece> beam_slices = slices(mesh, spec.beam, spec.theory);
  const MatX K = stiffness_matrix(mesh, spec.beam);
  const Coordinates coordinates =
      coordinates_of(spec, mesh, mass_matrix_with_bodies(spec, mesh, beam_slices), K);
  const auto modes = static_cast<int>(coordinates.T.cols());
  if (modes > kMostCoordinates) {
    throw Error("GR-334", where_of(spec),
                fmt::format("{} coordinates; a body may have {}. Use fewer elements or a reduction "
                            "(natural modes, Guyan, Craig-Bampton)",
                            modes, kMostCoordinates));
  }

  const bool stiffens = spec.stiffening == Stiffening::kOn;
  const SecondOrderShapes table(mesh, spec.beam, coordinates.T);
  const SecondOrderShapes* second = stiffens ? &table : nullptr;
  std::vector<Station> stations = stations_of(spec, mesh, beam_slices, coordinates.T, second);
  FlexibleBody body = integrate_stations(std::move(stations), modes);
  body.inertia = spec.inertia;
  body.rotation_limit = kModerateRotation;
  body.stiffness = coordinates.K;
  for (const BeamFrame& frame : with_ends(spec.frames, spec.beam.length)) {
    body.frames.push_back(shape_of(frame, mesh, coordinates.T, second));
  }
  body.mode_names = coordinates.names;
  apply_damping(body, spec.damping, where_of(spec));
  return body;
}

}  // namespace grapple::flexible
