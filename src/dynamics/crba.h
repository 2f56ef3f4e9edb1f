// Composite-rigid-body algorithm: the joint-space mass matrix M(q), column by column from composite
// inertias.
#pragma once

#include "grapple/model/state.h"

namespace grapple::dynamics {

/// M, nv x nv, symmetric, reflected drive inertia included. Runs forward_kinematics; spoils
/// workspace.inertia.
void crba(const model::Model& model, const model::State& state, model::Workspace& workspace,
          spatial::MatX& M);

}  // namespace grapple::dynamics
