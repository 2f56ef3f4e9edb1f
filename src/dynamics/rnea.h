// Recursive Newton-Euler: inverse dynamics. Outward accelerations, inward wrenches.
//   tau = M v' + bias - (external wrenches), with gravity as an acceleration of the world.
#pragma once

#include "grapple/model/state.h"

namespace grapple::dynamics {

/// Efforts (size nv, N or N m) that produce `vdot`; workspace.wrench acts too. Result in
/// workspace.tau; the wrench through each joint, about the link origin in world axes, is left in
/// workspace.inertia[i].p_ang / p_lin.
template <class T>
void rnea(const model::Model& model, const model::StateT<T>& state, const spatial::VecXT<T>& vdot,
          model::WorkspaceT<T>& workspace);

/// The same when forward_kinematics has just been run for this state.
template <class T>
void rnea_after_kinematics(const model::Model& model, const model::StateT<T>& state,
                           const spatial::VecXT<T>& vdot, model::WorkspaceT<T>& workspace);

/// Only its outward half: alpha and a (minus gravity) of every link in workspace.motion.
template <class T>
void link_accelerations(const model::Model& model, const spatial::VecXT<T>& vdot,
                        model::WorkspaceT<T>& workspace);

}  // namespace grapple::dynamics
