#include "grapple/geometry/touch/internal/convex_core.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace grapple::geometry {

namespace {

using spatial::Mat3;
using spatial::Vec3;

// A direction that leans less than this over a face stands on it.
constexpr double kLevel = 1e-9;

ConvexCore of_corners(std::vector<Vec3> corners, double rounding, double size) {
  ConvexCore core;
  core.rounding = rounding;
  core.size = size;
  for (const Vec3& c : corners) {
    core.center += c / static_cast<double>(corners.size());
    core.reach = std::max(core.reach, c.norm());
  }
  core.corners = std::move(corners);
  return core;
}

// Outward unit normals of faces that are loops of corners; equal ones once.
template <class Faces>
std::vector<Vec3> normals_of(const std::vector<Vec3>& corners, const Faces& faces) {
  std::vector<Vec3> normals;
  for (const auto& face : faces) {
    const auto at = [&](std::size_t k) -> const Vec3& {
      return corners[static_cast<std::size_t>(face[k])];
    };
    const Vec3 normal = (at(1) - at(0)).cross(at(2) - at(0)).normalized();
    const auto same = [&](const Vec3& known) { return (known - normal).norm() < 1e-12; };
    if (std::none_of(normals.begin(), normals.end(), same)) normals.push_back(normal);
  }
  return normals;
}

ConvexCore of_polyhedron(const Polyhedron& solid, double rounding, double size) {
  ConvexCore core = of_corners(solid.corners, rounding, size);
  core.flats = normals_of(solid.corners, solid.faces);
  return core;
}

ConvexCore of_box(const Box& box) {
  const Vec3 inset = box.half_edges - Vec3::Constant(box.corner_radius);
  ConvexCore core =
      of_corners(box_polyhedron(inset).corners, box.corner_radius, box.half_edges.minCoeff());
  for (int k = 0; k < 3; ++k) {  // also where rounding leaves no face
    core.flats.emplace_back(Vec3::Unit(k));
    core.flats.emplace_back(-Vec3::Unit(k));
  }
  return core;
}

ConvexCore of_ellipsoid(const Ellipsoid& ellipsoid) {
  ConvexCore core;
  core.kind = ConvexCore::Kind::kEllipsoid;
  core.half_axes = ellipsoid.half_axes;
  core.reach = ellipsoid.half_axes.maxCoeff();
  core.size = ellipsoid.half_axes.minCoeff();
  // It rests on the end of its shortest axis.
  Vec3 sorted = ellipsoid.half_axes;
  std::sort(sorted.begin(), sorted.end());
  core.curvature = {sorted[0] / (sorted[1] * sorted[1]), sorted[0] / (sorted[2] * sorted[2])};
  return core;
}

ConvexCore of_cylinder(const Cylinder& cylinder) {
  ConvexCore core;
  core.kind = ConvexCore::Kind::kCylinder;
  core.radius = cylinder.radius;
  core.half_length = cylinder.half_length;
  core.reach = std::hypot(cylinder.radius, cylinder.half_length);
  core.size = std::min(cylinder.radius, cylinder.half_length);
  core.curvature = {1.0 / cylinder.radius, 0.0};
  core.flats = {Vec3::UnitZ(), -Vec3::UnitZ()};
  return core;
}

// Base in the plane z = 0; the apex is its only corner.
ConvexCore of_cone(const Cone& cone) {
  ConvexCore core;
  const double slant = std::hypot(cone.radius, cone.length);
  core.kind = ConvexCore::Kind::kCone;
  core.corners = {Vec3(0.0, 0.0, cone.length)};
  core.radius = cone.radius;
  core.tilt = cone.radius / slant;
  core.reach = std::max(cone.radius, cone.length);
  core.size = 0.5 * std::min(cone.radius, cone.length);
  core.center = {0.0, 0.0, 0.25 * cone.length};
  core.curvature = {cone.length / (slant * cone.radius), 0.0};  // of its side, at the base
  core.flats = {-Vec3::UnitZ()};
  return core;
}

// The corner, edge or face some of the points span.
CoreFeature spanned(const std::array<Vec3, 4>& points, std::size_t count, unsigned members) {
  CoreFeature feature;
  bool started = false;
  for (std::size_t k = 0; k < count; ++k) {
    if ((members & (1u << k)) == 0) continue;
    if (!started) feature.base = points[k];
    if (started && feature.flat_count < 2) {
      const Vec3 edge = (points[k] - feature.base).normalized();
      if (feature.flat_count == 0 || edge.cross(feature.flats[0]).norm() > 1e-9) {
        feature.flats[static_cast<std::size_t>(feature.flat_count++)] = edge;
      }
    }
    started = true;
  }
  return feature;
}

}  // namespace

