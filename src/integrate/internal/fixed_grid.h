// Where the next step of a fixed-step method ends: on t0 + k h, computed by multiplication so that
// a million steps of 0.1 s end at 1e5 s, or on the limit if that comes first. A limit off the grid
// shortens one step before it and one after it; the grid itself stays.
#pragma once

#include <cmath>

namespace grapple::integrate {

struct GridStep {
  double end;         ///< [s]
  bool off_the_grid;  ///< cut short by the limit, or on the way back to the grid
};

inline GridStep next_grid_step(double t_grid, double h, double t, double t_limit) {
  // A remainder below this part of a step is round-off of t, not a step of its own.
  constexpr double kSliver = 1e-9;
  const double k = std::floor((t - t_grid) / h + kSliver) + 1.0;
  const double grid_end = t_grid + k * h;
  // A grid beyond the digits of t (of a forged checkpoint) must not stop time.
  const bool on_grid = grid_end > t && !(grid_end > t_limit - kSliver * h);
  const double end = on_grid ? grid_end : t_limit;
  return {end, std::abs(end - t - h) > kSliver * h};
}

}  // namespace grapple::integrate
