// A convex body as a core and a rounding, known by its farthest points.
#pragma once

#include <optional>
#include <vector>

#include "grapple/geometry/solid/shape.h"
#include "grapple/geometry/touch/touch_query.h"
#include "grapple/spatial/dual.h"

namespace grapple::geometry {

/// A part of a body's surface that may be the farthest: a corner, edge or face of corners; all of
/// an ellipsoid; a rim, the side or an end of a cylinder or cone.
struct CoreFeature {
  enum class Kind { kCorner, kEllipsoid, kRim, kSide, kEnd };
  Kind kind = Kind::kCorner;
  int flat_count = 0;
  std::array<spatial::Vec3, 2> flats;          ///< unit directions that lie in it; of a side: z
  spatial::Vec3 base = spatial::Vec3::Zero();  ///< one of its corners
  double tilt = 0.0;                           ///< of its outward normal over flats[0]
};

struct ConvexCore {
  enum class Kind { kCorners, kEllipsoid, kCylinder, kCone };
  Kind kind = Kind::kCorners;
  std::vector<spatial::Vec3> corners;
  spatial::Vec3 half_axes = spatial::Vec3::Ones();
  double radius = 0.0, half_length = 0.0;        ///< of a cylinder; of the base of a cone, and 0
  double tilt = 0.0;                             ///< of the normal of a cone's side over its axis
  double rounding = 0.0;                         ///< m, added all round
  double reach = 0.0;                            ///< of a ball about the origin round the core
  double size = 0.0;                             ///< against which an overlap is deep, m
  GapCurvature curvature;                        ///< where the body lies most stably
  spatial::Vec3 center = spatial::Vec3::Zero();  ///< a point inside
  std::vector<spatial::Vec3> flats;              ///< outward unit normals of its flat faces

  spatial::Vec3 farthest(const spatial::Vec3& direction) const;
  /// The three farthest corners that are not in a line, farthest first, or as many as there are; of
  /// a round core, its farthest point.
  std::size_t farthest_corners(const spatial::Vec3& direction,
                               std::array<spatial::Vec3, 4>& points) const;

  /// What is farthest in a unit direction, to 1e-9: a point, a straight line or a face.
  enum class Farthest { kPoint, kLine, kFace };
  Farthest farthest_kind(const spatial::Vec3& direction) const;
  /// Of what is farthest in `direction`, the point farthest along `next`.
  spatial::Vec3 farthest_of_farthest(const spatial::Vec3& direction,
                                     const spatial::Vec3& next) const;

  /// The farthest point of one feature; where it is flat, any.
  template <class T>
  spatial::Vec3T<T> farthest_of(const CoreFeature& feature, const spatial::Vec3T<T>& d) const {
    using std::sqrt;
    using V = spatial::Vec3T<T>;
    using Kind_ = CoreFeature::Kind;
    if (feature.kind == Kind_::kCorner) return feature.base.template cast<T>();
    if (feature.kind == Kind_::kEllipsoid) {
      const V stretched = d.cwiseProduct(half_axes.cast<T>());
      return V(stretched.cwiseProduct(half_axes.cast<T>())) / sqrt(stretched.squaredNorm());
    }
    const T end(feature.kind == Kind_::kSide     ? 0.0
                : spatial::value_of(d.z()) < 0.0 ? -half_length
                                                 : half_length);
    const T square = d.x() * d.x() + d.y() * d.y();
    if (feature.kind == Kind_::kEnd || !(square > T(0))) return {T(0), T(0), end};
    const T rim = T(radius) / sqrt(square);
    return {rim * d.x(), rim * d.y(), end};
  }
  /// The straight line in a feature of one flat direction, where it is farthest.
  template <class T>
  static spatial::Vec3T<T> line_of(const CoreFeature& feature, const spatial::Vec3T<T>& d) {
    using std::sqrt;
    if (!(feature.tilt != 0.0)) return feature.flats[0].template cast<T>();
    const T lean = T(-feature.tilt) / sqrt(d.x() * d.x() + d.y() * d.y());
    return {lean * d.x(), lean * d.y(), T(std::sqrt(1.0 - feature.tilt * feature.tilt))};
  }
  /// How that point moves with the direction: da = bend dn.
  spatial::Mat3 bend_of(const CoreFeature& feature, const spatial::Vec3& direction) const;

  /// The features a search may have meant, flat ones first; `points` of the core bear its nearest
  /// point.
  struct Features {
    std::array<CoreFeature, 7> at;
    std::size_t count = 0;
  };
  Features features_at(const std::array<spatial::Vec3, 4>& points, std::size_t count) const;
};

std::optional<ConvexCore> convex_core(const Shape& shape);

}  // namespace grapple::geometry
