#include "grapple/geometry/expanding_polytope.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace grapple::geometry {

namespace {

using spatial::Vec3;

constexpr std::size_t kMostCorners = 96, kMostTriangles = 256;

struct Triangle {
  std::array<std::size_t, 3> at{};
  Vec3 normal = Vec3::Zero();  // unit, away from the origin
  double distance = 0.0;
};

class Polytope {
 public:
  // A tetrahedron, or what is left of a flat one: a triangle with the farthest points to both
  // sides.
  bool start(const FarthestPair& farthest, const ConvexClosest& simplex, double size) {
    for (std::size_t k = 0; k < simplex.count; ++k) add_corner(simplex.corners[k]);
    if (corner_count_ == 4 && !is_flat(size)) return close_tetrahedron();
    corner_count_ = std::min<std::size_t>(corner_count_, 3);
    for (int k = 0; k < 6 && corner_count_ < 3; ++k) try_direction(farthest, direction(k), size);
    if (corner_count_ < 3) return false;
    const Vec3 across = (corners_[1].w - corners_[0].w).cross(corners_[2].w - corners_[0].w);
    if (!(across.norm() > 0.0)) return false;
    add_corner(farthest(across.normalized()));
    add_corner(farthest(-across.normalized()));
    return close_double_pyramid();
  }

  const Triangle& nearest() const {
    return *std::min_element(
        triangles_.begin(), triangles_.begin() + static_cast<std::ptrdiff_t>(triangle_count_),
        [](const Triangle& a, const Triangle& b) { return a.distance < b.distance; });
  }

  // Takes a new corner in; false if there is no room or it spoils the surface.
  bool grow(const SimplexCorner& corner) {
    if (corner_count_ == kMostCorners) return false;
    const std::size_t number = corner_count_;
    edge_count_ = 0;
    for (std::size_t k = 0; k < triangle_count_;) {
      if (triangles_[k].normal.dot(corner.w) > triangles_[k].distance) {
        for (std::size_t i = 0; i < 3; ++i) {
          toggle(triangles_[k].at[i], triangles_[k].at[(i + 1) % 3]);
        }
        triangles_[k] = triangles_[--triangle_count_];
      } else {
        ++k;
      }
    }
    if (edge_count_ == 0 || triangle_count_ + edge_count_ > kMostTriangles) return false;
    add_corner(corner);
    for (std::size_t k = 0; k < edge_count_; ++k) {
      if (!add_triangle(edges_[k][0], edges_[k][1], number)) return false;
    }
    return true;
  }

  const SimplexCorner& corner(std::size_t k) const { return corners_[k]; }

 private:
  static Vec3 direction(int k) { return (k % 2 == 0 ? 1.0 : -1.0) * Vec3::Unit(k / 2); }

  void add_corner(const SimplexCorner& corner) { corners_[corner_count_++] = corner; }

  bool is_flat(double size) const {
    const auto edge = [&](std::size_t k) -> Vec3 { return corners_[k].w - corners_[0].w; };
    return std::abs(edge(1).dot(edge(2).cross(edge(3)))) < 1e-6 * size * size * size;
  }

  void put_inside(std::size_t count) {
    inside_.setZero();
    for (std::size_t k = 0; k < count; ++k) inside_ += corners_[k].w / static_cast<double>(count);
  }

  bool close_tetrahedron() {
    put_inside(4);
    return add_triangle(0, 1, 2) && add_triangle(0, 1, 3) && add_triangle(0, 2, 3) &&
           add_triangle(1, 2, 3);
  }

  bool close_double_pyramid() {
    put_inside(5);
    for (const std::size_t top : {3, 4}) {
      if (!add_triangle(0, 1, top) || !add_triangle(1, 2, top) || !add_triangle(2, 0, top)) {
        return false;
      }
    }
    return true;
  }

  // Takes the farthest pair in if it spans something new.
  void try_direction(const FarthestPair& farthest, const Vec3& d, double size) {
    const SimplexCorner next = farthest(d);
    const auto from = [&](std::size_t k) -> Vec3 { return next.w - corners_[k].w; };
    double spread = 1.0;
    if (corner_count_ == 1) spread = from(0).norm() / size;
    if (corner_count_ == 2) {
      const Vec3 edge = (corners_[1].w - corners_[0].w).normalized();
      spread = edge.cross(from(0)).norm() / size;
    }
    if (spread > 1e-9) add_corner(next);
  }

  bool add_triangle(std::size_t a, std::size_t b, std::size_t c) {
    const Vec3 &wa = corners_[a].w, &wb = corners_[b].w, &wc = corners_[c].w;
    Vec3 normal = (wb - wa).cross(wc - wa);
    const double area = normal.norm();
    if (!(area > 0.0)) return false;
    normal /= area;
    Triangle triangle{{a, b, c}, normal, normal.dot(wa)};
    if (normal.dot(inside_ - wa) > 0.0) {
      triangle = {{a, c, b}, -normal, -triangle.distance};
    }
    triangles_[triangle_count_++] = triangle;
    return true;
  }

  // An edge met from both sides is inside the hole and goes.
  void toggle(std::size_t from, std::size_t to) {
    for (std::size_t k = 0; k < edge_count_; ++k) {
      if (edges_[k][0] == to && edges_[k][1] == from) {
        edges_[k] = edges_[--edge_count_];
        return;
      }
    }
    if (edge_count_ < edges_.size()) edges_[edge_count_++] = {from, to};
  }

  std::array<SimplexCorner, kMostCorners> corners_;
  std::array<Triangle, kMostTriangles> triangles_;
  std::array<std::array<std::size_t, 2>, kMostTriangles> edges_;
  std::size_t corner_count_ = 0, triangle_count_ = 0, edge_count_ = 0;
  Vec3 inside_ = Vec3::Zero();
};

DeepestFace face_of(const Polytope& polytope, const Triangle& triangle) {
  DeepestFace face;
  std::array<Vec3, 4> points;
  for (std::size_t k = 0; k < 3; ++k) {
    face.corners[k] = polytope.corner(triangle.at[k]);
    points[k] = face.corners[k].w;
  }
  face.found = affine_weights(points, 3, face.share);
  face.normal = -triangle.normal;
  face.depth = std::max(0.0, triangle.distance);
  return face;
}

}  // namespace

DeepestFace deepest_face(const FarthestPair& farthest, const ConvexClosest& start, double size) {
  Polytope polytope;
  if (!polytope.start(farthest, start, size)) return {};
  // The farthest point along a normal bounds the depth from above; the face with the least bound is
  // kept, because late faces may be slivers whose normals are rounding.
  DeepestFace best;
  double bound = std::numeric_limits<double>::infinity();
  for (std::size_t round = 0; round < kMostCorners; ++round) {
    const Triangle nearest = polytope.nearest();
    const SimplexCorner next = farthest(nearest.normal);
    const double support = nearest.normal.dot(next.w);
    if (support < bound) {
      const DeepestFace face = face_of(polytope, nearest);
      if (face.found) {
        best = face;
        bound = support;
      }
    }
    if (support - nearest.distance < 1e-12 * size || bound - nearest.distance < 1e-10 * size) {
      best.converged = true;
      break;
    }
    if (!polytope.grow(next)) break;
  }
  return best;
}

}  // namespace grapple::geometry
