// What external wrenches on the links do to the coordinates: efforts = sum over links of J' w.
#pragma once

#include "grapple/model/state.h"

namespace grapple::dynamics {

/// workspace.tau from workspace.wrench; needs forward_kinematics.
template <class T>
void wrench_efforts(const model::Model& model, model::WorkspaceT<T>& workspace);

}  // namespace grapple::dynamics
