// Energy and momentum of the tree. All need forward_kinematics for the state.
#pragma once

#include "grapple/model/state.h"

namespace grapple::dynamics {

/// Kinetic energy, J: bodies, and the reflected inertia of the drives.
template <class T>
T kinetic_energy(const model::Model& model, const model::StateT<T>& state,
                 const model::WorkspaceT<T>& workspace);

/// Potential energy of uniform gravity, J; zero when every centre of mass is at the world origin.
template <class T>
T gravity_energy(const model::Model& model, const model::WorkspaceT<T>& workspace);

/// Angular momentum about the world point `about` (N m s) and linear momentum (N s) of all bodies,
/// world axes.
spatial::Spatial momentum(const model::Model& model, const model::Workspace& workspace,
                          const spatial::Vec3& about);

/// Centre of mass of all bodies, world axes.
spatial::Vec3 center_of_mass(const model::Model& model, const model::Workspace& workspace);

}  // namespace grapple::dynamics
