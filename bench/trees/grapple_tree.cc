#include "trees/grapple_tree.h"

#include <stdexcept>

#include "grapple/spatial/rotation.h"

namespace grapple::bench {
namespace {

std::string body_name(int index) { return index < 0 ? "world" : "body" + std::to_string(index); }

model::JointSpec joint_spec(const BodySpec& body, int index) {
  model::JointSpec joint;
  joint.name = "joint" + std::to_string(index);
  joint.type =
      body.joint == JointKind::kFree ? model::JointType::kFree : model::JointType::kRevolute;
  joint.parent = body_name(body.parent);
  joint.child = body_name(index);
  joint.X_PF = {body.R_PB, body.p_PB};
  return joint;
}

spatial::Mat3 rotation(const Eigen::VectorXd& q) {
  return spatial::rotation_matrix<double>(q.head<4>());
}

}  // namespace

model::Model make_model(const TreeSpec& tree) {
  model::ModelBuilder builder;
  builder.set_gravity(tree.gravity_W);
  int index = 0;
  for (const BodySpec& body : tree.bodies) {
    builder.add_body(body_name(index), {body.mass, body.com_B, body.I_BBcm});
    builder.add_joint(joint_spec(body, index));
    ++index;
  }
  model::Model built = builder.build();
  for (int i = 0; i < index; ++i) {
    if (built.joints()[static_cast<std::size_t>(i)].name != joint_spec({}, i).name) {
      throw std::runtime_error("Grapple numbered the joints in another order");
    }
  }
  return built;
}

NeutralCoordinates::NeutralCoordinates(const TreeSpec& tree)
    : is_floating_(tree.bodies.front().joint == JointKind::kFree),
      num_revolute_(static_cast<Eigen::Index>(tree.bodies.size()) - (is_floating_ ? 1 : 0)) {}

void NeutralCoordinates::set_state(const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                                   model::State& state) const {
  if (is_floating_) {
    state.q.head<3>() = q.segment<3>(4);
    state.q.segment<4>(3) = q.head<4>();
    state.v.head<3>() = v.segment<3>(3);
    state.v.segment<3>(3) = rotation(q).transpose() * v.head<3>();
  }
  state.q.tail(num_revolute_) = q.tail(num_revolute_);
  state.v.tail(num_revolute_) = v.tail(num_revolute_);
}

void NeutralCoordinates::set_efforts(const Eigen::VectorXd& q, const Eigen::VectorXd& neutral_tau,
                                     Eigen::VectorXd& tau) const {
  if (is_floating_) {
    tau.head<3>() = neutral_tau.segment<3>(3);
    tau.segment<3>(3) = rotation(q).transpose() * neutral_tau.head<3>();
  }
  tau.tail(num_revolute_) = neutral_tau.tail(num_revolute_);
}

void NeutralCoordinates::get_accelerations(const Eigen::VectorXd& q, const Eigen::VectorXd& vdot,
                                           Eigen::VectorXd& neutral_qdd) const {
  if (is_floating_) {
    neutral_qdd.head<3>() = rotation(q) * vdot.segment<3>(3);
    neutral_qdd.segment<3>(3) = vdot.head<3>();
  }
  neutral_qdd.tail(num_revolute_) = vdot.tail(num_revolute_);
}

}  // namespace grapple::bench
