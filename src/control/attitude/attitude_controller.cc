// Attitude of a body that floats, by wheels on joints or by thrusters (Wie 1998, ch. 7; Sidi 1997,
// ch. 7 and 9). With nu the angular acceleration that the tracking of the orientation asks for
// (attitude_tracking.h), and the response of the controller's own model, M v' + b = E u + J^T f,
//   wheels     A u = nu + (M^-1 b)_w,   A = (M^-1 E)_w,  w the body's angular rates:
//              the efforts of the smallest norm (pseudo-inverse), three wheels or more;
//   thrusters  with s = e + (derivative / proportional) e' and a_j the angular acceleration that
//              thruster j gives, j fires while s . a_j/|a_j| > dead_band: the switching lines of
//              the phase plane. The shortest pulse is the thruster's own.
// Two thrusters with opposite torques N and a shortest pulse t_p leave a limit cycle with rates
// that differ by d = N t_p / I; for equal ones, w = d/2, its period is
//   4 (dead_band - w derivative/proportional) / w + 2 t_p.
#include <algorithm>
#include <limits>

#include "grapple/base/error.h"
#include "grapple/control/arm_block.h"
#include "grapple/control/attitude_tracking.h"
#include "grapple/control/joint_tracking.h"
#include "grapple/control/predictive/drive_sharing.h"
#include "grapple/dynamics/cholesky.h"
#include "grapple/dynamics/jacobian.h"

namespace grapple::control {

namespace {

using spatial::MatX;
using spatial::Vec3;
using spatial::VecX;

/// How the body turns by what acts: columns of angular accelerations, body axes.
class TurnResponse {
 public:
  TurnResponse(const Plant& plant, int body_rate, const std::vector<int>& wheels)
      : free_(plant.free_rates()),
        J_(6, plant.model().nv()),
        effort_(VecX::Zero(plant.model().nv())) {
    for (int k = 0; k < 3; ++k) body_[k] = place_of(body_rate + k);
    for (const int wheel : wheels) wheels_.push_back(place_of(wheel));
    factor_.resize(static_cast<Eigen::Index>(free_.size()),
                   static_cast<Eigen::Index>(free_.size()));
    column_.resize(static_cast<Eigen::Index>(free_.size()));
  }

  /// At the plant's evaluated state.
  void factor(const Plant& plant) {
    factor_ = plant.mass_matrix()(free_, free_);
    dynamics::factor_in_place(factor_, static_cast<int>(free_.size()));
  }
  Vec3 of_wheel(std::size_t k) {
    column_.setZero();
    column_[wheels_[k]] = 1.0;
    return solved();
  }
  Vec3 of_bias(const Plant& plant) {
    column_ = plant.bias()(free_);
    return solved();
  }
  Vec3 of_thruster(const Plant& plant, const SteeringThruster& thruster) {
    dynamics::frame_jacobian(plant.model(), thruster.frame, plant.workspace(), J_);
    const auto at = dynamics::frame_motion(thruster.frame, plant.workspace());
    const Vec3 force = at.R_WF * (thruster.thrust * thruster.direction_F);
    effort_.noalias() = J_.bottomRows<3>().transpose() * force;
    column_ = effort_(free_);
    return solved();
  }

 private:
  int place_of(int rate) const {
    return static_cast<int>(std::find(free_.begin(), free_.end(), rate) - free_.begin());
  }
  Vec3 solved() {
    dynamics::solve_in_place(factor_, static_cast<int>(free_.size()), column_);
    return {column_[body_[0]], column_[body_[1]], column_[body_[2]]};
  }

  std::vector<int> free_, wheels_;
  int body_[3];
  MatX factor_, J_;
  VecX column_, effort_;
};

struct SteeringLaw {
  double proportional = 0.0;  ///< 1/s^2
  double dead_band = 0.0;     ///< rad
  VecX limit;
};

class AttitudeBlock final : public ArmBlock {
 public:
  AttitudeBlock(const ControlledArm& arm, AttitudeTracking tracking, SteeringLaw law)
      : ArmBlock(arm),
        tracking_(std::move(tracking)),
        law_(std::move(law)),
        response_(plant(), arm.steered->rate, joint_rates()),
        map_(3, joint_count()),
        wanted_(3),
        no_preload_(VecX::Zero(joint_count())),
        efforts_(joint_count()) {
    if (joint_count() > 0) sharing_.emplace(3, joint_count());
    plant().tell_start(0.0);
    plant().evaluate();
    require_reach();
  }

  std::vector<std::string> writes() const override {
    std::vector<std::string> signals = ArmBlock::writes();
    for (const SteeringThruster& thruster : thrusters()) signals.push_back(thruster.output);
    return signals;
  }
  std::vector<element::Output> memory() const override {
    return {{"error_x", "rad"}, {"error_y", "rad"}, {"error_z", "rad"}, {"pulses", ""}};
  }

