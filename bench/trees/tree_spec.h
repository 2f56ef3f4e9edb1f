// An engine-neutral rigid tree, the trees every benchmark uses, and random states for them.
//
// Neutral coordinates, in body order:
//   revolute  q: angle about z of the joint frame;  v: its rate;  tau: its torque
//   free      q: quaternion (w, x, y, z) of R_WB, then p_WB;  v: w_WB, then the velocity of Bo;
//             tau: torque about Bo, then force. All vectors in world axes.
// Accelerations are the time derivatives of v.
#pragma once

#include <Eigen/Dense>
#include <string>
#include <vector>

namespace grapple::bench {

enum class JointKind { kRevolute, kFree };

/// One body and the joint that carries it. The body frame B is the joint frame on the child's side.
struct BodySpec {
  int parent = -1;                                       ///< index of a lower body, -1: world
  JointKind joint = JointKind::kRevolute;                ///< kFree only on the world, at identity
  Eigen::Matrix3d R_PB = Eigen::Matrix3d::Identity();    ///< joint frame in the parent, q = 0
  Eigen::Vector3d p_PB = Eigen::Vector3d::Zero();        ///< m
  double mass = 1.0;                                     ///< kg
  Eigen::Vector3d com_B = Eigen::Vector3d::Zero();       ///< m
  Eigen::Matrix3d I_BBcm = Eigen::Matrix3d::Identity();  ///< about the centre of mass, kg m^2
};

struct TreeSpec {
  std::string name;
  std::vector<BodySpec> bodies;
  Eigen::Vector3d gravity_W{0.0, 0.0, -9.81};  ///< m/s^2

  int num_positions() const;
  int num_velocities() const;
};

/// Fixed-base chain of revolute joints with axes in every direction.
TreeSpec serial_chain(int num_bodies);

/// Free base with four limbs of six revolute joints each: 30 degrees of freedom.
TreeSpec floating_tree();

/// A state and the joint efforts applied in it.
struct Sample {
  Eigen::VectorXd q, v, tau;
};

std::vector<Sample> random_samples(const TreeSpec& tree, int count);

/// Principal axes (columns, right-handed) and moments: I = R diag(moments) R^T.
struct PrincipalInertia {
  Eigen::Matrix3d R_BI;
  Eigen::Vector3d moments;
};

PrincipalInertia principal_inertia(const Eigen::Matrix3d& I_BBcm);

}  // namespace grapple::bench
