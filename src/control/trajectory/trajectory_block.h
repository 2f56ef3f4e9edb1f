// Sampled blocks that publish a reference as signals, for whoever follows signals: a set point, a
// prescribed rate, a motor.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "grapple/control/reference.h"
#include "grapple/element/sampled_block.h"
#include "grapple/element/signal.h"

namespace grapple::control {

/// The signals of a trajectory, with their values at t = 0 (a pose relative to a frame: zero, and
/// no turn): trajectory/NAME/JOINT/position, rate, acceleration;
std::vector<element::Signal> joint_signals(const std::string& name, const JointReference& reference,
                                           const std::vector<std::string>& joints,
                                           const std::vector<std::string>& units);
/// trajectory/NAME/position_x ..., orientation_w ..., velocity_x ..., angular_velocity_x ...,
/// acceleration_x ..., angular_acceleration_x ...
std::vector<element::Signal> pose_signals(const std::string& name, const PoseReference& reference);

/// Writes these at each sample.
std::unique_ptr<element::SampledBlock> make_joint_publisher(
    const std::string& name, const element::SampledBlock::Schedule& schedule,
    std::shared_ptr<const JointReference> reference, const std::vector<element::Signal>& signals);
std::unique_ptr<element::SampledBlock> make_pose_publisher(
    const std::string& name, const element::SampledBlock::Schedule& schedule,
    std::shared_ptr<const PoseReference> reference, const std::vector<element::Signal>& signals);

/// Most joints a published reference may have.
inline constexpr std::size_t kMostPublishedJoints = 64;

}  // namespace grapple::control
