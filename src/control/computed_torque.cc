// Computed torque with its own model of the arm:
//   nu = r'' + derivative (r' - q') + proportional (r - q) + I,   u by inverse dynamics
// (inverse_dynamics.h), so that q'' = nu where the model is right, whatever bends or floats
// besides. With the model of the whole flexible arm it is King's decoupling (1988, 4.4) and Chen's
// feedback linearisation A (1999, ch. 5); with a rigid model, classical computed torque and Chen's
// B.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "grapple/control/arm_block.h"
#include "grapple/control/attitude_tracking.h"
#include "grapple/control/inverse_dynamics.h"
#include "grapple/control/joint_tracking.h"

namespace grapple::control {

namespace {

class ComputedTorque final : public ArmBlock {
 public:
  ComputedTorque(const ControlledArm& arm, JointTracking tracking,
                 std::optional<AttitudeTracking> attitude, spatial::VecX limit)
      : ArmBlock(arm),
        tracking_(std::move(tracking)),
        attitude_(std::move(attitude)),
        limit_(std::move(limit)),
        dynamics_(plant(), commanded_rates()),
        nu_joints_(joint_count()),
        nu_(static_cast<Eigen::Index>(commanded_rates().size())),
        before_(tracking_.memory(arm).size()) {}

  std::vector<element::Output> memory() const override { return tracking_.memory(arm()); }

  void update(element::Sample& sample) const override {
    tell_plant(sample);
    plant().evaluate();
    for (int k = 0; k < joint_count(); ++k) {
      const int rate = joint_rates()[static_cast<std::size_t>(k)];
      tracking_.see(k, position(rate), plant().state().v[rate]);
    }
    std::copy(sample.memory.begin(), sample.memory.end(), before_.begin());
    tracking_.accelerations(time_of_state(sample), further(sample), schedule().period,
                            sample.memory, nu_joints_);
    nu_.head(joint_count()) = nu_joints_;
    if (attitude_) nu_.tail<3>() = attitude_->acceleration(time_of_state(sample), plant());
    dynamics_.solve(plant(), nu_, no_coupling_);
    for (int k = 0; k < joint_count(); ++k) {
      sample.out[static_cast<std::size_t>(k)] =
          std::clamp(dynamics_.efforts()[k], -limit_[k], limit_[k]);
      // While it is cut, the integral does not grow (conditional integration).
      if (std::abs(dynamics_.efforts()[k]) > limit_[k]) {
        const std::size_t integral = JointTracking::integral_of(k);
        sample.memory[integral] = before_[integral];
      }
    }
    for (Eigen::Index k = joint_count(); k < nu_.size(); ++k) {
      sample.out[static_cast<std::size_t>(k)] = dynamics_.efforts()[k];
    }
  }

 private:
  std::vector<std::string> further_reads() const override { return tracking_.reads(); }

  mutable JointTracking tracking_;  // scratch, as what else is mutable
  std::optional<AttitudeTracking> attitude_;
  spatial::VecX limit_;
  mutable InverseDynamics dynamics_;
  mutable spatial::VecX nu_joints_, nu_;
  mutable std::vector<double> before_;
  const spatial::MatX no_coupling_;
};

}  // namespace

ArmControllerType computed_torque_type() {
  std::vector<Parameter> parameters = JointTracking::parameters();
  parameters.push_back(effort_limit_parameter());
  for (Parameter& parameter : AttitudeTracking::parameters()) {
    parameters.push_back(std::move(parameter));
  }
  return {"computed-torque",
          "efforts by inverse dynamics of the controller's model for the accelerations "
          "r'' + derivative e' + proportional e + integral of (integral e)",
          std::move(parameters),
          [](const ControlledArm& arm, const ParameterValues& values) {
            std::optional<AttitudeTracking> attitude;
            if (arm.attitude) attitude.emplace(*arm.attitude, values);
            return std::unique_ptr<element::SampledBlock>(std::make_unique<ComputedTorque>(
                arm, JointTracking(arm, values), std::move(attitude),
                per_joint(arm, values, "limit", std::numeric_limits<double>::infinity())));
          },
          LoopSupport::kCounted};
}

}  // namespace grapple::control
