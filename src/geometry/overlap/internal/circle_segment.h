// The part of a disc beyond a chord.
#pragma once

#include <cmath>

#include "grapple/spatial/dual.h"

namespace grapple::geometry {

/// Integrals of 1, x, x^2, y^2 over a plane region symmetric about x.
template <class T>
struct Flat {
  T area{0}, x{0}, xx{0}, yy{0};
};

/// The chord is seen from the centre under the half angle `angle`; x from the centre, across it.
template <class T>
Flat<T> segment(const T& r, const T& angle) {
  using std::cos;
  using std::sin;
  const T s = sin(angle), c = cos(angle), r2 = r * r, r4 = r2 * r2;
  const T sin2 = T(2) * s * c, sin4 = T(2) * sin2 * (c * c - s * s);
  return {r2 * (angle - s * c), T(2.0 / 3.0) * r2 * r * s * s * s,
          r4 * (angle / T(4) - sin4 / T(16)),
          T(2.0 / 3.0) * r4 * (T(0.375) * angle - sin2 / T(4) + sin4 / T(32))};
}

}  // namespace grapple::geometry