Vec3 ConvexCore::farthest(const Vec3& direction) const {
  if (kind == Kind::kEllipsoid) {
    return farthest_of<double>({CoreFeature::Kind::kEllipsoid, 0, {}, {}, 0.0}, direction);
  }
  if (kind == Kind::kCylinder || kind == Kind::kCone) {
    const Vec3 rim = farthest_of<double>({CoreFeature::Kind::kRim, 0, {}, {}, 0.0}, direction);
    const bool apex = kind == Kind::kCone && direction.dot(corners[0]) > direction.dot(rim);
    return apex ? corners[0] : rim;
  }
  std::size_t best = 0;
  double most = direction.dot(corners[0]);
  for (std::size_t k = 1; k < corners.size(); ++k) {
    const double up = direction.dot(corners[k]);
    if (up > most) most = up, best = k;
  }
  return corners[best];
}

std::size_t ConvexCore::farthest_corners(const Vec3& direction, std::array<Vec3, 4>& points) const {
  points[0] = farthest(direction);
  std::size_t count = 1;
  if (kind != Kind::kCorners) return count;
  for (; count < 3; ++count) {
    double most = -std::numeric_limits<double>::infinity();
    for (const Vec3& corner : corners) {
      const double up = direction.dot(corner);
      if (!(up > most)) continue;
      const Vec3 from = corner - points[0];
      const double spread =
          count == 1 ? from.norm() : from.cross(points[1] - points[0]).norm() / reach;
      if (!(spread > 1e-9 * reach)) continue;
      most = up;
      points[count] = corner;
    }
    if (!std::isfinite(most)) break;
  }
  return count;
}

ConvexCore::Farthest ConvexCore::farthest_kind(const Vec3& direction) const {
  if (kind == Kind::kEllipsoid) return Farthest::kPoint;
  if (kind == Kind::kCorners) {
    const double level = direction.dot(farthest(direction)) - kLevel * reach;
    const auto count = std::count_if(corners.begin(), corners.end(),
                                     [&](const Vec3& c) { return direction.dot(c) >= level; });
    return count == 1 ? Farthest::kPoint : count == 2 ? Farthest::kLine : Farthest::kFace;
  }
  const bool end = std::hypot(direction.x(), direction.y()) < kLevel;
  if (end && (kind == Kind::kCylinder || direction.z() < 0.0)) return Farthest::kFace;
  const double across = std::abs(direction.z() - tilt);
  return !end && across < kLevel ? Farthest::kLine : Farthest::kPoint;
}

Vec3 ConvexCore::farthest_of_farthest(const Vec3& direction, const Vec3& next) const {
  const Farthest farthest_is = farthest_kind(direction);
  if (farthest_is == Farthest::kPoint) return farthest(direction);
  if (kind == Kind::kCorners) {
    const double level = direction.dot(farthest(direction)) - kLevel * reach;
    const Vec3* best = nullptr;
    for (const Vec3& c : corners) {
      if (direction.dot(c) < level) continue;
      if (best == nullptr || next.dot(c) > next.dot(*best)) best = &c;
    }
    return *best;
  }
  if (farthest_is == Farthest::kFace) {
    Vec3 along(next.x(), next.y(), 0.0);
    if (along.norm() > 0.0) along *= radius / along.norm();
    return along + Vec3(0.0, 0.0, direction.z() < 0.0 ? -half_length : half_length);
  }
  const Vec3 rim = radius * Vec3(direction.x(), direction.y(), 0.0).normalized();
  const Vec3 low = rim - half_length * Vec3::UnitZ();
  const Vec3 high = kind == Kind::kCone ? corners[0] : Vec3(rim + half_length * Vec3::UnitZ());
  return next.dot(high) > next.dot(low) ? high : low;
}

