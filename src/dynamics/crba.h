// Composite-rigid-body algorithm: the joint-space mass matrix M(q), column by column from composite
// inertias.
#pragma once

#include "grapple/model/state.h"

namespace grapple::dynamics {

/// M, nv x nv, symmetric, reflected drive inertia included. Runs forward_kinematics; spoils
/// workspace.inertia.
template <class T>
void crba(const model::Model& model, const model::StateT<T>& state, model::WorkspaceT<T>& workspace,
          spatial::MatXT<T>& M);

/// The same when forward_kinematics has just been run.
template <class T>
void crba_after_kinematics(const model::Model& model, model::WorkspaceT<T>& workspace,
                           spatial::MatXT<T>& M);

}  // namespace grapple::dynamics
