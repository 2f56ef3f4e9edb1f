// Bodies of flexible_inertia.h, templates over the scalar: flexible_inertia_scalars.cc compiles
// them for those of the program, a counter of operations for its own.
#pragma once

#include "grapple/dynamics/flexible_inertia.h"

namespace grapple::dynamics {

using flexible::FlexibleBody;
using spatial::Mat3;
using spatial::Sym3T;
using spatial::Vec3T;

namespace internal {

template <class T>
void add_scaled(Sym3T<T>& sum, const T& s, const Mat3& m) {
  sum.xx += s * T(m(0, 0));
  sum.xy += s * T(m(0, 1));
  sum.xz += s * T(m(0, 2));
  sum.yy += s * T(m(1, 1));
  sum.yz += s * T(m(1, 2));
  sum.zz += s * T(m(2, 2));
}

template <class T>
void add_scaled(Sym3T<T>& sum, const T& s, const Sym3T<T>& m) {
  sum.xx += s * m.xx;
  sum.xy += s * m.xy;
  sum.xz += s * m.xz;
  sum.yy += s * m.yy;
  sum.yz += s * m.yz;
  sum.zz += s * m.zz;
}

}  // namespace internal

template <class T>
void flexible_inertia(const FlexibleBody& body, const T* eta, model::FlexibleScratch<T>& out) {
  const int m = body.modes;
  const auto n = static_cast<std::size_t>(m);
  out.c = body.c0.cast<T>();
  out.J = Sym3T<T>::from(Mat3(body.J0).cast<T>());
  for (int k = 0; k < m; ++k) {
    const auto at = static_cast<std::size_t>(k);
    Vec3T<T> P = body.C1.col(k).template cast<T>();
    Vec3T<T> N = body.N0.col(k).template cast<T>();
    Sym3T<T> G = Sym3T<T>::from(Mat3(body.J1[at]).cast<T>());  // dJ/deta_k
    Sym3T<T> half = G;                                         // J1 + 1/2 sum J2 eta
    for (int l = 0; l < m; ++l) {
      N += eta[l] * body.N1[static_cast<std::size_t>(l)].col(k).template cast<T>();
      internal::add_scaled(G, eta[l], body.J2[at * n + static_cast<std::size_t>(l)]);
    }
    Vec3T<T> P_half = P;
    for (int c = 0; c < 3; ++c) {
      const spatial::MatX& C2 = body.C2[static_cast<std::size_t>(c)];
      if (C2.size() == 0) continue;
      T sum(0);
      for (int l = 0; l < m; ++l) sum += T(C2(l, k)) * eta[l];
      P[c] += sum;
      P_half[c] += T(0.5) * sum;
    }
    internal::add_scaled(half, T(1), G);  // 2 J1 + sum J2 eta
    internal::add_scaled(out.J, T(0.5) * eta[k], half);
    out.c += eta[k] * P_half;
    out.P[at] = P;
    out.N[at] = N;
    out.dJ[at] = G;
  }
}

template <class T>
void flexible_bias(const FlexibleBody& body, const T* eta_rate, const Vec3T<T>& omega_L,
                   model::FlexibleScratch<T>& out) {
  const int m = body.modes;
  Vec3T<T> c_rate = Vec3T<T>::Zero(), N_eta = Vec3T<T>::Zero(), bend = Vec3T<T>::Zero();
  Vec3T<T> J_rate_omega = Vec3T<T>::Zero(), N_rate_eta = Vec3T<T>::Zero();
  for (int k = 0; k < m; ++k) {
    const auto at = static_cast<std::size_t>(k);
    c_rate += eta_rate[k] * out.P[at];
    N_eta += eta_rate[k] * out.N[at];
    const Vec3T<T> G_omega = out.dJ[at] * omega_L;
    J_rate_omega += eta_rate[k] * G_omega;
    Vec3T<T> N_rate_k = Vec3T<T>::Zero();  // dN_k/dt
    Vec3T<T> dN_eta_k = Vec3T<T>::Zero();  // (dN/deta_k) eta'
    for (int l = 0; l < m; ++l) {
      N_rate_k += eta_rate[l] * body.N1[static_cast<std::size_t>(l)].col(k).template cast<T>();
      dN_eta_k += eta_rate[l] * body.N1[at].col(l).template cast<T>();
    }
    N_rate_eta += eta_rate[k] * N_rate_k;
    out.p_modal[at] = omega_L.dot(N_rate_k - dN_eta_k) - T(0.5) * omega_L.dot(G_omega);
  }
  for (int c = 0; c < 3; ++c) {
    const spatial::MatX& C2 = body.C2[static_cast<std::size_t>(c)];
    if (C2.size() == 0) continue;
    for (int k = 0; k < m; ++k) {
      T sum(0);
      for (int l = 0; l < m; ++l) sum += T(C2(l, k)) * eta_rate[l];
      bend[c] += sum * eta_rate[k];
    }
  }
  out.p_lin = omega_L.cross(omega_L.cross(out.c)) + T(2) * omega_L.cross(c_rate) + bend;
  const Vec3T<T> h = out.J * omega_L + N_eta;
  out.p_ang = J_rate_omega + N_rate_eta + omega_L.cross(h);
}

}  // namespace grapple::dynamics
