// Articulated inertia of a link about its origin, world axes: [A B; B' C] with the wrench p. How it
// starts, acts on a motion, and is moved to the parent.
#pragma once

#include <limits>

#include "grapple/model/model.h"
#include "grapple/model/state.h"

namespace grapple::dynamics::internal {

using model::Link;
using model::LinkInertia;
using model::LinkMotion;
using spatial::Mat3T;
using spatial::SpatialT;
using spatial::Sym3T;
using spatial::Vec3T;

// A free joint without rotors, which would add inertia along the axes.
inline bool moves_freely(const model::Model& model, const Link& link) {
  return link.type == model::JointType::kFree &&
         (model.reflected_inertia().segment<6>(link.v_index).array() == 0.0).all();
}

// A link's own inertia and velocity-dependent wrench minus the external one.
template <class T>
void start_link(const Link& link, const LinkMotion<T>& motion, const SpatialT<T>& external,
                LinkInertia<T>& own) {
  const Vec3T<T> h = motion.R_WL * link.first_moment_L.template cast<T>();
  own.A = spatial::rotated<T>(motion.R_WL, link.inertia_L);
  own.B << T(0), -h.z(), h.y(), h.z(), T(0), -h.x(), -h.y(), h.x(), T(0);
  own.C = Sym3T<T>::diagonal(T(link.mass));
  const Vec3T<T> momentum = own.A * motion.omega;
  own.p_ang = motion.omega.cross(momentum) - external.ang;
  const Vec3T<T> swing = motion.omega.cross(h);
  own.p_lin = motion.omega.cross(swing) - external.lin;
}

// Adds inertia and wrench (pa_ang, pa_lin) at r to the parent's: Phi' I Phi with Phi = [1 0; -r^
// 1].
template <class T>
void add_to_parent(const LinkInertia<T>& child, const Vec3T<T>& pa_ang, const Vec3T<T>& pa_lin,
                   const Vec3T<T>& r, LinkInertia<T>& parent) {
  const Sym3T<T>& C = child.C;
  const Mat3T<T>& B = child.B;
  const T x = r.x(), y = r.y(), z = r.z();
  Mat3T<T> E;  // B + r^ C
  E(0, 0) = B(0, 0) + y * C.xz - z * C.xy;
  E(0, 1) = B(0, 1) + y * C.yz - z * C.yy;
  E(0, 2) = B(0, 2) + y * C.zz - z * C.yz;
  E(1, 0) = B(1, 0) + z * C.xx - x * C.xz;
  E(1, 1) = B(1, 1) + z * C.xy - x * C.yz;
  E(1, 2) = B(1, 2) + z * C.xz - x * C.zz;
  E(2, 0) = B(2, 0) + x * C.xy - y * C.xx;
  E(2, 1) = B(2, 1) + x * C.yy - y * C.xy;
  E(2, 2) = B(2, 2) + x * C.yz - y * C.xz;
  // A - E r^ + r^ B', upper triangle.
  parent.A.xx += child.A.xx - (E(0, 1) * z - E(0, 2) * y) + (y * B(0, 2) - z * B(0, 1));
  parent.A.xy += child.A.xy - (E(0, 2) * x - E(0, 0) * z) + (y * B(1, 2) - z * B(1, 1));
  parent.A.xz += child.A.xz - (E(0, 0) * y - E(0, 1) * x) + (y * B(2, 2) - z * B(2, 1));
  parent.A.yy += child.A.yy - (E(1, 2) * x - E(1, 0) * z) + (z * B(1, 0) - x * B(1, 2));
  parent.A.yz += child.A.yz - (E(1, 0) * y - E(1, 1) * x) + (z * B(2, 0) - x * B(2, 2));
  parent.A.zz += child.A.zz - (E(2, 0) * y - E(2, 1) * x) + (x * B(2, 1) - y * B(2, 0));
  parent.B += E;
  parent.C += C;
  parent.p_ang += pa_ang + r.cross(pa_lin);
  parent.p_lin += pa_lin;
}

// I (ang, lin)
template <class T>
SpatialT<T> times(const LinkInertia<T>& I, const Vec3T<T>& ang, const Vec3T<T>& lin) {
  return {I.A * ang + I.B * lin, I.B.transpose() * ang + I.C * lin};
}

// Not a number where there is no positive inertia: a body bent beyond what its integrals describe
// must not pass for one.
template <class T>
T inverse_inertia(const T& inertia) {
  return inertia > T(0) ? T(1) / inertia : T(std::numeric_limits<double>::quiet_NaN());
}

// Lower triangle of a symmetric matrix into L d L', L with ones on its diagonal, whose places take
// 1/d.
template <class T>
void factor_in_place(int n, T (&L)[6][6]) {
  for (int j = 0; j < n; ++j) {
    for (int k = 0; k < j; ++k) {  // L_jk d_k waits in L_jk
      for (int l = 0; l < k; ++l) L[j][k] -= L[j][l] * L[k][l];
    }
    T d = L[j][j];
    for (int k = 0; k < j; ++k) {
      const T scaled = L[j][k];
      L[j][k] *= L[k][k];
      d -= L[j][k] * scaled;
    }
    L[j][j] = inverse_inertia(d);
  }
}

}  // namespace grapple::dynamics::internal
