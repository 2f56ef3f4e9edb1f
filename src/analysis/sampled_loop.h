// One period of a linear hybrid model (closed_loop.h): all samples, outputs and holds of the least
// common multiple H of the blocks' periods, multiplied to the map
//   s(t + H) = M s(t),
// s = [ xi | memories | signals that blocks hold | outputs on their way ], taken just before what
// is due at t. Its eigenvalues z are the poles of the closed loop: a disturbance changes by z in H.
// A loop can be opened at a signal that a block writes, or be given an input; over one period the
// inputs a_0 ... a_{r-1} and outputs y_0 ... y_{r-1} at the r moments are then stacked ("lifted"):
//   s+ = M s + B a,   y = C s + D a.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "grapple/analysis/closed_loop.h"

namespace grapple::analysis {

/// A change of one block's outputs, to find how much of it the loop bears.
struct LoopChange {
  int block = -1;      ///< -1: none
  double gain = 1.0;   ///< factor of what it writes
  double delay = 0.0;  ///< s, added to its own
};

/// The signal that is cut, and by whose writing.
struct LoopBreak {
  int block = 0;
  int output = 0;  ///< among what the block writes
};
/// An input that is added to w and holds from moment to moment.
struct LoopInput {
  int input = 0;  ///< of HybridModel::inputs
};

struct LiftedLoop {
  spatial::MatX M, B, C, D;
  std::vector<std::string> states;
  int continuous = 0;   ///< the first states: xi
  double period = 0.0;  ///< H, s
  int moments = 1;      ///< r
  int outputs = 1;      ///< per moment; y_j are rows j outputs ... (j+1) outputs - 1
  double step() const { return period / moments; }
};

/// The least common multiple of the blocks' periods, s. Throws Error GR-616 if there are no blocks,
/// if the periods have none with up to 1e5 samples.
double common_period(const HybridModel& model);

/// M alone.
LiftedLoop closed_loop(const HybridModel& model, const LoopChange& change = {});
/// From the broken signal (as set after the cut) to what the block writes before the cut.
LiftedLoop broken_loop(const HybridModel& model, const LoopBreak& at);
/// From an input, at moments with the shortest period of a block, to channels (rows of y), seen
/// just before what is due at these moments.
LiftedLoop driven_loop(const HybridModel& model, const LoopInput& from,
                       const std::vector<int>& channels);

}  // namespace grapple::analysis
