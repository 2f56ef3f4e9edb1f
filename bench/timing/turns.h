// Timing on a noisy machine: the contestants take turns, many rounds, the best round counts.
#pragma once

#include <functional>
#include <vector>

namespace grapple::bench {

/// Runs the work once; the argument counts repetitions, so that each can use another state.
using Work = std::function<void(int repetition)>;

struct TurnOptions {
  int rounds = 150;                 ///< turns of each contestant
  double turn_nanoseconds = 1.5e6;  ///< length of a turn: long against the clock's grain, short
                                    ///< against the machine's interruptions
};

/// Best nanoseconds per repetition of each contestant.
std::vector<double> best_nanoseconds(const std::vector<Work>& contestants,
                                     const TurnOptions& options = {});

}  // namespace grapple::bench
