// When what happens in one period of a model with sampled blocks.
#pragma once

#include <vector>

#include "grapple/analysis/sampled_loop.h"

namespace grapple::analysis {

/// The moments of one period, and what is due at each.
struct Timeline {
  double period = 0.0;
  std::vector<double> moments;                   ///< rising, from 0 or later, < period
  std::vector<std::vector<int>> taken, applied;  ///< blocks that sample, whose outputs act
  std::vector<int> pending;                      ///< per block, outputs on their way at 0
};

/// grid > 0: moments that far apart are there too, from 0 on.
Timeline timeline_of(const HybridModel& model, const LoopChange& change, double grid);
double shortest_period(const HybridModel& model);

}  // namespace grapple::analysis
