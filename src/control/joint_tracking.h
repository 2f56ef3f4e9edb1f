// The outer loop of controllers that command accelerations of joints:
//   nu = r'' + derivative (r' - y') + proportional (r - y) + I,   I grows by integral (r - y) T
// with y the coordinate that follows, which is the joint's unless the controller takes another.
#pragma once

#include <span>
#include <vector>

#include "grapple/control/arm_block.h"

namespace grapple::control {

class JointTracking {
 public:
  JointTracking(const ControlledArm& arm, const ParameterValues& values);

  /// set_points, proportional, derivative, integral.
  static std::vector<Parameter> parameters();
  std::vector<std::string> reads() const { return targets_.reads(); }
  /// Per joint: set point, error, I.
  std::vector<element::Output> memory(const ControlledArm& arm) const;
  /// Where I of joint k stands in it.
  static std::size_t integral_of(int k);
  const JointTargets& targets() const { return targets_; }

  /// What follows, of joint k.
  void see(int k, double position, double rate) {
    seen_[static_cast<std::size_t>(k)] = {position, rate, 0.0};
  }
  /// Of all joints at time t, which is that of what was seen. `in`: the signals of reads(). Keeps I
  /// in the memory of the block.
  void accelerations(double t, std::span<const double> in, double period, std::span<double> memory,
                     spatial::VecX& nu);

 private:
  JointTargets targets_;
  spatial::VecX proportional_, derivative_, integral_;
  std::vector<Jet> seen_, wanted_;
};

/// `limit`: the largest effort of a joint.
Parameter effort_limit_parameter();

}  // namespace grapple::control
