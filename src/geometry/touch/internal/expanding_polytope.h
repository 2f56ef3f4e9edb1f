// How deep two convex bodies overlap: the face of their difference A - B nearest to the origin
// inside it, found by growing a polytope in A - B (van den Bergen 2001), with three changes that
// exact symmetry asks for. The origin need not lie in the polytope: faces are ranked by their
// signed distance, so that the search may begin with any tetrahedron, of the bodies' extents where
// the simplex of closest_points is flat. A corner in the plane of a face removes that face, so that
// coplanar corners make no slivers. A difference without thickness (cores that are points or lines)
// is told as such. Fixed storage.
#pragma once

#include <functional>

#include "grapple/geometry/touch/internal/convex_distance.h"

namespace grapple::geometry {

/// The farthest points of A and B that give the farthest point of A - B in a direction.
using FarthestPair = std::function<SimplexCorner(const spatial::Vec3& direction)>;

struct DeepestFace {
  bool found = false;
  bool converged = false;  ///< a face of A - B itself; otherwise only its normal is worth something
  spatial::Vec3 normal;  ///< unit, from B towards A: moving A by `depth` along it parts the bodies
  double depth = 0.0;    ///< m, of all of A - B behind the face; below 0 if the bodies are apart
  std::array<SimplexCorner, 4> corners;  ///< `count` of them span the face
  std::size_t count = 0;                 ///< 3; 2 or 1 if A - B is a segment or a point
  std::array<double, 4> share{};         ///< weights of the point of the face nearest to the origin
  /// If not converged: other normals, far apart, along which the depth may yet be less.
  std::array<spatial::Vec3, 8> others;
  std::size_t other_count = 0;
};

/// `start`: what closest_points left when it found the bodies overlapping; `size` of the larger
/// body. Ends when the face is known to 1e-12 of the size, or when storage is used up (round
/// bodies, to some 1e-3).
DeepestFace deepest_face(const FarthestPair& farthest, const ConvexClosest& start, double size);

}  // namespace grapple::geometry
