// Positions and velocities of every link, outward. All recursions work in world axes about link
// origins: moving a quantity to the parent then needs a shift only, no rotation, and joint axes
// come out of R_WL for free.
//   omega_i = omega_p + S_ang v,   v_i = v_p + omega_p x r + S_lin v
//   c: the part of the accelerations that needs no v', with the centripetal term omega_p x (omega_p
//   x r)
#pragma once

#include "grapple/model/state.h"

namespace grapple::dynamics {

/// Fills workspace.motion (poses, velocities, c) and workspace.S from state.q and state.v.
template <class T>
void forward_kinematics(const model::Model& model, const model::StateT<T>& state,
                        model::WorkspaceT<T>& workspace);

/// Fills workspace.S_dot; needs forward_kinematics.
template <class T>
void joint_axis_rates(const model::Model& model, const model::StateT<T>& state,
                      model::WorkspaceT<T>& workspace);

}  // namespace grapple::dynamics
