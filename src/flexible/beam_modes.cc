#include "grapple/flexible/beam_modes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "grapple/base/error.h"
#include "grapple/flexible/internal/rigid_on_frame.h"
#include "grapple/flexible/quadrature.h"
#include "grapple/flexible/second_order.h"

namespace grapple::flexible {

namespace {

using spatial::Mat3;
using spatial::MatX;
using spatial::Vec3;
using spatial::VecX;

enum class Motion { kBendingY, kBendingZ, kTorsion, kAxial };

struct Direction {
  Motion motion;
  const char* name;
  int modes;
  const std::vector<std::vector<double>>* polynomials;
};

std::array<Direction, 4> directions(const ModalBeamSpec& spec) {
  const Polynomials& p = spec.polynomials;
  std::array<Direction, 4> all{{{Motion::kBendingY, "bending_y", spec.bending_y, &p.bending_y},
                                {Motion::kBendingZ, "bending_z", spec.bending_z, &p.bending_z},
                                {Motion::kTorsion, "torsion", spec.torsion, &p.torsion},
                                {Motion::kAxial, "axial", spec.axial, &p.axial}}};
  for (Direction& d : all) {
    if (!d.polynomials->empty()) d.modes = static_cast<int>(d.polynomials->size());
  }
  return all;
}

LineSection line_section(const BeamSection& s, Motion motion, Theory theory) {
  const double rotary = theory == Theory::kEulerBernoulli ? 0.0 : 1.0;
  const double shear = theory == Theory::kTimoshenko ? 1.0 : 0.0;
  switch (motion) {
    case Motion::kBendingY:
      return {s.mass_per_length, rotary * s.rotary_inertia_z, s.bending_stiffness_y,
              shear * s.shear_stiffness_y};
    case Motion::kBendingZ:
      return {s.mass_per_length, rotary * s.rotary_inertia_y, s.bending_stiffness_z,
              shear * s.shear_stiffness_z};
    case Motion::kTorsion:
      return {s.rotary_inertia_x, 0.0, s.torsion_stiffness, 0.0};
    case Motion::kAxial:
      break;
  }
  return {s.mass_per_length, 0.0, s.axial_stiffness, 0.0};
}

EndInertia end_inertia(const TipBody& tip, Motion motion) {
  const Mat3 J = tip.inertia_origin_B();
  const double moment = tip.mass * tip.com_B.x();
  switch (motion) {
    case Motion::kBendingY:
      return {tip.mass, moment, J(2, 2)};
    case Motion::kBendingZ:
      return {tip.mass, moment, J(1, 1)};
    case Motion::kTorsion:
      return {J(0, 0), 0.0, 0.0};
    case Motion::kAxial:
      break;
  }
  return {tip.mass, 0.0, 0.0};
}

std::string where_of(const ModalBeamSpec& spec) {
  return spec.name.empty() ? "beam" : fmt::format("beam '{}'", spec.name);
}

Line line_of(const ModalBeamSpec& spec, const Direction& d) {
  Line line;
  const bool bending = d.motion == Motion::kBendingY || d.motion == Motion::kBendingZ;
  line.kind = bending ? LineKind::kBending : LineKind::kRod;
  line.length = spec.beam.length;
  line.section = [section = spec.beam.section, motion = d.motion, theory = spec.theory](double x) {
    return line_section(section(x), motion, theory);
  };
  line.uniformity = spec.beam.uniformity;
  line.breaks = spec.beam.breaks;
  line.boundary = spec.boundary;
  if (spec.boundary == Boundary::kClampedWithTipBody) {
    line.end = end_inertia(spec.tip_body, d.motion);
  }
  line.where = fmt::format("{}, {}", where_of(spec), d.name);
  return line;
}

void check_line(const Line& line) {
  // Between the looks of check_beam a section would have to turn negative and back.
  const int looks = line.uniformity == Uniformity::kUniform ? 1 : 65;
  for (int i = 0; i < looks; ++i) {
    const double x = looks == 1 ? 0.0 : line.length * i / (looks - 1);
    const LineSection s = line.section(x);
    // A sharp tip is allowed: stiffness and inertia may vanish at the very end.
    const bool end = looks > 1 && i == looks - 1;
    if (!end && !(s.stiffness > 0.0 && s.mass > 0.0)) {
      throw Error("GR-321", line.where,
                  fmt::format("at x = {} m the stiffness is {} and the inertia per length {} (SI); "
                              "both must be positive to have modes of this kind (bending needs "
                              "EI, torsion GJ and rho_I, stretching EA)",
                              x, s.stiffness, s.mass));
    }
  }
}

bool exact(const Line& line) {
  const LineSection s = line.section(0.0);
  return line.uniformity == Uniformity::kUniform && s.rotary == 0.0 && s.shear <= 0.0;
}

void check_count(const Line& line, int modes) {
  const int most = exact(line) ? kMostExactModes : kMostRitzModes;
  if (modes > most) {
    throw Error("GR-323", line.where,
                fmt::format("{} modes are more than double precision resolves; at most {} are "
                            "allowed for this beam",
                            modes, most));
  }
}

ShapeFamily shapes_of(const ModalBeamSpec& spec, const Direction& d) {
  const Line line = line_of(spec, d);
  check_line(line);
  check_count(line, d.modes);
  if (!d.polynomials->empty()) {
    const ShapeFamily given = polynomial_shapes(line, *d.polynomials);
    const ShapeFamily natural = natural_shapes(line, given, given.count);
    return spec.polynomials.use == PolynomialUse::kAsGiven ? given : natural;
  }
  if (!exact(line)) return legendre_shapes(line, d.modes);
  return line.kind == LineKind::kBending ? exact_bending_shapes(line, d.modes)
                                         : exact_rod_shapes(line, d.modes);
}

/// The shapes of one direction and where their coordinates stand.
struct Block {
  Motion motion;
  ShapeFamily shapes;
  int first = 0;
};

/// Everything the modes do at one section of the beam.
struct SectionShapes {
  Mat3X phi, psi;
  std::vector<ShapeValues> values;  ///< per block
};

SectionShapes section_shapes(const std::vector<Block>& blocks, int modes, double x) {
  SectionShapes s{Mat3X::Zero(3, modes), Mat3X::Zero(3, modes), {}};
  for (const Block& block : blocks) {
    const ShapeValues v = block.shapes.at(x);
    const int at = block.first, n = block.shapes.count;
    switch (block.motion) {
      case Motion::kBendingY:
        s.phi.row(1).segment(at, n) = v.value.transpose();
        s.psi.row(2).segment(at, n) = v.rotation.transpose();
        break;
      case Motion::kBendingZ:
        s.phi.row(2).segment(at, n) = v.value.transpose();
        s.psi.row(1).segment(at, n) = -v.rotation.transpose();
        break;
      case Motion::kTorsion:
        s.psi.row(0).segment(at, n) = v.value.transpose();
        break;
      case Motion::kAxial:
        s.phi.row(0).segment(at, n) = v.value.transpose();
        break;
    }
    s.values.push_back(v);
  }
  return s;
}

SectionField section_field(const Beam& beam, const std::vector<Block>& blocks, int modes,
                           double x) {
  const SectionShapes shapes = section_shapes(blocks, modes, x);
  SectionField field;
  field.psi = shapes.psi;
  field.kappa.setZero(3, modes);
  field.set_couplings(beam.section(x));
  field.slope.setZero(2, modes);
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const ShapeValues& v = shapes.values[b];
    const int at = blocks[b].first, n = blocks[b].shapes.count;
    switch (blocks[b].motion) {
      case Motion::kBendingY:
        field.kappa.row(2).segment(at, n) = v.curvature.transpose();
        field.slope.row(0).segment(at, n) = v.slope.transpose();
        break;
      case Motion::kBendingZ:
        field.kappa.row(1).segment(at, n) = -v.curvature.transpose();
        field.slope.row(1).segment(at, n) = v.slope.transpose();
        break;
      case Motion::kTorsion:
        field.kappa.row(0).segment(at, n) = v.slope.transpose();
        break;
      case Motion::kAxial:
        break;
    }
  }
  return field;
}

/// Second-order shapes at ascending places, by Gauss quadrature from each to the next.
class SecondOrderAlong {
 public:
  SecondOrderAlong(const Beam& beam, const std::vector<Block>& blocks, int modes)
      : at_([&beam, &blocks, modes](double x) { return section_field(beam, blocks, modes, x); }),
        shapes_(at_(0.0)) {}

