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

/// q' from v: equal but for quaternions. q_rate: size nq.
template <class T>
void position_rates(const model::Model& model, const model::StateT<T>& state, T* q_rate);

/// The same for a tangent vector v (size nv) at positions q.
template <class T>
void position_rates(const model::Model& model, const spatial::VecXT<T>& q,
                    const spatial::VecXT<T>& v, T* q_rate);

/// The way back: v of a given q_rate.
void tangent_of(const model::Model& model, const spatial::VecX& q, const double* q_rate,
                spatial::VecX& v);

/// q <- q moved by the tangent vector `delta` (size nv): added, or turned for quaternions (delta in
/// child axes).
template <class T>
void move_positions(const model::Model& model, const spatial::VecXT<T>& delta,
                    spatial::VecXT<T>& q);

/// Quaternions back to norm one.
template <class T>
void normalize_quaternions(const model::Model& model, T* q);

}  // namespace grapple::dynamics
