// What the controllers of several joints have in common: they read the state of their plant, know
// what their joints are to follow, and set one effort per joint.
#pragma once

#include <Eigen/Cholesky>
#include <span>
#include <string>
#include <vector>

#include "grapple/control/arm_controller.h"

namespace grapple::control {

/// What joints follow: functions of time or signals, one each, or a trajectory.
class JointTargets {
 public:
  JointTargets() = default;
  explicit JointTargets(std::vector<SampledInput> inputs) : inputs_(std::move(inputs)) {}
  explicit JointTargets(std::shared_ptr<const JointReference> trajectory)
      : trajectory_(std::move(trajectory)) {}

  int size() const { return trajectory_ ? trajectory_->size() : static_cast<int>(inputs_.size()); }
  /// Signals it samples, in the order of `in`.
  std::vector<std::string> reads() const;
  void at(double t, std::span<const double> in, std::span<Jet> wanted) const;
  /// Whether no signal is among them: what is wanted is then known beforehand.
  bool is_known() const { return trajectory_ != nullptr || reads().empty(); }

 private:
  std::vector<SampledInput> inputs_;
  std::shared_ptr<const JointReference> trajectory_;
};

/// Of the arm's trajectory, or of the parameter `set_points`. Throws Error GR-985 if there is not
/// one for each joint.
JointTargets targets_of(const ControlledArm& arm, const ParameterValues& values);
/// A number per joint from a parameter with one, or one each. Throws Error GR-986 otherwise.
spatial::VecX per_joint(const ControlledArm& arm, const ParameterValues& values,
                        const std::string& key, double otherwise);

class ArmBlock : public element::SampledBlock {
 public:
  std::vector<std::string> reads() const override;
  std::vector<std::string> writes() const override;
  /// What `grapple check` says of its design.
  virtual std::vector<std::string> notes() const { return {}; }

 protected:
  explicit ArmBlock(ControlledArm arm);

  const ControlledArm& arm() const { return arm_; }
  Plant& plant() const { return *arm_.plant; }
  int joint_count() const { return static_cast<int>(arm_.joints.size()); }
  const std::vector<int>& joint_rates() const { return joint_rates_; }
  /// Of the joints, then of the attitude if it has one: what it writes efforts for, in this order.
  const std::vector<int>& commanded_rates() const { return commanded_rates_; }

  /// Further channels, read behind those of the plant's state; sensors are put in their place.
  virtual std::vector<std::string> further_reads() const { return {}; }
  /// Efforts of others on the joints that it knows of, in the order of the joints; none: nothing.
  virtual std::span<const double> other_efforts(const element::Sample& /*sample*/) const {
    return {};
  }
  /// Values of the further channels in a sample.
  std::span<const double> further(const element::Sample& sample) const {
    return sample.in.subspan(plant().channels().size());
  }
  /// Tells the plant the state in a sample, or the one predicted from it with the efforts this
  /// block has written last.
  void tell_plant(const element::Sample& sample) const;
  /// Time of that state.
  double time_of_state(const element::Sample& sample) const { return sample.t + arm_.prediction; }
  /// Position of a coordinate of the plant that is no orientation.
  double position(int rate) const;

 private:
  void predict(const element::Sample& sample) const;

  ControlledArm arm_;
  std::vector<int> joint_rates_, commanded_rates_;
  mutable spatial::VecX efforts_, step_;  // scratch, as the factor
  mutable Eigen::LLT<spatial::MatX> inertia_factor_;
};

}  // namespace grapple::control
