// A system::System as an integrator's Problem. Its event functions are channels passing given
// levels, followed by the kinks of the elements.
#pragma once

#include <limits>
#include <memory>
#include <vector>

#include "grapple/integrate/poll_request.h"
#include "grapple/integrate/problem.h"
#include "grapple/integrate/tree_second_order.h"
#include "grapple/system/system.h"

namespace grapple::integrate {

/// Zero of (channel - level).
struct ChannelCrossing {
  int channel = 0;
  double level = 0.0;
  Crossing direction = Crossing::kBoth;
};

class SystemProblem final : public Problem {
 public:
  SystemProblem(system::System& system, std::vector<ChannelCrossing> crossings);

  int size() const override { return system_.size(); }
  int controlled_size() const override { return system_.dynamic_size(); }
  bool derivative(double t, std::span<const double> x, std::span<double> xdot) override;
  bool jacobian(double t, std::span<const double> x, std::span<double> J) override;
  void project(double t, std::span<double> x) override { system_.project(t, x); }
  void judge_error(std::span<double> error) override;
  bool is_constrained() const override { return !system_.constraints().empty(); }
  bool commit(double t, std::span<double> x) override;
  bool semi_implicit_step(double t, double h, std::span<double> x) override;
  bool verlet_step(double t, double h, std::span<double> x) override;
  SecondOrderProblem* second_order() override;
  int event_count() const override;
  void event_values(double t, std::span<const double> x, std::span<double> values) override {
    event_values_except({}, t, x, values);
  }
  void event_values_except(std::span<const std::uint8_t> skip, double t, std::span<const double> x,
                           std::span<double> values) override;
  /// The sources are elements.
  Passage event_passage(int index) const override;
  void event_speeds(double t, std::span<const double> x, std::span<double> speeds) override;
  StepBound longest_step() const override;
  void enter_segment(double begin, double end) override;

  /// Asked at every evaluation from now on; null: none. It must outlive its use.
  void set_poll(PollRequest* poll);

  /// One per event function, channel crossings first.
  std::vector<Crossing> crossings() const;
  int channel_crossing_count() const { return static_cast<int>(crossings_.size()); }
  /// The evaluation of the last call; of kinks alone only its kinematics.
  const system::Snapshot<double>& snapshot() const { return snapshot_; }
  /// Coordinate whose effort was not finite when the derivative was last refused; -1: none.
  int refused_coordinate() const { return refused_coordinate_; }
  /// Link that lost its inertia when the derivative was last refused (aba.h); -1: none.
  int refused_link() const { return refused_link_; }
  /// Whether the state there was beyond anything that moves (1e12 m/s or rad/s, or not finite).
  bool refused_out_of_bounds() const { return refused_out_of_bounds_; }
  /// The smallest pivot of the constraints (constraint_solver.h) derivative() met since this was
  /// last asked.
  double take_nearest_singular();
  /// Evaluates at (t, x), functions of time as they are given, and keeps the snapshot.
  const system::Snapshot<double>& evaluate(double t, std::span<const double> x);
  /// The same; false: it cannot be evaluated there.
  bool try_evaluate(double t, std::span<const double> x);
  /// Positions and rates alone.
  const system::Snapshot<double>& kinematics(double t, std::span<const double> x);

 private:
  void poll() {
    if (poll_ != nullptr) poll_->poll();
  }

  system::System& system_;
  PollRequest* poll_ = nullptr;
  double segment_begin_ = -std::numeric_limits<double>::infinity();
  double segment_end_ = std::numeric_limits<double>::infinity();
  std::vector<ChannelCrossing> crossings_;
  system::Depth crossing_depth_ = system::Depth::kKinematics;  ///< of their channels, and kinks
  system::Snapshot<double> snapshot_;
  std::unique_ptr<system::JacobianScratch> jacobian_scratch_;  ///< made when asked for, as is
  std::unique_ptr<TreeSecondOrder> second_order_;
  std::vector<double> rate_, end_rate_, start_;
  std::vector<double> last_values_;  ///< of the channel crossings
  int refused_coordinate_ = -1;
  int refused_link_ = -1;
  bool refused_out_of_bounds_ = false;
  double nearest_in_step_ =
      1.0;  ///< smallest pivot of the constraints since the last step was judged
  double nearest_singular_ = 1.0;                             ///< and since it was last asked for
  double weakest_ = std::numeric_limits<double>::infinity();  ///< and since the last commit
};

}  // namespace grapple::integrate
