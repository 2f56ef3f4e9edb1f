// The composite pseudolink controller (King 1988, 4.7) and, without pseudolinks, the composite law
// after Spong (King 4-14 to 4-17). The outputs gamma = q + F delta follow the set points:
//   nu_r = r'' + derivative (r' - gamma') + proportional (r - gamma),
//   delta_s = -K^-1 (M_fr nu_r + h_f),         the deflection that would stay (h_f: bias_f - K
//   delta) nu_f = -G [delta - delta_s; delta'],       G optimal at a frozen configuration
//   (flexible_loop.h) u by inverse dynamics with gamma'' = nu_r + nu_f (inverse_dynamics.h).
// Without nu_f the pseudolink law is unstable: seen from the tip, a bending link is non-minimum
// phase. F and G are those of the wanted configuration at the last multiple of `refresh`.
#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <optional>

#include "grapple/base/error.h"
#include "grapple/control/arm_block.h"
#include "grapple/control/flexible_loop.h"
#include "grapple/control/inverse_dynamics.h"
#include "grapple/control/joint_tracking.h"
#include "grapple/control/pseudolink.h"

namespace grapple::control {

namespace {

using spatial::MatX;
using spatial::VecX;

struct PseudolinkSettings {
  std::vector<std::string> ends;   ///< none: the joints' own angles are the outputs
  std::vector<std::string> modes;  ///< in the optimal feedback; none listed: all
  double weight = 0.0;
  double refresh = 0.0;  ///< s; 0: never
};

class PseudolinkBlock final : public ArmBlock {
 public:
  PseudolinkBlock(const ControlledArm& arm, JointTracking tracking,
                  const PseudolinkSettings& settings)
      : ArmBlock(arm),
        settings_(settings),
        tracking_(std::move(tracking)),
        dynamics_(plant(), joint_rates()),
        flexible_(modal_rates(plant(), settings.modes)),
        nu_(joint_count()),
        wanted_(arm.joints.size()) {
    if (flexible_.empty()) {
      throw Error("GR-989", "",
                  "its model has no modes that bend; 'computed-torque' controls a rigid arm");
    }
    if (settings_.refresh > 0.0 && !tracking_.targets().is_known()) {
      throw Error("GR-985", "",
                  "'refresh' needs set points that are functions of time, not signals");
    }
    const std::vector<int>& passive = dynamics_.passive();
    for (const int rate : flexible_) {
      places_.push_back(
          static_cast<int>(std::find(passive.begin(), passive.end(), rate) - passive.begin()));
    }
    if (!settings_.ends.empty()) lines_.emplace(plant(), joint_rates(), settings_.ends);
    const auto f = static_cast<Eigen::Index>(flexible_.size());
    delta_.resize(f);
    rate_.resize(f);
    offset_.resize(2 * f);
    passive_position_ = VecX::Zero(static_cast<Eigen::Index>(passive.size()));
    passive_rate_ = passive_position_;
    design(0);
  }

  std::vector<element::Output> memory() const override { return tracking_.memory(arm()); }

  void update(element::Sample& sample) const override {
    design(refreshed(sample.t));
    tell_plant(sample);
    plant().evaluate();
    see_outputs();
    tracking_.accelerations(time_of_state(sample), further(sample), schedule().period,
                            sample.memory, nu_);
    nu_ += fast_part();
    dynamics_.solve(plant(), nu_, F_);
    for (int k = 0; k < joint_count(); ++k) {
      sample.out[static_cast<std::size_t>(k)] = dynamics_.efforts()[k];
    }
  }

 private:
  std::vector<std::string> further_reads() const override { return tracking_.reads(); }

  long refreshed(double t) const {
    if (settings_.refresh <= 0.0) return 0;
    return static_cast<long>(std::floor(t / settings_.refresh * (1.0 + 1e-12)));
  }

  // F and G where the arm is meant to be, unbent and at rest. They depend on `number` alone, so
  // that a resumed run has the same.
  void design(long number) const {
    if (number == designed_) return;
    const double t = static_cast<double>(number) * settings_.refresh;
    plant().tell_start(t);
    if (tracking_.targets().is_known()) {
      tracking_.targets().at(t, {}, wanted_);
      for (std::size_t k = 0; k < wanted_.size(); ++k) {
        set_position(joint_rates()[k], wanted_[k].value);
      }
    }
    for (const int rate : dynamics_.passive()) {
      if (is_modal(rate)) set_position(rate, 0.0);
    }
    plant().state().v.setZero();
    plant().evaluate();
    MatX F_modes;
    if (lines_) {
      lines_->coupling(plant(), dynamics_.passive(), F_);
      for (std::size_t k = 0; k < dynamics_.passive().size(); ++k) {
        if (!is_modal(dynamics_.passive()[k])) F_.col(static_cast<Eigen::Index>(k)).setZero();
      }
      F_modes = F_(Eigen::all, places_);
    }
    const FlexibleSubsystem subsystem =
        flexible_subsystem(plant(), joint_rates(), flexible_, FastInput::kAccelerations, F_modes);
    gain_ = flexible_gain(subsystem, settings_.weight);
    stiffness_ = subsystem.K;
    solve_stiffness_.compute(stiffness_);
    designed_ = number;
  }

