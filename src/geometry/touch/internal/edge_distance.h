// Where a point is nearest to the surface of an edge (shape.h: Edge), signed: positive outside.
// After Gonthier (2007, A.2.2), with the normal over the edge taken across it, which the source
// leaves out. The normal turns smoothly from one face to the other on the way over the edge.
#pragma once

#include <cmath>

#include "grapple/spatial/types.h"

namespace grapple::geometry {

template <class T>
struct SurfaceDistance {
  T distance;
  spatial::Vec3T<T> normal;  ///< unit, outward: distance grows along it
};

template <class T>
SurfaceDistance<T> edge_distance(double half_angle, const spatial::Vec3T<T>& p) {
  using std::sqrt;
  const T c(std::cos(half_angle)), s(std::sin(half_angle));
  const T side = p.y() < T(0) ? T(-1) : T(1);
  const spatial::Vec3T<T> face(T(0), side * c, s);
  const T height = face.dot(p),
          down = side * p.y() * s - p.z() * c;  // along the face, from the edge
  if (down > T(0) || !(height > T(0))) return {height, face};
  const T square = p.y() * p.y() + p.z() * p.z();
  if (!(square > T(0))) return {T(0), spatial::Vec3T<T>(T(0), T(0), T(1))};
  const T distance = sqrt(square);
  return {distance, spatial::Vec3T<T>(T(0), p.y() / distance, p.z() / distance)};
}

}  // namespace grapple::geometry
