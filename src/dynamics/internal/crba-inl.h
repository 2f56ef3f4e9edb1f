// Bodies of crba.h, templates over the scalar: crba_scalars.cc compiles them for those
// of the program, a counter of operations for its own.
#pragma once

#include "grapple/base/assert.h"
#include "grapple/dynamics/crba.h"
#include "grapple/dynamics/kinematics.h"

namespace grapple::dynamics {

using model::Link;
using model::LinkInertia;
using spatial::MatXT;
using spatial::SpatialT;
using spatial::Sym3T;
using spatial::Vec3T;

namespace internal {

// A composite rigid inertia needs its mass, first moment and inertia about the link origin only;
// they are kept in LinkInertia as C.xx, p_lin and A.
template <class T>
struct Composite {
  LinkInertia<T>& store;
  T& mass() { return store.C.xx; }
  Vec3T<T>& first_moment() { return store.p_lin; }
  Sym3T<T>& inertia() { return store.A; }

  SpatialT<T> times(const SpatialT<T>& motion) {
    const Vec3T<T>& h = first_moment();
    return {inertia() * motion.ang + h.cross(motion.lin),
            mass() * motion.lin + motion.ang.cross(h)};
  }

  // Parallel axes: J about the parent's origin grows by 2 (h.r) 1 - h r' - r h' + m (r.r 1 - r r').
  void add_shifted(Composite child, const Vec3T<T>& r) {
    const Vec3T<T>& h = child.first_moment();
    const Vec3T<T> g = h + child.mass() * r;
    const T trace = h.dot(r) + g.dot(r);
    Sym3T<T> J = child.inertia();
    J.xx += trace - h.x() * r.x() - r.x() * g.x();
    J.yy += trace - h.y() * r.y() - r.y() * g.y();
    J.zz += trace - h.z() * r.z() - r.z() * g.z();
    J.xy -= h.x() * r.y() + r.x() * g.y();
    J.xz -= h.x() * r.z() + r.x() * g.z();
    J.yz -= h.y() * r.z() + r.y() * g.z();
    inertia() += J;
    first_moment() += g;
    mass() += child.mass();
  }
};

template <class T>
void start_composite(const model::Model& model, int i, model::WorkspaceT<T>& workspace) {
  const Link& link = model.link(i);
  const spatial::Mat3T<T>& R = workspace.motion[static_cast<std::size_t>(i)].R_WL;
  Composite<T> own{workspace.inertia[static_cast<std::size_t>(i)]};
  if (link.kind == Link::Kind::kFlexible) {
    model::FlexibleScratch<T>& f = workspace.flexible[static_cast<std::size_t>(link.flexible)];
    own.mass() = T(model.flexible_body(link).mass);
    own.first_moment() = R * f.c;
    own.inertia() = spatial::rotated<T>(R, f.J);
    for (std::size_t k = 0; k < f.coupling.size(); ++k) f.coupling[k] = {R * f.N[k], R * f.P[k]};
    return;
  }
  if (link.kind == Link::Kind::kElasticFrame) {
    own.mass() = T(0);
    own.first_moment().setZero();
    own.inertia() = Sym3T<T>{};
    return;
  }
  own.mass() = T(link.mass);
  own.first_moment() = R * link.first_moment_L.template cast<T>();
  own.inertia() = spatial::rotated<T>(R, link.inertia_L);
}

// The rows of everything inboard of a force at the origin of link `at`: joints by S, modes by the
// axes of the elastic frames passed on the way.
template <class T>
void fill_ancestors(const model::Model& model, const model::WorkspaceT<T>& workspace, int at,
                    int column, SpatialT<T> force, MatXT<T>& M) {
  for (; at > 0; at = model.link(at).parent) {
    const Link& link = model.link(at);
    for (int j = 0; j < link.axis_count(); ++j) {
      M(link.v_index + j, column) =
          spatial::dot(workspace.S[static_cast<std::size_t>(link.v_index + j)], force);
    }
    const auto& axes = workspace.elastic_axes[static_cast<std::size_t>(at)];
    for (std::size_t k = 0; k < axes.size(); ++k) {
      M(link.v_modal + static_cast<int>(k), column) = spatial::dot(axes[k], force);
    }
    force.ang += workspace.motion[static_cast<std::size_t>(at)].r.cross(force.lin);
  }
}

// An elastic frame's outboard composite loads the modes of its body.
template <class T>
void load_modes(model::WorkspaceT<T>& workspace, int i, const Link& link, Composite<T> outboard,
                MatXT<T>& M) {
  const auto& axes = workspace.elastic_axes[static_cast<std::size_t>(i)];
  model::FlexibleScratch<T>& f = workspace.flexible[static_cast<std::size_t>(link.flexible)];
  const Vec3T<T>& r = workspace.motion[static_cast<std::size_t>(i)].r;
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const SpatialT<T> force = outboard.times(axes[k]);
    f.coupling[k].ang += force.ang + r.cross(force.lin);
    f.coupling[k].lin += force.lin;
    for (std::size_t l = 0; l <= k; ++l) {
      M(link.v_modal + static_cast<int>(l), link.v_modal + static_cast<int>(k)) +=
          spatial::dot(axes[l], force);
    }
  }
}

// Columns of a flexible body's modes: its own modal mass (what hangs on it is there already), its
// joint, its ancestors.
template <class T>
void modal_columns(const model::Model& model, const model::WorkspaceT<T>& workspace, int i,
                   MatXT<T>& M) {
  const Link& link = model.link(i);
  const auto& f = workspace.flexible[static_cast<std::size_t>(link.flexible)];
  const auto& coupling = f.coupling;
  for (int k = 0; k < link.modes; ++k) {
    const int column = link.v_modal + k;
    const T* E = f.modal_mass.data() + k * link.modes;
    for (int l = 0; l <= k; ++l) M(link.v_modal + l, column) += E[l];
    if (k < link.guided) M(column, column) += T(model.reflected_inertia()[column]);
    SpatialT<T> force = coupling[static_cast<std::size_t>(k)];
    for (int j = 0; j < link.nv; ++j) {
      M(link.v_index + j, column) =
          spatial::dot(workspace.S[static_cast<std::size_t>(link.v_index + j)], force);
    }
    force.ang += workspace.motion[static_cast<std::size_t>(i)].r.cross(force.lin);
    fill_ancestors(model, workspace, link.parent, column, force, M);
  }
}

}  // namespace internal

