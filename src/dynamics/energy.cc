#include "grapple/dynamics/energy.h"

#include "grapple/spatial/dual.h"

namespace grapple::dynamics {

using model::Link;
using model::LinkMotion;
using spatial::Dual;
using spatial::Vec3;
using spatial::Vec3T;

namespace {

// First moment (world axes) and momentum of one link about its origin; rigid and flexible alike.
template <class T>
struct LinkMomentum {
  T mass{0};
  Vec3T<T> first_moment = Vec3T<T>::Zero(), linear = Vec3T<T>::Zero(), angular = Vec3T<T>::Zero();
  T modal_twice{0};  ///< modal rates times their momenta: the rest of twice the kinetic energy

  LinkMomentum(const model::Model& model, int i, const model::StateT<T>& state,
               const model::WorkspaceT<T>& workspace) {
    const Link& link = model.link(i);
    const LinkMotion<T>& m = workspace.motion[static_cast<std::size_t>(i)];
    const Vec3T<T> omega_L = m.R_WL.transpose() * m.omega;
    if (link.kind == Link::Kind::kRigid) {
      mass = T(link.mass);
      first_moment = m.R_WL * link.first_moment_L.template cast<T>();
      const spatial::Mat3 J = link.inertia_L.matrix();
      angular = m.R_WL * (J.cast<T>() * omega_L);
    } else if (link.kind == Link::Kind::kFlexible) {
      add_flexible(model, link, state, workspace, m, omega_L);
    }
    linear += mass * m.v + m.omega.cross(first_moment);
    angular += first_moment.cross(m.v);
  }

 private:
  void add_flexible(const model::Model& model, const Link& link, const model::StateT<T>& state,
                    const model::WorkspaceT<T>& workspace, const LinkMotion<T>& m,
                    const Vec3T<T>& omega_L) {
    const flexible::FlexibleBody& body = model.flexible_body(link);
    const model::FlexibleScratch<T>& f =
        workspace.flexible[static_cast<std::size_t>(link.flexible)];
    const Vec3T<T> v_L = m.R_WL.transpose() * m.v;
    Vec3T<T> h = f.J * omega_L, p = Vec3T<T>::Zero();
    for (int k = 0; k < body.modes; ++k) {
      const auto at = static_cast<std::size_t>(k);
      const T& rate = state.v[link.v_modal + k];
      h += rate * f.N[at];
      p += rate * f.P[at];
      T modal = f.N[at].dot(omega_L) + f.P[at].dot(v_L);
      const T* E = f.modal_mass.data() + k * body.modes;
      for (int l = 0; l < body.modes; ++l) modal += E[l] * state.v[link.v_modal + l];
      modal_twice += rate * modal;
    }
    mass = T(body.mass);
    first_moment = m.R_WL * f.c;
    angular = m.R_WL * h;
    linear = m.R_WL * p;
  }
};

}  // namespace

template <class T>
T body_kinetic_energy(const model::Model& model, int i, const model::StateT<T>& state,
                      const model::WorkspaceT<T>& workspace) {
  const LinkMotion<T>& m = workspace.motion[static_cast<std::size_t>(i)];
  const LinkMomentum<T> own(model, i, state, workspace);
  return T(0.5) * (m.v.dot(own.linear) + m.omega.dot(own.angular) + own.modal_twice);
}

BodyMomentum body_momentum(const model::Model& model, int i, const model::State& state,
                           const model::Workspace& workspace) {
  const LinkMomentum<double> own(model, i, state, workspace);
  if (!(own.mass > 0.0)) return {};
  return {own.mass, own.linear, own.angular - own.first_moment.cross(own.linear) / own.mass};
}

template <class T>
T kinetic_energy(const model::Model& model, const model::StateT<T>& state,
                 const model::WorkspaceT<T>& workspace) {
  T bodies(0), twice(0);
  for (int i = 1; i < model.link_count(); ++i) {
    const Link& link = model.link(i);
    bodies += body_kinetic_energy(model, i, state, workspace);
    for (int k = link.v_index; k < link.v_index + link.nv; ++k) {
      twice += T(model.reflected_inertia()[k]) * state.v[k] * state.v[k];
    }
  }
  for (const model::Drive& drive : model.drives()) {
    const T& rate = state.v[drive.v_index];
    twice += T(model.reflected_inertia()[drive.v_index]) * rate * rate;
  }
  return bodies + T(0.5) * twice;
}

template <class T>
MassMoments<T> mass_moments(const model::Model& model, const model::StateT<T>& state,
                            const model::WorkspaceT<T>& workspace, const Vec3& about) {
  MassMoments<T> sum;
  for (int i = 1; i < model.link_count(); ++i) {
    const LinkMotion<T>& m = workspace.motion[static_cast<std::size_t>(i)];
    const LinkMomentum<T> own(model, i, state, workspace);
    sum.mass += own.mass;
    sum.first_moment += own.mass * m.p_WL + own.first_moment;
    sum.linear += own.linear;
    const Vec3T<T> arm = m.p_WL - about.cast<T>();
    sum.angular += own.angular + arm.cross(own.linear);
  }
  return sum;
}

template <class T>
T gravity_energy(const model::Model& model, const model::StateT<T>& state,
                 const model::WorkspaceT<T>& workspace) {
  if (model.gravity().isZero()) return T(0);
  const Vec3T<T> gravity = model.gravity().template cast<T>();
  return -gravity.dot(mass_moments(model, state, workspace, Vec3::Zero()).first_moment);
}

#define GRAPPLE_INSTANTIATE(T)                                                       \
  template T body_kinetic_energy(const model::Model&, int, const model::StateT<T>&,  \
                                 const model::WorkspaceT<T>&);                       \
  template T kinetic_energy(const model::Model&, const model::StateT<T>&,            \
                            const model::WorkspaceT<T>&);                            \
  template T gravity_energy(const model::Model&, const model::StateT<T>&,            \
                            const model::WorkspaceT<T>&);                            \
  template MassMoments<T> mass_moments(const model::Model&, const model::StateT<T>&, \
                                       const model::WorkspaceT<T>&, const Vec3&);
GRAPPLE_INSTANTIATE(double)
GRAPPLE_INSTANTIATE(Dual)
GRAPPLE_INSTANTIATE(long double)
#undef GRAPPLE_INSTANTIATE

}  // namespace grapple::dynamics
