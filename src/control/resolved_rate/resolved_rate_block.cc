#include <algorithm>
#include <cmath>
#include <optional>

#include "grapple/control/arm_block.h"
#include "grapple/control/joint_tracking.h"
#include "grapple/control/resolved_rate/resolved_rate_law.h"
#include "grapple/control/task_axes.h"
#include "grapple/dynamics/jacobian.h"
#include "grapple/dynamics/kinematics.h"

namespace grapple::control {

namespace {

using spatial::Vec3;
using spatial::VecX;
using Vector6 = Eigen::Matrix<double, 6, 1>;

/// The part of a force or torque beyond the dead band.
Vec3 beyond(const Vec3& load, double dead_band) {
  const double size = load.norm();
  return size > dead_band ? Vec3(load * (1.0 - dead_band / size)) : Vec3::Zero();
}

class ResolvedRateBlock final : public ArmBlock {
 public:
  ResolvedRateBlock(const ControlledArm& arm, ResolvedRateLaw law)
      : ArmBlock(arm),
        law_(std::move(law)),
        scratch_(plant().model(), arm.joints.size()),
        at_(plant().model()) {
    for (const int rate : joint_rates()) {
      const model::CoordinateBlock& block = plant().model().coordinates().of_rate(rate);
      joints_.push_back({block.q + rate - block.v, rate});
    }
  }

  std::vector<element::Output> memory() const override {
    std::vector<element::Output> numbers;
    for (const ControlledCoordinate& joint : arm().joints) {
      numbers.push_back({joint.joint + "/set_point", joint.turns ? "rad" : "m"});
    }
    for (const char* axis : {"x", "y", "z"}) {
      numbers.push_back({std::string("speed_") + axis, "m/s"});
    }
    for (const char* axis : {"x", "y", "z"}) {
      numbers.push_back({std::string("turning_") + axis, "rad/s"});
    }
    numbers.push_back({"manipulability", "1"});
    numbers.push_back({"started", "1"});
    numbers.push_back({"stopped_at", "s"});  // negative: not yet
    return numbers;
  }

  void start(std::span<double> memory) const override { memory.back() = -1.0; }

  void update(element::Sample& sample) const override {
    tell_plant(sample);
    const auto joints = joints_.size();
    double& started = sample.memory[joints + 7];
    measured_ = plant().state();
    if (started == 0.0) {
      for (std::size_t k = 0; k < joints; ++k) sample.memory[k] = measured_.q[joints_[k].q];
      started = 1.0;
    }
    model::State& state = plant().state();
    for (std::size_t k = 0; k < joints; ++k) {
      state.q[joints_[k].q] = sample.memory[k];
      state.v[joints_[k].v] = 0.0;  // what is left moves the frame by itself
    }
    dynamics::forward_kinematics(plant().model(), state, at_);
    const Vector6 yielding = yielding_twist(sample);
    const Vector6 twist = limited(yielding + followed_twist(sample));
    const RateResult found =
        resolved_rates(plant().model(), state, at_, law_.frame, joints_,
                       {twist.head<3>(), twist.tail<3>()}, law_.options, scratch_);
    double scale = 1.0;
    for (std::size_t k = 0; k < joints; ++k) {
      const auto at = static_cast<Eigen::Index>(k);
      scale = std::min(scale, law_.rate_limit[at] / std::max(std::abs(scratch_.rates[at]), 1e-300));
    }
    for (std::size_t k = 0; k < joints; ++k) {
      const auto at = static_cast<Eigen::Index>(k);
      const double rate = scale * scratch_.rates[at];
      sample.memory[k] += rate * schedule().period;
      const double error = sample.memory[k] - measured_.q[joints_[k].q];
      const double effort =
          law_.proportional[at] * error + law_.derivative[at] * (rate - measured_.v[joints_[k].v]);
      sample.out[k] = std::clamp(effort, -law_.limit[at], law_.limit[at]);
    }
    if (sample.memory.back() < 0.0) {  // what it stops from
      for (Eigen::Index k = 0; k < 3; ++k) {
        sample.memory[joints + static_cast<std::size_t>(k)] = scale * twist[3 + k];
        sample.memory[joints + 3 + static_cast<std::size_t>(k)] = scale * twist[k];
      }
    }
    sample.memory[joints + 6] = found.manipulability;
  }

 private:
  std::vector<std::string> further_reads() const override {
    std::vector<std::string> channels = law_.accommodation.channels;
    if (!law_.until.empty()) channels.push_back(law_.until);
    for (const SampledInput& rate : law_.rates) {
      if (!rate.signal.empty()) channels.push_back(rate.signal);
    }
    if (!law_.choice.signal.empty()) channels.push_back(law_.choice.signal);
    if (arm().path) {
      const std::vector<std::string> path = arm().path->reads(PoseOrder::kRates);
      channels.insert(channels.end(), path.begin(), path.end());
    }
    return channels;
  }

