#include "trees/tree_spec.h"

#include <numbers>
#include <random>

namespace grapple::bench {
namespace {

class Dice {
 public:
  explicit Dice(unsigned seed) : engine_(seed) {}

  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(engine_);
  }
  Eigen::Vector3d vector(double half_width) {
    const double x = uniform(-half_width, half_width);
    const double y = uniform(-half_width, half_width);
    return {x, y, uniform(-half_width, half_width)};
  }
  Eigen::Quaterniond rotation() {
    std::normal_distribution<double> normal;
    Eigen::Vector4d wxyz;
    for (double& component : wxyz) component = normal(engine_);
    wxyz.normalize();
    return {wxyz[0], wxyz[1], wxyz[2], wxyz[3]};
  }

 private:
  std::mt19937 engine_;
};

// A solid box of a robot link's size, turned against the body frame so that no engine finds zeros.
BodySpec random_link(int parent, Dice& dice) {
  BodySpec body;
  body.parent = parent;
  body.R_PB = dice.rotation().toRotationMatrix();
  body.p_PB = dice.vector(0.3);
  body.mass = dice.uniform(0.5, 3.0);
  body.com_B = dice.vector(0.2);
  const double a = dice.uniform(0.1, 0.5);
  const double b = dice.uniform(0.1, 0.3);
  const double c = dice.uniform(0.1, 0.3);
  const Eigen::Vector3d moments =
      body.mass / 12.0 * Eigen::Vector3d(b * b + c * c, a * a + c * c, a * a + b * b);
  const Eigen::Matrix3d R_BI = dice.rotation().toRotationMatrix();
  const Eigen::Matrix3d inertia = R_BI * moments.asDiagonal() * R_BI.transpose();
  body.I_BBcm = 0.5 * (inertia + inertia.transpose());
  return body;
}

}  // namespace

int TreeSpec::num_positions() const {
  int count = 0;
  for (const BodySpec& body : bodies) count += body.joint == JointKind::kFree ? 7 : 1;
  return count;
}

int TreeSpec::num_velocities() const {
  int count = 0;
  for (const BodySpec& body : bodies) count += body.joint == JointKind::kFree ? 6 : 1;
  return count;
}

TreeSpec serial_chain(int num_bodies) {
  Dice dice(1000U + static_cast<unsigned>(num_bodies));
  TreeSpec tree;
  tree.name = "chain of " + std::to_string(num_bodies);
  for (int i = 0; i < num_bodies; ++i) tree.bodies.push_back(random_link(i - 1, dice));
  return tree;
}

TreeSpec floating_tree() {
  Dice dice(7U);
  TreeSpec tree;
  tree.name = "floating, 30 DOF";
  BodySpec base = random_link(-1, dice);
  base.joint = JointKind::kFree;
  base.R_PB.setIdentity();
  base.p_PB.setZero();
  tree.bodies.push_back(base);
  for (int limb = 0; limb < 4; ++limb) {
    int parent = 0;
    for (int i = 0; i < 6; ++i) {
      tree.bodies.push_back(random_link(parent, dice));
      parent = static_cast<int>(tree.bodies.size()) - 1;
    }
  }
  return tree;
}

std::vector<Sample> random_samples(const TreeSpec& tree, int count) {
  Dice dice(99U);
  std::vector<Sample> samples;
  for (int k = 0; k < count; ++k) {
    Sample sample;
    sample.q.resize(tree.num_positions());
    sample.v.resize(tree.num_velocities());
    sample.tau.resize(tree.num_velocities());
    Eigen::Index iq = 0;
    for (const BodySpec& body : tree.bodies) {
      if (body.joint == JointKind::kFree) {
        const Eigen::Quaterniond R_WB = dice.rotation();
        sample.q.segment<7>(iq) << R_WB.w(), R_WB.vec(), dice.vector(2.0);
        iq += 7;
      } else {
        sample.q[iq++] = dice.uniform(-std::numbers::pi, std::numbers::pi);
      }
    }
    for (double& rate : sample.v) rate = dice.uniform(-1.0, 1.0);
    for (double& effort : sample.tau) effort = dice.uniform(-5.0, 5.0);
    samples.push_back(std::move(sample));
  }
  return samples;
}

PrincipalInertia principal_inertia(const Eigen::Matrix3d& I_BBcm) {
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(I_BBcm);
  PrincipalInertia principal{solver.eigenvectors(), solver.eigenvalues()};
  if (principal.R_BI.determinant() < 0.0) principal.R_BI.col(2) *= -1.0;
  return principal;
}

}  // namespace grapple::bench
