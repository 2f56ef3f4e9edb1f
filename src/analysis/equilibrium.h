// Static equilibrium: positions at which the system, at rest, stays at rest. Newton's method on the
// generalised forces with exact derivatives, steps of minimum norm where a motion meets no
// stiffness, and a line search. Where that does not arrive and t > 0, the equilibrium is followed
// along time from t = 0, as the loads come on.
#pragma once

#include <span>
#include <string>

#include "grapple/system/system.h"

namespace grapple::analysis {

struct EquilibriumResult {
  bool converged = false;
  int iterations = 0;
  double residual = 0.0;  ///< largest unbalanced effort, N or N m
  spatial::VecX x;        ///< state with the positions found and zero rates
  std::string refusal;    ///< why the positions found cannot be: then not converged
};

struct EquilibriumOptions {
  int max_iterations = 200;
  /// Largest unbalanced effort accepted, relative to the largest load at the guess: weight, element
  /// forces or unbalanced effort (at least 1 N or N m); what rounding leaves is accepted too.
  double tolerance = 1e-11;
};

EquilibriumResult equilibrium(const system::System& system, double t,
                              std::span<const double> x_guess,
                              const EquilibriumOptions& options = {});

}  // namespace grapple::analysis