  const SecondOrder& advance_to(double x) {
    if (x > x_) shapes_.advance(x_, x, rule_, at_);
    x_ = x;
    return shapes_;
  }

 private:
  // Steps are at most a fifth of a half wave, where eight points reach round-off.
  std::vector<QuadraturePoint> rule_ = gauss_legendre(8);
  SectionFields at_;
  SecondOrder shapes_;
  double x_ = 0.0;
};

/// The beam's places in ascending order: quadrature points (weight > 0) and frames.
struct Place {
  double x = 0.0;
  double weight = 0.0;
  const BeamFrame* frame = nullptr;
};

std::vector<Place> places(const ModalBeamSpec& spec, const std::vector<BeamFrame>& frames,
                          const std::vector<Block>& blocks) {
  int most = 0;
  for (const Block& block : blocks) most = std::max(most, block.shapes.count);
  // A panel holds at most half a wave of the highest mode; a varying section asks for more.
  const int panels = most + (spec.beam.uniformity == Uniformity::kUniform ? 3 : 8);
  std::vector<Place> all;
  for (const QuadraturePoint& q : panel_rule(spec.beam.length, spec.beam.breaks, panels, 12)) {
    all.push_back({q.x, q.weight, nullptr});
  }
  for (const BeamFrame& frame : frames) all.push_back({frame.x, 0.0, &frame});
  std::stable_sort(all.begin(), all.end(),
                   [](const Place& a, const Place& b) { return a.x < b.x; });
  return all;
}

Station beam_station(const ModalBeamSpec& spec, const Place& place, const SectionShapes& shapes) {
  const BeamSection section = spec.beam.section(place.x);
  Station station;
  station.mass = place.weight * section.mass_per_length;
  station.position = Vec3(place.x, 0.0, 0.0);
  station.phi = shapes.phi;
  station.psi = shapes.psi;
  Vec3 rotary(section.rotary_inertia_x, 0.0, 0.0);
  if (spec.theory != Theory::kEulerBernoulli) {
    rotary.tail<2>() << section.rotary_inertia_y, section.rotary_inertia_z;
  }
  station.inertia = (place.weight * rotary).asDiagonal();
  return station;
}

void add_stiffness(const ModalBeamSpec& spec, const Place& place, const std::vector<Block>& blocks,
                   const SectionShapes& shapes, MatX& K) {
  const BeamSection section = spec.beam.section(place.x);
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const int at = blocks[b].first, n = blocks[b].shapes.count;
    const LineSection s = line_section(section, blocks[b].motion, spec.theory);
    const ShapeValues& v = shapes.values[b];
    const VecX& strain = v.curvature.size() > 0 ? v.curvature : v.slope;
    K.block(at, at, n, n) += place.weight * s.stiffness * strain * strain.transpose();
    if (s.shear > 0.0) {
      const VecX shear = v.slope - v.rotation;
      K.block(at, at, n, n) += place.weight * s.shear * shear * shear.transpose();
    }
  }
}

