// Solids bounded by surfaces that rings sweep out: round ones about their axis, flat faces about a
// point of them; and which angles of a foreign ring lie inside. Round solids, bars, spikes, what
// lies round bores and funnels, and convex polyhedra.
#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "grapple/geometry/overlap/internal/ring_function.h"
#include "grapple/geometry/solid/internal/face_planes.h"
#include "grapple/geometry/solid/internal/round_solid.h"
#include "grapple/geometry/touch/internal/surface_distance.h"

namespace grapple::geometry {

/// One ring of a surface, in the frame of its solid, with the outward vector area
/// (area + area_cosine cos t + area_sine sin t) ds dt.
template <class T>
struct Ring {
  RingPoints<T> points;
  spatial::Vec3T<T> area, area_cosine, area_sine;

  spatial::Vec3T<T> area_at(const T& c, const T& s) const {
    return area + c * area_cosine + s * area_sine;
  }
};

/// Swept by s from `low` to `high`.
struct RingSurface {
  /// Radius s at height 0; radius `base + slope s` at height s; radius `base + tube cos s` at
  /// height `tube sin s`.
  enum class Kind { kDisc, kStraight, kRound };
  Kind kind = Kind::kDisc;
  double low = 0.0, high = 0.0;
  double base = 0.0, slope = 0.0, tube = 0.0;
  double side = 1.0;                               ///< -1: the material is outside
  spatial::Mat3 R_SF = spatial::Mat3::Identity();  ///< axis along z of F
  spatial::Vec3 p_SF = spatial::Vec3::Zero();      ///< m
  spatial::Vec3 stretch = spatial::Vec3::Ones();   ///< applied at last
  bool is_inner = false;  ///< between two halves of a body: bounds the volume, presses on nothing
  std::size_t own_plane = std::numeric_limits<std::size_t>::max();  ///< of a polyhedron's face

  template <class T>
  Ring<T> ring(const T& s) const {
    using std::cos;
    using std::sin;
    T radius = s, height(0), out(0), up(1);  // vector area: radius (out, up)
    if (kind == Kind::kStraight) {
      radius = T(base) + T(slope) * s, height = s, out = T(1), up = T(-slope);
    } else if (kind == Kind::kRound) {
      const T c = cos(s), n = sin(s);
      radius = T(base) + T(tube) * c, height = T(tube) * n;
      out = T(tube) * c, up = T(tube) * n;
    }
    using V = spatial::Vec3T<T>;
    const spatial::Mat3T<T> R = R_SF.cast<T>();
    const V grow = stretch.cast<T>(),
            turn = (stretch.prod() * side * stretch.cwiseInverse()).cast<T>();
    const V center = p_SF.cast<T>() + height * R.col(2);
    return {{center.cwiseProduct(grow), V(radius * R.col(0)).cwiseProduct(grow),
             V(radius * R.col(1)).cwiseProduct(grow)},
            V(radius * up * R.col(2)).cwiseProduct(turn),
            V(radius * out * R.col(0)).cwiseProduct(turn),
            V(radius * out * R.col(1)).cwiseProduct(turn)};
  }
  /// Bound on how fast points move with s.
  double speed() const {
    const double along = kind == Kind::kDisc       ? 1.0
                         : kind == Kind::kStraight ? std::hypot(1.0, slope)
                                                   : tube;
    return along * stretch.maxCoeff();
  }
};

class RingSolid {
 public:
  /// Nothing for meshes, cells, edges and half-spaces.
  static std::optional<RingSolid> of(const Shape& shape);

  /// The part of a cylinder, capsule or cone below or above the middle of its axis.
  enum class Half { kLower, kUpper };
  RingSolid half(Half which) const;

  const std::vector<RingSurface>& surfaces() const { return surfaces_; }
  const Shape& shape() const { return shape_; }
  /// Convex and of finite size: known by its farthest points.
  bool is_convex() const { return is_finite_ && !std::holds_alternative<Torus>(shape_); }
  bool is_finite() const { return is_finite_; }
  bool is_void() const { return is_void_; }
  /// A ball round it, and length against which an overlap is deep, m.
  const spatial::Vec3& center() const { return center_; }
  double reach() const { return reach_; }
  double size() const { return size_; }
  /// Ends of a segment all of it is within `thickness` of.
  const std::array<spatial::Vec3, 2>& spine() const { return spine_; }
  double thickness() const { return thickness_; }

