// A system::System as a SecondOrderProblem of one dense block: inverse dynamics by rnea with its
// analytic derivatives, rows by its constraints; elements and rows are differentiated by dual
// numbers.
//
// Quadratures are the system's supplies along the motion that the method makes. What the motion
// needs besides the modelled forces, r.v of the coordinates that follow forces, goes to the account
// `numerical`; what driven joints need goes to the actuators.
#pragma once

#include <array>
#include <vector>

#include "grapple/dynamics/rnea_derivatives.h"
#include "grapple/integrate/dense_block.h"
#include "grapple/integrate/poll_request.h"
#include "grapple/integrate/second_order.h"
#include "grapple/system/system.h"

namespace grapple::integrate {

class TreeSecondOrder final : public SecondOrderProblem, public DenseBlock {
 public:
  explicit TreeSecondOrder(const system::System& system);
  TreeSecondOrder(const TreeSecondOrder&) = delete;
  TreeSecondOrder& operator=(const TreeSecondOrder&) = delete;

  /// Asked at every evaluation; null: none.
  void set_poll(PollRequest* poll) { poll_ = poll; }

  SecondOrderSizes sizes() const override { return n_; }
  bool start(double t, std::span<const double> x, std::span<double> u_rate,
             std::span<double> lambda) override;
  bool residual(const MotionPoint& point, SecondOrderResidual& out) override;
  std::span<TangentBlock* const> blocks() override { return blocks_; }
  void assemble(const MotionPoint& point, const TangentWeights& weights, RowTangent& rows) override;
  int row_rank() const override {
    return system_.modes().held_rows.empty() ? -1 : system_.constraint_rank();
  }
  void impose(Impose what, double t, std::span<double> x, std::span<double> u_rate) override;
  void move(std::span<const double> delta, std::span<double> q) const override;
  void difference(std::span<const double> q0, std::span<const double> q1,
                  std::span<double> delta) const override;
  void rates_along(std::span<const double> delta, std::span<const double> delta_rate,
                   std::span<const double> delta_acceleration, std::span<double> v,
                   std::span<double> v_rate) const override;
  void delta_rate(std::span<const double> delta, std::span<const double> v,
                  std::span<double> rate) const override;
  double largest_turn(std::span<const double> delta) const override;
  void position_scales(std::span<const double> x, std::span<double> scales) const override;
  void quadrature_rates(const MotionPoint& point, std::span<double> rates) override;

 private:
  void poll() {
    if (poll_ != nullptr) poll_->poll();
  }
  void find_driven(const model::StateT<double>& state);
  void inertial_tangent(const MotionPoint& point, const TangentWeights& weights);
  void collect(const MotionPoint& point, const TangentWeights& weights, int first, int count,
               RowTangent& rows);
  void hold_driven(RowTangent& rows);
  void seed(const MotionPoint& point, const TangentWeights& weights, int first, int count);

  const system::System& system_;
  PollRequest* poll_ = nullptr;
  SecondOrderSizes n_;
  std::array<TangentBlock*, 1> blocks_{this};
  system::Snapshot<double> start_;  ///< solved for accelerations, as the system likes it
  system::Snapshot<double> snapshot_;
  system::Snapshot<spatial::Dual> moving_;
  std::vector<spatial::Dual> x_;
  spatial::VecXT<spatial::Dual> delta_moving_, q_moving_;
  spatial::VecX vdot_;
  mutable spatial::VecX q_, delta_;
  std::vector<unsigned char> driven_;  ///< per rate, at the last evaluation
  dynamics::RneaDerivatives derivatives_;
};

}  // namespace grapple::integrate
