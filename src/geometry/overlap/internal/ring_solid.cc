#include "grapple/geometry/overlap/internal/ring_solid.h"

#include <algorithm>
#include <numbers>

namespace grapple::geometry {

namespace {

using spatial::Mat3;
using spatial::Vec3;
using std::numbers::pi;
constexpr double kEndless = std::numeric_limits<double>::infinity();

RingSurface straight(double low, double high, double base, double slope, double side) {
  RingSurface s;
  s.kind = RingSurface::Kind::kStraight;
  s.low = low, s.high = high, s.base = base, s.slope = slope, s.side = side;
  return s;
}

RingSurface round(double low, double high, double base, double tube, double height) {
  RingSurface s;
  s.kind = RingSurface::Kind::kRound;
  s.low = low, s.high = high, s.base = base, s.tube = tube;
  s.p_SF = {0.0, 0.0, height};
  return s;
}

RingSurface disc(double radius, double height, double side) {
  RingSurface s;
  s.high = radius, s.side = side;
  s.p_SF = {0.0, 0.0, height};
  return s;
}

ProfilePiece quadratic(double low, double high, double c0, double c1, double c2) {
  return {ProfilePiece::Kind::kQuadratic, low, high, c0, c1, c2, 0.0, 0.0};
}

}  // namespace

std::optional<RingSolid> RingSolid::of(const Shape& shape) {
  RingSolid solid(shape);
  if (solid.make_round() || solid.make_endless() || solid.make_polyhedron()) return solid;
  return std::nullopt;
}

bool RingSolid::make_round() {
  if (!round_.known()) return false;
  pieces_ = round_.pieces();
  stretch_ = round_.stretch();
  reach_ = thickness_ = round_.reach();
  size_ = round_.size();
  if (const auto* sphere = std::get_if<Sphere>(&shape_)) {
    surfaces_ = {round(-pi / 2, pi / 2, 0.0, sphere->radius, 0.0)};
  } else if (std::holds_alternative<Ellipsoid>(shape_)) {
    surfaces_ = {round(-pi / 2, pi / 2, 0.0, 1.0, 0.0)};
    surfaces_[0].stretch = stretch_;
  } else if (const auto* cylinder = std::get_if<Cylinder>(&shape_)) {
    const double r = cylinder->radius, h = cylinder->half_length;
    surfaces_ = {straight(-h, h, r, 0.0, 1.0), disc(r, -h, -1.0), disc(r, h, 1.0)};
    spine_ = {Vec3(0, 0, -h), Vec3(0, 0, h)};
    thickness_ = r;
  } else if (const auto* capsule = std::get_if<Capsule>(&shape_)) {
    const double r = capsule->radius, h = capsule->half_length;
    surfaces_ = {straight(-h, h, r, 0.0, 1.0), round(-pi / 2, 0.0, 0.0, r, -h),
                 round(0.0, pi / 2, 0.0, r, h)};
    spine_ = {Vec3(0, 0, -h), Vec3(0, 0, h)};
    thickness_ = r;
  } else if (const auto* cone = std::get_if<Cone>(&shape_)) {
    const double r = cone->radius, length = cone->length;
    surfaces_ = {straight(0.0, length, r, -r / length, 1.0), disc(r, 0.0, -1.0)};
    spine_ = {Vec3::Zero(), Vec3(0, 0, length)};
    thickness_ = r;
  } else if (const auto* torus = std::get_if<Torus>(&shape_)) {
    surfaces_ = {round(-pi, pi, torus->ring_radius, torus->tube_radius, 0.0)};
  }
  return true;
}

RingSolid RingSolid::half(Half which) const {
  RingSolid part = *this;
  const double cut = 0.5 * (spine_[0].z() + spine_[1].z()),
               side = which == Half::kLower ? 1.0 : -1.0;
  part.spine_[which == Half::kLower ? 1 : 0] = {0.0, 0.0, cut};
  part.pieces_.clear();
  part.surfaces_.clear();
  double radius = 0.0;
  for (ProfilePiece piece : pieces_) {
    if (piece.low <= cut && cut <= piece.high) radius = piece.radius(cut);
    (which == Half::kLower ? piece.high : piece.low) =
        which == Half::kLower ? std::min(piece.high, cut) : std::max(piece.low, cut);
    if (piece.low < piece.high) part.pieces_.push_back(piece);
  }
  for (RingSurface surface : surfaces_) {
    if (surface.kind == RingSurface::Kind::kStraight) {
      (which == Half::kLower ? surface.high : surface.low) = cut;
      part.surfaces_.push_back(surface);
    } else if (side * surface.p_SF.z() < side * cut) {
      part.surfaces_.push_back(surface);  // an end: all of it on one side
    }
  }
  part.surfaces_.push_back(disc(radius, cut, side));
  part.surfaces_.back().is_inner = true;
  return part;
}

bool RingSolid::make_endless() {
  const auto holds = [&](double low, double high, double base, double slope, bool hole) {
    surfaces_ = {straight(low, high, base, slope, hole ? -1.0 : 1.0)};
    pieces_ = {quadratic(low, high, base * base, 0.0, slope * slope)};
    is_void_ = hole;
    is_finite_ = false;
    size_ = base > 0.0 && !hole ? base : kEndless;
    return true;
  };
  if (const auto* bar = std::get_if<Bar>(&shape_)) {
    return holds(-kEndless, kEndless, bar->radius, 0.0, false);
  }
  if (const auto* bore = std::get_if<Bore>(&shape_)) {
    return holds(-kEndless, kEndless, bore->radius, 0.0, true);
  }
  if (const auto* spike = std::get_if<Spike>(&shape_)) {
    return holds(-kEndless, 0.0, 0.0, -std::tan(spike->half_angle), false);
  }
  if (const auto* funnel = std::get_if<Funnel>(&shape_)) {
    return holds(0.0, kEndless, 0.0, std::tan(funnel->half_angle), true);
  }
  return false;
}

bool RingSolid::make_polyhedron() {
  const auto solid = polyhedron_of(shape_);
  if (solid == nullptr) return false;
  planes_ = *face_planes(shape_);
  center_ = planes_.center;
  spine_ = {center_, center_};
  size_ = planes_.size;
  for (const Vec3& c : planes_.corners) reach_ = std::max(reach_, (c - center_).norm());
  thickness_ = reach_;
  for (std::size_t k = 0; k < solid->faces.size(); ++k) {
    RingSurface face;
    const auto& loop = solid->faces[k];
    for (const int c : loop) {
      face.p_SF += solid->corners[static_cast<std::size_t>(c)] / static_cast<double>(loop.size());
    }
    for (const int c : loop) {
      face.high =
          std::max(face.high, (solid->corners[static_cast<std::size_t>(c)] - face.p_SF).norm());
    }
    const Vec3 n = planes_.normals[k], u = n.unitOrthogonal();
    face.R_SF << u, n.cross(u), n;
    face.own_plane = k;
    surfaces_.push_back(face);
  }
  return true;
}

bool RingSolid::contains(const Vec3& p) const {
  if (pieces_.empty()) {
    for (std::size_t k = 0; k < planes_.normals.size(); ++k) {
      if (planes_.normals[k].dot(p) > planes_.levels[k]) return false;
    }
    return true;
  }
  const Vec3 at = p.cwiseQuotient(stretch_);
  const double square = at.x() * at.x() + at.y() * at.y(), z = at.z();
  for (const ProfilePiece& piece : pieces_) {
    if (z < piece.low || z > piece.high) continue;
    if (piece.kind != ProfilePiece::Kind::kQuadratic) {
      const double out = std::sqrt(square) - piece.ring_radius;
      return out * out + z * z < piece.tube_radius * piece.tube_radius;
    }
    if (square < piece.c0 + z * (piece.c1 + z * piece.c2)) return !is_void_;
  }
  return is_void_;
}

std::size_t RingSolid::function_count() const {
  return pieces_.empty() ? planes_.normals.size() : 3 * pieces_.size();
}

bool RingSolid::may_bound(std::size_t k, const Vec3& p) const {
  const double slack = 1e-9 * (reach_ + p.norm());
  if (pieces_.empty()) {
    for (std::size_t i = 0; i < planes_.normals.size(); ++i) {
      if (i != k && planes_.normals[i].dot(p) > planes_.levels[i] + slack) return false;
    }
    return true;
  }
  const ProfilePiece& piece = pieces_[k / 3];
  const Vec3 at = p.cwiseQuotient(stretch_);
  const double room = slack / stretch_.minCoeff();
  if (k % 3 == 0) return at.z() > piece.low - room && at.z() < piece.high + room;
  const double most = piece.radius(at.z()) + room;
  return at.head<2>().squaredNorm() < most * most + room * room;
}

bool RingSolid::is_idle(std::size_t k, const RingPoints<double>& ring) const {
  if (pieces_.empty()) return false;
  const ProfilePiece& piece = pieces_[k / 3];
  const double z = ring.center.z() / stretch_.z();
  const double reach = std::hypot(ring.cosine.z(), ring.sine.z()) / stretch_.z();
  if (k % 3 == 1) return z - reach > piece.low || z + reach < piece.low;
  if (k % 3 == 2) return z - reach > piece.high || z + reach < piece.high;
  return z - reach > piece.high || z + reach < piece.low;
}

bool RingSolid::has_distance() const {
  return !pieces_.empty() && !std::holds_alternative<Ellipsoid>(shape_);
}

double RingSolid::level(const Vec3& p) const {
  if (has_distance()) return round_distance<double>(shape_, p).distance;
  if (!pieces_.empty()) return (p.cwiseQuotient(stretch_).norm() - 1.0) * stretch_.minCoeff();
  double most = -kEndless;
  for (std::size_t k = 0; k < planes_.normals.size(); ++k) {
    most = std::max(most, planes_.normals[k].dot(p) - planes_.levels[k]);
  }
  return most;
}

}  // namespace grapple::geometry
