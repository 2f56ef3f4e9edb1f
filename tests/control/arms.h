// Arms for the tests of kinematics: seven revolute joints with axes in turn along and across the
// links, on the ground or on a floating base.
#pragma once

#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "grapple/control/kinematics/resolved_rates.h"
#include "grapple/dynamics/kinematics.h"
#include "grapple/model/model.h"
#include "grapple/model/state.h"
#include "grapple/spatial/rotation.h"

namespace grapple::test {

enum class ArmBase { kGround, kFloating };

/// Links of 0.3 m along z with small offsets; joints 1, 3, 5, 7 turn about z, the others about y.
inline model::Model seven_joint_arm(ArmBase base) {
  using spatial::Mat3;
  using spatial::Pose;
  using spatial::Vec3;
  model::ModelBuilder builder;
  const Mat3 upright = Mat3::Identity();
  const Mat3 across = spatial::rotation_about(Vec3::UnitX(), -0.5 * std::numbers::pi);  // z to y
  std::string parent = "world";
  if (base == ArmBase::kFloating) {
    parent = "base";
    builder.add_body(parent, {40.0, {0.1, 0.0, 0.2}, Vec3(6.0, 5.0, 4.0).asDiagonal()});
  }
  Pose at_parent{upright, {0.1, 0.2, 0.3}};
  for (int k = 1; k <= 7; ++k) {
    const std::string name = "link" + std::to_string(k);
    builder.add_body(name, {3.0, {0.01, 0.02, 0.15}, Vec3(0.03, 0.025, 0.01).asDiagonal()});
    const Mat3& R = k % 2 == 1 ? upright : across;
    model::JointSpec joint;
    joint.name = "joint" + std::to_string(k);
    joint.parent = parent;
    joint.X_PF = {at_parent.R * R, at_parent.p};
    joint.child = name;
    joint.X_BM = {R, Vec3::Zero()};
    builder.add_joint(joint);
    at_parent = {upright, {0.02, -0.01, 0.3}};
    parent = name;
  }
  builder.add_frame("hand", "link7", {spatial::rotation_about(Vec3::UnitY(), 0.3), {0.0, 0, 0.2}});
  builder.add_frame("elbow", "link4", {Mat3::Identity(), {0.0, 0.0, 0.0}});
  return builder.build();
}

inline std::vector<control::JointCoordinate> coordinates_of(const model::Model& model) {
  std::vector<control::JointCoordinate> joints;
  for (const model::Joint& joint : model.joints()) {
    const model::Link& link = model.link(joint.link);
    if (link.nv == 1) joints.push_back({link.q_index, link.v_index});
  }
  return joints;
}

inline const model::Frame& frame_of(const model::Model& model, const char* name) {
  return model.frames()[static_cast<std::size_t>(model.find_frame(name))];
}

/// Random coordinates of the joints; a floating base is moved and turned, too.
inline void pose_at_random(const model::Model& model, std::mt19937_64& random,
                           model::State& state) {
  std::uniform_real_distribution<double> angle(-2.5, 2.5);
  for (const control::JointCoordinate& joint : coordinates_of(model)) {
    state.q[joint.q] = angle(random);
  }
  for (const model::CoordinateBlock& block : model.coordinates()) {
    if (block.kind != model::CoordinateKind::kQuaternion) continue;
    const spatial::Vec3 phi(angle(random), angle(random), angle(random));
    state.q.segment<4>(block.q) = spatial::quaternion_exp(phi);
  }
}

}  // namespace grapple::test
