#include "grapple/dynamics/field_efforts.h"

#include "grapple/dynamics/internal/mass_field-inl.h"
#include "grapple/spatial/dual.h"

namespace grapple::dynamics {

using model::FlexibleScratch;
using model::Link;
using model::LinkMotion;
using spatial::Dual;
using spatial::Mat3T;
using spatial::Sym3T;
using spatial::Vec3T;

namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

// 1/2 tr(J) 1 - J.
template <class T>
Sym3T<T> second_moment(const Sym3T<T>& J) {
  const T half = T(0.5) * (J.xx + J.yy + J.zz);
  return {half - J.xx, -J.xy, -J.xz, half - J.yy, -J.yz, half - J.zz};
}

template <class T>
T trace(const Sym3T<T>& J) {
  return J.xx + J.yy + J.zz;
}

// sum_j S e_j x G e_j: the torque of the accelerations G r on mass with second moment S.
template <class T>
Vec3T<T> gradient_torque(const Sym3T<T>& S, const Sym3T<T>& G) {
  return {S.xy * G.xz + S.yy * G.yz + S.yz * G.zz - S.xz * G.xy - S.yz * G.yy - S.zz * G.yz,
          S.xz * G.xx + S.yz * G.xy + S.zz * G.xz - S.xx * G.xz - S.xy * G.yz - S.xz * G.zz,
          S.xx * G.xy + S.xy * G.yy + S.xz * G.yz - S.xy * G.xx - S.yy * G.xy - S.yz * G.xz};
}

// int b_k . G r dm of all modes, r from the link origin: over the mass field, or from the
// derivatives of the inertia, whose second moments are twice the symmetric part of int b_k r^T dm.
template <class T>
class ModalGradient {
 public:
  ModalGradient(const flexible::PackedBody& body, const FlexibleScratch<T>& scratch,
                const Mat3T<T>& R_WL, const Sym3T<T>& G)
      : scratch_(scratch), modes_(body.modes), points_(body.field.points) {
    if (points_ > 0) {
      const Mat3T<T> R_DW = (R_WL * body.field.R_LD.template cast<T>()).transpose();
      G_ = spatial::rotated<T>(R_DW, G).matrix();
      for (int c = 0; c < 3; ++c) positions_[at(c)] = scratch.field_position.data() + c * points_;
    } else {
      G_L_ = spatial::rotated<T>(Mat3T<T>(R_WL.transpose()), G);
    }
  }

  T operator()(int k) const {
    if (points_ == 0) {
      // G : (tr(dJ)/4 1 - dJ/2)
      const Sym3T<T>& dJ = scratch_.dJ[at(k)];
      return T(0.25) * trace(dJ) * trace(G_L_) - T(0.5) * double_product(G_L_, dJ);
    }
    T sum(0);
    for (int d = 0; d < 3; ++d) {
      const T* shape = scratch_.field_shape.data() + (d * modes_ + k) * points_;
      sum += G_.col(d).dot(internal::three_products<T>(points_, shape, positions_));
    }
    return sum;
  }

 private:
  const FlexibleScratch<T>& scratch_;
  int modes_, points_;
  Mat3T<T> G_;      // in the axes of the mass field
  Sym3T<T> G_L_{};  // in link axes
  std::array<const T*, 3> positions_{};
};

}  // namespace

template <class T>
BodyMoments<T> body_moments(const model::Model& model, int i, const model::StateT<T>& state,
                            const model::WorkspaceT<T>& workspace) {
  const Link& link = model.link(i);
  const LinkMotion<T>& m = workspace.motion[at(i)];
  BodyMoments<T> out;
  Vec3T<T> first_W;
  Vec3T<T> drift_W = Vec3T<T>::Zero();  // of the first moment, by the modes
  Sym3T<T> J;
  if (link.kind == Link::Kind::kRigid) {
    out.mass = T(link.mass);
    first_W = m.R_WL * link.first_moment_L.template cast<T>();
    J = spatial::rotated<T>(m.R_WL, link.inertia_L);
  } else if (link.kind == Link::Kind::kFlexible) {
    const FlexibleScratch<T>& f = workspace.flexible[at(link.flexible)];
    out.mass = T(model.packed_body(link).mass);
    first_W = m.R_WL * f.c;
    Vec3T<T> drift = Vec3T<T>::Zero();
    for (int k = 0; k < link.modes; ++k) {
      spatial::add_scaled<T>(drift, state.v[link.v_modal + k], f.P[at(k)]);
    }
    drift_W = m.R_WL * drift;
    J = spatial::rotated<T>(m.R_WL, f.J);
  }
  if (!(out.mass > T(0))) return {};
  out.arm = first_W / out.mass;
  out.p_WC = m.p_WL + out.arm;
  out.v_WC = m.v + m.omega.cross(out.arm) + drift_W / out.mass;
  out.second = second_moment(J);
  out.second.subtract_outer(out.mass, out.arm);
  return out;
}

template <class T>
void field_efforts(const model::Model& model, int i, const BodyMoments<T>& moments,
                   const LinearField<T>& field, model::WorkspaceT<T>& workspace,
                   spatial::VecXT<T>& tau) {
  if (!(moments.mass > T(0))) return;
  const Link& link = model.link(i);
  const LinkMotion<T>& m = workspace.motion[at(i)];
  const Vec3T<T> force = moments.mass * field.g;
  workspace.wrench[at(i)].lin += force;
  workspace.wrench[at(i)].ang +=
      moments.arm.cross(force) + gradient_torque(moments.second, field.G);
  if (link.kind != Link::Kind::kFlexible) return;
  const FlexibleScratch<T>& f = workspace.flexible[at(link.flexible)];
  const ModalGradient<T> gradient(model.packed_body(link), f, m.R_WL, field.G);
  const Vec3T<T> g_origin_L = m.R_WL.transpose() * Vec3T<T>(field.g - field.G * moments.arm);
  for (int k = 0; k < link.modes; ++k) {
    tau[link.v_modal + k] += g_origin_L.dot(f.P[at(k)]) + gradient(k);
  }
}

#define GRAPPLE_INSTANTIATE(T)                                                            \
  template BodyMoments<T> body_moments(const model::Model&, int, const model::StateT<T>&, \
                                       const model::WorkspaceT<T>&);                      \
  template void field_efforts(const model::Model&, int, const BodyMoments<T>&,            \
                              const LinearField<T>&, model::WorkspaceT<T>&, spatial::VecXT<T>&);
GRAPPLE_INSTANTIATE(double)
GRAPPLE_INSTANTIATE(Dual)
#undef GRAPPLE_INSTANTIATE

}  // namespace grapple::dynamics
