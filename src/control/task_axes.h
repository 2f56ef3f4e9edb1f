// The directions of a frame's motion that a controller minds, by name: x, y, z are shifts along the
// world axes, rx, ry, rz turns about them.
#pragma once

#include <string>
#include <vector>

#include "grapple/control/arm_controller.h"

namespace grapple::control {

/// Rows of a twist (0 to 2 angular, 3 to 5 linear) in the order of the names; none given: x, y, z.
/// Throws Error GR-986 for other names and for one that stands twice.
std::vector<int> task_rows(const std::vector<std::string>& names);
/// A number per direction from a parameter with one, or one each. Throws Error GR-986.
spatial::VecX per_axis(const ParameterValues& values, const std::string& key, std::size_t axes,
                       double otherwise);
/// Throws Error GR-988 (none of that name, with the nearest).
const model::Frame& frame_named(const model::Model& model, const std::string& name);
/// The frame named by a parameter. Throws Error GR-986 (the parameter is missing), GR-988.
const model::Frame& named_frame(const model::Model& model, const ParameterValues& values,
                                const std::string& key);

/// Throws Error GR-989 if the arm's path is relative to the frame that follows it.
void check_path(const ControlledArm& arm, const model::Frame& frame);

/// Where a frame is against where it is wanted: a small turn (rotation vector, world axes) and a
/// shift, wanted minus present.
Eigen::Matrix<double, 6, 1> pose_error(const PoseMotion& wanted, const spatial::Mat3& R_WF,
                                       const spatial::Vec3& p_WF);

}  // namespace grapple::control
