// MuJoCo with its defaults: step 2 ms, Newton solver, pyramidal cones, soft contact. It has no
// coefficient of restitution; after its manual a bounce is made by a contact spring (solref) with
// little damping. The spring here takes ten steps for a contact, and its damping is that of a
// linear oscillator that returns e. Boxes and slopes have the default solref, heaps elliptic cones
// and the conjugate gradient solver, which the manual recommends for many bodies. Patches have its
// torsional friction of 0.005 m (condim 4).
#include <mujoco/mujoco.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <iomanip>
#include <numbers>
#include <sstream>
#include <stdexcept>

#include "contact_peers/world.h"

namespace grapple::bench {
namespace {

constexpr double kStep = 0.002;  // s, the default

std::string text_of(const Eigen::Vector3d& v) {
  std::ostringstream text;
  text << std::setprecision(17) << v.x() << ' ' << v.y() << ' ' << v.z();
  return text.str();
}

std::string solref(const WorldSpec& spec) {
  if (spec.friction > 0.0) return "0.02 1";
  constexpr double kStepsOfContact = 10.0;
  const double omega = std::numbers::pi / (kStep * kStepsOfContact);
  const double log_e = std::log(spec.restitution);
  const double damping = -log_e / std::hypot(std::numbers::pi, log_e);
  std::ostringstream text;
  text << std::setprecision(17) << -omega * omega << ' ' << -2.0 * damping * omega;
  return text.str();
}

std::string mjcf(const WorldSpec& spec) {
  std::ostringstream xml;
  xml << std::setprecision(17);
  const bool heap = spec.bodies.size() > 1;
  const std::string surface =
      " solref='" + solref(spec) + "' condim='" +
      (spec.patch == WorldSpec::Patch::kArea ? std::string("4") : std::string("3")) + "' ";
  xml << "<mujoco>"
      // The largest this version can hold: three rows for each of 2830 contacts.
      << (heap ? "<size nconmax='4000' njmax='8500' nstack='80000000'/>" : "") << "<option cone='"
      << (heap ? "elliptic' solver='CG" : "pyramidal") << "' gravity='" << text_of(spec.gravity)
      << "'/><default><geom friction='" << spec.friction << " 0.005 0.0001'" << surface
      << "/></default><worldbody><geom type='plane' size='0 0 1'/>";
  if (spec.half_width > 0.0) {
    for (const double sign : {-1.0, 1.0}) {
      for (int axis = 0; axis < 2; ++axis) {
        Eigen::Vector3d at = Eigen::Vector3d::Zero(), inward = Eigen::Vector3d::Zero();
        at[axis] = sign * spec.half_width;
        inward[axis] = -sign;
        xml << "<geom type='plane' size='0 0 1' pos='" << text_of(at) << "' zaxis='"
            << text_of(inward) << "'/>";
      }
    }
  }
  for (const BodyAbove& b : spec.bodies) {
    xml << "<body pos='" << text_of(b.position) << "' quat='" << b.orientation.w() << ' '
        << text_of(b.orientation.vec()) << "'><freejoint/><geom mass='" << b.mass << "' type='";
    if (b.shape == BodyAbove::Shape::kBall) {
      xml << "sphere' size='" << b.half_edges.x() << "'/></body>";
    } else {
      xml << "box' size='" << text_of(b.half_edges) << "'/></body>";
    }
  }
  xml << "</worldbody></mujoco>";
  return xml.str();
}

class MujocoWorld final : public SteppedWorld {
 public:
  explicit MujocoWorld(const WorldSpec& spec) : SteppedWorld(kStep) {
    const std::string xml = mjcf(spec);
    mjVFS files;
    mj_defaultVFS(&files);
    mj_makeEmptyFileVFS(&files, "world.xml", static_cast<int>(xml.size()) + 1);
    std::memcpy(files.filedata[0], xml.c_str(), xml.size() + 1);
    char error[500] = "";
    model_ = mj_loadXML("world.xml", &files, error, sizeof error);
    mj_deleteVFS(&files);
    if (model_ == nullptr) throw std::runtime_error(std::string("MuJoCo: ") + error);
    data_ = mj_makeData(model_);
    for (std::size_t k = 0; k < spec.bodies.size(); ++k) {
      const BodyAbove& b = spec.bodies[k];
      const Eigen::Vector3d spin_B = b.orientation.conjugate() * b.angular_velocity;
      for (int c = 0; c < 3; ++c) {
        data_->qvel[6 * k + static_cast<std::size_t>(c)] = b.velocity[c];
        data_->qvel[6 * k + 3 + static_cast<std::size_t>(c)] = spin_B[c];
      }
    }
  }
  ~MujocoWorld() override {
    mj_deleteData(data_);
    mj_deleteModel(model_);
  }

  void step_once() override { mj_step(model_, data_); }
  Eigen::Vector3d position(std::size_t k) const override {
    return Eigen::Map<const Eigen::Vector3d>(data_->qpos + 7 * k);
  }
  Eigen::Vector3d velocity(std::size_t k) const override {
    return Eigen::Map<const Eigen::Vector3d>(data_->qvel + 6 * k);
  }
  Eigen::Vector3d angular_velocity(std::size_t k) const override {
    const mjtNum* q = data_->qpos + 7 * k + 3;
    return Eigen::Quaterniond(q[0], q[1], q[2], q[3]) *
           Eigen::Map<const Eigen::Vector3d>(data_->qvel + 6 * k + 3);
  }

 private:
  mjModel* model_ = nullptr;
  mjData* data_ = nullptr;
};

}  // namespace

std::unique_ptr<ContactWorld> make_mujoco_world(const WorldSpec& spec) {
  return std::make_unique<MujocoWorld>(spec);
}

}  // namespace grapple::bench
