// Impedance of a frame (Hogan 1985; with redundancy Kim 2000, 5.2): the frame is to move as if
//   inertia e'' + damping e' + stiffness e = f,    e = x - x_r,
// with f the measured force of the surroundings on it. The acceleration this asks for goes through
// the inverse of the inertia-weighted task dynamics (task_dynamics.h). A wanted force of the frame
// on its surroundings is met in the end by a slow shift of the reference,
//   c' = (wanted - force) / (stiffness correction_time),   x_r + c in place of x_r,
// the continuous form of the correction of the force bias (Kim eq. 6.9).
// In the directions `force_axes` the force is controlled instead of the position (hybrid control:
// Raibert and Craig 1981, by the task dynamics of Khatib 1987):
//   inertia x'' + damping (x' - x'_T) = wanted + f + I,   I' = force_integral (wanted + f),
// x'_T the velocity of the task frame T, whose axes the directions refer to. The other directions
// then do not yield to the force (f is left out of their law), and since the measured force is part
// of the task dynamics, neither error is felt by the other law.
#include <algorithm>
#include <optional>

#include "grapple/base/error.h"
#include "grapple/control/arm_block.h"
#include "grapple/control/task_axes.h"
#include "grapple/control/task_dynamics.h"
#include "grapple/dynamics/jacobian.h"

namespace grapple::control {

namespace {

using spatial::VecX;
using Vector6 = Eigen::Matrix<double, 6, 1>;

struct ImpedanceLaw {
  model::Frame frame;
  std::vector<int> rows;  ///< of the twist
  VecX inertia, damping, stiffness, wanted_force;
  std::vector<std::string> force;   ///< channels of the force on the frame, one per row; or none
  double correction_time = 0.0;     ///< s; 0: none
  double correction_start = 0.0;    ///< s
  double posture_damping = 0.0;     ///< 1/s, of motions that leave the frame at rest
  std::vector<bool> of_force = {};  ///< per row: the force is controlled
  bool hybrid = false;              ///< some direction is: the others do not yield
  double force_integral = 0.0;      ///< 1/s
  std::optional<model::Frame> task_frame = {};  ///< none: the world
};

/// The axes the directions refer to, and how they move.
struct TaskMotion {
  spatial::Mat3 R_WT = spatial::Mat3::Identity();
  spatial::Vec3 p_WT = spatial::Vec3::Zero();
  spatial::Vec3 omega = spatial::Vec3::Zero(), v = spatial::Vec3::Zero();
};

Vector6 in_axes(const spatial::Mat3& R_WT, const Vector6& world) {
  Vector6 turned;
  turned << R_WT.transpose() * world.head<3>(), R_WT.transpose() * world.tail<3>();
  return turned;
}

class ImpedanceBlock final : public ArmBlock {
 public:
  ImpedanceBlock(const ControlledArm& arm, ImpedanceLaw law)
      : ArmBlock(arm),
        law_(std::move(law)),
        task_(plant(), joint_rates(), law_.frame, law_.rows),
        acceleration_(static_cast<Eigen::Index>(law_.rows.size())),
        posture_(joint_count()),
        efforts_(joint_count()) {}

  std::vector<element::Output> memory() const override {
    std::vector<element::Output> numbers;
    for (std::size_t k = 0; k < law_.rows.size(); ++k) {
      const int row = law_.rows[k];
      const std::string axis =
          row < 3 ? std::string("r") + "xyz"[row] : std::string(1, "xyz"[row - 3]);
      const bool of_force = law_.of_force[k];
      const char* const unit = row < 3 ? (of_force ? "N*m" : "rad") : (of_force ? "N" : "m");
      numbers.push_back({(of_force ? "force_error_" : "error_") + axis, unit});
      numbers.push_back({(of_force ? "force_integral_" : "correction_") + axis, unit});
    }
    return numbers;
  }

  void update(element::Sample& sample) const override {
    tell_plant(sample);
    plant().evaluate();
    const std::span<const double> felt = further(sample).first(law_.force.size());
    const PoseMotion wanted =
        arm().path->at(time_of_state(sample), further(sample).subspan(law_.force.size()));
    const auto at = dynamics::frame_motion(law_.frame, plant().workspace());
    const TaskMotion task = task_motion();
    const Vector6 wrench = wrench_of(felt), force = in_axes(task.R_WT, wrench);
    const Vector6 error = in_axes(task.R_WT, pose_error(wanted, at.R_WF, at.p_WF));
    Vector6 rate_error, acceleration, rate;
    rate_error << wanted.V_WF.ang - at.omega, wanted.V_WF.lin - at.v;
    acceleration << wanted.A_WF.ang, wanted.A_WF.lin;
    // Against the point of the task frame's body that is where the frame is.
    rate << at.omega - task.omega, at.v - task.v - task.omega.cross(at.p_WF - task.p_WT);
    rate_error = in_axes(task.R_WT, rate_error);
    acceleration = in_axes(task.R_WT, acceleration);
    rate = in_axes(task.R_WT, rate);
    for (std::size_t k = 0; k < law_.rows.size(); ++k) {
      const int row = law_.rows[k];
      double* const own = sample.memory.data() + 2 * k;
      acceleration_[static_cast<Eigen::Index>(k)] =
          law_.of_force[k] ? force_law(k, force[row], rate[row], own)
                           : acceleration[row] + position_law(k, sample.t, error[row],
                                                              rate_error[row], force[row], own);
    }
    task_.evaluate(plant(), wrench, task.R_WT);
    posture_ = -law_.posture_damping * plant().state().v(joint_rates());
    task_.efforts(acceleration_, posture_, efforts_);
    std::copy(efforts_.begin(), efforts_.end(), sample.out.begin());
  }

