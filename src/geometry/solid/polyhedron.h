// Exact volume moments of convex polyhedra. A solid is summed over tetrahedra from a common origin
// to triangles of its faces; with vertices 0, a, b, c of one:
//   V = det(a, b, c)/6,   integral of r = V s/4,   of r r' = V (a a' + b b' + c c' + s s')/20,
// s = a + b + c. If the origin lies on the plane that cuts the solid, the cut itself adds nothing
// and need not be known.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "grapple/spatial/types.h"

namespace grapple::geometry {

/// Corners, and faces as loops of corner numbers, counter-clockwise from outside.
struct Polyhedron {
  std::vector<spatial::Vec3> corners;
  std::vector<std::vector<int>> faces;
};

Polyhedron box_polyhedron(const spatial::Vec3& half_edges);

/// Half the least width across a face: of a box, its shortest half edge.
double half_width(const Polyhedron& solid);

/// The most faces, and the most corners of one face, of a polyhedron that takes part in a contact.
inline constexpr std::size_t kMostFaces = 64;

/// A convex polygon that stays on the stack. A cut adds at most one corner.
inline constexpr std::size_t kMostPolygonCorners = 2 * kMostFaces;
template <class T>
struct Polygon {
  std::array<spatial::Vec3T<T>, kMostPolygonCorners> corners;
  std::size_t count = 0;

  void add(const spatial::Vec3T<T>& corner) { corners[count++] = corner; }
};

/// Writes what lies below the plane normal . r = level to `kept`.
template <class T>
void cut(const Polygon<T>& polygon, const spatial::Vec3T<T>& normal, const T& level,
         Polygon<T>& kept) {
  kept.count = 0;
  for (std::size_t k = 0; k < polygon.count; ++k) {
    const spatial::Vec3T<T>& here = polygon.corners[k];
    const spatial::Vec3T<T>& next = polygon.corners[k + 1 == polygon.count ? 0 : k + 1];
    const T above = normal.dot(here) - level, next_above = normal.dot(next) - level;
    if (!(above > T(0))) kept.add(here);
    if ((above > T(0)) == (next_above > T(0))) continue;
    kept.add(here + (above / (above - next_above)) * (next - here));
  }
}

template <class T>
struct VolumeMoments {
  T volume{0};
  spatial::Vec3T<T> first = spatial::Vec3T<T>::Zero();   ///< integral of r
  spatial::Mat3T<T> second = spatial::Mat3T<T>::Zero();  ///< integral of r r'

  /// The cone from the origin to a face.
  void add(const Polygon<T>& face) {
    for (std::size_t k = 2; k < face.count; ++k) {
      add(face.corners[0], face.corners[k - 1], face.corners[k]);
    }
  }

  /// The cone from the origin to a triangle.
  void add(const spatial::Vec3T<T>& a, const spatial::Vec3T<T>& b, const spatial::Vec3T<T>& c) {
    const T v = a.dot(b.cross(c)) / T(6);
    const spatial::Vec3T<T> s = a + b + c;
    volume += v;
    first += (v / T(4)) * s;
    const T weight = v / T(20);
    for (int i = 0; i < 3; ++i) {
      for (int k = 0; k <= i; ++k) {
        const T entry = weight * (a[i] * a[k] + b[i] * b[k] + c[i] * c[k] + s[i] * s[k]);
        second(i, k) += entry;
        if (k < i) second(k, i) += entry;
      }
    }
  }

  spatial::Vec3T<T> centroid() const { return first / volume; }
  /// integral of (r.r 1 - r r') about the centroid.
  spatial::Mat3T<T> inertia() const {
    const spatial::Mat3T<T> central = second - first * first.transpose() / volume;
    return central.trace() * spatial::Mat3T<T>::Identity() - central;
  }
};

}  // namespace grapple::geometry
