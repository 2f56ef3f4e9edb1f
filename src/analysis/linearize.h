// The system about a state: d(xi)/dt = A xi + B u, y = C xi + D u, exact by dual numbers.
//   xi = [ tangent of q | v | z ];  the tangent of an orientation is a small turn delta in child
//   axes, with delta' = delta_omega - omega x delta. u: efforts added at degrees of freedom (N, N
//   m);  y: channels. With closed loops xi holds independent coordinates only (independent.h).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "grapple/system/system.h"

namespace grapple::analysis {

struct LinearModel {
  spatial::MatX A, B, C, D;
  std::vector<std::string> states, inputs, outputs;
  int positions = 0;             ///< states that are positions; rates come next, z last
  std::vector<int> coordinates;  ///< of each position and rate, 0 ... nv-1
  /// Tangent of q, v and z of the whole system from the states.
  spatial::MatX expand;
};

/// inputs: indices of degrees of freedom (0 ... nv-1); outputs: indices of channels. x: size
/// system.size().
LinearModel linearize(const system::System& system, double t, std::span<const double> x,
                      const std::vector<int>& inputs, const std::vector<int>& outputs);

/// Names of all tangent states, loops or not: "joint/shoulder/position", ...,
/// "joint/shoulder/rate", ....
std::vector<std::string> tangent_state_names(const system::System& system);
/// Names of the degrees of freedom as inputs: "joint/shoulder/effort", "joint/elbow/motor/effort".
std::vector<std::string> input_names(const system::System& system);

}  // namespace grapple::analysis
