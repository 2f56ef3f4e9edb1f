// Where bodies are and how they move, for the tests of this module: random places and motions,
// motions as dual numbers, random convex polyhedra, the slope of a volume.
#pragma once

#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "grapple/geometry/overlap/volume_query.h"
#include "grapple/geometry/solid/convex_hull.h"
#include "grapple/spatial/dual.h"
#include "grapple/spatial/rotation.h"

namespace grapple::geometry {

struct At {
  spatial::Mat3 R = spatial::Mat3::Identity();
  spatial::Vec3 p = spatial::Vec3::Zero();
  Placement<double> placement() const { return {R, p}; }
  spatial::Vec3 local(const spatial::Vec3& x) const { return R.transpose() * (x - p); }
  At then(const At& inner) const { return {R * inner.R, p + R * inner.p}; }
};

struct Body : At {
  spatial::Vec3 omega = spatial::Vec3::Zero(), v = spatial::Vec3::Zero();
  spatial::Vec3 velocity(const spatial::Vec3& point) const { return v + omega.cross(point - p); }
};

/// A body's placement with its derivative along the motion in d[0].
struct Moving {
  spatial::Mat3T<spatial::Dual> R;
  spatial::Vec3T<spatial::Dual> p;

  explicit Moving(const Body& body) {
    const spatial::Mat3 turn = spatial::skew<double>(body.omega) * body.R;
    for (int i = 0; i < 3; ++i) {
      p[i] = body.p[i];
      p[i].d[0] = body.v[i];
      for (int j = 0; j < 3; ++j) {
        R(i, j) = body.R(i, j);
        R(i, j).d[0] = turn(i, j);
      }
    }
  }
  Placement<spatial::Dual> placement() const { return {R, p}; }
};

inline spatial::Vec3 random_vector(std::mt19937& engine) {
  std::uniform_real_distribution<double> one(-1.0, 1.0);
  const double x = one(engine), y = one(engine), z = one(engine);
  return {x, y, z};
}

/// Turned any way, its origin in a cube of half-edge `reach`.
inline At random_place(std::mt19937& engine, double reach) {
  std::uniform_real_distribution<double> one(-1.0, 1.0);
  const spatial::Vec3 axis = random_vector(engine).normalized();
  const spatial::Mat3 R = spatial::rotation_about(axis, 3.0 * one(engine));
  return {R, reach * random_vector(engine)};
}

inline Body random_body(std::mt19937& engine, double reach) {
  const At at = random_place(engine, reach);
  const spatial::Vec3 omega = random_vector(engine);
  return {at, omega, random_vector(engine)};
}

/// Corners on a sphere of 0.3 m.
inline Polyhedron random_hull(std::mt19937& engine, int corner_count) {
  std::normal_distribution<double> normal;
  std::vector<spatial::Vec3> corners;
  for (int k = 0; k < corner_count; ++k) {
    const double x = normal(engine), y = normal(engine), z = normal(engine);
    corners.push_back(0.3 * spatial::Vec3(x, y, z).normalized());
  }
  return hull_of(corners, "");
}

inline Shape shape_of(Polyhedron solid) {
  return Convex{std::make_shared<const Polyhedron>(std::move(solid))};
}

/// dV/dp of the first body, by dual numbers.
inline spatial::Vec3 volume_slope(const VolumeQuery& query, const At& a, const At& b = {}) {
  const Moving rest(Body{b});
  spatial::Vec3 slope;
  for (int k = 0; k < 3; ++k) {
    const Moving along(Body{a, spatial::Vec3::Zero(), spatial::Vec3::Unit(k)});
    slope[k] = query(along.placement(), rest.placement()).volume.d[0];
  }
  return slope;
}

}  // namespace grapple::geometry
