// Energy and momentum of the tree. All need forward_kinematics for the state.
#pragma once

#include "grapple/model/state.h"

namespace grapple::dynamics {

/// Kinetic energy of the body that is link i, without its drive, J.
template <class T>
T body_kinetic_energy(const model::Model& model, int i, const model::StateT<T>& state,
                      const model::WorkspaceT<T>& workspace);

/// Mass and momentum of one body, world axes.
struct BodyMomentum {
  double mass = 0.0;                              ///< kg
  spatial::Vec3 linear = spatial::Vec3::Zero();   ///< N s
  spatial::Vec3 angular = spatial::Vec3::Zero();  ///< about its centre of mass, N m s
};
BodyMomentum body_momentum(const model::Model& model, int i, const model::State& state,
                           const model::Workspace& workspace);

/// Kinetic energy, J: bodies, and the reflected inertia of the drives, rigid and flexible.
template <class T>
T kinetic_energy(const model::Model& model, const model::StateT<T>& state,
                 const model::WorkspaceT<T>& workspace);

/// Potential energy of uniform gravity, J; zero when every centre of mass is at the world origin.
template <class T>
T gravity_energy(const model::Model& model, const model::StateT<T>& state,
                 const model::WorkspaceT<T>& workspace);

/// Totals of all bodies, world axes.
template <class T>
struct MassMoments {
  T mass{0};                                                   ///< kg
  spatial::Vec3T<T> first_moment = spatial::Vec3T<T>::Zero();  ///< mass times centre of mass, kg m
  spatial::Vec3T<T> linear = spatial::Vec3T<T>::Zero();        ///< linear momentum, N s
  spatial::Vec3T<T> angular = spatial::Vec3T<T>::Zero();       ///< about the given point, N m s
};

/// Mass, centre of mass and momentum about the world point `about`.
template <class T>
MassMoments<T> mass_moments(const model::Model& model, const model::StateT<T>& state,
                            const model::WorkspaceT<T>& workspace, const spatial::Vec3& about);

}  // namespace grapple::dynamics
