// Trees with flexible links for the benchmarks, and random states for any model: beams by assumed
// modes, each joint on the tip of the link before, turned by a random twist so that no axis of a
// link is a coordinate axis.
#pragma once

#include <Eigen/Dense>
#include <vector>

#include "grapple/model/model.h"
#include "grapple/model/state.h"

namespace grapple::bench {

/// Fixed-base chain of revolute joints and equal beams, each with `modes` bending modes (half of
/// them, rounded up, along y, the others along z). No modes: rigid links of the same mass.
model::Model flexible_chain(int num_bodies, int modes);

/// Seven revolute joints; the two long links (the second and the fourth) are beams with `modes`
/// bending modes each, the others are rigid. No modes: all are rigid.
model::Model seven_joint_arm(int modes);

/// A state and the efforts applied in it.
struct ModelSample {
  model::State state;
  Eigen::VectorXd tau;
};

std::vector<ModelSample> random_samples(const model::Model& model, int count);

}  // namespace grapple::bench
