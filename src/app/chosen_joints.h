// The joints and the frame that commands of kinematics work with.
#pragma once

#include <string>
#include <vector>

#include "grapple/control/kinematics/resolved_rates.h"
#include "grapple/system/system.h"

namespace grapple::app {

/// Throws GR-613 if there is no such body or frame.
const model::Frame& frame_named(const system::System& system, const std::string& name);

struct ChosenJoint {
  std::string name;
  int link = 0;
  control::JointCoordinate at;
};

/// The joints of these names ("a,b,c"); empty: all with one degree of freedom between the ground
/// (or the floating base) and the frame that are neither led nor locked. Throws GR-619 on one that
/// does not exist, has another number of degrees of freedom, or is led or locked, and if none is
/// left.
std::vector<ChosenJoint> chosen_joints(const system::System& system, const model::State& state,
                                       const model::Frame& frame, const std::string& names);

}  // namespace grapple::app
