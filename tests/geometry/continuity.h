// Whether a force along a path jumps: the largest change between neighbouring points of a grid is
// followed by halving its interval, always into the half with the larger change, down to rounding.
#pragma once

#include <algorithm>
#include <functional>

#include "grapple/spatial/types.h"

namespace grapple::geometry {

/// The change left at the worst place, as a share of the largest force on the path (0 <= s <= 1).
inline double largest_jump(const std::function<spatial::Vec3(double)>& force, int grid) {
  using spatial::Vec3;
  double worst = -1.0, low = 0.0, high = 1.0;
  Vec3 last = force(0.0);
  double range = last.norm();
  for (int k = 1; k <= grid; ++k) {
    const Vec3 now = force(static_cast<double>(k) / grid);
    range = std::max(range, now.norm());
    if ((now - last).norm() > worst) {
      worst = (now - last).norm();
      low = static_cast<double>(k - 1) / grid;
      high = static_cast<double>(k) / grid;
    }
    last = now;
  }
  Vec3 at_low = force(low), at_high = force(high);
  for (int halving = 0; halving < 40; ++halving) {
    const double middle = 0.5 * (low + high);
    const Vec3 between = force(middle);
    if ((between - at_low).norm() > (at_high - between).norm()) {
      high = middle, at_high = between;
    } else {
      low = middle, at_low = between;
    }
  }
  return (at_high - at_low).norm() / range;
}

}  // namespace grapple::geometry