  void update(element::Sample& sample) const override {
    tell_plant(sample);
    plant().evaluate();
    response_.factor(plant());
    const Vec3 nu = tracking_.acceleration(time_of_state(sample), plant());
    const Vec3 error = tracking_.error(time_of_state(sample), plant());
    std::copy(error.begin(), error.end(), sample.memory.begin());
    if (joint_count() > 0) turn_wheels(nu, sample);
    if (!thrusters().empty()) fire(nu, sample);
  }

 private:
  const std::vector<SteeringThruster>& thrusters() const { return arm().steered->thrusters; }

  void turn_wheels(const Vec3& nu, element::Sample& sample) const {
    for (int k = 0; k < joint_count(); ++k) {
      map_.col(k) = response_.of_wheel(static_cast<std::size_t>(k));
    }
    wanted_ = nu + response_.of_bias(plant());
    if (!sharing_->share(map_, wanted_, no_preload_, efforts_)) {
      throw Error("GR-939", "", "the wheels no longer turn the body about every axis");
    }
    for (Eigen::Index k = 0; k < efforts_.size(); ++k) {
      sample.out[static_cast<std::size_t>(k)] =
          std::clamp(efforts_[k], -law_.limit[k], law_.limit[k]);
    }
  }

  // nu / proportional is s, but for what the wanted motion accelerates.
  void fire(const Vec3& nu, element::Sample& sample) const {
    const Vec3 s = nu / law_.proportional;
    for (std::size_t j = 0; j < thrusters().size(); ++j) {
      const Vec3 turn = response_.of_thruster(plant(), thrusters()[j]);
      double& command = sample.out[static_cast<std::size_t>(joint_count()) + j];
      const double before = command;
      command = s.dot(turn) > law_.dead_band * turn.norm() ? 1.0 : 0.0;
      if (command > before) sample.memory[kPulses] += 1.0;
    }
  }

  // Throws Error GR-939 where the wheels, or the thrusters, do not turn the body about every axis.
  void require_reach() {
    response_.factor(plant());
    for (int k = 0; k < joint_count(); ++k) {
      map_.col(k) = response_.of_wheel(static_cast<std::size_t>(k));
    }
    if (joint_count() > 0 && !sharing_->share(map_, VecX::Zero(3), no_preload_, efforts_)) {
      throw Error("GR-939", "", "its wheels do not turn the body about every axis");
    }
    for (const SteeringThruster& thruster : thrusters()) {
      if (response_.of_thruster(plant(), thruster).norm() > 0.0) continue;
      throw Error("GR-939", "",
                  "thruster '" + thruster.name +
                      "' pushes through the centre of mass and turns "
                      "nothing");
    }
  }

  enum Memory : std::size_t { kPulses = 3 };
  AttitudeTracking tracking_;
  SteeringLaw law_;
  mutable TurnResponse response_;  // scratch, as the rest
  mutable std::optional<DriveSharing> sharing_;
  mutable MatX map_;
  mutable VecX wanted_;
  VecX no_preload_;
  mutable VecX efforts_;
};

std::unique_ptr<element::SampledBlock> make_attitude(const ControlledArm& arm,
                                                     const ParameterValues& values) {
  const bool wheels = !arm.joints.empty(), thrusters = !arm.steered->thrusters.empty();
  if (wheels == thrusters) {
    throw Error("GR-939", "", "it needs wheels ('joints') or 'thrusters', and not both");
  }
  if (wheels && arm.joints.size() < 3) {
    throw Error("GR-939", "", "it needs three wheels at least to turn the body about every axis");
  }
  SteeringLaw law;
  law.proportional = values.number("attitude_proportional");
  law.dead_band = values.number("dead_band");
  law.limit = per_joint(arm, values, "limit", std::numeric_limits<double>::infinity());
  if (thrusters && !(law.proportional > 0.0 && law.dead_band > 0.0)) {
    throw Error("GR-939", "",
                "thrusters need 'attitude_proportional' and 'dead_band' above zero: they would "
                "fire against each other at every sample");
  }
  const AttitudeTracking tracking({arm.steered->body, arm.steered->rate, {}}, values);
  return std::make_unique<AttitudeBlock>(arm, tracking, std::move(law));
}

}  // namespace

ArmControllerType attitude_type() {
  std::vector<Parameter> parameters = AttitudeTracking::parameters();
  parameters.push_back({"dead_band",
                        Parameter::Kind::kNumber,
                        {},
                        {},
                        Parameter::Range::kNonNegative,
                        "0",
                        "Of thrusters: angle within which none fires.",
                        "0.5 deg"});
  parameters.push_back(effort_limit_parameter());
  return {"attitude",
          "the orientation of a body that floats, by wheels on joints (least efforts) or by "
          "thrusters that switch on and off with a dead band",
          std::move(parameters), make_attitude};
}

}  // namespace grapple::control
