// Hertz's patch for a gap that opens by r.C r/2, with what moving bodies need of it: how stiffness
// follows C. In the principal axes, C = diag(2A, 2B) with A <= B, patch of half axes a >= b,
// m = 1 - b^2/a^2 and s = (K - E)/(m K) from the complete elliptic integrals of m (Johnson, Contact
// Mechanics, 4.26 to 4.32):
//   a^2 = depth s/A,    b^2 = (1 - m) a^2,    k = (2 pi/3) E* sqrt(s/A)/K,
//   B/A = (1 - s)/(s (1 - m))                 gives m.
// At fixed depth the energy U = 2/5 k depth^(5/2) is the largest of the complementary energies over
// all pressures, so that only the explicit part of its derivative counts:
//   dU = -1/2 tr(integral of p r r' dC) = -(F/10) tr(diag(a^2, b^2) dC),
//   d ln k = -1/4 tr(phi dC),                 phi = diag(a^2, b^2)/depth.
#pragma once

#include <cmath>
#include <numbers>

#include "grapple/spatial/dual.h"
#include "grapple/spatial/types.h"

namespace grapple::contact {

template <class T>
struct HertzPatch {
  T stiffness;               ///< k/E*, m^(1/2)
  spatial::Mat3T<T> spread;  ///< phi, m, in the plane of the patch
};

/// The elliptic integrals of m = 1 - y, 0 < y <= 1, by arithmetic-geometric means: no digits are
/// lost as m -> 0 or y -> 0.
template <class T>
struct PatchIntegrals {
  T K, s, sigma;  ///< s = 1/2 + m sigma

  explicit PatchIntegrals(const T& y) {
    using std::sqrt;
    const T m = T(1) - y;
    T mean(1), geometric = sqrt(y), term(0);
    sigma = T(0);
    double weight = 1.0;
    // Squares the relative difference of the means each time: 8 rounds are enough down to y =
    // 1e-30.
    for (int n = 1; n <= 8; ++n) {
      const T next = T(0.5) * (mean + geometric);
      geometric = sqrt(T(mean * geometric));
      mean = next;
      term = (n == 1 ? T(1) : T(term * term * m * m)) / (T(16) * mean * mean);
      sigma += T(weight) * term;
      weight *= 2.0;
    }
    K = T(0.5 * std::numbers::pi) / mean;
    s = T(0.5) + m * sigma;
  }
  /// ln B/A.
  T log_ratio(const T& y) const {
    using std::log;
    return log(T((T(1) - s) / (s * y)));
  }
  /// Its derivative by ln y.
  T log_ratio_slope() const {
    const T slope = (s * s - T(2) * sigma) / T(2);  // ds/dm (1 - m)
    return slope / (s * (T(1) - s)) - T(1);
  }
};

/// C: symmetric, C n = 0, both curvatures across the unit normal n positive.
template <class T>
HertzPatch<T> hertz_patch(const spatial::Mat3T<T>& C, const spatial::Vec3T<T>& n) {
  using Mat = spatial::Mat3T<T>;
  using std::exp;
  using std::log;
  using std::sqrt;
  const Mat across = Mat::Identity() - n * n.transpose();
  const T mean = T(0.5) * C.trace();
  const Mat deviator = C - mean * across;
  const T square = T(0.5) * T((deviator * deviator).trace()) / (mean * mean);
  // Next to a circle the two axes have no direction of their own; first order is exact to rounding.
  if (!(square > T(1e-12))) {
    return {T(4.0 / 3.0) / sqrt(mean),
            Mat(across / mean - T(4.0 / 3.0) / (mean * mean) * deviator)};
  }
  const T share = sqrt(square), A = T(0.5) * mean * (T(1) - share);
  const T wanted = log(T((T(1) + share) / (T(1) - share)));
  // b/a is near (A/B)^0.636; Newton's method on the nearly straight log B/A over log y.
  double log_y = -1.27 * spatial::value_of(wanted);
  for (int round = 0; round < 20; ++round) {
    const PatchIntegrals<double> at(std::exp(log_y));
    const double step =
        (spatial::value_of(wanted) - at.log_ratio(std::exp(log_y))) / at.log_ratio_slope();
    log_y += step;
    if (std::abs(step) < 1e-14) break;
  }
  // One more round in T carries the derivatives of a dual number.
  const PatchIntegrals<double> near(std::exp(log_y));
  const T y =
      exp(T(T(log_y) + (wanted - T(near.log_ratio(std::exp(log_y)))) / T(near.log_ratio_slope())));
  const PatchIntegrals<T> at(y);
  const T larger = at.s / A, smaller = larger * y;
  const T tilt = -larger * at.s * y / (T(2) * A * (at.s - T(2) * at.sigma));
  return {T(2.0 * std::numbers::pi / 3.0) * sqrt(larger) / at.K,
          Mat(T(0.5) * (larger + smaller) * across + tilt * deviator)};
}

}  // namespace grapple::contact
