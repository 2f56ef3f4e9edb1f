#include "grapple/control/arm_block.h"

#include <fmt/format.h>

#include "grapple/base/assert.h"
#include "grapple/base/error.h"
#include "grapple/dynamics/manifold.h"

namespace grapple::control {

std::vector<std::string> JointTargets::reads() const {
  std::vector<std::string> signals;
  for (const SampledInput& input : inputs_) {
    if (!input.signal.empty()) signals.push_back(input.signal);
  }
  return signals;
}

void JointTargets::at(double t, std::span<const double> in, std::span<Jet> wanted) const {
  if (trajectory_) {
    trajectory_->at(t, wanted);
    return;
  }
  std::size_t next = 0;
  for (std::size_t k = 0; k < inputs_.size(); ++k) {
    wanted[k] = inputs_[k].signal.empty() ? inputs_[k].function.jet(t) : Jet{in[next++], 0.0, 0.0};
  }
}

JointTargets targets_of(const ControlledArm& arm, const ParameterValues& values) {
  const JointTargets targets =
      arm.trajectory ? JointTargets(arm.trajectory) : JointTargets(values.inputs("set_points"));
  const auto joints = static_cast<int>(arm.joints.size());
  if (targets.size() == joints) return targets;
  throw Error("GR-985", "",
              fmt::format("{} set points for {} joints; each joint of the controller needs one",
                          targets.size(), joints));
}

spatial::VecX per_joint(const ControlledArm& arm, const ParameterValues& values,
                        const std::string& key, double otherwise) {
  const auto joints = static_cast<Eigen::Index>(arm.joints.size());
  const std::vector<double> given = values.numbers(key);
  if (given.empty()) return spatial::VecX::Constant(joints, otherwise);
  if (given.size() == 1) return spatial::VecX::Constant(joints, given.front());
  if (static_cast<Eigen::Index>(given.size()) == joints) {
    return Eigen::Map<const spatial::VecX>(given.data(), joints);
  }
  throw Error("GR-986", "",
              fmt::format("'{}' has {} numbers for {} joints; give one for all, or one each", key,
                          given.size(), joints));
}

ArmBlock::ArmBlock(ControlledArm arm) : SampledBlock(arm.name, arm.schedule), arm_(std::move(arm)) {
  GRAPPLE_ASSERT(schedule().period > 0.0 && arm_.plant != nullptr);
  for (const ControlledCoordinate& joint : arm_.joints) joint_rates_.push_back(joint.rate);
  commanded_rates_ = joint_rates_;
  if (arm_.attitude) {
    for (int k = 0; k < 3; ++k) commanded_rates_.push_back(arm_.attitude->rate + k);
  }
}

std::vector<std::string> ArmBlock::reads() const {
  std::vector<std::string> channels = plant().channels();
  const std::vector<std::string> more = further_reads();
  channels.insert(channels.end(), more.begin(), more.end());
  for (std::string& channel : channels) {
    const auto shown = arm_.measured.find(channel);
    if (shown != arm_.measured.end()) channel = shown->second;
  }
  return channels;
}

std::vector<std::string> ArmBlock::writes() const {
  std::vector<std::string> signals;
  for (const ControlledCoordinate& joint : arm_.joints) signals.push_back(joint.output);
  if (arm_.attitude) {
    signals.insert(signals.end(), arm_.attitude->outputs.begin(), arm_.attitude->outputs.end());
  }
  return signals;
}

void ArmBlock::tell_plant(const element::Sample& sample) const {
  plant().tell(sample.t, sample.in.first(plant().channels().size()));
  if (arm_.prediction > 0.0) predict(sample);
}

// One step of the midpoint rule over the prediction.
void ArmBlock::predict(const element::Sample& sample) const {
  const std::vector<int>& free = plant().free_rates();
  efforts_ = spatial::VecX::Zero(plant().model().nv());
  const std::span<const double> others = other_efforts(sample);
  for (std::size_t k = 0; k < commanded_rates_.size(); ++k) {
    efforts_[commanded_rates_[k]] = sample.out[k] + (k < others.size() ? others[k] : 0.0);
  }
  const spatial::VecX q = plant().state().q, v = plant().state().v;
  for (const double h : {0.5 * arm_.prediction, arm_.prediction}) {
    plant().evaluate();
    inertia_factor_.compute(plant().mass_matrix()(free, free));
    const spatial::VecX a = inertia_factor_.solve((efforts_ - plant().bias())(free));
    step_ = h * plant().state().v;
    plant().state().q = q;
    plant().state().v = v;
    plant().state().v(free) += h * a;
    dynamics::move_positions(plant().model(), step_, plant().state().q);
  }
  plant().set_time(time_of_state(sample));
}

double ArmBlock::position(int rate) const {
  const model::CoordinateBlock& block = plant().model().coordinates().of_rate(rate);
  return plant().state().q[block.q + rate - block.v];
}

}  // namespace grapple::control