 private:
  // Memory of a direction: error and correction (of position), or error and integral (of force).
  double position_law(std::size_t k, double t, double error, double rate_error, double force,
                      double* own) const {
    const auto axis = static_cast<Eigen::Index>(k);
    const bool corrects = law_.correction_time > 0.0 && law_.wanted_force[axis] != 0.0;
    if (corrects && t >= law_.correction_start) {
      own[1] += (law_.wanted_force[axis] + force) * schedule().period /
                (law_.stiffness[axis] * law_.correction_time);
    }
    own[0] = error;
    const double yielding = law_.hybrid ? 0.0 : force;
    return (law_.damping[axis] * rate_error + law_.stiffness[axis] * (error + own[1]) + yielding) /
           law_.inertia[axis];
  }
  double force_law(std::size_t k, double force, double rate, double* own) const {
    const auto axis = static_cast<Eigen::Index>(k);
    own[0] = law_.wanted_force[axis] + force;
    own[1] += law_.force_integral * own[0] * schedule().period;
    return (own[0] + own[1] - law_.damping[axis] * rate) / law_.inertia[axis];
  }

  TaskMotion task_motion() const {
    if (!law_.task_frame) return {};
    const auto at = dynamics::frame_motion(*law_.task_frame, plant().workspace());
    return {at.R_WF, at.p_WF, at.omega, at.v};
  }

  // Of the surroundings on the frame, torque and force, world axes.
  Vector6 wrench_of(std::span<const double> felt) const {
    Vector6 wrench = Vector6::Zero();
    if (!law_.task_frame) {
      for (std::size_t k = 0; k < felt.size(); ++k) wrench[law_.rows[k]] = felt[k];
      return wrench;
    }
    for (std::size_t k = 0; k < felt.size(); ++k) {
      wrench[static_cast<Eigen::Index>((k + 3) % 6)] = felt[k];  // forces first
    }
    return wrench;
  }

  std::vector<std::string> further_reads() const override {
    std::vector<std::string> channels = law_.force;
    const std::vector<std::string> path = arm().path->reads(PoseOrder::kAccelerations);
    channels.insert(channels.end(), path.begin(), path.end());
    return channels;
  }

