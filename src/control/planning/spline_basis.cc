#include "grapple/control/planning/spline_basis.h"

#include <Eigen/LU>
#include <algorithm>

namespace grapple::control {

using spatial::MatX;
using spatial::VecX;

SplineBasis::SplineBasis(int segments) : segments_(segments) {
  for (int k = -kDegree; k <= segments + kDegree; ++k) {
    knots_.push_back(std::clamp(static_cast<double>(k) / segments, 0.0, 1.0));
  }
}

SplineBasis::Values SplineBasis::at(double u) const {
  Values all(3, size());
  for (int order = 0; order < 3; ++order) {
    for (int i = 0; i < size(); ++i) {
      const bool zero = u < knot(i) || u > knot(i + kDegree + 1);
      all(order, i) = zero ? 0.0 : derivative(i, kDegree, order, u);
    }
  }
  return all;
}

// The values at the Greville abscissae determine the curve.
VecX SplineBasis::refined(const SplineBasis& coarse, const VecX& points) const {
  MatX here(size(), size());
  VecX values(size());
  for (int k = 0; k < size(); ++k) {
    double u = 0.0;
    for (int i = 1; i <= kDegree; ++i) u += knot(k + i) / kDegree;
    u = std::min(u, 1.0);
    here.row(k) = at(u).row(0);
    values[k] = coarse.at(u).row(0).dot(points);
  }
  return here.partialPivLu().solve(values);
}

double SplineBasis::value(int i, int degree, double u) const {
  if (degree == 0) {
    const bool last = u >= 1.0 && knot(i + 1) >= 1.0 && knot(i) < 1.0;
    return (u >= knot(i) && u < knot(i + 1)) || last ? 1.0 : 0.0;
  }
  const double left = knot(i + degree) - knot(i), right = knot(i + degree + 1) - knot(i + 1);
  double sum = 0.0;
  if (left > 0.0) sum += (u - knot(i)) / left * value(i, degree - 1, u);
  if (right > 0.0) sum += (knot(i + degree + 1) - u) / right * value(i + 1, degree - 1, u);
  return sum;
}

double SplineBasis::derivative(int i, int degree, int order, double u) const {
  if (order == 0) return value(i, degree, u);
  const double left = knot(i + degree) - knot(i), right = knot(i + degree + 1) - knot(i + 1);
  double sum = 0.0;
  if (left > 0.0) sum += degree / left * derivative(i, degree - 1, order - 1, u);
  if (right > 0.0) sum -= degree / right * derivative(i + 1, degree - 1, order - 1, u);
  return sum;
}

}  // namespace grapple::control
