#include "grapple/flexible/deployed_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "grapple/base/assert.h"
#include "grapple/base/error.h"
#include "grapple/flexible/beam_shapes.h"
#include "grapple/flexible/internal/orthonormal_basis.h"
#include "grapple/flexible/mass_field.h"
#include "grapple/flexible/quadrature.h"
#include "grapple/flexible/reduction.h"

namespace grapple::flexible {

namespace {

using spatial::MatX;
using spatial::Vec3;
using spatial::VecX;

// Points of a panel, which holds at most half a wave of the highest mode.
constexpr int kPanelPoints = 12;

std::string where_of(const DeployableBeamSpec& spec) { return fmt::format("beam '{}'", spec.name); }

void check_lengths(const DeployableBeamSpec& spec) {
  const bool slides = spec.stowage != Stowage::kTelescope;
  if (slides && !(spec.longest <= spec.full_length)) {
    throw Error("GR-370", where_of(spec),
                fmt::format("it cannot deploy to {:g} m: the whole beam is {:g} m long",
                            spec.longest, spec.full_length));
  }
  if (!(spec.shortest > 0.0 && spec.shortest <= spec.start && spec.start <= spec.longest &&
        std::isfinite(spec.longest))) {
    throw Error("GR-370", where_of(spec),
                fmt::format("'from' is {:g} m; it must lie between 'shortest', {:g} m, and the "
                            "'length' of the beam, {:g} m",
                            spec.start, spec.shortest, spec.longest));
  }
}

void check(const DeployableBeamSpec& spec) {
  check_lengths(spec);
  const bool massive = spec.mass > 0.0 && std::isfinite(spec.mass) && spec.rotary_x >= 0.0;
  const bool stiff = (spec.bending_y == 0 || spec.bending_stiffness_y > 0.0) &&
                     (spec.bending_z == 0 || spec.bending_stiffness_z > 0.0);
  if (!massive || !stiff || !(spec.tip_mass_ratio >= 0.0)) {
    throw Error(
        "GR-371", where_of(spec),
        fmt::format("mass {:g} kg, EI_y {:g} and EI_z {:g} N m^2: a beam that deploys needs a "
                    "positive mass, and stiffness in the planes it bends in",
                    spec.mass, spec.bending_stiffness_y, spec.bending_stiffness_z));
  }
  if (spec.bending == DeployableBeamSpec::Bending::kNone) {
    GRAPPLE_ASSERT(spec.bending_y == 0 && spec.bending_z == 0);
    return;
  }
  if (spec.bending_y < 0 || spec.bending_z < 0 || spec.bending_y + spec.bending_z == 0 ||
      std::max(spec.bending_y, spec.bending_z) > 20) {
    throw Error("GR-322", where_of(spec),
                fmt::format("a beam that deploys has 1 to 20 modes in a plane; found {} and {}",
                            spec.bending_y, spec.bending_z));
  }
}

// Shapes of the fraction xi: those of a clamped beam of unit length and mass.
struct Shapes {
  std::vector<ShapeFamily> families;
  std::vector<int> component;

  explicit Shapes(const DeployableBeamSpec& spec) {
    const auto add = [&](int count, int along, const char* name) {
      if (count == 0) return;
      Line line;
      line.length = 1.0;
      line.section = [](double) { return LineSection{1.0, 0.0, 1.0, 0.0}; };
      line.boundary =
          spec.tip_mass_ratio > 0.0 ? Boundary::kClampedWithTipBody : Boundary::kClampedFree;
      line.end.mass = spec.tip_mass_ratio;
      line.where = fmt::format("{}, {}", where_of(spec), name);
      families.push_back(exact_bending_shapes(line, count));
      component.insert(component.end(), static_cast<std::size_t>(count), along);
    };
    add(spec.bending_y, 1, "bending_y");
    add(spec.bending_z, 2, "bending_z");
  }

  int count() const { return static_cast<int>(component.size()); }

  // Value, first and second derivative by xi of every shape; zero at the root, exactly.
  struct Values {
    VecX value, slope, bend;
  };
  Values at(double xi) const {
    Values all{VecX::Zero(count()), VecX::Zero(count()), VecX::Zero(count())};
    int first = 0;
    for (const ShapeFamily& family : families) {
      const ShapeValues v = family.at(xi);
      all.bend.segment(first, family.count) = v.curvature;
      if (xi > 0.0) {
        all.value.segment(first, family.count) = v.value;
        all.slope.segment(first, family.count) = v.slope;
      }
      first += family.count;
    }
    return all;
  }

