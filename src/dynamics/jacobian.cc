#include "grapple/dynamics/jacobian.h"

#include "grapple/base/assert.h"
#include "grapple/spatial/dual.h"

namespace grapple::dynamics {

using model::Link;
using model::LinkMotion;
using spatial::Spatial;
using spatial::Vec3;
using spatial::Vec3T;

template <class T>
FrameMotion<T> frame_motion(const model::Frame& frame, const model::WorkspaceT<T>& workspace) {
  const LinkMotion<T>& link = workspace.motion[static_cast<std::size_t>(frame.link)];
  const Vec3T<T> arm = link.R_WL * frame.X_LF.p.template cast<T>();
  return {link.R_WL * frame.X_LF.R.template cast<T>(), link.p_WL + arm, link.omega,
          link.v + link.omega.cross(arm)};
}

Spatial frame_acceleration(const model::Model& model, const model::Frame& frame,
                           const model::Workspace& workspace) {
  if (frame.link == 0) return {};
  const LinkMotion<double>& link = workspace.motion[static_cast<std::size_t>(frame.link)];
  const Vec3 arm = link.R_WL * frame.X_LF.p;
  return {link.alpha, link.a + model.gravity() + link.alpha.cross(arm) +
                          link.omega.cross(link.omega.cross(arm))};
}

void frame_jacobian(const model::Model& model, const model::Frame& frame,
                    const model::Workspace& workspace, spatial::MatX& J) {
  GRAPPLE_ASSERT(J.rows() == 6 && J.cols() == model.nv());
  J.setZero();
  const Vec3 p_WF = frame_motion(frame, workspace).p_WF;
  for (int i = frame.link; i > 0; i = model.link(i).parent) {
    const Link& link = model.link(i);
    const Vec3 arm = p_WF - workspace.motion[static_cast<std::size_t>(i)].p_WL;
    for (int k = 0; k < link.axis_count(); ++k) {
      const Spatial& S = workspace.S[static_cast<std::size_t>(link.v_index + k)];
      J.col(link.v_index + k) << S.ang, S.lin + S.ang.cross(arm);
    }
    const std::vector<Spatial>& axes = workspace.elastic_axes[static_cast<std::size_t>(i)];
    for (std::size_t k = 0; k < axes.size(); ++k) {
      J.col(link.v_modal + static_cast<int>(k)) << axes[k].ang,
          axes[k].lin + axes[k].ang.cross(arm);
    }
  }
}

void frame_jacobian_rate(const model::Model& model, const model::Frame& frame,
                         const model::Workspace& workspace, spatial::MatX& J_dot) {
  GRAPPLE_ASSERT(J_dot.rows() == 6 && J_dot.cols() == model.nv());
  J_dot.setZero();
  const FrameMotion<double> tip = frame_motion(frame, workspace);
  for (int i = frame.link; i > 0; i = model.link(i).parent) {
    const Link& link = model.link(i);
    const LinkMotion<double>& at = workspace.motion[static_cast<std::size_t>(i)];
    const Vec3 arm = tip.p_WF - at.p_WL, arm_rate = tip.v - at.v;
    for (int k = 0; k < link.axis_count(); ++k) {
      const Spatial& S = workspace.S[static_cast<std::size_t>(link.v_index + k)];
      const Spatial& rate = workspace.S_dot[static_cast<std::size_t>(link.v_index + k)];
      J_dot.col(link.v_index + k) << rate.ang,
          rate.lin + rate.ang.cross(arm) + S.ang.cross(arm_rate);
    }
    const auto link_at = static_cast<std::size_t>(i);
    for (std::size_t k = 0; k < workspace.elastic_axes[link_at].size(); ++k) {
      const Spatial& S = workspace.elastic_axes[link_at][k];
      const Spatial& rate = workspace.elastic_axis_rates[link_at][k];
      J_dot.col(link.v_modal + static_cast<int>(k)) << rate.ang,
          rate.lin + rate.ang.cross(arm) + S.ang.cross(arm_rate);
    }
  }
}

template FrameMotion<double> frame_motion(const model::Frame&, const model::Workspace&);
template FrameMotion<spatial::Dual> frame_motion(const model::Frame&,
                                                 const model::WorkspaceT<spatial::Dual>&);
template FrameMotion<long double> frame_motion(const model::Frame&,
                                               const model::WorkspaceT<long double>&);

}  // namespace grapple::dynamics
