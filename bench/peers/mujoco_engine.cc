// MuJoCo's smooth dynamics: kinematics, composite inertia, sparse factorisation, bias force, solve.
// Collision, constraints, passive forces and actuators are never entered.
#include <mujoco/mujoco.h>

#include <cstring>
#include <iomanip>
#include <map>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "peers/engine.h"

namespace grapple::bench {
namespace {

std::string numbers(std::initializer_list<double> values) {
  std::ostringstream text;
  text << std::setprecision(17);
  for (const double value : values) text << value << ' ';
  return text.str();
}

std::string quaternion_text(const Eigen::Matrix3d& R) {
  const Eigen::Quaterniond q(R);
  return numbers({q.w(), q.x(), q.y(), q.z()});
}

std::string vector_text(const Eigen::Vector3d& v) { return numbers({v.x(), v.y(), v.z()}); }

// The tree as MJCF. MuJoCo's XML reader refuses deep nesting within one file, so a long branch
// continues in included files.
class MjcfWriter {
 public:
  explicit MjcfWriter(const TreeSpec& tree) : tree_(tree) {
    std::ostringstream xml;
    xml << "<mujoco><compiler angle='radian'/><option gravity='" << vector_text(tree.gravity_W)
        << "'><flag contact='disable' constraint='disable'/></option><worldbody>";
    write_children(-1, 0, xml);
    xml << "</worldbody></mujoco>";
    files_["tree.xml"] = xml.str();
  }

  /// By name; the main one is "tree.xml".
  const std::map<std::string, std::string>& files() const { return files_; }

 private:
  static constexpr int kBodiesPerFile = 40;

  void write_children(int parent, int depth, std::ostream& xml) {
    for (std::size_t child = 0; child < tree_.bodies.size(); ++child) {
      if (tree_.bodies[child].parent == parent) write_body(static_cast<int>(child), depth, xml);
    }
  }

  void write_body(int index, int depth, std::ostream& xml) {
    const BodySpec& body = tree_.bodies[static_cast<std::size_t>(index)];
    // Principal axes are computed here: MuJoCo's own diagonalisation stops earlier than round-off.
    const PrincipalInertia principal = principal_inertia(body.I_BBcm);
    xml << "<body name='" << index << "' pos='" << vector_text(body.p_PB) << "' quat='"
        << quaternion_text(body.R_PB) << "'>"
        << (body.joint == JointKind::kFree ? "<freejoint" : "<joint type='hinge' axis='0 0 1'")
        << " name='" << index << "'/><inertial mass='" << numbers({body.mass}) << "' pos='"
        << vector_text(body.com_B) << "' quat='" << quaternion_text(principal.R_BI)
        << "' diaginertia='" << vector_text(principal.moments) << "'/>";
    if ((depth + 1) % kBodiesPerFile == 0) {
      const std::string name = "below_" + std::to_string(index) + ".xml";
      std::ostringstream part;
      write_children(index, depth + 1, part);
      files_[name] = "<mujocoinclude>" + part.str() + "</mujocoinclude>";
      xml << "<include file='" << name << "'/>";
    } else {
      write_children(index, depth + 1, xml);
    }
    xml << "</body>";
  }

  const TreeSpec& tree_;
  std::map<std::string, std::string> files_;
};

mjModel* compile_model(const TreeSpec& tree) {
  const auto virtual_files = std::make_unique<mjVFS>();
  mj_defaultVFS(virtual_files.get());
  const MjcfWriter writer(tree);
  for (const auto& [name, text] : writer.files()) {
    mj_makeEmptyFileVFS(virtual_files.get(), name.c_str(), static_cast<int>(text.size()));
    const int slot = mj_findFileVFS(virtual_files.get(), name.c_str());
    std::memcpy(virtual_files->filedata[slot], text.data(), text.size());
  }
  char message[1000] = "";
  mjModel* model = mj_loadXML("tree.xml", virtual_files.get(), message, sizeof message);
  mj_deleteVFS(virtual_files.get());
  if (model == nullptr) throw std::runtime_error(std::string("MuJoCo: ") + message);
  return model;
}

class MujocoEngine final : public ForwardDynamicsEngine {
 public:
  explicit MujocoEngine(const TreeSpec& tree)
      : model_(compile_model(tree), &mj_deleteModel),
        data_(mj_makeData(model_.get()), &mj_deleteData),
        is_floating_(tree.bodies.front().joint == JointKind::kFree),
        num_hinges_(static_cast<int>(tree.bodies.size()) - (is_floating_ ? 1 : 0)) {
    // Both orders are depth first, so neutral and MuJoCo joints have the same index.
    for (int i = 0; i < model_->njnt; ++i) {
      if (std::to_string(i) != mj_id2name(model_.get(), mjOBJ_JOINT, i)) {
        throw std::runtime_error("MuJoCo numbered the joints in another order");
      }
    }
  }