Mat3 ConvexCore::bend_of(const CoreFeature& feature, const Vec3& d) const {
  Mat3 bend = Mat3::Zero();
  if (feature.kind == CoreFeature::Kind::kEllipsoid) {
    const Vec3 stretched = d.cwiseProduct(half_axes), twice = stretched.cwiseProduct(half_axes);
    const double length = stretched.norm();
    bend = half_axes.cwiseAbs2().asDiagonal();
    return (bend - twice * twice.transpose() / (length * length)) / length;
  }
  const double across = std::hypot(d.x(), d.y());
  const bool curved =
      feature.kind == CoreFeature::Kind::kRim || feature.kind == CoreFeature::Kind::kSide;
  if (!curved || !(across > 0.0)) return bend;
  const Vec3 round(-d.y() / across, d.x() / across, 0.0);
  return radius / across * round * round.transpose();
}

ConvexCore::Features ConvexCore::features_at(const std::array<Vec3, 4>& points,
                                             std::size_t count) const {
  Features all;
  if (kind == Kind::kEllipsoid) {
    all.at[all.count++] = {CoreFeature::Kind::kEllipsoid, 0, {}, {}, 0.0};
    return all;
  }
  if (kind == Kind::kCylinder || kind == Kind::kCone) {
    all.at[all.count++] = {CoreFeature::Kind::kEnd, 2, {Vec3::UnitX(), Vec3::UnitY()}, {}, 0.0};
    all.at[all.count++] = {CoreFeature::Kind::kSide, 1, {Vec3::UnitZ(), Vec3::Zero()}, {}, tilt};
    all.at[all.count++] = {CoreFeature::Kind::kRim, 0, {}, {}, 0.0};
    if (kind == Kind::kCone) {
      all.at[all.count++] = {CoreFeature::Kind::kCorner, 0, {}, corners[0], 0.0};
    }
    return all;
  }
  std::array<Vec3, 4> distinct;
  std::size_t distinct_count = 0;
  for (std::size_t k = 0; k < count; ++k) {
    bool known = false;
    for (std::size_t i = 0; i < distinct_count; ++i) known |= distinct[i] == points[k];
    if (!known && distinct_count < 3) distinct[distinct_count++] = points[k];
  }
  for (unsigned members = (1u << distinct_count) - 1; members > 0; --members) {
    all.at[all.count++] = spanned(distinct, distinct_count, members);
  }
  std::sort(all.at.begin(), all.at.begin() + static_cast<std::ptrdiff_t>(all.count),
            [](const CoreFeature& x, const CoreFeature& y) { return x.flat_count > y.flat_count; });
  return all;
}

std::optional<ConvexCore> convex_core(const Shape& shape) {
  if (const auto* sphere = std::get_if<Sphere>(&shape)) {
    ConvexCore core = of_corners({Vec3::Zero()}, sphere->radius, sphere->radius);
    core.curvature = {1.0 / sphere->radius, 1.0 / sphere->radius};
    return core;
  }
  if (const auto* capsule = std::get_if<Capsule>(&shape)) {
    const Vec3 end(0.0, 0.0, capsule->half_length);
    ConvexCore core = of_corners({end, -end}, capsule->radius, capsule->radius);
    core.curvature = {1.0 / capsule->radius, 0.0};
    return core;
  }
  if (const auto* box = std::get_if<Box>(&shape)) return of_box(*box);
  if (const auto* convex = std::get_if<Convex>(&shape)) {
    return of_polyhedron(*convex->solid, 0.0, half_width(*convex->solid));
  }
  if (const auto* mesh = std::get_if<Mesh>(&shape)) {
    if (!is_convex(*mesh->surface)) return std::nullopt;
    ConvexCore core = of_corners(mesh->surface->corners, 0.0, 0.0);
    core.flats = normals_of(core.corners, mesh->surface->triangles);
    for (const Vec3& c : core.corners) core.size = std::max(core.size, (c - core.center).norm());
    return core;
  }
  if (const auto* ellipsoid = std::get_if<Ellipsoid>(&shape)) return of_ellipsoid(*ellipsoid);
  if (const auto* cylinder = std::get_if<Cylinder>(&shape)) return of_cylinder(*cylinder);
  if (const auto* cone = std::get_if<Cone>(&shape)) return of_cone(*cone);
  return std::nullopt;
}

}  // namespace grapple::geometry
