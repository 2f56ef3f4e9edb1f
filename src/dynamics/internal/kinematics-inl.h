// Bodies of kinematics.h, templates over the scalar: kinematics_scalars.cc compiles them for those
// of the program, a counter of operations for its own.
#pragma once

#include "grapple/dynamics/internal/elastic_step-inl.h"
#include "grapple/dynamics/internal/flexible_inertia.h"
#include "grapple/dynamics/internal/joint_step-inl.h"
#include "grapple/dynamics/kinematics.h"

namespace grapple::dynamics {

using model::Link;
using model::LinkMotion;
using spatial::SpatialT;
using spatial::Vec3T;

namespace internal {

// Everything about one link that its parent's motion and the state determine.
template <class T>
void move_link(const model::Model& model, const model::StateT<T>& state, int i,
               const LinkMotion<T>& parent, model::WorkspaceT<T>& workspace) {
  const Link& link = model.link(i);
  LinkMotion<T>& own = workspace.motion[static_cast<std::size_t>(i)];
  if (link.kind == Link::Kind::kElasticFrame) {
    const flexible::FrameShape& shape =
        model.flexible_body(link).frames[static_cast<std::size_t>(link.elastic_frame)];
    std::vector<SpatialT<T>>& axes = workspace.elastic_axes[static_cast<std::size_t>(i)];
    const T* eta = state.q.data() + link.q_modal;
    const T* eta_rate = state.v.data() + link.v_modal;
    ElasticStep<T> frame{model.packed_frame(link), parent, eta, eta_rate, own};
    if (axes.empty()) {
      frame.rest();
    } else if (shape.turning == flexible::Turning::kTangent) {
      move_tangent_frame(shape, parent, eta, eta_rate, own, axes);
    } else if (is_guided(model.packed_frame(link))) {
      frame.move_guided(axes);
    } else {
      frame.move(axes);
    }
    return;
  }
  if (link.parent == 0) {
    own.R_WL = link.R_PF.template cast<T>();
    own.r = link.p_PF.template cast<T>();
  } else {
    own.R_WL = parent.R_WL * link.R_PF.template cast<T>();
    own.r = parent.R_WL * link.p_PF.template cast<T>();
  }
  JointStep<T> joint{parent, own, state.q.data() + link.q_index, state.v.data() + link.v_index,
                     workspace.S.data() + link.v_index};
  joint.move(link.type, link.pitch);
  const Vec3T<T> carried = parent.omega.cross(own.r);
  own.p_WL = parent.p_WL + own.r;
  own.omega = parent.omega + joint.relative_ang;
  own.v = parent.v + carried + joint.relative_lin;
  own.c_lin += parent.omega.cross(carried);
  if (link.kind == Link::Kind::kFlexible) {
    flexible_inertia(model.packed_body(link), state.q.data() + link.q_modal,
                     workspace.flexible[static_cast<std::size_t>(link.flexible)]);
  }
}

}  // namespace internal

template <class T>
void forward_kinematics(const model::Model& model, const model::StateT<T>& state,
                        model::WorkspaceT<T>& workspace) {
  for (int i = 1; i < model.link_count(); ++i) {
    const auto parent = static_cast<std::size_t>(model.link(i).parent);
    internal::move_link(model, state, i, workspace.motion[parent], workspace);
  }
}

template <class T>
void joint_axis_rates(const model::Model& model, const model::StateT<T>& state,
                      model::WorkspaceT<T>& workspace) {
  for (int i = 1; i < model.link_count(); ++i) {
    const Link& link = model.link(i);
    const Vec3T<T>& omega_P = workspace.motion[static_cast<std::size_t>(link.parent)].omega;
    if (link.kind == Link::Kind::kElasticFrame) {
      const flexible::FrameShape& shape =
          model.flexible_body(link).frames[static_cast<std::size_t>(link.elastic_frame)];
      const bool moves = !workspace.elastic_axes[static_cast<std::size_t>(i)].empty();
      if (moves && internal::is_guided(model.packed_frame(link))) {
        internal::guided_axis_rates(model.packed_frame(link),
                                    workspace.motion[static_cast<std::size_t>(link.parent)],
                                    state.q.data() + link.q_modal, state.v.data() + link.v_modal,
                                    workspace.elastic_axes[static_cast<std::size_t>(i)],
                                    workspace.elastic_axis_rates[static_cast<std::size_t>(i)]);
        continue;
      }
      const auto rates = shape.turning == flexible::Turning::kTangent
                             ? internal::tangent_axis_rates<T>
                             : internal::elastic_axis_rates<T>;
      rates(shape, workspace.motion[static_cast<std::size_t>(link.parent)],
            state.q.data() + link.q_modal, state.v.data() + link.v_modal,
            workspace.elastic_axes[static_cast<std::size_t>(i)],
            workspace.elastic_axis_rates[static_cast<std::size_t>(i)]);
      continue;
    }
    for (int k = 0; k < link.nv; ++k) {
      const auto at = static_cast<std::size_t>(link.v_index + k);
      const SpatialT<T>& axis = workspace.S[at];
      // The axis turns with the parent, and with the coordinates of its own joint that carry it.
      Vec3T<T> carrier = omega_P;
      for (int l = 0; l < link.nv; ++l) {
        if (!model::carries(link.type, l, k)) continue;
        carrier +=
            workspace.S[static_cast<std::size_t>(link.v_index + l)].ang * state.v[link.v_index + l];
      }
      workspace.S_dot[at].ang = carrier.cross(axis.ang);
      workspace.S_dot[at].lin = carrier.cross(axis.lin);
    }
  }
}

}  // namespace grapple::dynamics
