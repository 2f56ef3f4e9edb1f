// A convex solid as the planes of its faces, with its corners and edges: a half-space, an edge, a
// box or a polyhedron; and the same seen from another frame.
#pragma once

#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "grapple/geometry/solid/shape.h"
#include "grapple/spatial/dual.h"

namespace grapple::geometry {

struct FacePlanes {
  std::vector<spatial::Vec3> normals;  ///< outward, unit
  std::vector<double> levels;          ///< normal . r on the plane, m
  std::vector<spatial::Vec3> corners;
  std::vector<std::pair<std::size_t, std::size_t>> edges;  ///< numbers of corners
  bool endless_edge = false;                               ///< along x through the origin
  spatial::Vec3 center = spatial::Vec3::Zero();  ///< a point inside, of solids with corners
  double size = 0.0;                             ///< half its least width, m

  bool is_half_space() const { return normals.size() == 1; }
  /// The corner farthest in a direction.
  spatial::Vec3 farthest(const spatial::Vec3& direction) const {
    std::size_t best = 0;
    for (std::size_t k = 1; k < corners.size(); ++k) {
      if (direction.dot(corners[k]) > direction.dot(corners[best])) best = k;
    }
    return corners[best];
  }
};

/// Nothing for other shapes.
std::optional<FacePlanes> face_planes(const Shape& shape);

/// In a frame A, x_A = R x + p.
template <class T>
struct SeenPlanes {
  std::array<spatial::Vec3T<T>, kMostFaces> normals;
  std::array<T, kMostFaces> levels;
  std::array<spatial::Vec3T<T>, 2 * kMostFaces> corners;
  std::size_t count = 0, corner_count = 0, line_count = 0;
  const std::vector<std::pair<std::size_t, std::size_t>>* edges;
  std::array<spatial::Vec3T<T>, 1> line_points, line_directions;  ///< of an endless edge

  SeenPlanes(const FacePlanes& planes, const spatial::Mat3T<T>& R, const spatial::Vec3T<T>& p)
      : count(planes.normals.size()), corner_count(planes.corners.size()), edges(&planes.edges) {
    for (std::size_t k = 0; k < count; ++k) {
      normals[k] = R * planes.normals[k].template cast<T>();
      levels[k] = T(planes.levels[k]) + normals[k].dot(p);
    }
    for (std::size_t k = 0; k < corner_count; ++k) {
      corners[k] = p + R * planes.corners[k].template cast<T>();
    }
    if (!planes.endless_edge) return;
    line_count = 1;
    line_points[0] = p;
    line_directions[0] = R.col(0);
  }

  /// In coordinates r / stretch.
  SeenPlanes stretched(const spatial::Vec3T<T>& stretch) const {
    using std::sqrt;
    SeenPlanes s = *this;
    const spatial::Vec3T<T> inverse = stretch.cwiseInverse();
    for (std::size_t k = 0; k < count; ++k) {
      const spatial::Vec3T<T> n = normals[k].cwiseProduct(stretch);
      const T length = sqrt(n.squaredNorm());
      s.normals[k] = n / length;
      s.levels[k] = levels[k] / length;
    }
    for (std::size_t k = 0; k < corner_count; ++k) s.corners[k] = corners[k].cwiseProduct(inverse);
    for (std::size_t k = 0; k < line_count; ++k) {
      s.line_points[k] = line_points[k].cwiseProduct(inverse);
      s.line_directions[k] = line_directions[k].cwiseProduct(inverse);
    }
    return s;
  }

  /// Into the frame C with r = R_AC r_C.
  void turn(const spatial::Mat3T<T>& R_AC) {
    const auto turned = [&](spatial::Vec3T<T>& v) { v = spatial::Vec3T<T>(R_AC.transpose() * v); };
    for (std::size_t k = 0; k < count; ++k) turned(normals[k]);
    for (std::size_t k = 0; k < corner_count; ++k) turned(corners[k]);
    for (std::size_t k = 0; k < line_count; ++k) turned(line_points[k]), turned(line_directions[k]);
  }

  /// The plane the origin is farthest in front of, or least behind.
  std::size_t nearest() const {
    std::size_t best = 0;
    for (std::size_t k = 1; k < count; ++k) {
      if (levels[k] < levels[best]) best = k;
    }
    return best;
  }

  /// The largest direction . r of the solid; a direction along which an edge without end has one.
  T farthest_along(const spatial::Vec3T<T>& direction) const {
    if (line_count > 0) return direction.dot(line_points[0]);
    T most = direction.dot(corners[0]);
    for (std::size_t k = 1; k < corner_count; ++k) {
      const T up = direction.dot(corners[k]);
      if (up > most) most = up;
    }
    return most;
  }
};

}  // namespace grapple::geometry
