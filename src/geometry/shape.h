// Shapes that touch, each in a frame S of its own on a body.
#pragma once

#include <string_view>
#include <variant>

#include "grapple/spatial/types.h"

namespace grapple::geometry {

/// Centre at the origin of S.
struct Sphere {
  double radius = 0.0;  ///< m
};

/// Everything below the plane z = 0 of S; the outward normal is z.
struct HalfSpace {};

/// Centre at the origin of S, edges along its axes; the eight corners may be rounded.
struct Box {
  spatial::Vec3 half_edges = spatial::Vec3::Zero();  ///< m
  double corner_radius = 0.0;                        ///< m
};

/// All points within `radius` of the segment from -half_length to +half_length on z.
struct Capsule {
  double radius = 0.0;       ///< m
  double half_length = 0.0;  ///< m, of the segment
};

/// A solid cylinder along z with flat ends, centre at the origin of S.
struct Cylinder {
  double radius = 0.0;       ///< m
  double half_length = 0.0;  ///< m
};

/// A round bar along z, without end.
struct Bar {
  double radius = 0.0;  ///< m
};

/// A round hole along z, without end: the solid lies beyond `radius`.
struct Bore {
  double radius = 0.0;  ///< m
};

using Shape = std::variant<Sphere, HalfSpace, Box, Capsule, Cylinder, Bar, Bore>;

/// "half-space".
std::string_view shape_name(const Shape& shape);

}  // namespace grapple::geometry
