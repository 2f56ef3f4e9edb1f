// Small motions that keep the loops closed, in independent coordinates: of the coordinates that
// follow forces as many as there are independent rows are expressed by the others (those that make
// the best-conditioned choice), with
//   A dq = 0  for positions,   A dv + (d rate / dq) dq = 0  for rates.
#pragma once

#include <vector>

#include "grapple/system/system.h"

namespace grapple::analysis {

/// Coordinates that follow forces (dynamics::find_free_rows).
std::vector<int> free_coordinates(const system::System& system, const model::State& state);

enum class Level { kPositions, kRates };

/// A basis of the motions the loops allow at an evaluated state: `all` is nv x chosen.size(), the
/// identity in the rows of the chosen coordinates. Without loops all coordinates are chosen.
struct Independent {
  std::vector<int> chosen, dependent;
  spatial::MatX all;
  spatial::MatX from_rows;  ///< dependent x rows: what the dependent ones add per row's opening
};
Independent independent_motions(const system::System& system, const system::Snapshot<double>& at,
                                Level level);

}  // namespace grapple::analysis