template <class T>
void crba_after_kinematics(const model::Model& model, model::WorkspaceT<T>& workspace,
                           MatXT<T>& M) {
  GRAPPLE_ASSERT(M.rows() == model.nv() && M.cols() == model.nv());
  const int n = model.link_count();
  for (int i = 1; i < n; ++i) internal::start_composite(model, i, workspace);
  M.setZero();
  for (int i = n - 1; i > 0; --i) {
    const Link& link = model.link(i);
    const auto at = static_cast<std::size_t>(i);
    internal::Composite<T> own{workspace.inertia[at]};
    for (int k = 0; k < link.axis_count(); ++k) {
      const int column = link.v_index + k;
      SpatialT<T> force = own.times(workspace.S[static_cast<std::size_t>(column)]);
      for (int j = 0; j <= k; ++j) {
        M(link.v_index + j, column) =
            spatial::dot(workspace.S[static_cast<std::size_t>(link.v_index + j)], force);
      }
      M(column, column) += T(model.reflected_inertia()[column]);
      force.ang += workspace.motion[at].r.cross(force.lin);
      internal::fill_ancestors(model, workspace, link.parent, column, force, M);
    }
    if (link.kind == Link::Kind::kFlexible) internal::modal_columns(model, workspace, i, M);
    if (link.kind == Link::Kind::kElasticFrame) internal::load_modes(workspace, i, link, own, M);
    if (link.parent != 0) {
      internal::Composite<T>{workspace.inertia[static_cast<std::size_t>(link.parent)]}.add_shifted(
          own, workspace.motion[at].r);
    }
  }
  for (const model::Drive& drive : model.drives()) {
    M(drive.v_index, drive.v_index) = model.reflected_inertia()[drive.v_index];
  }
  // Ancestors stand before descendants, so the loops filled the upper triangle.
  for (int j = 0; j < model.nv(); ++j) {
    for (int k = 0; k < j; ++k) M(j, k) = M(k, j);
  }
}

template <class T>
void crba(const model::Model& model, const model::StateT<T>& state, model::WorkspaceT<T>& workspace,
          MatXT<T>& M) {
  forward_kinematics(model, state, workspace);
  crba_after_kinematics(model, workspace, M);
}

}  // namespace grapple::dynamics