  MatX same_plane(const VecX& a, const VecX& b) const {
    MatX product = a * b.transpose();
    for (int k = 0; k < count(); ++k) {
      for (int l = 0; l < count(); ++l) {
        if (component[static_cast<std::size_t>(k)] != component[static_cast<std::size_t>(l)]) {
          product(k, l) = 0.0;
        }
      }
    }
    return product;
  }
};

// Integrals from the root that second-order shapes are made of, at ascending fractions.
class Along {
 public:
  explicit Along(const Shapes& shapes)
      : shapes_(shapes), h(MatX::Zero(shapes.count(), shapes.count())), g(h) {}

  void advance_to(double xi) {
    const double half = 0.5 * (xi - xi_), centre = 0.5 * (xi + xi_);
    for (const QuadraturePoint& q : rule_) {
      const Shapes::Values v = shapes_.at(centre + half * q.x);
      h += half * q.weight * shapes_.same_plane(v.slope, v.slope);
      // 1/2 int theta_y kappa_z - theta_z kappa_y with theta_y = -phi_z', kappa_y = -phi_z''.
      VecX slope_y = v.slope, slope_z = v.slope, bend_y = v.bend, bend_z = v.bend;
      for (int k = 0; k < shapes_.count(); ++k) {
        const bool along_y = shapes_.component[static_cast<std::size_t>(k)] == 1;
        (along_y ? slope_z : slope_y)[k] = 0.0;
        (along_y ? bend_z : bend_y)[k] = 0.0;
      }
      const MatX turn = slope_y * bend_z.transpose() - slope_z * bend_y.transpose();
      g += 0.5 * half * q.weight * (turn + turn.transpose());
    }
    xi_ = xi;
  }

 private:
  const Shapes& shapes_;
  std::vector<QuadraturePoint> rule_ = gauss_legendre(16);
  double xi_ = 0.0;

 public:
  MatX h, g;
};

// The beam at the points of a quadrature over the fraction xi.
struct Samples {
  VecX xi, weight, chi;     // the weights sum to 1
  MatX value, slope, bend;  // points x shapes
  std::vector<MatX> h;      // per point
  MatX stiffness;           // integral of phi'' phi'', one plane

  Samples(const DeployableBeamSpec& spec, const Shapes& shapes) {
    const int panels = std::max({spec.bending_y, spec.bending_z, 1});
    const std::vector<QuadraturePoint> rule = panel_rule(1.0, {}, panels, kPanelPoints);
    const auto n = static_cast<Eigen::Index>(rule.size());
    xi = weight = chi = VecX::Zero(n);
    value = slope = bend = MatX::Zero(n, shapes.count());
    stiffness = MatX::Zero(shapes.count(), shapes.count());
    Along along(shapes);
    for (Eigen::Index p = 0; p < n; ++p) {
      const QuadraturePoint& point = rule[static_cast<std::size_t>(p)];
      const Shapes::Values v = shapes.at(point.x);
      along.advance_to(point.x);
      xi[p] = point.x;
      weight[p] = point.weight;
      chi[p] = spec.stowage == Stowage::kTelescope ? 0.0 : 1.0 - point.x;
      value.row(p) = v.value.transpose();
      slope.row(p) = v.slope.transpose();
      bend.row(p) = v.bend.transpose();
      h.push_back(along.h);
      stiffness += point.weight * shapes.same_plane(v.bend, v.bend);
    }
  }
};

// What a vector may leave out of its function, as a part of it.
constexpr double kFunctionRounding = 1e-14;

// Functions given at the points of a quadrature, and the vectors that will stand for them.
class Functions {
 public:
  explicit Functions(const Samples& at) : at_(at) {}

  void add(const VecX& function, std::vector<double>& vector) {
    all_.emplace_back(at_.weight.cwiseSqrt().cwiseProduct(function), &vector);
  }

  // Fills the vectors; those of several functions one behind the other. How many entries each has.
  int make_vectors() const {
    OrthonormalBasis basis(at_.xi.size(), kFunctionRounding);
    for (const auto& [f, vector] : all_) basis.hold(f, VecX::Constant(1, f.norm()));
    for (const auto& [f, vector] : all_) {
      const VecX entries = basis.vectors().transpose() * f;
      vector->insert(vector->end(), entries.begin(), entries.end());
    }
    return static_cast<int>(basis.vectors().cols());
  }

