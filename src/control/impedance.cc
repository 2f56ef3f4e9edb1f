// Impedance of a frame (Hogan 1985; with redundancy Kim 2000, 5.2): the frame is to move as if
//   inertia e'' + damping e' + stiffness e = f,    e = x - x_r,
// with f the measured force of the surroundings on it. The acceleration this asks for goes through
// the inverse of the inertia-weighted task dynamics (task_dynamics.h). A wanted force of the frame
// on its surroundings is met in the end by a slow shift of the reference,
//   c' = (wanted - force) / (stiffness correction_time),   x_r + c in place of x_r,
// the continuous form of the correction of the force bias (Kim eq. 6.9).
#include <algorithm>

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
  std::vector<std::string> force;  ///< channels of the force on the frame, one per row; or none
  double correction_time = 0.0;    ///< s; 0: none
  double correction_start = 0.0;   ///< s
  double posture_damping = 0.0;    ///< 1/s, of motions that leave the frame at rest
};

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
    for (const int row : law_.rows) {
      const std::string axis =
          row < 3 ? std::string("r") + "xyz"[row] : std::string(1, "xyz"[row - 3]);
      numbers.push_back({"error_" + axis, row < 3 ? "rad" : "m"});
      numbers.push_back({"correction_" + axis, row < 3 ? "rad" : "m"});
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
    const Vector6 error = pose_error(wanted, at.R_WF, at.p_WF);
    Vector6 rate_error, acceleration, wrench = Vector6::Zero();
    rate_error << wanted.V_WF.ang - at.omega, wanted.V_WF.lin - at.v;
    acceleration << wanted.A_WF.ang, wanted.A_WF.lin;
    for (std::size_t k = 0; k < law_.rows.size(); ++k) {
      const int row = law_.rows[k];
      const auto axis = static_cast<Eigen::Index>(k);
      const double force = felt.empty() ? 0.0 : felt[k];
      double& correction = sample.memory[2 * k + 1];
      const bool corrects = law_.correction_time > 0.0 && law_.wanted_force[axis] != 0.0;
      if (corrects && sample.t >= law_.correction_start) {
        correction += (law_.wanted_force[axis] + force) * schedule().period /
                      (law_.stiffness[axis] * law_.correction_time);
      }
      sample.memory[2 * k] = error[row];
      acceleration_[axis] =
          acceleration[row] + (law_.damping[axis] * rate_error[row] +
                               law_.stiffness[axis] * (error[row] + correction) + force) /
                                  law_.inertia[axis];
      wrench[row] = force;
    }
    task_.evaluate(plant(), wrench);
    posture_ = -law_.posture_damping * plant().state().v(joint_rates());
    task_.efforts(acceleration_, posture_, efforts_);
    std::copy(efforts_.begin(), efforts_.end(), sample.out.begin());
  }

 private:
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
  if (!law.force.empty() && law.force.size() != axes) {
    throw Error("GR-986", "", "'force' needs one channel for each of the 'axes'");
  }
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
       {"posture_damping", Kind::kNumber, dimension::kAngularRate, dimension::kAngularRate,
        Range::kNonNegative, "0", "Damping of motions that leave the frame at rest.", "0.5 1/s"}},
      make_impedance};
}

}  // namespace grapple::control
