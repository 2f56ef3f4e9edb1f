// Difference of two vectors as a share of their size, of 1 for small ones.
#pragma once

#include <algorithm>

#include "grapple/spatial/types.h"

namespace grapple::dynamics {

inline double relative(const spatial::VecX& a, const spatial::VecX& b) {
  return (a - b).norm() / std::max(1.0, std::max(a.norm(), b.norm()));
}

}  // namespace grapple::dynamics
