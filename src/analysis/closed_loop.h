// A system with its sampled blocks about a state: the linear hybrid model
//   xi' = A xi + B w,   y = C xi + D w + E m   between samples,
//   xi += J (w+ - w)                           where a signal changes,
//   [out; m]+ = F in + ...                     at the samples of each block (in: some of y),
// xi the states that follow forces or are led by a signal, w the signals as they are held and then
// the efforts asked for, m the memories of the blocks. A, C and the columns of efforts are exact
// (dual numbers, linearize.h); what depends on signals and blocks, which work on doubles, is found
// by central differences of two step sizes, extrapolated, and checked with a third, hundred times
// smaller step. A law with a corner, a limit or quantisation counts as it is at the state.
// Equations and limits: docs/theory/closed-loop.md.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "grapple/analysis/linearize.h"
#include "grapple/system/system.h"

namespace grapple::analysis {

/// A block about its point: out+ = out_in in + out_memory m + out_previous out, and so for m+.
struct LinearBlock {
  std::string name;
  element::SampledBlock::Schedule schedule;
  std::vector<int> reads;   ///< rows of y
  std::vector<int> writes;  ///< signals
  int memory_start = 0;     ///< in m
  spatial::MatX out_in, out_memory, out_previous;
  spatial::MatX memory_in, memory_memory, memory_previous;
};

struct HybridModel {
  spatial::MatX A, B, C, D, E, J;
  std::vector<std::string> states;    ///< xi
  std::vector<std::string> inputs;    ///< w: all signals of the system, then the efforts
  std::vector<std::string> memories;  ///< m
  std::vector<std::string> channels;  ///< y
  std::vector<LinearBlock> blocks;
  std::vector<std::string> warnings;  ///< where a law is not smooth, or does not react
};

/// channels: indices of channels wanted as outputs, the first rows of y; what the blocks read
/// follows. efforts: degrees of freedom (0 ... nv-1). The modes of the system are used and put
/// back. Throws Error GR-617 if a signal leads a motion within a closed loop, or if a block does
/// not sample with its period.
HybridModel linearize_with_blocks(system::System& system, double t, std::span<const double> x,
                                  const std::vector<int>& channels,
                                  const std::vector<int>& efforts);

}  // namespace grapple::analysis
