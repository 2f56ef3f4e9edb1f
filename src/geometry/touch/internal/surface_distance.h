// Signed distance of a point from the surface of round solids and holes, in the plane through the
// axis: positive outside the material, with the direction in which it grows. After Gonthier (2007,
// A.2) for tips; on the axis any direction across it is taken.
#pragma once

#include <algorithm>
#include <cmath>

#include "grapple/geometry/solid/shape.h"
#include "grapple/geometry/touch/internal/edge_distance.h"
#include "grapple/spatial/dual.h"
#include "grapple/spatial/root.h"

namespace grapple::geometry {

/// A point by its distance from the axis and its height, and back.
template <class T>
struct AxialPoint {
  T r, z;
  spatial::Vec3T<T> out;  ///< unit, from the axis

  explicit AxialPoint(const spatial::Vec3T<T>& p) {
    const T square = p.x() * p.x() + p.y() * p.y();
    r = spatial::root_of(square);
    z = p.z();
    out = r > T(0) ? spatial::Vec3T<T>(p.x() / r, p.y() / r, T(0))
                   : spatial::Vec3T<T>(T(1), T(0), T(0));
  }
  SurfaceDistance<T> along(const T& distance, const T& across, const T& up) const {
    return {distance, across * out + spatial::Vec3T<T>(T(0), T(0), up)};
  }
  /// From a point (r0, z0) of the profile; `otherwise` where it lies on it.
  SurfaceDistance<T> from(double r0, double z0, double across, double up) const {
    using std::sqrt;
    const T dr = r - T(r0), dz = z - T(z0), square = dr * dr + dz * dz;
    if (!(square > T(0))) return along(T(0), T(across), T(up));
    const T distance = sqrt(square);
    return along(distance, dr / distance, dz / distance);
  }
};

template <class T>
SurfaceDistance<T> surface_distance(const Edge& edge, const spatial::Vec3T<T>& p) {
  return edge_distance<T>(edge.half_angle, p);
}

template <class T>
SurfaceDistance<T> surface_distance(const Spike& spike, const spatial::Vec3T<T>& p) {
  const AxialPoint<T> at(p);
  const double c = std::cos(spike.half_angle), s = std::sin(spike.half_angle);
  if (at.z * T(c) - at.r * T(s) > T(0)) return at.from(0.0, 0.0, 0.0, 1.0);  // beyond the tip
  return at.along(at.r * T(c) + at.z * T(s), T(c), T(s));
}

template <class T>
SurfaceDistance<T> surface_distance(const Funnel& funnel, const spatial::Vec3T<T>& p) {
  const AxialPoint<T> at(p);
  const double c = std::cos(funnel.half_angle), s = std::sin(funnel.half_angle);
  return at.along(at.z * T(s) - at.r * T(c), T(-c), T(s));
}

template <class T>
SurfaceDistance<T> surface_distance(const Torus& torus, const spatial::Vec3T<T>& p) {
  const AxialPoint<T> at(p);
  SurfaceDistance<T> d = at.from(torus.ring_radius, 0.0, 1.0, 0.0);
  d.distance -= T(torus.tube_radius);
  return d;
}

template <class T>
SurfaceDistance<T> surface_distance(const Cylinder& cylinder, const spatial::Vec3T<T>& p) {
  const AxialPoint<T> at(p);
  const double side = spatial::value_of(at.z) < 0.0 ? -1.0 : 1.0;
  const T beyond = at.r - T(cylinder.radius), above = T(side) * at.z - T(cylinder.half_length);
  if (beyond > T(0) && above > T(0)) {
    return at.from(cylinder.radius, side * cylinder.half_length, 1.0, 0.0);
  }
  if (beyond > above) return at.along(beyond, T(1), T(0));
  return at.along(above, T(0), T(side));
}

template <class T>
SurfaceDistance<T> surface_distance(const Cone& cone, const spatial::Vec3T<T>& p) {
  const AxialPoint<T> at(p);
  const double slant = std::hypot(cone.radius, cone.length);
  const double c = cone.length / slant, s = cone.radius / slant;  // normal of the side
  const T side = (at.r - T(cone.radius)) * T(c) + at.z * T(s);
  const T up = at.z * T(c) - (at.r - T(cone.radius)) * T(s);  // along the side, from the rim
  if (side > T(0) && up > T(slant)) return at.from(0.0, cone.length, 0.0, 1.0);
  if (side > T(0) && up > T(0)) return at.along(side, T(c), T(s));
  if (at.r > T(cone.radius) && (side > T(0) || at.z < T(0))) {
    return at.from(cone.radius, 0.0, 1.0, 0.0);
  }
  if (side > -at.z) return at.along(side, T(c), T(s));
  return at.along(-at.z, T(0), T(-1));
}

template <class T>
SurfaceDistance<T> surface_distance(const Bar& bar, const spatial::Vec3T<T>& p) {
  const AxialPoint<T> at(p);
  return at.along(T(at.r - T(bar.radius)), T(1), T(0));
}

template <class T>
SurfaceDistance<T> surface_distance(const Bore& bore, const spatial::Vec3T<T>& p) {
  const AxialPoint<T> at(p);
  return at.along(T(T(bore.radius) - at.r), T(-1), T(0));
}

template <class T>
SurfaceDistance<T> surface_distance(const Sphere& sphere, const spatial::Vec3T<T>& p) {
  SurfaceDistance<T> d = AxialPoint<T>(p).from(0.0, 0.0, 0.0, 1.0);
  d.distance -= T(sphere.radius);
  return d;
}

template <class T>
SurfaceDistance<T> surface_distance(const Capsule& capsule, const spatial::Vec3T<T>& p) {
  const AxialPoint<T> at(p);
  const double h = capsule.half_length, z = std::clamp(spatial::value_of(at.z), -h, h);
  const bool beside = std::abs(spatial::value_of(at.z)) <= h;
  SurfaceDistance<T> d =
      beside ? at.along(at.r, T(1), T(0)) : at.from(0.0, z, 0.0, z > 0.0 ? 1.0 : -1.0);
  d.distance -= T(capsule.radius);
  return d;
}

/// Of any shape with an axis, which does not include ellipsoids.
template <class T>
SurfaceDistance<T> round_distance(const Shape& shape, const spatial::Vec3T<T>& p) {
  if (const auto* sphere = std::get_if<Sphere>(&shape)) return surface_distance<T>(*sphere, p);
  if (const auto* bar = std::get_if<Bar>(&shape)) return surface_distance<T>(*bar, p);
  if (const auto* bore = std::get_if<Bore>(&shape)) return surface_distance<T>(*bore, p);
  if (const auto* capsule = std::get_if<Capsule>(&shape)) return surface_distance<T>(*capsule, p);
  if (const auto* spike = std::get_if<Spike>(&shape)) return surface_distance<T>(*spike, p);
  if (const auto* funnel = std::get_if<Funnel>(&shape)) return surface_distance<T>(*funnel, p);
  if (const auto* torus = std::get_if<Torus>(&shape)) return surface_distance<T>(*torus, p);
  if (const auto* cone = std::get_if<Cone>(&shape)) return surface_distance<T>(*cone, p);
  return surface_distance<T>(*std::get_if<Cylinder>(&shape), p);
}

}  // namespace grapple::geometry
