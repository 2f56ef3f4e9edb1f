#include "grapple/dynamics/rnea.h"

#include "grapple/dynamics/kinematics.h"
#include "grapple/spatial/dual.h"

namespace grapple::dynamics {

using model::Link;
using model::LinkInertia;
using model::LinkMotion;
using spatial::Dual;
using spatial::Mat3T;
using spatial::SpatialT;
using spatial::Vec3T;

template <class T>
void rnea_after_kinematics(const model::Model& model, const model::StateT<T>& /*state*/,
                           const spatial::VecXT<T>& vdot, model::WorkspaceT<T>& workspace) {
  const int n = model.link_count();
  workspace.motion[0].a = -model.gravity().template cast<T>();
  for (int i = 1; i < n; ++i) {
    const Link& link = model.link(i);
    const auto at = static_cast<std::size_t>(i);
    const LinkMotion<T>& parent = workspace.motion[static_cast<std::size_t>(link.parent)];
    LinkMotion<T>& m = workspace.motion[at];
    m.alpha = parent.alpha + m.c_ang;
    m.a = parent.a + parent.alpha.cross(m.r) + m.c_lin;
    for (int k = 0; k < link.nv; ++k) {
      const SpatialT<T>& axis = workspace.S[static_cast<std::size_t>(link.v_index + k)];
      m.alpha += axis.ang * vdot[link.v_index + k];
      m.a += axis.lin * vdot[link.v_index + k];
    }
    // Newton-Euler about the link origin; rotating vectors into link axes is cheaper than the
    // inertia into world's.
    const Vec3T<T> h = m.R_WL * link.first_moment_L.template cast<T>();
    const Vec3T<T> alpha_L = m.R_WL.transpose() * m.alpha;
    const Vec3T<T> omega_L = m.R_WL.transpose() * m.omega;
    const auto J = spatial::Mat3(link.inertia_L.matrix());
    const Vec3T<T> J_alpha = J.cast<T>() * alpha_L;
    const Vec3T<T> J_omega = J.cast<T>() * omega_L;
    const SpatialT<T>& external = workspace.wrench[at];
    LinkInertia<T>& own = workspace.inertia[at];
    own.p_ang = m.R_WL * (J_alpha + omega_L.cross(J_omega)) + h.cross(m.a) - external.ang;
    own.p_lin =
        T(link.mass) * m.a + m.alpha.cross(h) + m.omega.cross(m.omega.cross(h)) - external.lin;
  }
  for (int i = n - 1; i > 0; --i) {
    const Link& link = model.link(i);
    const LinkMotion<T>& m = workspace.motion[static_cast<std::size_t>(i)];
    const LinkInertia<T>& own = workspace.inertia[static_cast<std::size_t>(i)];
    for (int k = 0; k < link.nv; ++k) {
      const int row = link.v_index + k;
      const SpatialT<T>& axis = workspace.S[static_cast<std::size_t>(row)];
      workspace.tau[row] = axis.ang.dot(own.p_ang) + axis.lin.dot(own.p_lin) +
                           T(model.reflected_inertia()[row]) * vdot[row];
    }
    if (link.parent == 0) continue;
    LinkInertia<T>& parent = workspace.inertia[static_cast<std::size_t>(link.parent)];
    parent.p_ang += own.p_ang + m.r.cross(own.p_lin);
    parent.p_lin += own.p_lin;
  }
}

template <class T>
void rnea(const model::Model& model, const model::StateT<T>& state, const spatial::VecXT<T>& vdot,
          model::WorkspaceT<T>& workspace) {
  forward_kinematics(model, state, workspace);
  rnea_after_kinematics(model, state, vdot, workspace);
}

#define GRAPPLE_INSTANTIATE(T)                                                               \
  template void rnea(const model::Model&, const model::StateT<T>&, const spatial::VecXT<T>&, \
                     model::WorkspaceT<T>&);                                                 \
  template void rnea_after_kinematics(const model::Model&, const model::StateT<T>&,          \
                                      const spatial::VecXT<T>&, model::WorkspaceT<T>&);
GRAPPLE_INSTANTIATE(double)
GRAPPLE_INSTANTIATE(Dual)
GRAPPLE_INSTANTIATE(long double)
#undef GRAPPLE_INSTANTIATE

}  // namespace grapple::dynamics
