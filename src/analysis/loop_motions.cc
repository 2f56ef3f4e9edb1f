#include "grapple/analysis/loop_motions.h"

#include <algorithm>

#include "grapple/analysis/internal/independent.h"

namespace grapple::analysis {

LoopMotions loop_motions(const system::System& system, const system::Snapshot<double>& at) {
  const Independent basis = independent_motions(system, at, Level::kRates);
  const std::vector<int> free = free_coordinates(system, at.state);
  LoopMotions motions;
  std::vector<Eigen::Index> columns;
  for (std::size_t k = 0; k < basis.chosen.size(); ++k) {
    if (std::find(free.begin(), free.end(), basis.chosen[k]) == free.end()) continue;
    motions.independent.push_back(basis.chosen[k]);
    columns.push_back(static_cast<Eigen::Index>(k));
  }
  motions.all = basis.all(Eigen::all, columns);
  return motions;
}

}  // namespace grapple::analysis
