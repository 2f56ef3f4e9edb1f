// The controller type `lqr`: what its user gives, and the designs made from that.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "grapple/base/error.h"
#include "grapple/base/nearest_name.h"
#include "grapple/control/flexible_loop.h"
#include "grapple/control/joint_tracking.h"
#include "grapple/control/optimal/linear_regulator.h"
#include "grapple/control/optimal/sensor_rows.h"

namespace grapple::control {

namespace {

using Kind = Parameter::Kind;
using Range = Parameter::Range;
using spatial::MatX;
using spatial::VecX;

constexpr double kCostsNothing = std::numeric_limits<double>::infinity();
constexpr int kMostSamplesLate = 50;

RegulatorSizes sizes_of(const ControlledArm& arm, const ParameterValues& values) {
  const auto each = [&](const char* key) { return per_joint(arm, values, key, kCostsNothing); };
  const auto one = [&](const char* key) { return values.number(key, kCostsNothing); };
  return {each("weights.position"), each("weights.rate"),     each("weights.integral"),
          each("weights.effort"),   one("weights.passive"),   one("weights.passive_rate"),
          one("weights.mode"),      one("weights.mode_rate"), one("weights.energy")};
}

RegulatorSpec spec_of(const ControlledArm& arm, const ParameterValues& values) {
  RegulatorSpec spec;
  spec.period = arm.schedule.period;
  spec.delay = arm.schedule.delay;
  const auto& poles = values.rows("poles");
  const auto& gains = values.rows("gains");
  if (!poles.empty()) {
    spec.by = RegulatorSpec::By::kPoles;
    for (const std::vector<double>& pole : poles) {
      spec.poles.emplace_back(pole[0], pole.size() > 1 ? pole[1] : 0.0);
    }
  } else if (!gains.empty()) {
    spec.by = RegulatorSpec::By::kGains;
    spec.gains.resize(static_cast<Eigen::Index>(gains.size()),
                      static_cast<Eigen::Index>(gains.front().size()));
    for (std::size_t r = 0; r < gains.size(); ++r) {
      if (gains[r].size() != gains.front().size()) {
        throw Error("GR-931", "",
                    fmt::format("row {} of 'gains' has {} numbers, row 1 has {}", r + 1,
                                gains[r].size(), gains.front().size()));
      }
      for (std::size_t c = 0; c < gains[r].size(); ++c) {
        spec.gains(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(c)) = gains[r][c];
      }
    }
  } else {
    spec.sizes = sizes_of(arm, values);
  }
  if (spec.by == RegulatorSpec::By::kWeights && spec.delay > kMostSamplesLate * spec.period) {
    throw Error("GR-931", "",
                fmt::format("a delay of {:g} periods; the design counts with at most {}",
                            spec.delay / spec.period, kMostSamplesLate));
  }
  return spec;
}

// The coordinate of a position channel of the plant.
int rate_of_channel(const Plant& plant, const std::string& channel) {
  std::vector<std::string> all;
  for (int rate = 0; rate < plant.model().nv(); ++rate) {
    if (plant.model().coordinates().of_rate(rate).kind == model::CoordinateKind::kQuaternion) {
      continue;
    }
    all.push_back(plant.channel_of(rate, "position"));
    if (all.back() == channel) return rate;
  }
  throw Error("GR-932", "",
              fmt::format("'schedule' goes by the position of a joint of its model; '{}' is none{}",
                          channel, suggestion(channel, all)));
}

GainSchedule schedule_of(const ControlledArm& arm, const ParameterValues& values) {
  const Plant& plant = *arm.plant;
  GainSchedule schedule;
  if (!values.has("schedule")) return schedule;
  schedule.channel = values.name("schedule.channel");
  schedule.rate = rate_of_channel(plant, schedule.channel);
  schedule.at = values.numbers("schedule.at");
  const bool free =
      std::ranges::find(plant.free_rates(), schedule.rate) != plant.free_rates().end();
  const bool driven = std::ranges::any_of(
      arm.joints, [&](const ControlledCoordinate& joint) { return joint.rate == schedule.rate; });
  if (free && !driven) {
    throw Error(
        "GR-932", "",
        fmt::format("'schedule' goes by '{}', which is neither one of its joints nor held in "
                    "its model; lock it there by 'model_settings'",
                    schedule.channel));
  }
  const auto falls = std::adjacent_find(schedule.at.begin(), schedule.at.end(),
                                        [](double a, double b) { return !(a < b); });
  if (schedule.at.size() >= 2 && falls == schedule.at.end()) return schedule;
  throw Error("GR-932", "", "'at' of 'schedule' needs two or more values that rise");
}

GivenPositions positions_of(const ControlledArm& arm, const ParameterValues& values) {
  GivenPositions given;
  if (values.numbers("posture").empty()) return given;
  const VecX posture = per_joint(arm, values, "posture", 0.0);
  for (std::size_t k = 0; k < arm.joints.size(); ++k) {
    given.emplace_back(arm.joints[k].rate, posture[static_cast<Eigen::Index>(k)]);
  }
  return given;
}

JointTargets held_targets(const ControlledArm& arm, const ParameterValues& values) {
  if (arm.trajectory || !values.inputs("set_points").empty()) return targets_of(arm, values);
  const VecX posture = per_joint(arm, values, "posture", 0.0);
  arm.plant->tell_start(0.0);
  std::vector<SampledInput> held;
  for (std::size_t k = 0; k < arm.joints.size(); ++k) {
    const double start = position_of(*arm.plant, arm.joints[k].rate);
    held.push_back({Function::constant(
        values.numbers("posture").empty() ? start : posture[static_cast<Eigen::Index>(k)])});
  }
  return JointTargets(std::move(held));
}

std::unique_ptr<element::SampledBlock> make_lqr(const ControlledArm& arm,
                                                const ParameterValues& values) {
  Plant& plant = *arm.plant;
  std::vector<int> joints;
  for (const ControlledCoordinate& joint : arm.joints) joints.push_back(joint.rate);
  const RegulatorSpec spec = spec_of(arm, values);
  const GainSchedule schedule = schedule_of(arm, values);
  if (spec.by == RegulatorSpec::By::kGains && !schedule.channel.empty()) {
    throw Error("GR-931", "", "'gains' hold everywhere; 'schedule' needs 'weights' or 'poles'");
  }
  const std::vector<int> modes = modal_rates(plant, values.names("modes"));
  std::vector<RegulatorNode> nodes;
  std::vector<std::string> signals;
  for (std::size_t k = 0; k < std::max<std::size_t>(schedule.at.size(), 1); ++k) {
    GivenPositions given = positions_of(arm, values);
    if (!schedule.at.empty()) given.emplace_back(schedule.rate, schedule.at[k]);
    RegulatorNode node;
    node.posture = posture_model(plant, joints, modes, given);
    if (!nodes.empty() && (node.posture.passive != nodes.front().posture.passive ||
                           node.posture.coordinates != nodes.front().posture.coordinates)) {
      throw Error("GR-932", "",
                  fmt::format("at {:g} other coordinates take part in the motion than at {:g}; "
                              "choose postures of one kind",
                              schedule.at[k], schedule.at[0]));
    }
    node.regulator = design_regulator(plant, node.posture, spec);
    if (values.has("estimator")) {
      const SensorRows seen = sensor_rows(plant, node.posture, arm.sensors,
                                          values.numbers("estimator.measurement"), arm.schedule);
      if (!nodes.empty() && seen.signals != signals) {
        throw Error("GR-932", "", "its sensors see other motions at other postures of 'schedule'");
      }
      signals = seen.signals;
      const ProcessNoise noise{per_joint(arm, values, "estimator.process", 0.0),
                               values.number("estimator.process_modes", 0.0)};
      node.estimator =
          design_estimator(plant, node.posture, seen.rows, noise, spec.period, spec.delay);
    }
    nodes.push_back(std::move(node));
  }
  return std::make_unique<LinearRegulator>(
      arm, held_targets(arm, values), std::move(nodes), schedule, std::move(signals),
      per_joint(arm, values, "limit", std::numeric_limits<double>::infinity()));
}

Parameter weights_parameter() {
  constexpr Dimension kAngle = dimension::kNone, kLength = dimension::kLength;
  constexpr Dimension kAngleTime{.time = 1}, kLengthTime{.length = 1, .time = 1};
  Parameter weights{"weights",
                    Kind::kObject,
                    {},
                    {},
                    Range::kAny,
                    "",
                    "What costs 1 in the integral that the feedback makes smallest, each "
                    "squared; what is left out costs nothing.",
                    "{position: 1 deg, effort: 20 N*m}"};
  const auto of_joints = [&](const char* key, Dimension turning, Dimension sliding, const char* doc,
                             const char* example) {
    weights.parts.push_back(
        {key, Kind::kNumbers, turning, sliding, Range::kPositive, "", doc, example});
  };
  const auto either = [&](const char* key, Dimension one, Dimension other, const char* doc,
                          const char* example) {
    weights.parts.push_back(
        {key, Kind::kNumber, one, other, Range::kPositive, "", doc, example, {}, false});
  };
  of_joints("position", kAngle, kLength, "Error of a joint's position, for all or one each.",
            "1 deg");
  of_joints("rate", dimension::kAngularRate, dimension::kSpeed, "Error of a joint's rate.",
            "5 deg/s");
  of_joints("integral", kAngleTime, kLengthTime,
            "Integral of a joint's error; with it the feedback has integral action.", "2 deg*s");
  of_joints("effort", dimension::kTorque, dimension::kForce,
            "Effort of a joint beyond that of rest.", "20 N*m");
  weights.parts.back().required = true;
  either("passive", kAngle, kLength,
         "Position of a coordinate that is neither a driven joint nor a mode.", "2 deg");
  either("passive_rate", dimension::kAngularRate, dimension::kSpeed, "Its rate.", "10 deg/s");
  either("mode", kAngle, kAngle, "Modal coordinate.", "0.01");
  either("mode_rate", dimension::kAngularRate, dimension::kAngularRate, "Its rate.", "0.1 1/s");
  either("energy", dimension::kTorque, dimension::kTorque,
         "Kinetic and elastic energy of the modes' vibration (its first power).", "0.1 N*m");
  return weights;
}

Parameter schedule_parameter() {
  Parameter schedule{"schedule",
                     Kind::kObject,
                     {},
                     {},
                     Range::kAny,
                     "",
                     "Designs at several positions of a joint; between them efforts are "
                     "interpolated linearly.",
                     "{channel: joint/elbow/position, at: [0, 45, 90] deg}"};
  schedule.parts = {{"channel",
                     Kind::kName,
                     {},
                     {},
                     Range::kAny,
                     "",
                     "Position of a joint of its model.",
                     "joint/elbow/position"},
                    {"at",
                     Kind::kNumbers,
                     dimension::kNone,
                     dimension::kLength,
                     Range::kAny,
                     "",
                     "The positions, rising.",
                     "[0, 45, 90] deg",
                     {},
                     false}};
  for (Parameter& part : schedule.parts) part.required = true;
  return schedule;
}

Parameter estimator_parameter() {
  Parameter estimator{"estimator",
                      Kind::kObject,
                      {},
                      {},
                      Range::kAny,
                      "",
                      "A Kalman filter that finds the states from `sensors` alone.",
                      "{process: 0.5 N*m}"};
  estimator.parts = {
      {"process", Kind::kNumbers, dimension::kTorque, dimension::kForce, Range::kPositive, "",
       "Standard deviation of a disturbance of each joint's effort that changes from sample to "
       "sample.",
       "0.5 N*m"},
      {"process_modes",
       Kind::kNumber,
       dimension::kTorque,
       dimension::kForce,
       Range::kNonNegative,
       "0",
       "The same on each modal coordinate (generalised force, SI).",
       "0.01",
       {},
       false},
      {"measurement",
       Kind::kNumbers,
       {},
       {},
       Range::kPositive,
       "",
       "Standard deviation of the error of each sensor in `sensors`, in SI; left out: from its "
       "`noise` and `quantum`.",
       "[1e-4, 1e-6]",
       {},
       false}};
  estimator.parts.front().required = true;
  return estimator;
}

}  // namespace

ArmControllerType lqr_type() {
  Parameter set_points = JointTracking::parameters().front();
  set_points.doc =
      "What each joint follows, in the order of `joints`; or give a `trajectory`; "
      "left out: the posture is held.";
  const Parameter posture{"posture",
                          Kind::kNumbers,
                          dimension::kNone,
                          dimension::kLength,
                          Range::kAny,
                          "",
                          "Positions of its joints about which the feedback is designed; left out: "
                          "those of the start.",
                          "[30, -60] deg"};
  const Parameter modes{"modes",
                        Kind::kNames,
                        {},
                        {},
                        Range::kAny,
                        "",
                        "Patterns of the modes that the design counts with; left out: all.",
                        "[\"body/*/mode/bending_*\"]"};
  const Parameter poles{"poles",
                        Kind::kRows,
                        dimension::kAngularRate,
                        dimension::kAngularRate,
                        Range::kAny,
                        "",
                        "Wanted poles in 1/s, [real, imaginary] each, one per state: instead of "
                        "`weights`.",
                        "[[-3, 0], [-4, 0]]",
                        {},
                        false};
  const Parameter gains{"gains",
                        Kind::kRows,
                        {},
                        {},
                        Range::kAny,
                        "",
                        "The gain matrix itself in SI, a row per joint: instead of `weights`. "
                        "Columns: positions of the joints and of all else, their rates.",
                        "[[120, 0, 40, 0]]",
                        {},
                        false};
  return {"lqr",
          "linear-quadratic state feedback about a posture with the efforts of rest, from states "
          "or estimates",
          {std::move(set_points), posture, weights_parameter(), poles, gains, modes,
           schedule_parameter(), estimator_parameter(), effort_limit_parameter()},
          make_lqr};
}

}  // namespace grapple::control
