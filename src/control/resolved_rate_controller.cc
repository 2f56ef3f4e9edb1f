// Resolved rate with force-moment accommodation, as flown on large space arms. Each sample:
//   V = twist of the trajectory + follow (pose error)  (or commanded rates of the frame)
//       + accommodation (w - w / |w| dead_band)  where the measured force or torque w passes it,
//   joint rates by the damped, weighted inverse (kinematics/resolved_rates.h), scaled to the
//   limits, joint set points r += rates T,   u = proportional (r - q) + derivative (rates - q').
// Once the channel `until` passes 1/2 (a latch holds), nothing is followed any more: the last twist
// falls to zero over stop_time, V (1 - s), s = 3 x^2 - 2 x^3; forces are still yielded to.
// The set points are the memory of the block; the kinematics are those at the set points, so that
// bending and errors of the joints do not enter the direction of motion. A base that moves is taken
// as it is measured.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "grapple/base/error.h"
#include "grapple/control/arm_block.h"
#include "grapple/control/joint_tracking.h"
#include "grapple/control/kinematics/generalized_jacobian.h"
#include "grapple/control/kinematics/resolved_rates.h"
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

struct Accommodation {
  std::vector<std::string> channels;  ///< force x, y, z, torque x, y, z on the frame; or none
  bool in_frame_axes = false;
  double per_force = 0.0;         ///< m/s per N
  double per_torque = 0.0;        ///< rad/s per N m
  double force_dead_band = 0.0;   ///< N
  double torque_dead_band = 0.0;  ///< N m
};

struct ResolvedRateLaw {
  model::Frame frame;
  std::vector<SampledInput> rates;  ///< of the frame: linear x, y, z, angular x, y, z; or none
  bool rates_in_frame_axes = false;
  std::string until;                              ///< channel; empty: never
  double stop_time = 0.0;                         ///< s
  double follow = 0.0;                            ///< 1/s
  double speed_limit = 0.0, turning_limit = 0.0;  ///< m/s, rad/s
  VecX proportional, derivative, limit, rate_limit;
  Accommodation accommodation;
  RateOptions options;
};

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
    for (std::size_t k = 0; k < joints; ++k) state.q[joints_[k].q] = sample.memory[k];
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
    if (!law_.rates.empty()) {
      Vector6 given;
      std::size_t next = 0;
      for (std::size_t k = 0; k < 6; ++k) {
        const SampledInput& rate = law_.rates[k];
        given[static_cast<Eigen::Index>(k)] =
            rate.signal.empty() ? rate.function(sample.t) : in[next++];
      }
      const spatial::Mat3 axes =
          law_.rates_in_frame_axes ? at.R_WF : spatial::Mat3(spatial::Mat3::Identity());
      twist.head<3>() += axes * given.tail<3>();
      twist.tail<3>() += axes * given.head<3>();
      in = in.subspan(next);
    }
    if (arm().path) {
      const PoseMotion wanted = arm().path->at(time_of_state(sample), in);
      twist += law_.follow * pose_error(wanted, at.R_WF, at.p_WF);
      twist.head<3>() += wanted.V_WF.ang;
      twist.tail<3>() += wanted.V_WF.lin;
    }
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

std::unique_ptr<element::SampledBlock> make_resolved_rate(const ControlledArm& arm,
                                                          const ParameterValues& values) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  ResolvedRateLaw law;
  law.frame = named_frame(arm.plant->model(), values, "frame");
  check_path(arm, law.frame);
  law.rates = values.inputs("rates");
  if (!law.rates.empty() && law.rates.size() != 6) {
    throw Error("GR-986", "", "'rates' are six: along x, y, z, then about x, y, z");
  }
  if (law.rates.empty() && !arm.path) {
    throw Error("GR-985", "", "it needs a 'trajectory' of a pose, or 'rates'");
  }
  law.rates_in_frame_axes = values.name("rate_axes") == "frame";
  law.follow = values.number("follow");
  if (!values.names("until").empty()) law.until = values.name("until");
  law.stop_time = values.number("stop_time");
  law.speed_limit = values.number("speed_limit", kInfinite);
  law.turning_limit = values.number("turning_limit", kInfinite);
  law.proportional = per_joint(arm, values, "proportional", 0.0);
  law.derivative = per_joint(arm, values, "derivative", 0.0);
  law.limit = per_joint(arm, values, "limit", kInfinite);
  law.rate_limit = per_joint(arm, values, "rate_limit", kInfinite);
  Accommodation& yielding = law.accommodation;
  yielding.channels = values.names("force_torque");
  if (!yielding.channels.empty() && yielding.channels.size() != 6) {
    throw Error("GR-986", "", "'force_torque' are six channels: force x, y, z, torque x, y, z");
  }
  yielding.in_frame_axes = values.name("force_axes") == "frame";
  yielding.per_force = values.number("per_force");
  yielding.per_torque = values.number("per_torque");
  yielding.force_dead_band = values.number("force_dead_band");
  yielding.torque_dead_band = values.number("torque_dead_band");
  law.options.damping = values.number("singular_damping");
  law.options.threshold = values.number("singular_threshold");
  law.options.base = values.name("base") == "floating" ? BaseKind::kFloating : BaseKind::kHeld;
  if (law.options.base == BaseKind::kFloating && floating_base(arm.plant->model()) < 0) {
    throw Error("GR-989", "", "'base: floating' needs one body that floats and carries all others");
  }
  const double posture = values.number("posture");
  if (posture > 0.0) {
    arm.plant->tell_start(0.0);
    for (const ControlledCoordinate& joint : arm.joints) {
      const model::CoordinateBlock& block = arm.plant->model().coordinates().of_rate(joint.rate);
      law.options.posture.wanted.push_back(arm.plant->state().q[block.q + joint.rate - block.v]);
    }
    law.options.posture.gain = posture;
  }
  return std::make_unique<ResolvedRateBlock>(arm, std::move(law));
}

}  // namespace

