// Articulated-body algorithm: forward dynamics in O(N) (Featherstone), in world axes about link
// origins. Inward, per link with articulated inertia I = [A B; B' C] and bias p:
//   U = I S, D = S'U + reflected inertia, u = tau - S'p
//   Ia = I - U D^-1 U',  pa = p + Ia c + U D^-1 u,  both shifted to the parent and added.
// Outward: v' = D^-1 (u - U'a'), a = a' + S v'. A driven joint (known v') skips the division and
// reports its effort.
#pragma once

#include "grapple/model/state.h"

namespace grapple::dynamics {

/// v' for efforts tau (size nv, N or N m) and workspace.wrench; result in workspace.vdot, link
/// accelerations in workspace.motion (a is minus gravity), efforts of driven joints in
/// workspace.tau.
template <class T>
void aba(const model::Model& model, const model::StateT<T>& state, const spatial::VecXT<T>& tau,
         model::WorkspaceT<T>& workspace);

/// The same when forward_kinematics has just been run for this state.
template <class T>
void aba_after_kinematics(const model::Model& model, const model::StateT<T>& state,
                          const spatial::VecXT<T>& tau, model::WorkspaceT<T>& workspace);

/// After an aba whose result is not finite: the outermost link on which a motion met no positive
/// inertia, or -1. Only flexible bodies bent beyond their theory lose theirs.
int link_without_inertia(const model::Model& model, const model::Workspace& workspace);

}  // namespace grapple::dynamics
