// The sampled block of `lqr`: state feedback about postures, with an estimator where sensors are
// given. At sample k, r the wanted positions of the joints,
//   u = u_e(r) + J r'' - K_x (x - x_r) - K_I I - K_u (efforts before - u_e),
// u_e and x_e = [r; passive coordinates at rest] from the plant at r, J the inertia of the joints,
// x_r = x_e with the rates r' and the quasi-static deflection of r''. With an estimator, x is
//   x_e + Phi (x_before - x_e) + Gamma (u_before - u_e) + L (y - y_expected).
// Between the postures of a schedule the results of two neighbours are interpolated linearly;
// beyond, the last holds.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "grapple/control/arm_block.h"
#include "grapple/control/optimal/estimator_design.h"
#include "grapple/control/optimal/regulator_design.h"

namespace grapple::control {

/// The design at one posture.
struct RegulatorNode {
  PostureModel posture;
  Regulator regulator;
  std::optional<StateEstimator> estimator;
};

struct GainSchedule {
  std::string channel;     ///< empty: one posture
  int rate = -1;           ///< of that coordinate in the plant
  std::vector<double> at;  ///< increasing, one per node
};

class LinearRegulator final : public ArmBlock {
 public:
  /// signals: what the estimator reads, in the order of its measurements.
  LinearRegulator(const ControlledArm& arm, JointTargets targets, std::vector<RegulatorNode> nodes,
                  GainSchedule schedule, std::vector<std::string> signals, spatial::VecX limit);

  std::vector<std::string> reads() const override;
  std::vector<element::Output> memory() const override;
  void start(std::span<double> memory) const override;
  void update(element::Sample& sample) const override;
  std::vector<std::string> notes() const override;

 private:
  struct Between {
    std::size_t node = 0;
    double share = 0.0;  ///< of the next one
  };
  Between between(double value) const;
  bool estimates() const { return nodes_.front().estimator.has_value(); }
  const PostureModel& posture() const { return nodes_.front().posture; }
  std::size_t first_estimate() const;
  std::size_t first_effort() const;

  void find_rest(double t, const Between& at, const GivenPositions& given) const;
  void estimate(const Between& at, std::span<const double> measured,
                std::span<double> memory) const;
  void add_estimate(const StateEstimator& of, const PostureModel& posture, double share,
                    std::span<const double> measured) const;
  void feed_back(const Between& at, std::span<const double> memory) const;

  JointTargets targets_;
  std::vector<RegulatorNode> nodes_;
  GainSchedule schedule_;
  std::vector<std::string> signals_;
  spatial::VecX limit_;
  std::vector<std::string> state_channels_;
  Eigen::Index states_, joints_;
  int integrals_, late_, kept_efforts_;
  spatial::VecX start_x_, start_u_;

  // Scratch of update.
  mutable std::vector<Jet> wanted_;
  mutable GivenPositions given_;
  mutable spatial::VecX x_, x_e_, x_r_, u_e_, u_, passive_, load_, deviation_, next_, innovation_,
      u_late_, u_early_, r_ddot_, feedback_in_;
};

}  // namespace grapple::control