ArmControllerType resolved_rate_type() {
  using Kind = Parameter::Kind;
  using Range = Parameter::Range;
  constexpr Dimension kStiffness{.mass = 1, .time = -2}, kDamping{.mass = 1, .time = -1};
  constexpr Dimension kTurningDamping{.length = 2, .mass = 1, .time = -1};
  constexpr Dimension kSpeedPerForce{.mass = -1, .time = 1};
  constexpr Dimension kRatePerTorque{.length = -2, .mass = -1, .time = 1};
  const auto plain = [](std::string key, const Dimension& dimension, std::string text,
                        std::string doc, std::string example) {
    return Parameter{std::move(key),      Kind::kNumber,   dimension,      dimension,
                     Range::kNonNegative, std::move(text), std::move(doc), std::move(example)};
  };
  const auto signed_number = [&](std::string key, const Dimension& dimension, std::string text,
                                 std::string doc, std::string example) {
    Parameter parameter =
        plain(std::move(key), dimension, std::move(text), std::move(doc), std::move(example));
    parameter.range = Range::kAny;
    return parameter;
  };
  const auto word = [](std::string key, std::vector<std::string> choices, std::string doc) {
    const std::string first = choices.front(), last = choices.back();
    return Parameter{std::move(key), Kind::kName,       {}, {}, Range::kAny, first, std::move(doc),
                     last,           std::move(choices)};
  };
  return {
      "resolved-rate",
      "rates of a frame become joint rates by the damped inverse of the Jacobian, which joint "
      "servos follow; measured forces make it yield",
      {{"frame", Kind::kName, {}, {}, Range::kAny, "", "The frame that is led.", "effector/tip"},
       {"rates",
        Kind::kInputs,
        dimension::kSpeed,
        dimension::kAngularRate,
        Range::kAny,
        "",
        "Six commanded rates of the frame: along x, y, z, then about x, y, z; functions of time or "
        "signals. Added to a trajectory if there is one.",
        "[{signal: hand/x}, 0, 0, 0, 0, 0]",
        {},
        false},
       word("rate_axes", {"world", "frame"}, "Axes of `rates`: the world's or the frame's."),
       plain("follow", dimension::kAngularRate, "1", "Rate per error of the pose on a trajectory.",
             "2 1/s"),
       {"until",
        Kind::kName,
        {},
        {},
        Range::kAny,
        "",
        "Channel that ends the following when it passes 1/2, such as that of a latch: the frame is "
        "then brought to rest.",
        "loop/hold/latched"},
       plain("stop_time", dimension::kTime, "0", "Time over which it comes to rest then.", "5 s"),
       plain("speed_limit", dimension::kSpeed, "", "Largest speed of the frame.", "0.1 m/s"),
       plain("turning_limit", dimension::kAngularRate, "", "Largest rate of turning.", "1 deg/s"),
       {"proportional", Kind::kNumbers, dimension::kTorque, kStiffness, Range::kNonNegative, "0",
        "Of the joint servos: effort per position error, one for all joints or one each.",
        "2000 N*m/rad"},
       {"derivative", Kind::kNumbers, kTurningDamping, kDamping, Range::kNonNegative, "0",
        "Effort per rate error.", "500 N*m*s/rad"},
       effort_limit_parameter(),
       {"rate_limit", Kind::kNumbers, dimension::kAngularRate, dimension::kSpeed, Range::kPositive,
        "", "Largest rate of a joint; all slow down together.", "3 deg/s"},
       {"force_torque",
        Kind::kNames,
        {},
        {},
        Range::kAny,
        "",
        "Six channels of force and torque of the surroundings on the frame, to which it yields; "
        "where "
        "they show the opposite, as a force-torque sensor of a joint does, give negative gains.",
        "[sensor/wrist/force_x, sensor/wrist/force_y, sensor/wrist/force_z, sensor/wrist/torque_x, "
        "sensor/wrist/torque_y, sensor/wrist/torque_z]"},
       word("force_axes", {"world", "frame"}, "Axes of these: the world's or the frame's."),
       signed_number("per_force", kSpeedPerForce, "0", "Speed per force beyond its dead band.",
                     "1e-4 m/s/N"),
       signed_number("per_torque", kRatePerTorque, "0",
                     "Rate of turning per torque beyond its dead band.", "1e-4 rad/s/(N*m)"),
       plain("force_dead_band", dimension::kForce, "0", "Force it does not yield to.", "10 N"),
       plain("torque_dead_band", dimension::kTorque, "0", "Torque it does not yield to.", "10 N*m"),
       plain("singular_damping", {}, "0.05",
             "Damping of the inverse where the manipulability is below the threshold.", "0.05"),
       plain("singular_threshold", {}, "0", "That threshold; 0: none.", "0.01"),
       word("base", {"held", "floating"},
            "Whether the rates count with the base held, or floating with the momentum zero."),
       plain("posture", dimension::kAngularRate, "0",
             "Rate per distance from the posture of the start, as far as the frame stays as it is "
             "led.",
             "0.05 1/s")},
      make_resolved_rate};
}

}  // namespace grapple::control