// A held end is held exactly, not to round-off.
void hold(const ModalBeamSpec& spec, FrameShape& f) {
  const double x = f.position.x();
  const bool root = x == 0.0 && spec.boundary != Boundary::kFreeFree;
  const bool end = x == spec.beam.length && spec.boundary == Boundary::kClampedClamped;
  if (root || end) f.phi.setZero();
  if ((root && spec.boundary != Boundary::kPinnedFree) || end) f.psi.setZero();
}

FrameShape frame_shape(const ModalBeamSpec& spec, const BeamFrame& frame,
                       const SectionShapes& shapes) {
  FrameShape f;
  f.name = frame.name;
  f.position = Vec3(frame.x, 0.0, 0.0);
  f.orientation = frame.orientation;
  f.phi = shapes.phi;
  f.psi = shapes.psi;
  hold(spec, f);
  return f;
}

void check_spec(const ModalBeamSpec& spec) {
  const std::string where = where_of(spec);
  check_beam(spec.beam, where);
  check_frames(spec.frames, spec.beam.length, where);
  int total = 0;
  for (const Direction& d : directions(spec)) {
    if (d.modes < 0) {
      throw Error("GR-322", where, fmt::format("the number of {} modes is {}", d.name, d.modes));
    }
    total += d.modes;
    if (!d.polynomials->empty() && spec.theory == Theory::kTimoshenko) {
      throw Error("GR-329", where,
                  "polynomials describe displacement only; Timoshenko theory needs the rotation of "
                  "the sections too (use euler_bernoulli or rayleigh)");
    }
  }
  if (total == 0) {
    throw Error("GR-322", where, "a flexible beam needs at least one mode; found none");
  }
  for (const auto& [body, name] :
       {std::pair(&spec.tip_body, "tip"), std::pair(&spec.root_body, "root")}) {
    const std::string reason = body->unphysical();
    if (!reason.empty()) throw Error("GR-327", where, fmt::format("{} body: {}", name, reason));
  }
}

