// A closed mesh as signed tetrahedra from one point to its triangles: their signs add up to 1
// inside the mesh and to 0 outside, for convex meshes and others. What a plane polygon has inside
// the mesh is so the signed sum of what the tetrahedra cut out of it. Neighbours share their side
// planes to the last bit and divide what lies on them: nothing counts twice.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "grapple/geometry/overlap/internal/flush.h"
#include "grapple/geometry/solid/internal/box_tree.h"
#include "grapple/geometry/solid/triangle_mesh.h"
#include "grapple/spatial/dual.h"

namespace grapple::geometry {

/// A triangle after at most four cuts.
template <class T>
struct SmallPolygon {
  std::array<spatial::Vec3T<T>, 8> corners;
  std::size_t count = 0;

  void add(const spatial::Vec3T<T>& corner) { corners[count++] = corner; }
};

/// A triangle of one mesh on its way through the tetrahedra of another, in the frame of the other.
template <class T>
struct PlacedTriangle {
  std::array<spatial::Vec3T<T>, 3> corners;
  AxisBox box;

  explicit PlacedTriangle(const std::array<spatial::Vec3T<T>, 3>& at) : corners(at) {
    for (const auto& c : at) {
      box.hold(c.unaryExpr([](const T& x) { return spatial::value_of(x); }));
    }
  }
};

class ConeMesh {
 public:
  explicit ConeMesh(std::shared_ptr<const TriangleMesh> mesh);

  const TriangleMesh& mesh() const { return *mesh_; }
  std::size_t count() const { return cones_.size(); }
  const spatial::Vec3& corner(std::size_t triangle, std::size_t k) const {
    return mesh_->corners[static_cast<std::size_t>(mesh_->triangles[triangle][k])];
  }
  const BoxTree& triangle_tree() const { return triangle_tree_; }
  const spatial::Vec3& center() const { return apex_; }
  /// At least that of the corners from the centre.
  double reach() const { return reach_; }

  /// How near coinciding faces of this and another mesh of that reach lie; the same for both, or a
  /// face might count for neither.
  double flat(double other_reach) const { return 1e-13 * (reach_ + other_reach); }

  /// Calls add(polygon, sign) for what tetrahedra cut out of the triangle.
  template <class T, class Add>
  void clip(const PlacedTriangle<T>& triangle, Flush flush, double flat, const Add& add) const {
    const Corners from_apex(triangle.corners, apex_);
    AxisBox box = triangle.box;  // a face on the surface may lie outside by rounding
    box.low.array() -= flat;
    box.high.array() += flat;
    cone_tree_.for_each_meeting(box, [&](std::uint32_t k) {
      const Cone& cone = cones_[k];
      if (misses(cone, from_apex)) return;
      SmallPolygon<T> one, two;
      for (const auto& c : triangle.corners) one.add(c);
      if (!cut_by_top(cone, from_apex, flush, flat, one, two)) return;
      SmallPolygon<T>*here = &two, *next = &one;
      for (std::size_t i = 0; i < 3 && here->count > 0; ++i) {
        cut(sides_[cone.sides[i]], 0.0, cone.keeps[i], *here, *next);
        std::swap(here, next);
      }
      if (here->count > 2) add(*here, cone.sign);
    });
  }

 private:
  enum class Keep { kAboveOrOn, kBelow };
  struct Cone {
    spatial::Vec3 normal;  // unit, of the triangle, outward
    double level = 0.0;    // of its plane over the apex
    double sign = 1.0;     // of the volume
    std::array<std::size_t, 3> sides;
    std::array<Keep, 3> keeps;
  };

  // Of a triangle, from the apex.
  struct Corners {
    std::array<spatial::Vec3, 3> at;

    template <class T>
    Corners(const std::array<spatial::Vec3T<T>, 3>& corners, const spatial::Vec3& apex) {
      for (std::size_t k = 0; k < 3; ++k) {
        at[k] = corners[k].unaryExpr([](const T& x) { return spatial::value_of(x); }) - apex;
      }
    }
    spatial::Vec3 above(const spatial::Vec3& normal, double level) const {
      return {normal.dot(at[0]) - level, normal.dot(at[1]) - level, normal.dot(at[2]) - level};
    }
  };

  template <class T>
  static bool kept(Keep keep, const T& above) {
    return keep == Keep::kBelow ? above < T(0) : !(above < T(0));
  }

  // Whether one side plane has all of the triangle on the wrong side.
  bool misses(const Cone& cone, const Corners& corners) const {
    for (std::size_t i = 0; i < 3; ++i) {
      const spatial::Vec3 above = corners.above(sides_[cone.sides[i]], 0.0);
      const bool none =
          cone.keeps[i] == Keep::kBelow ? above.minCoeff() >= 0.0 : above.maxCoeff() < 0.0;
      if (none) return true;
    }
    return false;
  }

  template <class T>
  void cut(const spatial::Vec3& normal, double level, Keep keep, const SmallPolygon<T>& polygon,
           SmallPolygon<T>& rest) const {
    std::array<T, 8> above;
    const spatial::Vec3T<T> n = normal.cast<T>(), o = apex_.cast<T>();
    for (std::size_t k = 0; k < polygon.count; ++k) {
      above[k] = n.dot(spatial::Vec3T<T>(polygon.corners[k] - o)) - T(level);
    }
    rest.count = 0;
    for (std::size_t k = 0; k < polygon.count; ++k) {
      const std::size_t then = k + 1 == polygon.count ? 0 : k + 1;
      const bool in = kept(keep, above[k]);
      if (in) rest.add(polygon.corners[k]);
      if (in == kept(keep, above[then])) continue;
      const T share = above[k] / (above[k] - above[then]);
      rest.add(polygon.corners[k] + share * (polygon.corners[then] - polygon.corners[k]));
    }
  }

  // By the plane of the mesh's own triangle; false if nothing is left.
  template <class T>
  bool cut_by_top(const Cone& cone, const Corners& corners, Flush flush, double flat,
                  const SmallPolygon<T>& polygon, SmallPolygon<T>& rest) const {
    const spatial::Vec3 above = corners.above(cone.normal, cone.level);
    if (above.cwiseAbs().maxCoeff() < flat) {
      const auto& [a, b, c] = corners.at;
      const bool same_way = (b - a).cross(c - a).dot(cone.normal) > 0.0;
      const bool inside = same_way && flush == Flush::kCounts;
      if (inside != (cone.sign > 0.0)) return false;
      rest = polygon;
      return true;
    }
    const Keep keep = cone.sign > 0.0 ? Keep::kBelow : Keep::kAboveOrOn;
    if (keep == Keep::kBelow ? above.minCoeff() >= 0.0 : above.maxCoeff() < 0.0) return false;
    cut(cone.normal, cone.level, keep, polygon, rest);
    return rest.count > 0;
  }

  std::shared_ptr<const TriangleMesh> mesh_;
  spatial::Vec3 apex_ = spatial::Vec3::Zero();
  double reach_ = 0.0;
  std::vector<Cone> cones_;
  // Normals of the planes through the apex and an edge, seen from its lower corner number.
  std::vector<spatial::Vec3> sides_;
  BoxTree cone_tree_, triangle_tree_;
};

}  // namespace grapple::geometry
