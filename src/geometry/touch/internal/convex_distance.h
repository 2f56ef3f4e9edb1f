// Distance of two convex bodies, each known only by its farthest point in a direction (Gilbert,
// Johnson and Keerthi 1988): the point of their difference A - B nearest to the origin, from a
// growing and shrinking simplex of its farthest points. Sub-simplices are tried one by one, all of
// them: slower than clever and hard to fool.
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
  bool apart = false;     ///< by more than 1e-12 of the size
  double distance = 0.0;  ///< of the points found, if apart
  double at_least =
      -std::numeric_limits<double>::infinity();  ///< proved by the normal: a lower bound of the gap
  spatial::Vec3 a, b;                            ///< nearest points; if not apart, of no meaning
  spatial::Vec3 normal;                          ///< unit, from B towards A, if apart
  std::array<SimplexCorner, 4> corners;
  std::array<double, 4> share{};  ///< weights of the corners that bear the nearest point
  std::size_t count = 0;
};

/// Barycentric weights of the point nearest to the origin on the affine hull of the first `count`
/// corners. Returns the square of their volume over that of a box with the same edges: 1 if these
/// are at right angles, 0 if the corners are degenerate and there are no weights.
double affine_weights(const std::array<spatial::Vec3, 4>& corners, std::size_t count,
                      std::array<double, 4>& weights);

/// Shrinks `found` to the corners that bear the point nearest to the origin; that point.
spatial::Vec3 reduce_simplex(ConvexClosest& found);

/// `far_a(d)`, `far_b(d)`: the farthest points of A and B in the direction d, in common axes;
/// `between`: from any point of B to any point of A; `size`: of the larger body, m.
template <class FarA, class FarB>
ConvexClosest closest_points(const FarA& far_a, const FarB& far_b, const spatial::Vec3& between,
                             double size) {
  constexpr int kMostRounds = 100, kMostStalls = 4;
  constexpr double kEnough = 1e-14;    // of the squared distance: it converges from above
  constexpr double kTouching = 1e-12;  // of the size: below, the normal would be rounding
  ConvexClosest found, best;
  spatial::Vec3 v = between.squaredNorm() > 0.0 ? between : spatial::Vec3(size, 0.0, 0.0);
  double last = std::numeric_limits<double>::infinity();
  for (int round = 0, stalls = 0; round < kMostRounds && stalls < kMostStalls; ++round) {
    SimplexCorner next{far_a(-v), far_b(v), {}};
    next.w = next.a - next.b;
    const double square = v.squaredNorm(), up = v.dot(next.w), length = std::sqrt(square);
    // All of A - B lies beyond the plane across v: whatever rounding makes of the simplex. Near its
    // minimum the squared distance tells no better from worse; what is left between it and this
    // bound does.
    const double proved = up / length;
    if (found.count > 0 && length - proved < best.distance - best.at_least) {
      best = found;
      best.at_least = proved;
      best.distance = length;
      best.normal = v / length;
    }
    if (found.count > 0 && square - up <= kEnough * square) break;
    bool known = false;
    for (std::size_t k = 0; k < found.count; ++k)
      known |= (found.corners[k].w - next.w).norm() == 0.0;
    if (known) break;
    if (!(square < last) && round > 1) ++stalls;
    last = square;
    found.corners[found.count++] = next;
    v = reduce_simplex(found);
    if (found.count == 4 || v.norm() < 1e-13 * size) break;
  }
  if (!(best.at_least > kTouching * size)) return found;
  best.apart = true;
  best.a.setZero();
  best.b.setZero();
  for (std::size_t k = 0; k < best.count; ++k) {
    best.a += best.share[k] * best.corners[k].a;
    best.b += best.share[k] * best.corners[k].b;
  }
  return best;
}

}  // namespace grapple::geometry
