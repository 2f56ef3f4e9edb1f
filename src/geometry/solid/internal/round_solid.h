// Solids of revolution about z as profiles: at height t the slice is a disc of radius r(t), less a
// smaller one where the solid is a ring; and their farthest points in a direction.
#pragma once

#include <cmath>
#include <vector>

#include "grapple/geometry/solid/shape.h"
#include "grapple/spatial/dual.h"
#include "grapple/spatial/root.h"

namespace grapple::geometry {

using spatial::root_of;

/// Between two heights: r^2 = c0 + c1 t + c2 t^2, or the inside or outside of a tube.
struct ProfilePiece {
  enum class Kind { kQuadratic, kTubeOutside, kTubeInside };
  Kind kind = Kind::kQuadratic;
  double low = 0.0, high = 0.0;         ///< m
  double c0 = 0.0, c1 = 0.0, c2 = 0.0;  ///< of a quadratic
  double ring_radius = 0.0, tube_radius = 0.0;

  template <class T>
  T radius(const T& t) const {
    if (kind == Kind::kQuadratic) return root_of(T(T(c0) + t * (T(c1) + t * T(c2))));
    const T across = root_of(T(T(tube_radius * tube_radius) - t * t));
    return kind == Kind::kTubeOutside ? T(T(ring_radius) + across) : T(T(ring_radius) - across);
  }
  /// r dr/dt.
  template <class T>
  T radius_times_slope(const T& t) const {
    if (kind == Kind::kQuadratic) return T(0.5 * c1) + T(c2) * t;
    const T across = root_of(T(T(tube_radius * tube_radius) - t * t));
    if (!(across > T(0))) return T(0);
    const T slope = kind == Kind::kTubeOutside ? T(-t / across) : T(t / across);
    return radius(t) * slope;
  }
};

class RoundSolid {
 public:
  /// A sphere, cylinder, capsule, cone, torus or ellipsoid; `known()` is false for others.
  explicit RoundSolid(const Shape& shape);

  bool known() const { return !pieces_.empty(); }
  /// Pieces with sign +1, and those of the hole of a ring with -1.
  const std::vector<ProfilePiece>& pieces() const { return pieces_; }
  const std::vector<ProfilePiece>& hole() const { return hole_; }
  /// Flat ends, at z = `low()` and `high()`, are part of the surface where the radius is not zero.
  double low() const { return pieces_.front().low; }
  double high() const { return pieces_.back().high; }
  /// The solid is this one stretched along its axes: ellipsoids are stretched unit balls.
  const spatial::Vec3& stretch() const { return stretch_; }
  /// Whether any axis will do: balls and stretched balls.
  bool is_ball() const { return is_ball_; }
  /// Radius of a ball round it about the origin of its frame, m.
  double reach() const { return reach_; }
  /// Length against which an overlap is deep, m.
  double size() const { return size_; }

  /// The farthest point in a unit direction; between two such points of a flat end, its middle.
  template <class T>
  spatial::Vec3T<T> farthest(const spatial::Vec3T<T>& direction) const {
    using V = spatial::Vec3T<T>;
    const T across = root_of(T(direction.x() * direction.x() + direction.y() * direction.y()));
    const V out = across > T(1e-12) ? V(direction.x() / across, direction.y() / across, T(0))
                                    : V(T(0), T(0), T(0));
    const T up = direction.z() > T(0) ? T(1) : direction.z() < T(0) ? T(-1) : T(0);
    if (const auto* sphere = std::get_if<Sphere>(&shape_)) return T(sphere->radius) * direction;
    if (const auto* ellipsoid = std::get_if<Ellipsoid>(&shape_)) {
      const V stretched = direction.cwiseProduct(ellipsoid->half_axes.cast<T>());
      const V scaled = stretched.cwiseProduct(ellipsoid->half_axes.cast<T>());
      return scaled / root_of(T(stretched.squaredNorm()));
    }
    if (const auto* capsule = std::get_if<Capsule>(&shape_)) {
      return T(capsule->radius) * direction + V(T(0), T(0), T(capsule->half_length) * up);
    }
    if (const auto* torus = std::get_if<Torus>(&shape_)) {
      return T(torus->ring_radius) * out + T(torus->tube_radius) * direction;
    }
    if (const auto* cone = std::get_if<Cone>(&shape_)) {
      const V apex(T(0), T(0), T(cone->length)), rim = T(cone->radius) * out;
      return direction.dot(apex) > direction.dot(rim) ? apex : rim;
    }
    const auto* cylinder = std::get_if<Cylinder>(&shape_);
    return T(cylinder->radius) * out + V(T(0), T(0), T(cylinder->half_length) * up);
  }

 private:
  Shape shape_;
  std::vector<ProfilePiece> pieces_, hole_;
  spatial::Vec3 stretch_ = spatial::Vec3::Ones();
  bool is_ball_ = false;
  double reach_ = 0.0, size_ = 0.0;
};

}  // namespace grapple::geometry
