// Bullet's btMultiBody, double precision. Its link frames sit at the centre of mass along the
// principal axes, so the tree is rewritten in those frames. Setting a joint position refreshes the
// joint's transform; the articulated-body routine does the rest of the kinematics itself. Called
// with dt = 0 it leaves the velocities alone, and its scratch array holds, after one number per
// joint, the accelerations of the base (angular, linear) and of the joints.
#include <BulletDynamics/Featherstone/btMultiBody.h>

#include <vector>

#include "peers/engine.h"

namespace grapple::bench {
namespace {

btVector3 to_bullet(const Eigen::Vector3d& v) { return {v.x(), v.y(), v.z()}; }

btQuaternion to_bullet(const Eigen::Quaterniond& R) { return {R.x(), R.y(), R.z(), R.w()}; }

class BulletEngine final : public ForwardDynamicsEngine {
 public:
  explicit BulletEngine(const TreeSpec& tree)
      : base_(tree.bodies.front()),
        is_floating_(base_.joint == JointKind::kFree),
        base_principal_(principal_inertia(base_.I_BBcm)),
        first_link_(is_floating_ ? 1 : 0),
        multibody_(static_cast<int>(tree.bodies.size()) - first_link_, base_.mass,
                   to_bullet(base_principal_.moments), !is_floating_, false) {
    for (std::size_t i = 0; i < tree.bodies.size(); ++i) add_body(tree, static_cast<int>(i));
    multibody_.finalizeMultiDof();
    multibody_.setLinearDamping(0.0);
    multibody_.setAngularDamping(0.0);
    multibody_.setUseGyroTerm(true);
    multibody_.setBasePos(btVector3(0, 0, 0));
    multibody_.setWorldToBaseRot(btQuaternion(0, 0, 0, 1));
  }

  std::string name() const override { return "Bullet"; }

  void accelerations(const Eigen::VectorXd& q, const Eigen::VectorXd& v, const Eigen::VectorXd& tau,
                     Eigen::VectorXd& qdd) override {
    if (is_floating_) set_base(q, v, tau);
    const int iq = is_floating_ ? 7 : 0;
    const int iv = is_floating_ ? 6 : 0;
    const int num_links = multibody_.getNumLinks();
    for (int link = 0; link < num_links; ++link) {
      multibody_.setJointPos(link, q[iq + link]);
      multibody_.setJointVel(link, v[iv + link]);
      multibody_.getJointTorqueMultiDof(link)[0] = tau[iv + link];
    }
    multibody_.computeAccelerationsArticulatedBodyAlgorithmMultiDof(
        0.0, scratch_r_, scratch_v_, scratch_m_, false, false, false);
    const btScalar* result = &scratch_r_[num_links];
    if (is_floating_) get_base_acceleration(v, result, qdd);
    for (int link = 0; link < num_links; ++link) qdd[iv + link] = result[6 + link];
  }

 private:
  void add_body(const TreeSpec& tree, int index) {
    const BodySpec& body = tree.bodies[static_cast<std::size_t>(index)];
    const Eigen::Vector3d weight_W = body.mass * tree.gravity_W;
    if (body.joint == JointKind::kFree) {
      weight_base_W_ = weight_W;
      return;
    }
    // The fixed base is the world: its frame is the neutral one.
    Eigen::Matrix3d R_PI = Eigen::Matrix3d::Identity();
    Eigen::Vector3d com_P = Eigen::Vector3d::Zero();
    if (body.parent >= 0) {
      const BodySpec& parent = tree.bodies[static_cast<std::size_t>(body.parent)];
      R_PI = principal_inertia(parent.I_BBcm).R_BI;
      com_P = parent.com_B;
    }
    const PrincipalInertia principal = principal_inertia(body.I_BBcm);
    const Eigen::Matrix3d& R_BI = principal.R_BI;
    const Eigen::Quaterniond parent_to_this((R_PI.transpose() * body.R_PB * R_BI).transpose());
    const int link = index - first_link_;
    multibody_.setupRevolute(link, body.mass, to_bullet(principal.moments),
                             body.parent - first_link_, to_bullet(parent_to_this),
                             to_bullet(R_BI.transpose() * Eigen::Vector3d::UnitZ()),
                             to_bullet(R_PI.transpose() * (body.p_PB - com_P)),
                             to_bullet(R_BI.transpose() * body.com_B), true);
    multibody_.addLinkForce(link, to_bullet(weight_W));
  }

  void set_base(const Eigen::VectorXd& q, const Eigen::VectorXd& v, const Eigen::VectorXd& tau) {
    const Eigen::Quaterniond R_WB(q[0], q[1], q[2], q[3]);
    com_W_ = R_WB * base_.com_B;
    const Eigen::Vector3d w = v.head<3>();
    const Eigen::Quaterniond R_IW = (R_WB * Eigen::Quaterniond(base_principal_.R_BI)).conjugate();
    multibody_.setBasePos(to_bullet(q.segment<3>(4) + com_W_));
    multibody_.setWorldToBaseRot(to_bullet(R_IW));
    multibody_.setBaseOmega(to_bullet(w));
    multibody_.setBaseVel(to_bullet(v.segment<3>(3) + w.cross(com_W_)));
    const Eigen::Vector3d force = tau.segment<3>(3);
    const Eigen::Vector3d torque_about_com = tau.head<3>() - com_W_.cross(force);
    multibody_.addBaseForce(to_bullet(force + weight_base_W_) - multibody_.getBaseForce());
    multibody_.addBaseTorque(to_bullet(torque_about_com) - multibody_.getBaseTorque());
  }

  void get_base_acceleration(const Eigen::VectorXd& v, const btScalar* result,
                             Eigen::VectorXd& qdd) const {
    const Eigen::Vector3d w = v.head<3>();
    const Eigen::Vector3d alpha(result[0], result[1], result[2]);
    const Eigen::Vector3d a_com(result[3], result[4], result[5]);
    qdd.head<3>() = alpha;
    qdd.segment<3>(3) = a_com - alpha.cross(com_W_) - w.cross(w.cross(com_W_));
  }

  BodySpec base_;
  bool is_floating_;
  PrincipalInertia base_principal_;
  int first_link_;
  btMultiBody multibody_;
  Eigen::Vector3d weight_base_W_ = Eigen::Vector3d::Zero();
  Eigen::Vector3d com_W_ = Eigen::Vector3d::Zero();
  btAlignedObjectArray<btScalar> scratch_r_;
  btAlignedObjectArray<btVector3> scratch_v_;
  btAlignedObjectArray<btMatrix3x3> scratch_m_;
};

}  // namespace

std::unique_ptr<ForwardDynamicsEngine> make_bullet_engine(const TreeSpec& tree) {
  return std::make_unique<BulletEngine>(tree);
}

}  // namespace grapple::bench