 private:
  const Samples& at_;
  std::vector<std::pair<VecX, std::vector<double>*>> all_;
};

// Pairs of shapes in one plane.
void add_pairs(const Shapes& shapes, DeployedLine& line) {
  const auto plane = [&](int k) { return shapes.component[static_cast<std::size_t>(k)]; };
  for (int k = 0; k < shapes.count(); ++k) {
    for (int l = k; l < shapes.count(); ++l) {
      if (plane(k) == plane(l)) line.pairs.push_back({k, l, {}, {}, {}});
    }
  }
}

void add_shortening(const Samples& at, DeployedLine::Pair& pair, Functions& functions) {
  const auto k = pair.k, l = pair.l;
  VecX h(at.xi.size());
  for (Eigen::Index p = 0; p < h.size(); ++p) h[p] = at.h[static_cast<std::size_t>(p)](k, l);
  const VecX slopes = at.slope.col(k).cwiseProduct(at.slope.col(l));
  const VecX bends =
      at.bend.col(k).cwiseProduct(at.slope.col(l)) + at.slope.col(k).cwiseProduct(at.bend.col(l));
  const VecX chi_slopes = at.chi.cwiseProduct(slopes);
  functions.add(h, pair.h);
  functions.add(h - chi_slopes, pair.h_1);
  functions.add(-2.0 * h + 4.0 * chi_slopes - at.chi.cwiseAbs2().cwiseProduct(bends), pair.h_2);
}

void add_functions(const DeployableBeamSpec& spec, const Shapes& shapes, const Samples& at,
                   DeployedLine& line) {
  Functions functions(at);
  functions.add(VecX::Ones(at.xi.size()), line.one);
  functions.add(at.xi, line.place);
  functions.add(at.xi + at.chi, line.moved);
  for (int k = 0; k < shapes.count(); ++k) {
    const VecX chi_slope = at.chi.cwiseProduct(at.slope.col(k));
    functions.add(at.value.col(k), line.phi);
    functions.add(chi_slope, line.phi_1);
    functions.add(at.chi.cwiseAbs2().cwiseProduct(at.bend.col(k)) - 2.0 * chi_slope, line.phi_2);
  }
  if (spec.shortening == DeployableBeamSpec::Shortening::kOn) add_pairs(shapes, line);
  for (DeployedLine::Pair& pair : line.pairs) add_shortening(at, pair, functions);
  line.entries = functions.make_vectors();
  const int stowed = spec.stowage == Stowage::kTelescope ? 0
                     : spec.stowage == Stowage::kSleeve  ? 2
                                                         : 1;
  line.points = (line.entries + stowed + kFieldPadding - 1) / kFieldPadding * kFieldPadding;
}

MatX stiffness_of(const DeployableBeamSpec& spec, const Shapes& shapes, const Samples& at) {
  MatX K = at.stiffness;
  for (int k = 0; k < shapes.count(); ++k) {
    const bool along_y = shapes.component[static_cast<std::size_t>(k)] == 1;
    K.row(k) *= along_y ? spec.bending_stiffness_y : spec.bending_stiffness_z;
  }
  return K;
}

DeployedLine::Frame frame_at(const DeployableBeamSpec& spec, const Shapes& shapes, double xi) {
  const Shapes::Values v = shapes.at(xi);
  Along along(shapes);
  // Steps as short as the panels of the beam.
  const int steps = 2 * (std::max(spec.bending_y, spec.bending_z) + 1);
  for (int s = 1; s <= steps; ++s) along.advance_to(xi * s / steps);
  DeployedLine::Frame frame{
      xi, {v.value.begin(), v.value.end()}, {v.slope.begin(), v.slope.end()}, along.h, along.g};
  if (spec.shortening == DeployableBeamSpec::Shortening::kOff) {
    frame.h.setZero();
    frame.g.setZero();
  }
  return frame;
}

// 1/2 q' Q q of the elastic coordinates within all of them.
MatX widened(const MatX& elastic) {
  MatX Q = MatX::Zero(elastic.rows() + 1, elastic.cols() + 1);
  Q.bottomRightCorner(elastic.rows(), elastic.cols()) = elastic;
  return Q;
}

FrameShape shape_of(const DeployedLine& line, const DeployedLine::Frame& frame,
                    const DeployableBeamSpec::FrameAt& given) {
  const int m = line.elastic;
  FrameShape f;
  f.name = given.name;
  f.position = line.start * frame.xi * Vec3::UnitX();
  f.orientation = given.orientation;
  f.phi = Mat3X::Zero(3, m + 1);
  f.psi = f.phi;
  f.phi(0, 0) = frame.xi;
  for (int k = 0; k < m; ++k) {
    const auto at = static_cast<std::size_t>(k);
    f.phi(line.component[at], k + 1) = frame.value[at];
    const bool along_y = line.component[at] == 1;
    f.psi(along_y ? 2 : 1, k + 1) = (along_y ? 1.0 : -1.0) * frame.slope[at] / line.start;
  }
  if (!frame.h.isZero(0.0)) f.H[0] = -widened(frame.h) / line.start;
  if (!frame.g.isZero(0.0)) f.G[0] = widened(frame.g) / (line.start * line.start);
  return f;
}

// The beam at its starting length as pieces of mass.
std::vector<Station> stations_at_start(const DeployedLine& line, const Samples& at) {
  const int m = line.elastic;
  const bool telescope = line.stowage == Stowage::kTelescope;
  const double deployed = telescope ? line.mass : line.mass_per_length() * line.start;
  std::vector<Station> all;
  for (Eigen::Index p = 0; p < at.xi.size(); ++p) {
    Station s;
    s.mass = deployed * at.weight[p];
    s.position = line.start * at.xi[p] * Vec3::UnitX();
    s.phi = Mat3X::Zero(3, m + 1);
    s.phi(0, 0) = at.xi[p] + at.chi[p];
    for (int k = 0; k < m; ++k) {
      s.phi(line.component[static_cast<std::size_t>(k)], k + 1) = at.value(p, k);
    }
    s.inertia(0, 0) = line.rotary_x * at.weight[p];
    all.push_back(std::move(s));
  }
  const auto stow = [&](double mass, double x, double along) {
    Station s;
    s.mass = mass;
    s.position = x * Vec3::UnitX();
    s.phi = Mat3X::Zero(3, m + 1);
    s.phi(0, 0) = along;
    all.push_back(std::move(s));
  };
  const double rest = line.full_length - line.start, stowed = line.mass - deployed;
  if (line.stowage == Stowage::kSleeve) {
    for (const QuadraturePoint& q : gauss_legendre(2)) {
      stow(0.5 * stowed, -0.5 * rest * (1.0 + q.x), 1.0);
    }
  } else if (line.stowage == Stowage::kDrum) {
    stow(stowed, 0.0, 0.0);
  }
  return all;
}

std::vector<DeployableBeamSpec::FrameAt> all_frames(const DeployableBeamSpec& spec) {
  std::vector<DeployableBeamSpec::FrameAt> frames = spec.frames;
  const auto add = [&](const char* name, double xi) {
    const auto same = [name](const auto& frame) { return frame.name == name; };
    if (std::none_of(frames.begin(), frames.end(), same)) frames.push_back({name, xi});
  };
  add("root", 0.0);
  add("tip", 1.0);
  return frames;
}

void add_damping(const DeployableBeamSpec& spec, FlexibleBody& body, DeployedLine& line) {
  if (line.elastic == 0) return;
  MatX elastic_only = MatX::Zero(body.modes, body.modes - 1);
  elastic_only.bottomRows(body.modes - 1).setIdentity();
  FlexibleBody elastic =
      transform(body, elastic_only, {body.mode_names.begin() + 1, body.mode_names.end()});
  apply_damping(elastic, spec.damping, where_of(spec));
  body.damping = widened(elastic.damping);
  line.damping = elastic.damping * std::pow(line.start, 3);
}

}  // namespace

FlexibleBody make_deployable_beam(const DeployableBeamSpec& spec) {
  check(spec);
  const Shapes shapes(spec);
  auto line = std::make_shared<DeployedLine>();
  line->stowage = spec.stowage;
  line->start = spec.start;
  line->shortest = spec.shortest;
  line->longest = spec.longest;
  line->full_length = spec.stowage == Stowage::kTelescope ? spec.longest : spec.full_length;
  line->mass = spec.mass;
  line->rotary_x = spec.rotary_x;
  line->elastic = shapes.count();
  line->component = shapes.component;
  for (const int c : shapes.component) line->bends[static_cast<std::size_t>(c)] = true;
  const Samples samples(spec, shapes);
  add_functions(spec, shapes, samples, *line);
  line->stiffness = stiffness_of(spec, shapes, samples);
  const auto given = all_frames(spec);
  for (const DeployableBeamSpec::FrameAt& frame : given) {
    if (!(frame.xi >= 0.0 && frame.xi <= 1.0)) {
      throw Error("GR-324", where_of(spec),
                  fmt::format("frame '{}' is at {:g} of the deployed length; allowed is 0 to 1",
                              frame.name, frame.xi));
    }
    line->frames.push_back(frame_at(spec, shapes, frame.xi));
  }

  FlexibleBody body = integrate_stations(stations_at_start(*line, samples), shapes.count() + 1);
  body.stations.clear();
  if (spec.stowage == Stowage::kDrum) {  // the tape on the drum circulates
    body.E(0, 0) += line->mass - line->mass_per_length() * line->start;
  }
  body.stiffness = widened(line->stiffness) / std::pow(spec.start, 3);
  body.rotation_limit = kModerateRotation;
  body.mode_names = {"length"};
  for (int k = 1; k <= spec.bending_y; ++k)
    body.mode_names.push_back(fmt::format("bending_y_{}", k));
  for (int k = 1; k <= spec.bending_z; ++k)
    body.mode_names.push_back(fmt::format("bending_z_{}", k));
  add_damping(spec, body, *line);
  for (std::size_t f = 0; f < given.size(); ++f) {
    body.frames.push_back(shape_of(*line, line->frames[f], given[f]));
  }
  body.guided = {{spec.name + "/length", "root", spec.start, spec.shortest, spec.longest,
                  spec.reflected_inertia}};
  body.line = std::move(line);
  return body;
}

}  // namespace grapple::flexible
