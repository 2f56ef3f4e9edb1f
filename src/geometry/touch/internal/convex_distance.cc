#include "grapple/geometry/touch/internal/convex_distance.h"

#include <Eigen/LU>
#include <algorithm>

namespace grapple::geometry {

namespace {

using spatial::Mat3;
using spatial::Vec3;

Vec3 point_of(const ConvexClosest& simplex) {
  Vec3 sum = Vec3::Zero();
  for (std::size_t k = 0; k < simplex.count; ++k) sum += simplex.share[k] * simplex.corners[k].w;
  return sum;
}

ConvexClosest part_of(const ConvexClosest& whole, unsigned members) {
  ConvexClosest part;
  for (std::size_t k = 0; k < whole.count; ++k) {
    if (members & (1u << k)) part.corners[part.count++] = whole.corners[k];
  }
  return part;
}

}  // namespace

double affine_weights(const std::array<Vec3, 4>& corners, std::size_t count,
                      std::array<double, 4>& weights) {
  // w0 + E s is nearest where E'E s = -E'w0.
  weights = {1.0, 0.0, 0.0, 0.0};
  if (count == 1) return 1.0;
  Mat3 edges = Mat3::Zero(), gram = Mat3::Identity();
  const auto n = static_cast<Eigen::Index>(count) - 1;
  for (Eigen::Index k = 0; k < n; ++k) {
    edges.col(k) = corners[static_cast<std::size_t>(k) + 1] - corners[0];
  }
  double scale = 1.0;
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index j = 0; j < n; ++j) gram(i, j) = edges.col(i).dot(edges.col(j));
    scale *= gram(i, i);
  }
  // Cancellation leaves an error of some 1e-16 of the scale.
  const double determinant = gram.determinant();
  if (!(determinant > 1e-14 * scale)) return 0.0;
  Vec3 right = Vec3::Zero();
  for (Eigen::Index i = 0; i < n; ++i) right[i] = -edges.col(i).dot(corners[0]);
  const Vec3 s = gram.inverse() * right;
  for (Eigen::Index k = 0; k < n; ++k) {
    weights[static_cast<std::size_t>(k) + 1] = s[k];
    weights[0] -= s[k];
  }
  return determinant / scale;
}

Vec3 reduce_simplex(ConvexClosest& found) {
  ConvexClosest best;
  double least = std::numeric_limits<double>::infinity();
  for (unsigned members = 1; members < (1u << found.count); ++members) {
    ConvexClosest part = part_of(found, members);
    std::array<Vec3, 4> points;
    for (std::size_t k = 0; k < part.count; ++k) points[k] = part.corners[k].w;
    const double spread = affine_weights(points, part.count, part.share);
    if (!(spread > 0.0)) continue;
    bool inside = true;
    for (std::size_t k = 0; k < part.count; ++k) inside &= part.share[k] >= 0.0;
    if (!inside) continue;
    const double square = point_of(part).squaredNorm();
    // The weights of four corners give the origin itself, unless they lie in a plane to rounding.
    if (part.count == 4 && square > 1e-20 * points[0].squaredNorm()) continue;
    // A larger part whose weights are all positive is never farther; equal to rounding, its normal
    // stands on more of A - B, unless its corners are nearly in a line or a plane.
    if (square < least * (spread > 1e-6 ? 1.0 + 1e-14 : 1.0)) {
      least = std::min(least, square);
      best = part;
    }
  }
  found = best;
  return point_of(found);
}

}  // namespace grapple::geometry
