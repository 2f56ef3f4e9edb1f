// Inertia of one flexible body at (eta, eta', omega), in its link axes about the link origin, from
// the kinetic energy of flexible/flexible_body.h. With a the acceleration of the origin:
//   f = m a + alpha x c + P eta'' + p_lin,       P = C1 + C2 eta
//   n = J alpha + c x a + N eta'' + p_ang
//   Q = N' alpha + P' a + E eta'' + p_modal
//   p_lin = omega x (omega x c) + 2 omega x P eta' + eta'' C2 eta'
//   p_ang = J' omega + N' eta' + omega x (J omega + N eta')            (' = time derivative of J
//   and N) p_modal,k = omega.(N'_k - dN/deta_k eta') - 1/2 omega.(dJ/deta_k) omega
// A body with second-order shapes takes all of these from its mass field instead
// (mass_field-inl.h), which keeps every order: its kinetic energy is that of a position field.
#pragma once

#include "grapple/flexible/packed_body.h"
#include "grapple/model/state.h"

namespace grapple::dynamics {

/// Fills c, J, P, N of `out` from eta; forward_kinematics calls it for every flexible body.
template <class T>
void flexible_inertia(const flexible::PackedBody& body, const T* eta,
                      model::FlexibleScratch<T>& out);

/// Fills p_ang, p_lin, p_modal too; needs flexible_inertia for the same eta.
template <class T>
void flexible_bias(const flexible::PackedBody& body, const T* eta_rate,
                   const spatial::Vec3T<T>& omega_L, model::FlexibleScratch<T>& out);

}  // namespace grapple::dynamics
