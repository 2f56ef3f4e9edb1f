// The keys of the resolved-rate controller, and the law made from them (resolved_rate_law.h).
#include <limits>

#include "grapple/base/error.h"
#include "grapple/control/arm_block.h"
#include "grapple/control/joint_tracking.h"
#include "grapple/control/kinematics/generalized_jacobian.h"
#include "grapple/control/resolved_rate/resolved_rate_law.h"
#include "grapple/control/task_axes.h"

namespace grapple::control {

namespace {

// Throws Error GR-948 (points of another number, or nothing to choose by), GR-988 (no such frame).
void read_rate_frames(const ControlledArm& arm, const ParameterValues& values,
                      ResolvedRateLaw& law) {
  const std::vector<std::string>& axes = values.names("rate_frames");
  const std::vector<std::string>& points = values.names("rate_points");
  const std::vector<SampledInput>& choice = values.inputs("rate_choice");
  if (axes.empty() && points.empty() && choice.empty()) return;
  if (axes.empty() || choice.empty() || law.rates.empty()) {
    throw Error(
        "GR-948", "",
        "'rate_frames' are the frames that 'rates' may be in, and 'rate_choice' says which: "
        "give all three");
  }
  if (!points.empty() && points.size() != axes.size()) {
    throw Error("GR-948", "",
                "'rate_points' has " + std::to_string(points.size()) + " frames for " +
                    std::to_string(axes.size()) + " 'rate_frames'; give one each, or none");
  }
  const model::Model& model = arm.plant->model();
  for (std::size_t k = 0; k < axes.size(); ++k) {
    law.rate_frames.push_back(
        {frame_named(model, axes[k]), points.empty() ? law.frame : frame_named(model, points[k])});
  }
  law.choice = choice.front();
}

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
  read_rate_frames(arm, values, law);
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
  return make_resolved_rate_block(arm, std::move(law));
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
       {"rate_frames",
        Kind::kNames,
        {},
        {},
        Range::kAny,
        "",
        "Frames whose axes `rates` may be in instead, such as those of the base, of the hand and "
        "of the payload; `rate_choice` says which.",
        "[station/pdgf, hand/grapple, target/pin]"},
       {"rate_points",
        Kind::kNames,
        {},
        {},
        Range::kAny,
        "",
        "For each of `rate_frames` the frame whose origin the turns are about; left out: the frame "
        "that is led.",
        "[hand/grapple, hand/grapple, target/pin]"},
       {"rate_choice",
        Kind::kInput,
        {},
        {},
        Range::kAny,
        "",
        "Which of `rate_frames`, from 0: a function of time, or a signal such as that of an "
        "operator with `choices`.",
        "{signal: operator/frame/command}",
        {},
        false},
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
