#include "grapple/control/joint_tracking.h"

namespace grapple::control {

namespace {

// Numbers of one joint in the memory of a block.
enum TrackedMemory : std::size_t { kTrackedSetPoint, kTrackedError, kTrackedIntegral, kTracked };

}  // namespace

JointTracking::JointTracking(const ControlledArm& arm, const ParameterValues& values)
    : targets_(targets_of(arm, values)),
      proportional_(per_joint(arm, values, "proportional", 0.0)),
      derivative_(per_joint(arm, values, "derivative", 0.0)),
      integral_(per_joint(arm, values, "integral", 0.0)),
      seen_(arm.joints.size()),
      wanted_(arm.joints.size()) {}

std::vector<Parameter> JointTracking::parameters() {
  using Kind = Parameter::Kind;
  using Range = Parameter::Range;
  constexpr Dimension kPerSecond2{.time = -2}, kPerSecond3{.time = -3};
  return {{"set_points", Kind::kInputs, dimension::kNone, dimension::kLength, Range::kAny, "",
           "What each joint follows, in the order of `joints`; or give a `trajectory`.",
           "[\"0.5*smooth(t, 0, 2)\", 0]"},
          {"proportional", Kind::kNumbers, kPerSecond2, kPerSecond2, Range::kAny, "0",
           "Acceleration per position error, one for all joints or one each.", "100 1/s^2"},
          {"derivative", Kind::kNumbers, dimension::kAngularRate, dimension::kAngularRate,
           Range::kAny, "0", "Acceleration per rate error.", "20 1/s"},
          {"integral", Kind::kNumbers, kPerSecond3, kPerSecond3, Range::kAny, "0",
           "Acceleration per position error and second.", "50 1/s^3"}};
}

std::vector<element::Output> JointTracking::memory(const ControlledArm& arm) const {
  std::vector<element::Output> numbers;
  for (const ControlledCoordinate& joint : arm.joints) {
    const std::string unit = joint.turns ? "rad" : "m";
    numbers.push_back({joint.joint + "/set_point", unit});
    numbers.push_back({joint.joint + "/error", unit});
    numbers.push_back({joint.joint + "/integral", unit + "/s^2"});
  }
  return numbers;
}

std::size_t JointTracking::integral_of(int k) {
  return static_cast<std::size_t>(k) * kTracked + kTrackedIntegral;
}

void JointTracking::accelerations(double t, std::span<const double> in, double period,
                                  std::span<double> memory, spatial::VecX& nu) {
  targets_.at(t, in, wanted_);
  for (std::size_t k = 0; k < seen_.size(); ++k) {
    const auto joint = static_cast<Eigen::Index>(k);
    const double error = wanted_[k].value - seen_[k].value;
    double* const own = memory.data() + k * kTracked;
    own[kTrackedSetPoint] = wanted_[k].value;
    own[kTrackedError] = error;
    own[kTrackedIntegral] += integral_[joint] * error * period;
    nu[joint] = wanted_[k].acceleration + derivative_[joint] * (wanted_[k].rate - seen_[k].rate) +
                proportional_[joint] * error + own[kTrackedIntegral];
  }
}

Parameter effort_limit_parameter() {
  return {"limit",
          Parameter::Kind::kNumbers,
          dimension::kTorque,
          dimension::kForce,
          Parameter::Range::kPositive,
          "",
          "Largest effort, one for all joints or one each; beyond it the law no longer holds.",
          "200 N*m"};
}

}  // namespace grapple::control
