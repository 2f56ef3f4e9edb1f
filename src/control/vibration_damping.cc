// Optimal feedback of deflections alone: the fast loop of a composite controller, at its own rate.
//   u = -G [delta - delta_s; delta']
// G is optimal (flexible_loop.h) at the arm's start, either for the efforts as input, the joints
// moving (Kim 2000, 5.3: the frequencies of the arm with free joints), or for accelerations of the
// joints, times their inertia M_rr (King 1988, 4.9: the frequencies with held joints). delta_s is
// the deflection that the other efforts u_s on the joints keep up (Kim eq. 5.15):
//   K delta_s = -h_f - M_fr M_rr^-1 (u_s - h_r),  h = bias - K delta.
#include <Eigen/Cholesky>

#include "grapple/base/error.h"
#include "grapple/control/arm_block.h"
#include "grapple/control/flexible_loop.h"

namespace grapple::control {

namespace {

using spatial::MatX;
using spatial::VecX;

class VibrationDamping final : public ArmBlock {
 public:
  VibrationDamping(const ControlledArm& arm, const std::vector<std::string>& modes, FastInput input,
                   double weight, std::vector<std::string> slow_efforts)
      : ArmBlock(arm),
        slow_efforts_(std::move(slow_efforts)),
        flexible_(modal_rates(plant(), modes)),
        offset_(2 * static_cast<Eigen::Index>(flexible_.size())) {
    if (flexible_.empty()) throw Error("GR-989", "", "its model has no modes that bend");
    plant().tell_start(0.0);
    plant().state().v.setZero();
    plant().evaluate();
    const FlexibleSubsystem subsystem =
        flexible_subsystem(plant(), joint_rates(), flexible_, input, MatX());
    gain_ = flexible_gain(subsystem, weight);
    if (input == FastInput::kAccelerations) {
      gain_ = (plant().mass_matrix()(joint_rates(), joint_rates()) * gain_).eval();
    }
    stiffness_ = subsystem.K;
    solve_stiffness_.compute(stiffness_);
  }

  void update(element::Sample& sample) const override {
    tell_plant(sample);
    plant().evaluate();
    const auto f = static_cast<Eigen::Index>(flexible_.size());
    for (Eigen::Index k = 0; k < f; ++k) {
      const int rate = flexible_[static_cast<std::size_t>(k)];
      offset_[k] = position(rate);
      offset_[f + k] = plant().state().v[rate];
    }
    const VecX h = plant().bias()(flexible_) - stiffness_ * offset_.head(f);
    VecX load = h;
    if (!slow_efforts_.empty()) {
      VecX slow = -plant().bias()(joint_rates());
      for (int k = 0; k < joint_count(); ++k)
        slow[k] += further(sample)[static_cast<std::size_t>(k)];
      const MatX M_rr = plant().mass_matrix()(joint_rates(), joint_rates());
      load += plant().mass_matrix()(flexible_, joint_rates()) * M_rr.llt().solve(slow);
    }
    offset_.head(f) += solve_stiffness_.solve(load);
    const VecX efforts = gain_ * offset_;
    for (int k = 0; k < joint_count(); ++k) sample.out[static_cast<std::size_t>(k)] = -efforts[k];
  }

 private:
  std::vector<std::string> further_reads() const override { return slow_efforts_; }
  std::span<const double> other_efforts(const element::Sample& sample) const override {
    return further(sample);
  }

  std::vector<std::string> slow_efforts_;  ///< signals
  std::vector<int> flexible_;
  MatX gain_, stiffness_;
  Eigen::LLT<MatX> solve_stiffness_;
  mutable VecX offset_;  // scratch
};

}  // namespace

ArmControllerType vibration_damping_type() {
  using Kind = Parameter::Kind;
  using Range = Parameter::Range;
  constexpr Dimension kPerTorque{.length = -2, .mass = -1, .time = 2};
  constexpr Dimension kPerAcceleration{.length = 2, .mass = 1, .time = 2};
  const Parameter input{"input",
                        Kind::kName,
                        {},
                        {},
                        Range::kAny,
                        "efforts",
                        "What the feedback is designed for: the efforts of joints that move, or "
                        "their accelerations (then times their inertia).",
                        "accelerations",
                        {"efforts", "accelerations"}};
  const Parameter weight{"weight",
                         Kind::kNumber,
                         kPerTorque,
                         kPerAcceleration,
                         Range::kPositive,
                         "1",
                         "Weight of the squared input against the energy of the vibration (SI: J "
                         "per (N m)^2, or J per (rad/s^2)^2).",
                         "0.01 1/(N*m)",
                         {},
                         false};
  return {
      "vibration-damping",
      "optimal feedback of deflections and their rates to the joints' efforts, at a rate of its "
      "own beside a controller of the motion",
      {{"modes",
        Kind::kNames,
        {},
        {},
        Range::kAny,
        "",
        "Patterns of the modes it damps; left out: all.",
        "[\"body/*/mode/bending_*\"]"},
       input,
       weight,
       {"beside",
        Kind::kNames,
        {},
        {},
        Range::kAny,
        "",
        "Signals of the other efforts on its joints, one each: the deflection they keep up is not "
        "fought.",
        "[controller/slow/shoulder/effort]"}},
      [](const ControlledArm& arm, const ParameterValues& values) {
        const std::vector<std::string>& beside = values.names("beside");
        if (!beside.empty() && beside.size() != arm.joints.size()) {
          throw Error("GR-986", "", "'beside' needs one signal for each joint of the controller");
        }
        const FastInput of =
            values.name("input") == "efforts" ? FastInput::kEfforts : FastInput::kAccelerations;
        return std::unique_ptr<element::SampledBlock>(std::make_unique<VibrationDamping>(
            arm, values.names("modes"), of, values.number("weight"), beside));
      }};
}

}  // namespace grapple::control
