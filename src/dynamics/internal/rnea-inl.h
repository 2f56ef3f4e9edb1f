// Bodies of rnea.h, templates over the scalar: rnea_scalars.cc compiles them for those
// of the program, a counter of operations for its own.
#pragma once

#include "grapple/dynamics/internal/flexible_inertia.h"
#include "grapple/dynamics/kinematics.h"
#include "grapple/dynamics/rnea.h"

namespace grapple::dynamics {

using model::Link;
using model::LinkInertia;
using model::LinkMotion;
using spatial::Mat3T;
using spatial::SpatialT;
using spatial::Vec3T;

namespace internal {

// Acceleration of one link from its parent's.
template <class T>
void accelerate(const model::Model& model, int i, const spatial::VecXT<T>& vdot,
                model::WorkspaceT<T>& workspace) {
  const Link& link = model.link(i);
  const auto at = static_cast<std::size_t>(i);
  const LinkMotion<T>& parent = workspace.motion[static_cast<std::size_t>(link.parent)];
  LinkMotion<T>& m = workspace.motion[at];
  m.alpha = parent.alpha + m.c_ang;
  m.a = parent.a + parent.alpha.cross(m.r) + m.c_lin;
  for (int k = 0; k < link.axis_count(); ++k) {
    const SpatialT<T>& axis = workspace.S[static_cast<std::size_t>(link.v_index + k)];
    m.alpha += axis.ang * vdot[link.v_index + k];
    m.a += axis.lin * vdot[link.v_index + k];
  }
  for (std::size_t k = 0; k < workspace.elastic_axes[at].size(); ++k) {
    const SpatialT<T>& axis = workspace.elastic_axes[at][k];
    m.alpha += axis.ang * vdot[link.v_modal + static_cast<int>(k)];
    m.a += axis.lin * vdot[link.v_modal + static_cast<int>(k)];
  }
}

// Newton-Euler about the link origin; rotating vectors into link axes is cheaper than the inertia
// into world's.
template <class T>
void rigid_wrench(const Link& link, const LinkMotion<T>& m, LinkInertia<T>& own) {
  const Vec3T<T> h = m.R_WL * link.first_moment_L.template cast<T>();
  const Vec3T<T> alpha_L = m.R_WL.transpose() * m.alpha;
  const Vec3T<T> omega_L = m.R_WL.transpose() * m.omega;
  const auto J = spatial::Mat3(link.inertia_L.matrix());
  const Vec3T<T> J_alpha = J.cast<T>() * alpha_L;
  const Vec3T<T> J_omega = J.cast<T>() * omega_L;
  own.p_ang = m.R_WL * (J_alpha + omega_L.cross(J_omega)) + h.cross(m.a);
  own.p_lin = T(link.mass) * m.a + m.alpha.cross(h) + m.omega.cross(m.omega.cross(h));
}

// The same for a flexible body, and its modal efforts (without what hangs on it).
template <class T>
void flexible_wrench(const model::Model& model, const Link& link, const model::StateT<T>& state,
                     const spatial::VecXT<T>& vdot, const LinkMotion<T>& m,
                     model::WorkspaceT<T>& workspace, LinkInertia<T>& own) {
  const flexible::PackedBody& body = model.packed_body(link);
  model::FlexibleScratch<T>& f = workspace.flexible[static_cast<std::size_t>(link.flexible)];
  flexible_bias<T>(body, state.v.data() + link.v_modal, m.R_WL.transpose() * m.omega, f);
  const Vec3T<T> alpha = m.R_WL.transpose() * m.alpha, a = m.R_WL.transpose() * m.a;
  Vec3T<T> n = f.J * alpha + f.c.cross(a) + f.p_ang;
  Vec3T<T> force = T(body.mass) * a + alpha.cross(f.c) + f.p_lin;
  for (int k = 0; k < body.modes; ++k) {
    const auto at = static_cast<std::size_t>(k);
    const T& rate = vdot[link.v_modal + k];
    n += rate * f.N[at];
    force += rate * f.P[at];
    T effort = f.N[at].dot(alpha) + f.P[at].dot(a) + f.p_modal[at];
    const T* E = f.modal_mass.data() + k * body.modes;
    for (int l = 0; l < body.modes; ++l) effort += E[l] * vdot[link.v_modal + l];
    if (k < link.guided) effort += T(model.reflected_inertia()[link.v_modal + k]) * rate;
    workspace.tau[link.v_modal + k] = effort;
  }
  own.p_ang = m.R_WL * n;
  own.p_lin = m.R_WL * force;
}

}  // namespace internal

template <class T>
void link_accelerations(const model::Model& model, const spatial::VecXT<T>& vdot,
                        model::WorkspaceT<T>& workspace) {
  workspace.motion[0].a = -model.gravity().template cast<T>();
  for (int i = 1; i < model.link_count(); ++i) internal::accelerate(model, i, vdot, workspace);
}

template <class T>
void rnea_after_kinematics(const model::Model& model, const model::StateT<T>& state,
                           const spatial::VecXT<T>& vdot, model::WorkspaceT<T>& workspace) {
  const int n = model.link_count();
  workspace.motion[0].a = -model.gravity().template cast<T>();
  for (int i = 1; i < n; ++i) {
    const Link& link = model.link(i);
    const auto at = static_cast<std::size_t>(i);
    const LinkMotion<T>& m = workspace.motion[at];
    internal::accelerate(model, i, vdot, workspace);
    LinkInertia<T>& own = workspace.inertia[at];
    switch (link.kind) {
      case Link::Kind::kRigid:
        internal::rigid_wrench(link, m, own);
        break;
      case Link::Kind::kFlexible:
        internal::flexible_wrench(model, link, state, vdot, m, workspace, own);
        break;
      case Link::Kind::kElasticFrame:
        own.p_ang.setZero();
        own.p_lin.setZero();
        break;
    }
    own.p_ang -= workspace.wrench[at].ang;
    own.p_lin -= workspace.wrench[at].lin;
  }
  for (int i = n - 1; i > 0; --i) {
    const Link& link = model.link(i);
    const LinkMotion<T>& m = workspace.motion[static_cast<std::size_t>(i)];
    const LinkInertia<T>& own = workspace.inertia[static_cast<std::size_t>(i)];
    for (int k = 0; k < link.axis_count(); ++k) {
      const int row = link.v_index + k;
      const SpatialT<T>& axis = workspace.S[static_cast<std::size_t>(row)];
      workspace.tau[row] = axis.ang.dot(own.p_ang) + axis.lin.dot(own.p_lin) +
                           T(model.reflected_inertia()[row]) * vdot[row];
    }
    const std::vector<SpatialT<T>>& axes = workspace.elastic_axes[static_cast<std::size_t>(i)];
    for (std::size_t k = 0; k < axes.size(); ++k) {
      workspace.tau[link.v_modal + static_cast<int>(k)] +=
          axes[k].ang.dot(own.p_ang) + axes[k].lin.dot(own.p_lin);
    }
    if (link.parent == 0) continue;
    LinkInertia<T>& parent = workspace.inertia[static_cast<std::size_t>(link.parent)];
    parent.p_ang += own.p_ang + m.r.cross(own.p_lin);
    parent.p_lin += own.p_lin;
  }
  for (const model::Drive& drive : model.drives()) {
    workspace.tau[drive.v_index] =
        T(model.reflected_inertia()[drive.v_index]) * vdot[drive.v_index];
  }
}

template <class T>
void rnea(const model::Model& model, const model::StateT<T>& state, const spatial::VecXT<T>& vdot,
          model::WorkspaceT<T>& workspace) {
  forward_kinematics(model, state, workspace);
  rnea_after_kinematics(model, state, vdot, workspace);
}

}  // namespace grapple::dynamics