  void see_outputs() const {
    const std::vector<int>& passive = dynamics_.passive();
    for (std::size_t k = 0; k < passive.size(); ++k) {
      const auto at = static_cast<Eigen::Index>(k);
      if (!is_modal(passive[k])) continue;
      passive_position_[at] = position(passive[k]);
      passive_rate_[at] = plant().state().v[passive[k]];
    }
    for (int k = 0; k < joint_count(); ++k) {
      const int rate = joint_rates()[static_cast<std::size_t>(k)];
      double angle = position(rate), angle_rate = plant().state().v[rate];
      if (F_.size() > 0) {
        angle += F_.row(k).dot(passive_position_);
        angle_rate += F_.row(k).dot(passive_rate_);
      }
      tracking_.see(k, angle, angle_rate);
    }
  }

  VecX fast_part() const {
    for (std::size_t k = 0; k < flexible_.size(); ++k) {
      const auto at = static_cast<Eigen::Index>(k);
      delta_[at] = position(flexible_[k]);
      rate_[at] = plant().state().v[flexible_[k]];
    }
    const VecX h = plant().bias()(flexible_) - stiffness_ * delta_;
    const VecX load = plant().mass_matrix()(flexible_, joint_rates()) * nu_ + h;
    offset_ << delta_ + solve_stiffness_.solve(load), rate_;
    return -gain_ * offset_;
  }

  bool is_modal(int rate) const {
    return plant().model().coordinates().of_rate(rate).kind == model::CoordinateKind::kModal;
  }
  void set_position(int rate, double value) const {
    const model::CoordinateBlock& block = plant().model().coordinates().of_rate(rate);
    plant().state().q[block.q + rate - block.v] = value;
  }

  PseudolinkSettings settings_;
  // Scratch, and the design of the last `refresh`.
  mutable JointTracking tracking_;
  mutable InverseDynamics dynamics_;
  std::vector<int> flexible_, places_;  ///< rates in the fast loop; their places among the passive
  mutable std::optional<Pseudolinks> lines_;
  mutable long designed_ = -1;
  mutable MatX F_, gain_, stiffness_;
  mutable Eigen::LLT<MatX> solve_stiffness_;
  mutable VecX nu_, delta_, rate_, offset_, passive_position_, passive_rate_;
  mutable std::vector<Jet> wanted_;
};

}  // namespace

ArmControllerType pseudolink_type() {
  using Kind = Parameter::Kind;
  using Range = Parameter::Range;
  constexpr Dimension kWeight{.length = 2, .mass = 1, .time = 2};
  std::vector<Parameter> parameters = JointTracking::parameters();
  parameters.push_back(
      {"ends",
       Kind::kNames,
       {},
       {},
       Range::kAny,
       "",
       "Per joint the frame where its pseudolink ends, or none: its own angle; left out: "
       "none for all, and the vibration is damped (composite control).",
       "[none, upper/tip, fore/tip]"});
  parameters.push_back({"modes",
                        Kind::kNames,
                        {},
                        {},
                        Range::kAny,
                        "",
                        "Patterns of the modes in the optimal feedback; left out: all.",
                        "[\"body/*/mode/bending_*\"]"});
  parameters.push_back({"weight", Kind::kNumber, kWeight, kWeight, Range::kPositive, "1",
                        "Weight of the squared accelerations of the fast part against the energy "
                        "of the vibration (SI: kg m^2 s^2).",
                        "0.1 kg*m^2*s^2"});
  parameters.push_back({"refresh", Kind::kNumber, dimension::kTime, dimension::kTime,
                        Range::kNonNegative, "0",
                        "Time after which the feedback is designed anew for the wanted "
                        "configuration; 0: only at the start.",
                        "0.2 s"});
  return {"pseudolink",
          "angles of pseudolinks follow the set points by inverse dynamics, while optimal feedback "
          "of the deflections damps the vibration",
          std::move(parameters), [](const ControlledArm& arm, const ParameterValues& values) {
            PseudolinkSettings settings{values.names("ends"), values.names("modes"),
                                        values.number("weight"), values.number("refresh")};
            if (!settings.ends.empty() && settings.ends.size() != arm.joints.size()) {
              throw Error("GR-986", "", "'ends' needs one frame for each joint of the controller");
            }
            return std::unique_ptr<element::SampledBlock>(
                std::make_unique<PseudolinkBlock>(arm, JointTracking(arm, values), settings));
          }};
}

}  // namespace grapple::control