  bool contains(const spatial::Vec3& p) const;

  /// Surfaces as functions on a ring, negative inside: three for each piece of a profile, one for
  /// each plane.
  std::size_t function_count() const;
  template <class T>
  RingFunction<T> function(std::size_t k, const RingPoints<T>& ring) const;
  /// Whether a point on the zero of a function may lie on the solid's surface.
  bool may_bound(std::size_t k, const spatial::Vec3& p) const;
  /// Whether the whole ring is out of reach of a function.
  bool is_idle(std::size_t k, const RingPoints<double>& ring) const;

  /// A signed distance, or less than it in size: positive outside, its slope at most one.
  double level(const spatial::Vec3& p) const;
  /// The distance itself with its direction; of round shapes other than ellipsoids.
  bool has_distance() const;
  template <class T>
  SurfaceDistance<T> distance(const spatial::Vec3T<T>& p) const {
    return round_distance<T>(shape_, p);
  }

  /// Of finite solids: the farthest point in a unit direction.
  template <class T>
  spatial::Vec3T<T> farthest(const spatial::Vec3T<T>& direction) const {
    if (round_.known()) return round_.farthest<T>(direction);
    const spatial::Vec3 d = direction.unaryExpr([](const T& x) { return spatial::value_of(x); });
    return planes_.farthest(d).template cast<T>();
  }
  const FacePlanes& planes() const { return planes_; }

 private:
  explicit RingSolid(const Shape& shape) : shape_(shape), round_(shape) {}
  bool make_round();
  bool make_endless();
  bool make_polyhedron();

  Shape shape_;
  RoundSolid round_;
  FacePlanes planes_;
  std::vector<RingSurface> surfaces_;
  std::vector<ProfilePiece> pieces_;
  spatial::Vec3 stretch_ = spatial::Vec3::Ones(), center_ = spatial::Vec3::Zero();
  std::array<spatial::Vec3, 2> spine_ = {spatial::Vec3::Zero(), spatial::Vec3::Zero()};
  double reach_ = 0.0, size_ = 0.0, thickness_ = 0.0;
  bool is_void_ = false, is_finite_ = true;
};

template <class T>
RingFunction<T> RingSolid::function(std::size_t k, const RingPoints<T>& ring) const {
  using Kind = typename RingFunction<T>::Kind;
  RingFunction<T> f;
  if (pieces_.empty()) {
    f.kind = Kind::kLinear;
    f.g.add_plane(planes_.normals[k].template cast<T>(), T(planes_.levels[k]), ring);
    return f;
  }
  const spatial::Vec3T<T> inverse = stretch_.cwiseInverse().template cast<T>();
  const RingPoints<T> scaled{ring.center.cwiseProduct(inverse), ring.cosine.cwiseProduct(inverse),
                             ring.sine.cwiseProduct(inverse)};
  const ProfilePiece& piece = pieces_[k / 3];
  const spatial::Vec3T<T> up(T(0), T(0), T(1));
  if (k % 3 > 0) {
    f.kind = Kind::kLinear;
    if (k % 3 == 1) f.g.add_plane(-up, T(-piece.low), scaled);
    if (k % 3 == 2) f.g.add_plane(up, T(piece.high), scaled);
    return f;
  }
  f.g.add_square(0, T(1), scaled);
  f.g.add_square(1, T(1), scaled);
  if (piece.kind == ProfilePiece::Kind::kQuadratic) {
    f.g.add_square(2, T(-piece.c2), scaled);
    f.g.add_plane(T(-piece.c1) * up, T(piece.c0), scaled);
    return f;
  }
  f.kind = Kind::kTorus;
  f.ring_radius = piece.ring_radius;
  f.tube_radius = piece.tube_radius;
  f.h = f.g;
  f.g.add_square(2, T(1), scaled);
  return f;
}

}  // namespace grapple::geometry
