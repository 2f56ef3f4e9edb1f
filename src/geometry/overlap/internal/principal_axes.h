// Eigenvalues and eigenvectors of a symmetric 3 x 3 matrix by Jacobi rotations: no allocation, and
// accurate also for the nearly equal moments of square patches.
#pragma once

#include <cmath>

#include "grapple/spatial/types.h"

namespace grapple::geometry {

struct PrincipalAxes {
  spatial::Vec3 values;
  spatial::Mat3 vectors;  ///< column k belongs to values[k]
};

inline PrincipalAxes principal_axes(spatial::Mat3 A) {
  constexpr int kMostSweeps = 20;  // convergence is quadratic: five are enough
  spatial::Mat3 V = spatial::Mat3::Identity();
  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    const double off = std::abs(A(0, 1)) + std::abs(A(0, 2)) + std::abs(A(1, 2));
    if (!(off > 1e-18 * A.cwiseAbs().maxCoeff())) break;
    for (const auto& [p, q] : {std::pair{0, 1}, std::pair{0, 2}, std::pair{1, 2}}) {
      if (A(p, q) == 0.0) continue;
      const double theta = 0.5 * (A(q, q) - A(p, p)) / A(p, q);
      const double t = std::copysign(1.0, theta) / (std::abs(theta) + std::hypot(1.0, theta));
      const double c = 1.0 / std::hypot(1.0, t), s = t * c;
      spatial::Mat3 G = spatial::Mat3::Identity();
      G(p, p) = G(q, q) = c;
      G(p, q) = s;
      G(q, p) = -s;
      A = G.transpose() * A * G;
      V *= G;
    }
  }
  return {A.diagonal(), V};
}

}  // namespace grapple::geometry
