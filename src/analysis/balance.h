// Whether a state is one that stays: what natural modes and linear models are about. Loads and
// accelerations are compared in the norm of the kinetic energy, so that units do not matter:
//   imbalance = sqrt( v'^T M v' / ( sum m g^2 + sum over loads of tau^T M^-1 tau ) ),
// loads: gravity with the inertial forces of the rates, elements' efforts, elements' wrenches,
// along free coordinates that keep the loops closed; m g^2 of what can move, whichever way it may.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "grapple/analysis/linearize.h"

namespace grapple::analysis {

struct Balance {
  double imbalance = 0.0;     ///< 0: balanced; 1: nothing holds the loads
  double acceleration = 0.0;  ///< of the coordinate that takes most of it, m/s^2 or rad/s^2
  int coordinate = -1;        ///< that one, 0 ... nv-1; -1: none
  /// Rates that take the state to where the linear model is another: part of the stiffness's
  /// largest effect they have; 0 at rest and in steady motion.
  double drift = 0.0;
};

Balance balance_at(const system::System& system, double t, std::span<const double> x,
                   const LinearModel& linear);

/// What a user must know of a linear model or of modes about such a state; empty: nothing. Below a
/// thousandth of the loads the frequency of a pendulum is off by less than 1e-6.
std::vector<std::string> balance_warnings(const system::System& system, const Balance& balance);

}  // namespace grapple::analysis
