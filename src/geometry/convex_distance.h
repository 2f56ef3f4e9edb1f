// Distance of two convex bodies, each known only by its farthest point in a direction (Gilbert,
// Johnson and Keerthi 1988): the point of their difference A - B nearest to the origin, from a
// growing and shrinking simplex of its farthest points. Sub-simplices are tried one by one, all of
// them: slower than clever and hard to fool. Internal to the room.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

#include "grapple/spatial/types.h"

namespace grapple::geometry {

/// A corner of a simplex in A - B with the points it came from.
struct SimplexCorner {
  spatial::Vec3 a, b, w;  ///< w = a - b
};

struct ConvexClosest {
  bool apart = false;                                          ///< by more than 1e-12 of the size
  double distance = 0.0;                                       ///< of the points found, if apart
  double at_least = -std::numeric_limits<double>::infinity();  ///< proved: a lower bound of the gap
  spatial::Vec3 a, b;    ///< nearest points; if not apart, of no meaning
  spatial::Vec3 normal;  ///< unit, from B towards A, if apart
  std::array<SimplexCorner, 4> corners;
  std::array<double, 4> share{};  ///< weights of the corners that bear the nearest point
  std::size_t count = 0;
};

/// Barycentric weights of the point nearest to the origin on the affine hull of the first `count`
/// corners; false if the corners are degenerate.
bool affine_weights(const std::array<spatial::Vec3, 4>& corners, std::size_t count,
                    std::array<double, 4>& weights);

/// Shrinks `found` to the corners that bear the point nearest to the origin; that point.
spatial::Vec3 reduce_simplex(ConvexClosest& found);

/// `far_a(d)`, `far_b(d)`: the farthest points of A and B in the direction d, in common axes;
/// `between`: from any point of B to any point of A; `size`: of the larger body, m.
template <class FarA, class FarB>
ConvexClosest closest_points(const FarA& far_a, const FarB& far_b, const spatial::Vec3& between,
                             double size) {
  constexpr int kMostRounds = 100;
  constexpr double kEnough = 1e-14;    // of the squared distance: it converges from above
  constexpr double kTouching = 1e-12;  // of the size: below, the normal would be rounding
  ConvexClosest found;
  spatial::Vec3 v = between.squaredNorm() > 0.0 ? between : spatial::Vec3(size, 0.0, 0.0);
  for (int round = 0; round < kMostRounds; ++round) {
    SimplexCorner next{far_a(-v), far_b(v), {}};
    next.w = next.a - next.b;
    const double square = v.squaredNorm(), up = v.dot(next.w);
    // All of A - B lies beyond the plane across v: whatever rounding makes of the simplex.
    found.at_least = std::max(found.at_least, up / std::sqrt(square));
    if (found.count > 0 && square - up <= kEnough * square) break;
    bool known = false;
    for (std::size_t k = 0; k < found.count; ++k)
      known |= (found.corners[k].w - next.w).norm() == 0.0;
    if (known) break;
    found.corners[found.count++] = next;
    const ConvexClosest before = found;
    const spatial::Vec3 nearer = reduce_simplex(found);
    if (found.count == 4 || nearer.norm() < 1e-13 * size) {
      if (!(found.at_least > kTouching * size)) return found;
      found = before;
      --found.count;
      break;
    }
    if (found.count > 1 && !(nearer.squaredNorm() < square) && round > 0) break;
    v = nearer;
  }
  if (!(found.at_least > kTouching * size)) return found;
  found.apart = true;
  found.distance = v.norm();
  found.normal = v / found.distance;
  found.a.setZero();
  found.b.setZero();
  for (std::size_t k = 0; k < found.count; ++k) {
    found.a += found.share[k] * found.corners[k].a;
    found.b += found.share[k] * found.corners[k].b;
  }
  return found;
}

}  // namespace grapple::geometry
