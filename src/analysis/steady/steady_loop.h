// What sampled blocks hold: the signals they set at a state, and the state at which the model and
// its blocks stay together. A model with controllers is linearised about these, not about the
// signals as they start.
#pragma once

#include <span>

#include "grapple/system/system.h"

namespace grapple::analysis {

/// Sets the signals of the system as its blocks write them at (t, x): all are asked in turn, with
/// what they remember at the start, until nothing changes. False if it does not settle (a block
/// whose output answers to itself): the signals are then those of the last turn.
bool hold_signals(system::System& system, double t, std::span<const double> x);

struct SteadyLoop {
  bool converged = false;
  int iterations = 0;
  double residual = 0.0;  ///< largest acceleration that is left, m/s^2, rad/s^2
  spatial::VecX x;        ///< rates zero
};

/// Positions, memories and signals at which nothing changes any more at time t, by Newton's method
/// with the linear hybrid model (closed_loop.h), from x on; steps of least norm where a number has
/// no say. Signals and memories are left in the modes of the system. Not for systems with closed
/// kinematic loops: they are not converged at once.
SteadyLoop steady_loop(system::System& system, double t, std::span<const double> x);

}  // namespace grapple::analysis