  ImpedanceLaw law_;
  mutable TaskDynamics task_;  // scratch, as the rest
  mutable VecX acceleration_, posture_, efforts_;
};

// The task frame and the directions of force.
void read_task(const ControlledArm& arm, const ParameterValues& values, ImpedanceLaw& law) {
  if (!values.names("task_frame").empty()) {
    law.task_frame = frame_named(arm.plant->model(), values.name("task_frame"));
    if (!law.force.empty() && law.force.size() != 3 && law.force.size() != 6) {
      throw Error("GR-986", "",
                  "'force' with a 'task_frame' needs the three channels of the force in world "
                  "axes, or these and the three of the torque");
    }
  } else if (!law.force.empty() && law.force.size() != law.rows.size()) {
    throw Error("GR-986", "", "'force' needs one channel for each of the 'axes'");
  }
  law.force_integral = values.number("force_integral");
  law.of_force.assign(law.rows.size(), false);
  if (values.names("force_axes").empty()) return;
  if (law.force.empty()) {
    throw Error("GR-986", "", "'force_axes' need channels of the 'force'");
  }
  law.hybrid = true;
  for (const int row : task_rows(values.names("force_axes"))) {
    const auto found = std::find(law.rows.begin(), law.rows.end(), row);
    if (found == law.rows.end()) {
      throw Error("GR-986", "", "'force_axes' must be among the 'axes'");
    }
    law.of_force[static_cast<std::size_t>(found - law.rows.begin())] = true;
  }
}

std::unique_ptr<element::SampledBlock> make_impedance(const ControlledArm& arm,
                                                      const ParameterValues& values) {
  if (!arm.path) throw Error("GR-985", "", "it needs a 'trajectory' of a pose");
  ImpedanceLaw law;
  law.frame = named_frame(arm.plant->model(), values, "frame");
  check_path(arm, law.frame);
  law.rows = task_rows(values.names("axes"));
  const std::size_t axes = law.rows.size();
  if (axes > arm.joints.size()) {
    throw Error("GR-986", "", "more 'axes' than joints: the frame cannot follow all of them");
  }
  law.inertia = per_axis(values, "inertia", axes, 1.0);
  law.damping = per_axis(values, "damping", axes, 0.0);
  law.stiffness = per_axis(values, "stiffness", axes, 0.0);
  law.wanted_force = per_axis(values, "wanted_force", axes, 0.0);
  law.force = values.names("force");
  read_task(arm, values, law);
  law.correction_time = values.number("correction_time");
  law.correction_start = values.number("correction_start");
  if (law.correction_time > 0.0 && (law.force.empty() || law.stiffness.minCoeff() <= 0.0)) {
    throw Error("GR-986", "",
                "'correction_time' needs channels of the 'force' and a positive 'stiffness'");
  }
  law.posture_damping = values.number("posture_damping");
  return std::make_unique<ImpedanceBlock>(arm, std::move(law));
}

}  // namespace

ArmControllerType impedance_type() {
  using Kind = Parameter::Kind;
  using Range = Parameter::Range;
  constexpr Dimension kStiffness{.mass = 1, .time = -2}, kDamping{.mass = 1, .time = -1};
  constexpr Dimension kTurningDamping{.length = 2, .mass = 1, .time = -1};
  const auto per_axis_number = [](std::string key, const Dimension& turning,
                                  const Dimension& sliding, Range range, std::string text,
                                  std::string doc, std::string example) {
    return Parameter{std::move(key), Kind::kNumbers,     turning, sliding, range, std::move(text),
                     std::move(doc), std::move(example), {},      false};
  };
  return {
      "impedance",
      "a frame moves as if inertia e'' + damping e' + stiffness e were the force on it, e its "
      "distance from the trajectory",
      {{"frame", Kind::kName, {}, {}, Range::kAny, "", "The frame that moves.", "hand/tip"},
       {"axes",
        Kind::kNames,
        {},
        {},
        Range::kAny,
        "",
        "Directions that count, in world axes: x, y, z and the turns rx, ry, rz; left out: x, y, "
        "z.",
        "[x, y]"},
       per_axis_number("inertia", dimension::kInertia, dimension::kMass, Range::kPositive, "1",
                       "Inertia of the impedance, one for all axes or one each.", "80 kg"),
       per_axis_number("damping", kTurningDamping, kDamping, Range::kNonNegative, "0",
                       "Its damping.", "100 N*s/m"),
       per_axis_number("stiffness", dimension::kTorque, kStiffness, Range::kNonNegative, "0",
                       "Its stiffness.", "80 N/m"),
       {"force",
        Kind::kNames,
        {},
        {},
        Range::kAny,
        "",
        "Channels of the force (or torque) of the surroundings on the frame, one per axis; left "
        "out: taken as zero.",
        "[contact/tip/force_x, contact/tip/force_y]"},
       per_axis_number("wanted_force", dimension::kTorque, dimension::kForce, Range::kAny, "0",
                       "Force of the frame on its surroundings in the end, met by a slow shift of "
                       "the reference.",
                       "[0, 15] N"),
       {"correction_time", Kind::kNumber, dimension::kTime, dimension::kTime, Range::kNonNegative,
        "0", "Time constant of that shift; 0: none.", "2 s"},
       {"correction_start", Kind::kNumber, dimension::kTime, dimension::kTime, Range::kNonNegative,
        "0", "When the shift begins.", "14 s"},
       {"task_frame",
        Kind::kName,
        {},
        {},
        Range::kAny,
        "",
        "Frame whose axes the `axes` are, which may move; left out: the world. `force` then has "
        "the "
        "three channels of the force in world axes, or these and the three of the torque.",
        "table/top"},
       {"force_axes",
        Kind::kNames,
        {},
        {},
        Range::kAny,
        "",
        "Those of the `axes` in which `wanted_force` is controlled instead of the position: "
        "inertia x'' + damping x' = wanted_force + force + its integral. The others then do not "
        "yield to the force.",
        "[z]"},
       {"force_integral", Kind::kNumber, dimension::kAngularRate, dimension::kAngularRate,
        Range::kNonNegative, "0", "Of `force_axes`: force per error of the force and second.",
        "5 1/s"},
       {"posture_damping", Kind::kNumber, dimension::kAngularRate, dimension::kAngularRate,
        Range::kNonNegative, "0", "Damping of motions that leave the frame at rest.", "0.5 1/s"}},
      make_impedance};
}

}  // namespace grapple::control
