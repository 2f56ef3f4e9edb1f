// Positions as points of a manifold whose tangent vectors have the size and the axes of the rates:
// q o exp(delta) adds delta where coordinates are a vector and turns quaternions by the rotation
// vector delta in child axes. Every operation goes over the blocks of the model's coordinate map.
#pragma once

#include <span>

#include "grapple/model/state.h"
#include "grapple/spatial/rotation.h"

namespace grapple::dynamics {

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

/// q <- q o exp(delta), delta of size nv.
template <class T>
void move_positions(const model::Model& model, const spatial::VecXT<T>& delta,
                    spatial::VecXT<T>& q);

/// delta (size nv) with q0 o exp(delta) = q1, the shortest.
void position_difference(const model::Model& model, std::span<const double> q0,
                         std::span<const double> q1, std::span<double> delta);

/// v and v' of the motion q0 o exp(delta(t)).
void rates_along(const model::Model& model, std::span<const double> delta,
                 std::span<const double> delta_rate, std::span<const double> delta_acceleration,
                 std::span<double> v, std::span<double> v_rate);

/// The inverse for v alone: delta' of the motion q0 o exp(delta(t)) that has the rates v.
void displacement_rates(const model::Model& model, std::span<const double> delta,
                        std::span<const double> v, std::span<double> delta_rate);

/// The largest rotation in a displacement, rad: beyond half a turn position_difference finds
/// another one.
double largest_turn(const model::Model& model, std::span<const double> delta);

/// Magnitudes of the positions along each rate (size nv), one for a quaternion.
void position_scales(const model::Model& model, std::span<const double> q,
                     std::span<double> scales);

/// The small turn, in child axes, by which a quaternion q of any length changes by dq: 2 q* dq /
/// |q|^2.
spatial::Vec3 turn_of(const spatial::Quat& q, const spatial::Quat& dq);

/// Quaternions back to norm one.
template <class T>
void normalize_quaternions(const model::Model& model, T* q);

}  // namespace grapple::dynamics
