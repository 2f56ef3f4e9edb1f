#include "trees/flexible_trees.h"

#include <map>
#include <numbers>
#include <random>
#include <string>
#include <utility>

#include "grapple/flexible/beam_modes.h"
#include "grapple/spatial/rotation.h"

namespace grapple::bench {
namespace {

class Dice {
 public:
  explicit Dice(unsigned seed) : generator_(seed) {}
  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(generator_);
  }
  spatial::Mat3 rotation() {
    const spatial::Vec3 turn(uniform(-2, 2), uniform(-2, 2), uniform(-2, 2));
    return spatial::rotation_matrix<double>(spatial::quaternion_exp<double>(turn));
  }

 private:
  std::mt19937 generator_;
};

// An aluminium tube, 60 mm wide with a wall of 3 mm.
flexible::Beam tube(double length) {
  return flexible::uniform_beam(length, flexible::isotropic(70e9, 0.33, 2700.0),
                                flexible::Tube{0.030, 0.027});
}

std::string link_name(int index) { return index < 0 ? "world" : "link" + std::to_string(index); }

class ArmBuilder {
 public:
  explicit ArmBuilder(unsigned seed) : dice_(seed) { builder_.set_gravity({0.0, 0.0, -9.81}); }

  void add_link(double length, int modes) {
    const std::string name = link_name(count_);
    model::JointSpec joint;
    joint.name = "joint" + std::to_string(count_);
    joint.type = model::JointType::kRevolute;
    joint.parent = link_name(count_ - 1);
    joint.child = name;
    const spatial::Mat3 twist = dice_.rotation();
    joint.X_PF = {twist, {parent_is_flexible_ ? 0.0 : parent_length_, 0.0, 0.0}};
    if (parent_is_flexible_) joint.parent_frame = "tip";
    joint.X_BM.R = dice_.rotation();
    builder_.add_joint(joint);
    add_body(name, length, modes);
    parent_is_flexible_ = modes > 0;
    parent_length_ = length;
    ++count_;
  }

  model::Model build() const { return builder_.build(); }

 private:
  void add_body(const std::string& name, double length, int modes) {
    const flexible::Beam beam = tube(length);
    if (modes > 0) {
      builder_.add_flexible_body(name, modal_beam(beam, modes));
      return;
    }
    const flexible::BeamSection section = beam.section(0.0);
    const double mass = section.mass_per_length * length;
    const double across = mass * length * length / 12.0;
    const spatial::Vec3 moments(section.rotary_inertia_x * length, across, across);
    builder_.add_body(name, {mass, {0.5 * length, 0.0, 0.0}, spatial::Mat3(moments.asDiagonal())});
  }

  // Equal beams are made once: chains are long.
  const flexible::FlexibleBody& modal_beam(const flexible::Beam& beam, int modes) {
    flexible::FlexibleBody& made = made_[{beam.length, modes}];
    if (made.modes > 0) return made;
    flexible::ModalBeamSpec spec;
    spec.name = "beam";
    spec.beam = beam;
    spec.bending_y = (modes + 1) / 2;
    spec.bending_z = modes / 2;
    made = flexible::make_modal_beam(spec);
    return made;
  }

  Dice dice_;
  std::map<std::pair<double, int>, flexible::FlexibleBody> made_;
  model::ModelBuilder builder_;
  int count_ = 0;
  double parent_length_ = 0.0;
  bool parent_is_flexible_ = false;
};

}  // namespace

model::Model flexible_chain(int num_bodies, int modes) {
  ArmBuilder arm(500U + static_cast<unsigned>(num_bodies));
  for (int i = 0; i < num_bodies; ++i) arm.add_link(0.5, modes);
  return arm.build();
}

model::Model seven_joint_arm(int modes) {
  ArmBuilder arm(7U);
  for (int i = 0; i < 7; ++i) {
    const bool is_long = i == 1 || i == 3;
    arm.add_link(is_long ? 2.0 : 0.2, is_long ? modes : 0);
  }
  return arm.build();
}

std::vector<ModelSample> random_samples(const model::Model& model, int count) {
  Dice dice(99U);
  std::vector<ModelSample> samples;
  for (int k = 0; k < count; ++k) {
    ModelSample sample{model::State(model), Eigen::VectorXd(model.nv())};
    for (const model::Link& link : model.links()) {
      for (int i = 0; i < link.nq; ++i) {
        sample.state.q[link.q_index + i] = dice.uniform(-std::numbers::pi, std::numbers::pi);
      }
      for (int i = 0; i < link.modes; ++i) {
        sample.state.q[link.q_modal + i] = dice.uniform(-0.01, 0.01);  // tips move by centimetres
      }
    }
    for (double& rate : sample.state.v) rate = dice.uniform(-1.0, 1.0);
    for (double& effort : sample.tau) effort = dice.uniform(-5.0, 5.0);
    samples.push_back(std::move(sample));
  }
  return samples;
}

}  // namespace grapple::bench
