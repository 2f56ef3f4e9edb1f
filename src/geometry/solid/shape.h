// Shapes that touch, each in a frame S of its own on a body.
#pragma once

#include <memory>
#include <string_view>
#include <variant>
#include <vector>

#include "grapple/geometry/solid/polyhedron.h"
#include "grapple/geometry/solid/triangle_mesh.h"
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

/// A solid cone: base of `radius` in the plane z = 0, apex at z = length.
struct Cone {
  double radius = 0.0;  ///< m
  double length = 0.0;  ///< m
};

/// A round tip without end: apex at the origin of S, pointing along z, the solid behind it.
struct Spike {
  double half_angle = 0.0;  ///< rad, between axis and surface, below pi/2
};

/// A conical hole without end: apex at the origin of S, opening along z; the solid is outside.
struct Funnel {
  double half_angle = 0.0;  ///< rad, between axis and surface, below pi/2
};

/// A ring about z.
struct Torus {
  double ring_radius = 0.0;  ///< m, from the axis to the middle of the tube
  double tube_radius = 0.0;  ///< m, below ring_radius
};

/// Half axes along the axes of S, centre at the origin.
struct Ellipsoid {
  spatial::Vec3 half_axes = spatial::Vec3::Zero();  ///< m
};

/// A straight edge without end, along x of S through its origin; z points out of it halfway between
/// its faces. The outward normals of the faces are (0, +-cos h, sin h).
struct Edge {
  double half_angle = 0.0;  ///< h, rad, half the angle of the solid, at most pi/2
};

/// A convex polyhedron: given by its corners, by half-spaces, or an extrusion.
struct Convex {
  std::shared_ptr<const Polyhedron> solid;
};

/// A closed surface of triangles, convex or not.
struct Mesh {
  std::shared_ptr<const TriangleMesh> surface;
};

/// A solid made of parts, for concave bodies: each part touches by itself.
struct Cell;
struct Cells {
  std::shared_ptr<const std::vector<Cell>> parts;
};

using Shape = std::variant<Sphere, HalfSpace, Box, Capsule, Cylinder, Bar, Bore, Cone, Spike,
                           Funnel, Torus, Ellipsoid, Edge, Convex, Mesh, Cells>;

struct Cell {
  Shape shape;         ///< not Cells again
  spatial::Pose X_SC;  ///< its frame in that of the whole
};

/// "half-space".
std::string_view shape_name(const Shape& shape);

/// The shape as a convex polyhedron, if it is one with sharp edges: a box, or Convex.
std::shared_ptr<const Polyhedron> polyhedron_of(const Shape& shape);

/// The parts of Cells; any other shape is its own only part.
std::vector<Cell> parts_of(const Shape& shape);

}  // namespace grapple::geometry
