// Motions that closed loops allow, for kinematics: the rates of all coordinates from those of
// independent ones. With V_WF = J v the Jacobian of a mechanism with loops is J `all`.
#pragma once

#include <vector>

#include "grapple/system/system.h"

namespace grapple::analysis {

struct LoopMotions {
  std::vector<int> independent;  ///< rates, 0 ... nv-1: neither led, locked nor following others
  spatial::MatX all;             ///< nv x independent.size()
};

/// At an evaluated state; led and locked coordinates count as standing still. Without loops all
/// others are independent.
LoopMotions loop_motions(const system::System& system, const system::Snapshot<double>& at);

}  // namespace grapple::analysis
