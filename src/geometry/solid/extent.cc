#include "grapple/geometry/solid/extent.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace grapple::geometry {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double reach_of(const std::vector<spatial::Vec3>& corners) {
  double square = 0.0;
  for (const spatial::Vec3& corner : corners) square = std::max(square, corner.squaredNorm());
  return std::sqrt(square);
}

double area_of(const TriangleMesh& mesh) {
  double sum = 0.0;
  for (const auto& [a, b, c] : mesh.triangles) {
    const auto corner = [&](int k) { return mesh.corners[static_cast<std::size_t>(k)]; };
    sum += 0.5 * (corner(b) - corner(a)).cross(corner(c) - corner(a)).norm();
  }
  return sum;
}

struct Measure {
  Extent operator()(const Sphere& s) const { return {s.radius, s.radius, Symmetry::kBall}; }
  Extent operator()(const HalfSpace&) const { return {kInfinity, kInfinity, Symmetry::kAxis}; }
  Extent operator()(const Box& s) const {
    return {s.half_edges.norm(), s.half_edges.minCoeff(), Symmetry::kNone};
  }
  Extent operator()(const Capsule& s) const {
    return {s.half_length + s.radius, s.radius, Symmetry::kAxis};
  }
  Extent operator()(const Cylinder& s) const {
    return {std::hypot(s.radius, s.half_length), std::min(s.radius, s.half_length),
            Symmetry::kAxis};
  }
  Extent operator()(const Bar& s) const { return {kInfinity, s.radius, Symmetry::kAxis}; }
  Extent operator()(const Bore&) const { return {kInfinity, kInfinity, Symmetry::kAxis}; }
  Extent operator()(const Cone& s) const {
    // The ball that touches base and side.
    const double inside = s.radius * s.length / (s.radius + std::hypot(s.radius, s.length));
    return {std::max(s.radius, s.length), inside, Symmetry::kAxis};
  }
  Extent operator()(const Spike&) const { return {kInfinity, kInfinity, Symmetry::kAxis}; }
  Extent operator()(const Funnel&) const { return {kInfinity, kInfinity, Symmetry::kAxis}; }
  Extent operator()(const Torus& s) const {
    return {s.ring_radius + s.tube_radius, s.tube_radius, Symmetry::kAxis};
  }
  Extent operator()(const Ellipsoid& s) const {
    return {s.half_axes.maxCoeff(), s.half_axes.minCoeff(), Symmetry::kNone};
  }
  Extent operator()(const Edge&) const { return {kInfinity, kInfinity, Symmetry::kNone}; }
  Extent operator()(const Convex& s) const {
    return {reach_of(s.solid->corners), half_width(*s.solid), Symmetry::kNone};
  }
  Extent operator()(const Mesh& s) const {
    return {reach_of(s.surface->corners), std::abs(volume_of(*s.surface)) / area_of(*s.surface),
            Symmetry::kNone};
  }
  Extent operator()(const Cells& s) const {
    Extent whole{0.0, kInfinity, Symmetry::kNone};
    for (const Cell& cell : *s.parts) {
      const Extent part = extent_of(cell.shape);
      whole.radius = std::max(whole.radius, cell.X_SC.p.norm() + part.radius);
      whole.depth = std::min(whole.depth, part.depth);
    }
    return whole;
  }
};

}  // namespace

Extent extent_of(const Shape& shape) { return std::visit(Measure{}, shape); }

}  // namespace grapple::geometry
