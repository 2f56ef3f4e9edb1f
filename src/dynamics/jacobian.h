// Frame Jacobians: V_WF = J v with V = (angular velocity, velocity of the frame's origin), world
// axes, and J'.
#pragma once

#include "grapple/model/state.h"

namespace grapple::dynamics {

/// Position, orientation and velocity of a frame, world axes.
template <class T>
struct FrameMotion {
  spatial::Mat3T<T> R_WF;
  spatial::Vec3T<T> p_WF;
  spatial::Vec3T<T> omega;
  spatial::Vec3T<T> v;
};

/// Needs forward_kinematics.
template <class T>
FrameMotion<T> frame_motion(const model::Frame& frame, const model::WorkspaceT<T>& workspace);

/// Angular acceleration and acceleration of the frame's origin (gravity removed); needs aba or
/// rnea.
spatial::Spatial frame_acceleration(const model::Model& model, const model::Frame& frame,
                                    const model::Workspace& workspace);

/// J, 6 x nv: rows 0-2 angular, 3-5 linear. Needs forward_kinematics.
void frame_jacobian(const model::Model& model, const model::Frame& frame,
                    const model::Workspace& workspace, spatial::MatX& J);

/// dJ/dt along the motion, 6 x nv. Needs forward_kinematics and joint_axis_rates.
void frame_jacobian_rate(const model::Model& model, const model::Frame& frame,
                         const model::Workspace& workspace, spatial::MatX& J_dot);

}  // namespace grapple::dynamics
