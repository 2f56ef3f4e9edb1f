// How deep two convex bodies overlap: the face of their difference A - B nearest to the origin
// inside it, found by growing a polytope from a tetrahedron (van den Bergen 2001). Fixed storage.
// Internal to the room.
#pragma once

#include <functional>

#include "grapple/geometry/convex_distance.h"

namespace grapple::geometry {

/// The farthest points of A and B that give the farthest point of A - B in a direction.
using FarthestPair = std::function<SimplexCorner(const spatial::Vec3& direction)>;

struct DeepestFace {
  bool found = false;
  bool converged = false;  ///< a face of A - B itself; otherwise only its normal is worth something
  spatial::Vec3 normal;  ///< unit, from B towards A: moving A by `depth` along it parts the bodies
  double depth = 0.0;    ///< m, >= 0
  std::array<SimplexCorner, 4> corners;  ///< three of them span the face
  std::array<double, 4> share{};         ///< weights of the point of the face nearest to the origin
};

/// `start`: what closest_points left when it found the bodies overlapping; `size` of the larger
/// body. Ends when the face is known to 1e-12 of the size, or when storage is used up (round
/// bodies, to some 1e-3).
DeepestFace deepest_face(const FarthestPair& farthest, const ConvexClosest& start, double size);

}  // namespace grapple::geometry