  Vector6 yielding_twist(const element::Sample& sample) const {
    Vector6 twist = Vector6::Zero();
    const Accommodation& yielding = law_.accommodation;
    if (yielding.channels.empty()) return twist;
    const std::span<const double> in = further(sample);
    Vec3 force(in[0], in[1], in[2]), torque(in[3], in[4], in[5]);
    if (yielding.in_frame_axes) {
      const spatial::Mat3 R_WF = dynamics::frame_motion(law_.frame, at_).R_WF;
      force = R_WF * force;
      torque = R_WF * torque;
    }
    twist.head<3>() = yielding.per_torque * beyond(torque, yielding.torque_dead_band);
    twist.tail<3>() = yielding.per_force * beyond(force, yielding.force_dead_band);
    return twist;
  }

  // The last followed twist on its way to rest; or nothing, where it still follows.
  std::optional<Vector6> stopping_twist(const element::Sample& sample, double latched) const {
    double& stopped_at = sample.memory.back();
    if (stopped_at < 0.0 && latched > 0.5) stopped_at = sample.t;
    if (stopped_at < 0.0) return std::nullopt;
    const double x =
        law_.stop_time > 0.0 ? std::min(1.0, (sample.t - stopped_at) / law_.stop_time) : 1.0;
    const double* const last = sample.memory.data() + joints_.size();
    Vector6 twist;
    twist << last[3], last[4], last[5], last[0], last[1], last[2];
    return (1.0 - x * x * (3.0 - 2.0 * x)) * twist;
  }

  Vector6 followed_twist(const element::Sample& sample) const {
    const auto at = dynamics::frame_motion(law_.frame, at_);
    std::span<const double> in = further(sample).subspan(law_.accommodation.channels.size());
    if (!law_.until.empty()) {
      if (const auto stopping = stopping_twist(sample, in[0])) return *stopping;
      in = in.subspan(1);
    }
    Vector6 twist = Vector6::Zero();
    if (!law_.rates.empty()) twist += commanded_twist(sample, at, in);
    if (arm().path) {
      const PoseMotion wanted = arm().path->at(time_of_state(sample), in);
      twist += law_.follow * pose_error(wanted, at.R_WF, at.p_WF);
      twist.head<3>() += wanted.V_WF.ang;
      twist.tail<3>() += wanted.V_WF.lin;
      if (law_.options.base == BaseKind::kHeld) {
        twist.head<3>() -= at.omega;
        twist.tail<3>() -= at.v;
      }
    }
    return twist;
  }

  // Takes what it reads off the front of `in`.
  Vector6 commanded_twist(const element::Sample& sample, const dynamics::FrameMotion<double>& at,
                          std::span<const double>& in) const {
    std::size_t next = 0;
    const auto read = [&](const SampledInput& input) {
      return input.signal.empty() ? input.function(sample.t) : in[next++];
    };
    Vector6 given;
    for (Eigen::Index k = 0; k < 6; ++k) given[k] = read(law_.rates[static_cast<std::size_t>(k)]);
    spatial::Mat3 axes = spatial::Mat3::Identity();
    if (law_.rates_in_frame_axes) axes = at.R_WF;
    Vec3 p_PF = Vec3::Zero();
    if (!law_.rate_frames.empty()) {
      const double last = static_cast<double>(law_.rate_frames.size() - 1);
      const double asked = std::clamp(std::round(read(law_.choice)), 0.0, last);
      const RateFrame& chosen = law_.rate_frames[static_cast<std::size_t>(asked)];
      axes = dynamics::frame_motion(chosen.axes, at_).R_WF;
      p_PF = at.p_WF - dynamics::frame_motion(chosen.point, at_).p_WF;
    }
    in = in.subspan(next);
    const Vec3 omega = axes * given.tail<3>();
    Vector6 twist;
    twist.head<3>() = omega;
    twist.tail<3>() = axes * given.head<3>() + omega.cross(p_PF);
    return twist;
  }

  Vector6 limited(Vector6 twist) const {
    const double turning = twist.head<3>().norm() / law_.turning_limit,
                 speed = twist.tail<3>().norm() / law_.speed_limit;
    if (turning > 1.0) twist.head<3>() /= turning;
    if (speed > 1.0) twist.tail<3>() /= speed;
    return twist;
  }

  ResolvedRateLaw law_;
  std::vector<JointCoordinate> joints_;
  mutable RateScratch scratch_;  // scratch, as the rest
  mutable model::Workspace at_;
  mutable model::State measured_{plant().model()};
};

}  // namespace

std::unique_ptr<element::SampledBlock> make_resolved_rate_block(const ControlledArm& arm,
                                                                ResolvedRateLaw law) {
  return std::make_unique<ResolvedRateBlock>(arm, std::move(law));
}

}  // namespace grapple::control