std::vector<BeamFrame> all_frames(const ModalBeamSpec& spec) {
  std::vector<BeamFrame> frames = spec.frames;
  const auto missing = [&frames](const char* name) {
    return std::none_of(frames.begin(), frames.end(),
                        [name](const BeamFrame& f) { return f.name == name; });
  };
  if (missing("root")) frames.push_back({"root", 0.0, Mat3::Identity()});
  if (missing("tip")) frames.push_back({"tip", spec.beam.length, Mat3::Identity()});
  return frames;
}

}  // namespace

FlexibleBody make_modal_beam(const ModalBeamSpec& spec) {
  check_spec(spec);
  std::vector<Block> blocks;
  std::vector<std::string> names;
  int modes = 0;
  for (const Direction& d : directions(spec)) {
    if (d.modes == 0) continue;
    blocks.push_back({d.motion, shapes_of(spec, d), modes});
    for (int k = 1; k <= d.modes; ++k) names.push_back(fmt::format("{}_{}", d.name, k));
    modes += d.modes;
  }
  // The two ends for the rigid bodies come last, whatever frames the user has.
  std::vector<BeamFrame> frames = all_frames(spec);
  const std::size_t named = frames.size();
  frames.push_back({"", 0.0, Mat3::Identity()});
  frames.push_back({"", spec.beam.length, Mat3::Identity()});

  std::vector<Station> stations;
  std::vector<FrameShape> shapes_at_frames(frames.size());
  MatX K = MatX::Zero(modes, modes);
  SecondOrderAlong second_order(spec.beam, blocks, modes);
  for (const Place& place : places(spec, frames, blocks)) {
    const SectionShapes shapes = section_shapes(blocks, modes, place.x);
    Quadratic3 H, G;
    if (spec.stiffening == Stiffening::kOn) {
      const SecondOrder& second = second_order.advance_to(place.x);
      H = without_empty(second.position);
      G = without_empty(second.rotation);
    }
    if (place.frame != nullptr) {
      FrameShape f = frame_shape(spec, *place.frame, shapes);
      f.H = H;
      f.G = G;
      shapes_at_frames[static_cast<std::size_t>(place.frame - frames.data())] = f;
      continue;
    }
    stations.push_back(beam_station(spec, place, shapes));
    stations.back().H = H;
    add_stiffness(spec, place, blocks, shapes, K);
  }
  const Order order = spec.stiffening == Stiffening::kOn ? Order::kSecond : Order::kFirst;
  add_rigid_body(shapes_at_frames[named], spec.root_body, order, stations);
  add_rigid_body(shapes_at_frames[named + 1], spec.tip_body, order, stations);
  shapes_at_frames.resize(named);

  FlexibleBody body = integrate_stations(std::move(stations), modes);
  body.inertia = spec.inertia;
  body.rotation_limit = kModerateRotation;
  body.stiffness = 0.5 * (K + K.transpose());
  body.frames = std::move(shapes_at_frames);
  body.mode_names = std::move(names);
  apply_damping(body, spec.damping, where_of(spec));
  return body;
}

}  // namespace grapple::flexible
