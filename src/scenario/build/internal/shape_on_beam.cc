#include "grapple/scenario/build/internal/shape_on_beam.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "grapple/geometry/solid/polyhedron.h"
#include "grapple/geometry/solid/triangle_mesh.h"

namespace grapple::scenario {

namespace {

using spatial::Mat3;
using spatial::Vec3;

struct Reach {
  const Vec3& d;

  double across() const { return std::hypot(d.x(), d.y()); }
  double farthest(const std::vector<Vec3>& points) const {
    double most = -std::numeric_limits<double>::infinity();
    for (const Vec3& p : points) most = std::max(most, d.dot(p));
    return most;
  }
  double operator()(const geometry::Sphere& s) const { return s.radius; }
  double operator()(const geometry::Box& s) const { return d.cwiseAbs().dot(s.half_edges); }
  double operator()(const geometry::Capsule& s) const {
    return s.radius + std::abs(d.z()) * s.half_length;
  }
  double operator()(const geometry::Cylinder& s) const {
    return s.radius * across() + std::abs(d.z()) * s.half_length;
  }
  double operator()(const geometry::Cone& s) const {
    return std::max(s.radius * across(), d.z() * s.length);
  }
  double operator()(const geometry::Torus& s) const {
    return s.ring_radius * across() + s.tube_radius;
  }
  double operator()(const geometry::Ellipsoid& s) const {
    return d.cwiseProduct(s.half_axes).norm();
  }
  double operator()(const geometry::Convex& s) const { return farthest(s.solid->corners); }
  double operator()(const geometry::Mesh& s) const { return farthest(s.surface->corners); }
  double operator()(const geometry::Cells& s) const {
    double most = -std::numeric_limits<double>::infinity();
    for (const geometry::Cell& cell : *s.parts) {
      most = std::max(most, d.dot(cell.X_SC.p) + reach_of(cell.shape, cell.X_SC.R.transpose() * d));
    }
    return most;
  }
  // The others have no end.
  template <class Endless>
  double operator()(const Endless& /*s*/) const {
    return std::numeric_limits<double>::infinity();
  }
};

// Where a place is on the beam: x of the material it is fixed to, x of the place, and its axes.
struct OnBeam {
  double fixed = 0.0, x = 0.0;
  Mat3 R = Mat3::Identity();

  OnBeam(const Place& place, const FlexiblePlan& plan) {
    if (place.frame.empty()) fixed = place.offset[0];
    if (place.frame == "tip") fixed = plan.length;
    for (const flexible::BeamFrame& frame : plan.frames) {
      if (place.frame.empty() || frame.name != place.frame) continue;
      fixed = frame.x;
      R = frame.orientation;
    }
    for (const FlexiblePlan::Bracket& bracket : plan.brackets) {
      if (place.frame.empty() || bracket.name != place.frame) continue;
      fixed = bracket.x;
      R = bracket.X_SF.R;
    }
    const Vec3 offset(place.offset[0], place.offset[1], place.offset[2]);
    x = place.frame.empty() ? fixed : fixed + (R * offset).x();
  }
};

// A frame of the top level that is on a flexible body, as a frame of that body.
Place on_its_body(const Place& place, const Assembly& assembly) {
  for (const auto& [body, plan] : assembly.flexible) {
    const auto& own = plan.own_names;
    if (std::find(own.begin(), own.end(), place.body) == own.end()) continue;
    return {body, place.body, place.offset};
  }
  return place;
}

}  // namespace

double reach_of(const geometry::Shape& shape, const Vec3& direction_S) {
  return std::visit(Reach{direction_S}, shape);
}

void check_shape_on_beam(const Reader& reader, std::string_view key, const Place& given,
                         const geometry::Shape& shape, const Mat3& R_FS, Assembly& assembly) {
  const Place place = on_its_body(given, assembly);
  const auto found = assembly.flexible.find(place.body);
  if (found == assembly.flexible.end()) return;
  const FlexiblePlan& plan = found->second;
  if (plan.kind == FlexiblePlan::Kind::kRigidBeam) return;
  const std::string who = fmt::format("shape '{}' on '{}'", reader.text("name"), place.body);
  if (plan.kind == FlexiblePlan::Kind::kReduced) {
    const bool off = place.offset[0] != 0.0 || place.offset[1] != 0.0 || place.offset[2] != 0.0;
    if (!place.frame.empty() || !off) return;
    assembly.faults.add(
        "GR-418", reader.where(key),
        who +
            " sits beside the body frame and would not follow the bending: fix "
            "it to a frame of the file or an interface of the mesh, on: body/frame");
    return;
  }
  const OnBeam at(place, plan);
  const Vec3 along_S = R_FS.transpose() * at.R.transpose().col(0);
  const double low = std::max(0.0, at.x - reach_of(shape, -along_S));
  const double high = std::min(plan.length, at.x + reach_of(shape, along_S));
  if (!(low < high)) return;  // beyond the ends of the beam
  const double reach = std::max(at.fixed - low, high - at.fixed);
  const double most = kReachOnBeam * plan.length;
  if (!(reach > most * (1.0 + 1e-12))) return;
  assembly.faults.add(
      "GR-418", reader.where(key),
      fmt::format("{} reaches {:.3g} m along the beam from the place it is fixed to, x = {:.3g} m, "
                  "and would not bend with it; at most {:.3g} m: use shorter shapes, each fixed "
                  "where it touches, on: \"{} at [x, 0, 0] m\" or {}/tip",
                  who, reach, at.fixed, most, place.body, place.body));
}

}  // namespace grapple::scenario
