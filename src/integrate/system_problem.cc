#include "grapple/integrate/system_problem.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "grapple/dynamics/aba.h"

namespace grapple::integrate {

SystemProblem::SystemProblem(system::System& system, std::vector<ChannelCrossing> crossings)
    : system_(system),
      crossings_(std::move(crossings)),
      snapshot_(system),
      rate_(static_cast<std::size_t>(system.size())) {}

bool SystemProblem::derivative(double t, std::span<const double> x, std::span<double> xdot) {
  const bool finite = system_.evaluate<double>(t, x, snapshot_);
  system_.state_rate<double>(snapshot_, xdot);
  nearest_in_step_ = std::min(nearest_in_step_, snapshot_.loops.smallest_pivot);
  nearest_singular_ = std::min(nearest_singular_, snapshot_.loops.smallest_pivot);
  weakest_ = std::min(weakest_, snapshot_.loops.smallest_pivot);
  if (!finite) {
    const auto& tau = snapshot_.tau;
    const auto bad =
        std::find_if(tau.begin(), tau.end(), [](double e) { return !std::isfinite(e); });
    refused_coordinate_ = bad == tau.end() ? -1 : static_cast<int>(bad - tau.begin());
    refused_link_ = dynamics::link_without_inertia(system_.model(), snapshot_.workspace);
  }
  return finite;
}

// Near a singular position of the loops, accelerations across the manifold are rounding divided by
// the cube of the distance: no step makes that smaller, and the projection removes what it does.
void SystemProblem::judge_error(std::span<double> error) {
  // A mechanism whose rows are always close to each other is not near one for that.
  const double near = std::min(1e-3, 0.1 * system_.initial_pivot());
  if (nearest_in_step_ < near) system_.keep_tangent(snapshot_, error);
  nearest_in_step_ = 1.0;
}

bool SystemProblem::commit(double t, std::span<double> x) {
  system_.renew_rows(t, x, std::exchange(weakest_, std::numeric_limits<double>::infinity()));
  return system_.commit(t, x);
}

double SystemProblem::take_nearest_singular() { return std::exchange(nearest_singular_, 1.0); }

bool SystemProblem::jacobian(double t, std::span<const double> x, std::span<double> J) {
  if (jacobian_scratch_ == nullptr) {
    jacobian_scratch_ = std::make_unique<system::JacobianScratch>(system_);
  }
  system_.jacobian(t, x, J, *jacobian_scratch_);
  return true;
}

SecondOrderProblem* SystemProblem::second_order() {
  if (second_order_ == nullptr) second_order_ = std::make_unique<TreeSecondOrder>(system_);
  return second_order_.get();
}

bool SystemProblem::semi_implicit_step(double t, double h, std::span<double> x) {
  if (!derivative(t, x, rate_)) return false;
  const auto first_rate = static_cast<std::size_t>(system_.model().nq());
  for (std::size_t k = first_rate; k < x.size(); ++k) x[k] += h * rate_[k];
  system_.drift(h, x);
  return true;
}

int SystemProblem::event_count() const { return channel_crossing_count() + system_.kink_count(); }

void SystemProblem::event_values(double t, std::span<const double> x, std::span<double> values) {
  if (crossings_.empty()) {
    system_.kinematics(t, x, snapshot_);
  } else {
    evaluate(t, x);
  }
  for (std::size_t k = 0; k < crossings_.size(); ++k) {
    const system::Channel& channel =
        system_.channels()[static_cast<std::size_t>(crossings_[k].channel)];
    values[k] = system::channel_value(system_, channel, snapshot_) - crossings_[k].level;
  }
  system_.kink_values(snapshot_, values.subspan(crossings_.size()));
}

std::vector<Crossing> SystemProblem::crossings() const {
  std::vector<Crossing> all;
  for (const ChannelCrossing& crossing : crossings_) all.push_back(crossing.direction);
  all.resize(static_cast<std::size_t>(event_count()), Crossing::kBoth);
  return all;
}

const system::Snapshot<double>& SystemProblem::evaluate(double t, std::span<const double> x) {
  system_.evaluate<double>(t, x, snapshot_);
  return snapshot_;
}

}  // namespace grapple::integrate
