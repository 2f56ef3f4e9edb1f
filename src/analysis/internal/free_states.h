// Which states of a linear model follow forces.
#pragma once

#include <algorithm>
#include <vector>

#include "grapple/analysis/linearize.h"

namespace grapple::analysis {

/// Numbers of the states of free coordinates: positions among the first, rates among the next;
/// `all` has both and then z.
struct FreeStates {
  std::vector<int> positions, rates, all;

  FreeStates(const LinearModel& linear, const std::vector<int>& free) {
    for (std::size_t k = 0; k < linear.coordinates.size(); ++k) {
      const auto state = static_cast<int>(k);
      if (std::find(free.begin(), free.end(), linear.coordinates[k]) == free.end()) continue;
      (state < linear.positions ? positions : rates).push_back(state);
    }
    all = positions;
    all.insert(all.end(), rates.begin(), rates.end());
    for (auto k = linear.coordinates.size(); k < linear.states.size(); ++k) {
      all.push_back(static_cast<int>(k));
    }
  }
};

}  // namespace grapple::analysis
