// Bodies of flexible_inertia.h, templates over the scalar: flexible_inertia_scalars.cc compiles
// them for those of the program, a counter of operations for its own.
#pragma once

#include "grapple/dynamics/internal/deployed_inertia-inl.h"
#include "grapple/dynamics/internal/flexible_inertia.h"
#include "grapple/dynamics/internal/mass_field-inl.h"

namespace grapple::dynamics {

using flexible::InertiaTerm;
using flexible::PackedBody;
using flexible::VectorTerm;
using spatial::Sym3T;
using spatial::Vec3T;

namespace internal {

inline std::size_t at(int mode) { return static_cast<std::size_t>(mode); }

}  // namespace internal

template <class T>
void flexible_inertia(const PackedBody& body, const T* eta, model::FlexibleScratch<T>& out) {
  if (body.line) {
    internal::DeployedInertia<T>(body, out).inertia(eta);
    return;
  }
  if (body.field.points > 0) {
    internal::FieldInertia<T>(body, out).inertia(eta);
    return;
  }
  using internal::at;
  using spatial::add_scaled;
  const auto m = static_cast<std::size_t>(body.modes);
  for (std::size_t k = 0; k < m; ++k) {
    out.P[k] = body.C1[k].template cast<T>();
    out.N[k] = body.N0[k].template cast<T>();
    out.dJ[k] = Sym3T<T>::cast(body.J1[k]);
  }
  for (const VectorTerm& C2 : body.C2) {
    const Vec3T<T> value = C2.value.template cast<T>();
    add_scaled<T>(out.P[at(C2.k)], eta[C2.l], value);
    if (C2.k != C2.l) add_scaled<T>(out.P[at(C2.l)], eta[C2.k], value);
  }
  for (const InertiaTerm& J2 : body.J2) {
    const Sym3T<T> value = Sym3T<T>::cast(J2.value);
    out.dJ[at(J2.k)].add_scaled(eta[J2.l], value);
    if (J2.k != J2.l) out.dJ[at(J2.l)].add_scaled(eta[J2.k], value);
  }
  for (const VectorTerm& N1 : body.N1) {
    add_scaled<T>(out.N[at(N1.l)], eta[N1.k], N1.value.template cast<T>());
  }
  // A quadratic a + b'eta + 1/2 eta' Q eta is a + 1/2 eta'(b + gradient).
  out.c = body.c0.template cast<T>();
  out.J = Sym3T<T>::cast(body.J0);
  for (std::size_t k = 0; k < m; ++k) {
    const T half = T(0.5) * eta[k];
    add_scaled<T>(out.c, half, body.C1[k].template cast<T>() + out.P[k]);
    out.J.add_scaled(half, Sym3T<T>::cast(body.J1[k]));
    out.J.add_scaled(half, out.dJ[k]);
  }
}

template <class T>
void flexible_bias(const PackedBody& body, const T* eta_rate, const Vec3T<T>& omega_L,
                   model::FlexibleScratch<T>& out) {
  if (body.line) {
    internal::DeployedInertia<T>(body, out).bias(eta_rate, omega_L);
    return;
  }
  if (body.field.points > 0) {
    internal::FieldInertia<T>(body, out).bias(eta_rate, omega_L);
    return;
  }
  using internal::at;
  using spatial::add_scaled;
  const auto m = static_cast<std::size_t>(body.modes);
  Vec3T<T> c_rate = Vec3T<T>::Zero(), N_eta = Vec3T<T>::Zero(), bend = Vec3T<T>::Zero();
  Vec3T<T> J_rate_omega = Vec3T<T>::Zero(), N_rate_eta = Vec3T<T>::Zero();
  for (std::size_t k = 0; k < m; ++k) {
    add_scaled<T>(c_rate, eta_rate[k], out.P[k]);
    add_scaled<T>(N_eta, eta_rate[k], out.N[k]);
    const Vec3T<T> G_omega = out.dJ[k] * omega_L;
    add_scaled<T>(J_rate_omega, eta_rate[k], G_omega);
    out.p_modal[k] = T(-0.5) * omega_L.dot(G_omega);
  }
  for (const VectorTerm& N1 : body.N1) {
    const Vec3T<T> value = N1.value.template cast<T>();
    const T along = omega_L.dot(value);
    out.p_modal[at(N1.l)] += eta_rate[N1.k] * along;
    out.p_modal[at(N1.k)] -= eta_rate[N1.l] * along;
    add_scaled<T>(N_rate_eta, eta_rate[N1.k] * eta_rate[N1.l], value);
  }
  for (const VectorTerm& C2 : body.C2) {
    const T weight = T(C2.k == C2.l ? 1.0 : 2.0) * eta_rate[C2.k];
    add_scaled<T>(bend, weight * eta_rate[C2.l], C2.value.template cast<T>());
  }
  out.p_lin = omega_L.cross(omega_L.cross(out.c)) + T(2) * omega_L.cross(c_rate) + bend;
  const Vec3T<T> h = out.J * omega_L + N_eta;
  out.p_ang = J_rate_omega + N_rate_eta + omega_L.cross(h);
}

}  // namespace grapple::dynamics
