#include "grapple/dynamics/energy.h"

#include "grapple/spatial/dual.h"

namespace grapple::dynamics {

using model::Link;
using model::LinkMotion;
using spatial::Dual;
using spatial::Vec3;
using spatial::Vec3T;

template <class T>
T kinetic_energy(const model::Model& model, const model::StateT<T>& state,
                 const model::WorkspaceT<T>& workspace) {
  T twice(0);
  for (int i = 1; i < model.link_count(); ++i) {
    const Link& link = model.link(i);
    const LinkMotion<T>& m = workspace.motion[static_cast<std::size_t>(i)];
    const Vec3T<T> omega_L = m.R_WL.transpose() * m.omega;
    const Vec3T<T> h = m.R_WL * link.first_moment_L.template cast<T>();
    const spatial::Mat3 J = link.inertia_L.matrix();
    twice += T(link.mass) * m.v.squaredNorm() + T(2) * m.v.dot(m.omega.cross(h)) +
             omega_L.dot(J.cast<T>() * omega_L);
    for (int k = link.v_index; k < link.v_index + link.nv; ++k) {
      twice += T(model.reflected_inertia()[k]) * state.v[k] * state.v[k];
    }
  }
  return T(0.5) * twice;
}

template <class T>
T gravity_energy(const model::Model& model, const model::WorkspaceT<T>& workspace) {
  const Vec3T<T> gravity = model.gravity().template cast<T>();
  T energy(0);
  for (int i = 1; i < model.link_count(); ++i) {
    const Link& link = model.link(i);
    const LinkMotion<T>& m = workspace.motion[static_cast<std::size_t>(i)];
    const Vec3T<T> first_moment =
        T(link.mass) * m.p_WL + m.R_WL * link.first_moment_L.template cast<T>();
    energy -= gravity.dot(first_moment);
  }
  return energy;
}

spatial::Spatial momentum(const model::Model& model, const model::Workspace& workspace,
                          const Vec3& about) {
  spatial::Spatial sum;
  for (int i = 1; i < model.link_count(); ++i) {
    const Link& link = model.link(i);
    const LinkMotion<double>& m = workspace.motion[static_cast<std::size_t>(i)];
    const Vec3 h = m.R_WL * link.first_moment_L;
    const Vec3 linear = link.mass * m.v + m.omega.cross(h);
    const Vec3 own = m.R_WL * (link.inertia_L * (m.R_WL.transpose() * m.omega)) + h.cross(m.v);
    sum.ang += own + (m.p_WL - about).cross(linear);
    sum.lin += linear;
  }
  return sum;
}

Vec3 center_of_mass(const model::Model& model, const model::Workspace& workspace) {
  Vec3 first_moment = Vec3::Zero();
  for (int i = 1; i < model.link_count(); ++i) {
    const Link& link = model.link(i);
    const LinkMotion<double>& m = workspace.motion[static_cast<std::size_t>(i)];
    first_moment += link.mass * m.p_WL + m.R_WL * link.first_moment_L;
  }
  const double mass = model.total_mass();
  return mass > 0.0 ? Vec3(first_moment / mass) : Vec3::Zero();
}

#define GRAPPLE_INSTANTIATE(T)                                            \
  template T kinetic_energy(const model::Model&, const model::StateT<T>&, \
                            const model::WorkspaceT<T>&);                 \
  template T gravity_energy(const model::Model&, const model::WorkspaceT<T>&);
GRAPPLE_INSTANTIATE(double)
GRAPPLE_INSTANTIATE(Dual)
GRAPPLE_INSTANTIATE(long double)
#undef GRAPPLE_INSTANTIATE

}  // namespace grapple::dynamics
