// Pairs of solids of every kind at random places where they overlap, and whether a point lies in a
// shape by its definition.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "geometry/placed.h"

namespace grapple::geometry {

inline bool is_inside(const Shape& shape, const spatial::Vec3& p) {
  const double r = std::hypot(p.x(), p.y()), z = p.z();
  if (const auto* s = std::get_if<Sphere>(&shape)) return p.norm() < s->radius;
  if (const auto* s = std::get_if<Cylinder>(&shape)) {
    return r < s->radius && std::abs(z) < s->half_length;
  }
  if (const auto* s = std::get_if<Capsule>(&shape)) {
    return std::hypot(r, z - std::clamp(z, -s->half_length, s->half_length)) < s->radius;
  }
  if (const auto* s = std::get_if<Cone>(&shape)) {
    return z > 0.0 && r < s->radius * (1.0 - z / s->length);
  }
  if (const auto* s = std::get_if<Torus>(&shape)) {
    return std::hypot(r - s->ring_radius, z) < s->tube_radius;
  }
  if (const auto* s = std::get_if<Ellipsoid>(&shape)) {
    return p.cwiseQuotient(s->half_axes).norm() < 1.0;
  }
  if (const auto* s = std::get_if<Bar>(&shape)) return r < s->radius;
  if (const auto* s = std::get_if<Bore>(&shape)) return r > s->radius;
  if (const auto* s = std::get_if<Spike>(&shape)) return r < -z * std::tan(s->half_angle);
  if (const auto* s = std::get_if<Funnel>(&shape)) return r > z * std::tan(s->half_angle);
  const auto* box = std::get_if<Box>(&shape);
  return box != nullptr && (p.cwiseAbs() - box->half_edges).maxCoeff() < 0.0;
}

struct SolidPair {
  Shape a, b;
  At at_a, at_b;
};

/// Half an edge of a cube about its origin that holds a finite shape.
inline double half_cube(const Shape& shape) {
  if (const auto* s = std::get_if<Sphere>(&shape)) return s->radius;
  if (const auto* s = std::get_if<Cylinder>(&shape)) return std::max(s->radius, s->half_length);
  if (const auto* s = std::get_if<Capsule>(&shape)) return s->radius + s->half_length;
  if (const auto* s = std::get_if<Cone>(&shape)) return std::max(s->radius, s->length);
  if (const auto* s = std::get_if<Torus>(&shape)) return s->ring_radius + s->tube_radius;
  if (const auto* s = std::get_if<Ellipsoid>(&shape)) return s->half_axes.maxCoeff();
  return std::get_if<Box>(&shape)->half_edges.maxCoeff();
}

inline double volume_of(const Shape& shape) {
  using std::numbers::pi;
  const auto cube = [](double x) { return x * x * x; };
  if (const auto* s = std::get_if<Sphere>(&shape)) return 4.0 / 3.0 * pi * cube(s->radius);
  if (const auto* s = std::get_if<Cylinder>(&shape)) {
    return 2.0 * pi * s->radius * s->radius * s->half_length;
  }
  if (const auto* s = std::get_if<Capsule>(&shape)) {
    return 2.0 * pi * s->radius * s->radius * s->half_length + 4.0 / 3.0 * pi * cube(s->radius);
  }
  if (const auto* s = std::get_if<Cone>(&shape)) {
    return pi / 3.0 * s->radius * s->radius * s->length;
  }
  if (const auto* s = std::get_if<Torus>(&shape)) {
    return 2.0 * pi * pi * s->ring_radius * s->tube_radius * s->tube_radius;
  }
  if (const auto* s = std::get_if<Ellipsoid>(&shape)) return 4.0 / 3.0 * pi * s->half_axes.prod();
  return 8.0 * std::get_if<Box>(&shape)->half_edges.prod();
}

inline const std::vector<Shape>& finite_shapes() {
  static const std::vector<Shape> shapes = {
      Cylinder{0.15, 0.2}, Capsule{0.1, 0.15},          Cone{0.2, 0.35},
      Torus{0.2, 0.07},    Ellipsoid{{0.3, 0.2, 0.12}}, Box{{0.15, 0.2, 0.1}, 0.0}};
  return shapes;
}

inline const std::vector<Shape>& endless_shapes() {
  static const std::vector<Shape> shapes = {Bar{0.12}, Bore{0.3}, Spike{0.6}, Funnel{0.7}};
  return shapes;
}

/// Every pair of a finite shape and any other that needs general queries, at a place that varies
/// with the engine.
inline SolidPair random_pair(std::mt19937& engine, int number) {
  const auto& finite = finite_shapes();
  const auto& endless = endless_shapes();
  const int count = static_cast<int>(finite.size() + endless.size());
  const auto i = static_cast<std::size_t>(number % static_cast<int>(finite.size()));
  const auto j = static_cast<std::size_t>(number / static_cast<int>(finite.size()) % count);
  SolidPair pair{finite[i], j < finite.size() ? finite[j] : endless[j - finite.size()], {}, {}};
  pair.at_a = random_place(engine, 0.28);
  pair.at_b = random_place(engine, 0.03);
  if (std::holds_alternative<Funnel>(pair.b)) pair.at_a.p.z() += 0.3;
  return pair;
}

}  // namespace grapple::geometry
