// Cubic splines, twice continuously differentiable: second derivatives m_i at the knots from
// continuity of the first derivative,
//   h_{i-1} m_{i-1} + 2 (h_{i-1} + h_i) m_i + h_i m_{i+1} = 6 (slope_i - slope_{i-1}),
// natural (m = 0 at both ends) or periodic (the same m, and slope, at both). The matrix is
// diagonally dominant, so elimination without pivoting is stable.
#pragma once

#include <span>
#include <vector>

namespace grapple {

/// knots: increasing, at least two, one per value.
std::vector<double> natural_spline(std::span<const double> knots, std::span<const double> values);
/// The last value is the first; at least three knots.
std::vector<double> periodic_spline(std::span<const double> knots, std::span<const double> values);

/// A point of a spline and its derivatives by the parameter.
template <class Value>
struct SplinePoint {
  Value value, first, second, third;
};
/// On an interval of length h from (p0, m0) to (p1, m1), x after its start:
///   p0 + b x + c x^2 + d x^3. Numbers, or vectors with a scalar of their own.
template <class Value, class Scalar>
SplinePoint<Value> spline_point(const Value& p0, const Value& p1, const Value& m0, const Value& m1,
                                const Scalar& h, const Scalar& x) {
  const Value b = (p1 - p0) / h - (m0 * Scalar(2) + m1) * h / Scalar(6);
  const Value c = m0 / Scalar(2), d = (m1 - m0) / (Scalar(6) * h);
  return {p0 + (b + (c + d * x) * x) * x, b + (c * Scalar(2) + d * Scalar(3) * x) * x,
          c * Scalar(2) + d * Scalar(6) * x, d * Scalar(6)};
}

}  // namespace grapple