  std::string name() const override { return "MuJoCo"; }

  void accelerations(const Eigen::VectorXd& q, const Eigen::VectorXd& v, const Eigen::VectorXd& tau,
                     Eigen::VectorXd& qdd) override {
    set_state(q, v);
    mj_kinematics(model_.get(), data_.get());
    mj_comPos(model_.get(), data_.get());
    mj_crb(model_.get(), data_.get());
    mj_factorM(model_.get(), data_.get());
    mj_comVel(model_.get(), data_.get());
    mj_rne(model_.get(), data_.get(), 0, data_->qfrc_bias);
    set_efforts(tau);
    mj_solveM(model_.get(), data_.get(), data_->qacc_smooth, data_->qfrc_smooth, 1);
    get_accelerations(qdd);
  }

 private:
  // A free joint is (position, quaternion); its rates are linear in the world, angular in the body.
  void set_state(const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
    int iq = 0;
    int iv = 0;
    if (is_floating_) {
      R_WB_ = Eigen::Quaterniond(q[0], q[1], q[2], q[3]).toRotationMatrix();
      Eigen::Map<Eigen::Vector3d>(data_->qpos) = q.segment<3>(4);
      Eigen::Map<Eigen::Vector4d>(data_->qpos + 3) = q.head<4>();
      Eigen::Map<Eigen::Vector3d>(data_->qvel) = v.segment<3>(3);
      Eigen::Map<Eigen::Vector3d>(data_->qvel + 3) = R_WB_.transpose() * v.head<3>();
      iq = 7;
      iv = 6;
    }
    Eigen::Map<Eigen::VectorXd>(data_->qpos + iq, num_hinges_) = q.tail(num_hinges_);
    Eigen::Map<Eigen::VectorXd>(data_->qvel + iv, num_hinges_) = v.tail(num_hinges_);
  }

  void set_efforts(const Eigen::VectorXd& tau) {
    Eigen::Map<Eigen::VectorXd> smooth(data_->qfrc_smooth, model_->nv);
    if (is_floating_) {
      smooth.head<3>() = tau.segment<3>(3);
      smooth.segment<3>(3) = R_WB_.transpose() * tau.head<3>();
    }
    smooth.tail(num_hinges_) = tau.tail(num_hinges_);
    smooth -= Eigen::Map<Eigen::VectorXd>(data_->qfrc_bias, model_->nv);
  }

  void get_accelerations(Eigen::VectorXd& qdd) const {
    const Eigen::Map<Eigen::VectorXd> qacc(data_->qacc_smooth, model_->nv);
    if (is_floating_) {
      qdd.head<3>() = R_WB_ * qacc.segment<3>(3);
      qdd.segment<3>(3) = qacc.head<3>();
    }
    qdd.tail(num_hinges_) = qacc.tail(num_hinges_);
  }

  std::unique_ptr<mjModel, decltype(&mj_deleteModel)> model_;
  std::unique_ptr<mjData, decltype(&mj_deleteData)> data_;
  bool is_floating_;
  int num_hinges_;
  Eigen::Matrix3d R_WB_ = Eigen::Matrix3d::Identity();
};

}  // namespace

std::unique_ptr<ForwardDynamicsEngine> make_mujoco_engine(const TreeSpec& tree) {
  return std::make_unique<MujocoEngine>(tree);
}

}  // namespace grapple::bench
