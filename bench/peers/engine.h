// One face for every engine: joint accelerations of a rigid tree from (q, v, tau), in the neutral
// coordinates of tree_spec.h, position and velocity kinematics included.
#pragma once

#include <Eigen/Dense>
#include <memory>
#include <string>

#include "trees/tree_spec.h"

namespace grapple::bench {

class ForwardDynamicsEngine {
 public:
  virtual ~ForwardDynamicsEngine() = default;
  virtual std::string name() const = 0;
  /// qdd: size tree.num_velocities(), overwritten.
  virtual void accelerations(const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                             const Eigen::VectorXd& tau, Eigen::VectorXd& qdd) = 0;
};

std::unique_ptr<ForwardDynamicsEngine> make_grapple_engine(const TreeSpec& tree);
std::unique_ptr<ForwardDynamicsEngine> make_simbody_engine(const TreeSpec& tree);
std::unique_ptr<ForwardDynamicsEngine> make_bullet_engine(const TreeSpec& tree);
std::unique_ptr<ForwardDynamicsEngine> make_mujoco_engine(const TreeSpec& tree);

}  // namespace grapple::bench
