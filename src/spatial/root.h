// Roots whose derivative must not spoil dual numbers where they vanish: there they are zero, with
// zero derivative.
#pragma once

#include <cmath>

#include "grapple/spatial/types.h"

namespace grapple::spatial {

template <class T>
T root_of(const T& square) {
  using std::sqrt;
  return square > T(0) ? T(sqrt(square)) : T(0);
}

template <class T>
T length_of(const Vec3T<T>& v) {
  return root_of(T(v.squaredNorm()));
}

}  // namespace grapple::spatial
