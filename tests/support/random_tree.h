// Random trees and states for the agreement tests: all joint types, branching, generic frames and
// inertias.
#pragma once

#include <random>
#include <string>

#include "grapple/model/model.h"
#include "grapple/model/state.h"
#include "grapple/spatial/rotation.h"

namespace grapple::test {

class RandomTree {
 public:
  explicit RandomTree(unsigned seed) : generator_(seed) {}

  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(generator_);
  }
  int integer(int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(generator_);
  }
  spatial::Vec3 vector(double size) {
    return {uniform(-size, size), uniform(-size, size), uniform(-size, size)};
  }
  spatial::Pose pose() {
    return {spatial::rotation_matrix<double>(spatial::quaternion_exp<double>(vector(2.0))),
            vector(1.0)};
  }
  // Inertia of three random rods, so that it is that of a real body.
  spatial::MassProperties mass_properties() {
    spatial::Mat3 J = spatial::Mat3::Zero();
    for (int k = 0; k < 3; ++k) {
      const spatial::Vec3 rod = vector(0.5);
      J += rod.squaredNorm() * spatial::Mat3::Identity() - rod * rod.transpose();
    }
    const double mass = uniform(0.5, 5.0);
    return {mass, vector(0.5), mass * J + 0.01 * spatial::Mat3::Identity()};
  }

  model::Model model(int bodies) {
    model::ModelBuilder builder;
    builder.set_gravity(vector(10.0));
    for (int b = 0; b < bodies; ++b) {
      builder.add_body("b" + std::to_string(b), mass_properties());
      model::JointSpec joint;
      joint.name = "j" + std::to_string(b);
      joint.type = model::kAllJointTypes[static_cast<std::size_t>(integer(0, 8))];
      if (b == 0 && integer(0, 1) == 1) joint.type = model::JointType::kFree;
      const int parent = integer(-1, b - 1);
      if (parent >= 0) joint.parent = "b" + std::to_string(parent);
      joint.child = "b" + std::to_string(b);
      joint.X_PF = pose();
      joint.X_BM = pose();
      joint.pitch = uniform(-0.3, 0.3);
      for (int k = 0; k < rate_count(joint.type) && integer(0, 2) == 0; ++k) {
        joint.reflected_inertia.push_back(uniform(0.0, 2.0));
      }
      builder.add_joint(joint);
    }
    const int carrier = integer(0, bodies - 1);
    builder.add_frame("tip", "b" + std::to_string(carrier), pose());
    return builder.build();
  }

  template <class T>
  void fill(const model::Model& model, model::StateT<T>& state) {
    for (const model::Link& link : model.links()) {
      const int offset = quaternion_offset(link.type);
      for (int k = 0; k < link.nq; ++k) state.q[link.q_index + k] = T(uniform(-1.5, 1.5));
      if (offset >= 0) {
        const spatial::Quat q = spatial::quaternion_exp<double>(vector(2.0));
        for (int k = 0; k < 4; ++k) state.q[link.q_index + offset + k] = T(q[k]);
      }
    }
    for (int k = 0; k < model.nv(); ++k) state.v[k] = T(uniform(-2.0, 2.0));
  }

  spatial::VecX efforts(int n) {
    spatial::VecX tau(n);
    for (int k = 0; k < n; ++k) tau[k] = uniform(-5.0, 5.0);
    return tau;
  }

 private:
  std::mt19937 generator_;
};

}  // namespace grapple::test
