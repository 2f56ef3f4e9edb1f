#include "grapple/integrate/system_problem.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "grapple/dynamics/aba.h"

namespace grapple::integrate {

SystemProblem::SystemProblem(system::System& system, std::vector<ChannelCrossing> crossings)
    : system_(system),
      crossings_(std::move(crossings)),
      snapshot_(system),
      rate_(static_cast<std::size_t>(system.size())),
      end_rate_(rate_),
      start_(rate_),
      last_values_(crossings_.size(), 1.0) {
  for (const ChannelCrossing& crossing : crossings_) {
    const system::Channel& channel = system.channels()[static_cast<std::size_t>(crossing.channel)];
    crossing_depth_ = std::max(crossing_depth_, system::depth_of(system, channel));
  }
}

bool SystemProblem::derivative(double t, std::span<const double> x, std::span<double> xdot) {
  poll();
  const bool finite = system_.accelerate<double>(t, x, snapshot_);
  system_.state_rate<double>(snapshot_, xdot);
  nearest_in_step_ = std::min(nearest_in_step_, snapshot_.constraints.smallest_pivot);
  nearest_singular_ = std::min(nearest_singular_, snapshot_.constraints.smallest_pivot);
  weakest_ = std::min(weakest_, snapshot_.constraints.smallest_pivot);
  if (!finite) {
    const auto& tau = snapshot_.tau;
    const auto bad =
        std::find_if(tau.begin(), tau.end(), [](double e) { return !std::isfinite(e); });
    refused_coordinate_ = bad == tau.end() ? -1 : static_cast<int>(bad - tau.begin());
    constexpr double kFastest = 1e12;
    const model::State& state = snapshot_.state;
    refused_out_of_bounds_ = !state.q.allFinite() || !(state.v.cwiseAbs().maxCoeff() < kFastest);
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

// A step redone to end at an event has been judged before; what it met is not the next one's, and
// no checkpoint keeps it.
bool SystemProblem::commit(double t, std::span<double> x) {
  nearest_in_step_ = 1.0;
  system_.renew_rows(t, x, std::exchange(weakest_, std::numeric_limits<double>::infinity()));
  return system_.commit(t, x);
}

double SystemProblem::take_nearest_singular() { return std::exchange(nearest_singular_, 1.0); }

bool SystemProblem::jacobian(double t, std::span<const double> x, std::span<double> J) {
  poll();
  if (jacobian_scratch_ == nullptr) {
    jacobian_scratch_ = std::make_unique<system::JacobianScratch>(system_);
  }
  system_.jacobian(t, x, J, *jacobian_scratch_);
  return true;
}

SecondOrderProblem* SystemProblem::second_order() {
  if (second_order_ == nullptr) {
    second_order_ = std::make_unique<TreeSecondOrder>(system_);
    second_order_->set_poll(poll_);
  }
  return second_order_.get();
}

void SystemProblem::set_poll(PollRequest* poll) {
  poll_ = poll;
  if (second_order_ != nullptr) second_order_->set_poll(poll);
}

bool SystemProblem::semi_implicit_step(double t, double h, std::span<double> x) {
  if (!derivative(t, x, rate_)) return false;
  const auto first_rate = static_cast<std::size_t>(system_.model().nq());
  for (std::size_t k = first_rate; k < x.size(); ++k) x[k] += h * rate_[k];
  system_.drift(h, x);
  return true;
}

// Swope et al. (1982): q1 = q + h (v + h/2 v'), v1 = v + h/2 (v' + v1'). The derivatives at the end
// are read with predicted rates, v + h v', which leaves the order two for forces that depend on
// them; so do states of elements and the work of the supplies.
bool SystemProblem::verlet_step(double t, double h, std::span<double> x) {
  if (!derivative(t, x, rate_)) return false;
  const auto nq = static_cast<std::size_t>(system_.model().nq());
  const std::size_t rest = nq + static_cast<std::size_t>(system_.model().nv());
  std::copy(x.begin(), x.end(), start_.begin());
  for (std::size_t k = nq; k < rest; ++k) x[k] += 0.5 * h * rate_[k];
  system_.drift(h, x);
  for (std::size_t k = nq; k < x.size(); ++k) x[k] = start_[k] + h * rate_[k];
  if (!derivative(t + h, x, end_rate_)) return false;
  for (std::size_t k = nq; k < x.size(); ++k) {
    x[k] = start_[k] + 0.5 * h * (rate_[k] + end_rate_[k]);
  }
  return true;
}

int SystemProblem::event_count() const { return channel_crossing_count() + system_.kink_count(); }

void SystemProblem::event_values_except(std::span<const std::uint8_t> skip, double t,
                                        std::span<const double> x, std::span<double> values) {
  poll();
  const auto marked = [](std::uint8_t mark) { return mark != 0; };
  const std::size_t channels = crossings_.size();
  const std::span<const std::uint8_t> skipped = skip.first(std::min(skip.size(), channels));
  const bool all = !skip.empty() && std::all_of(skipped.begin(), skipped.end(), marked);
  system_.evaluate_to(channels == 0 || all ? system::Depth::kKinematics : crossing_depth_, t, x,
                      snapshot_);
  for (std::size_t k = 0; k < channels && !all; ++k) {
    const system::Channel& channel =
        system_.channels()[static_cast<std::size_t>(crossings_[k].channel)];
    const double value = system::channel_value(system_, channel, snapshot_) - crossings_[k].level;
    // What is no number crosses nothing: the sign stays.
    if (!std::isnan(value)) last_values_[k] = value;
    values[k] = last_values_[k];
  }
  system_.kink_values(snapshot_, skip.empty() ? skip : skip.subspan(channels),
                      values.subspan(channels));
}

Problem::Passage SystemProblem::event_passage(int index) const {
  const int kink = index - channel_crossing_count();
  if (kink < 0) return {};
  const int element = system_.element_of_kink(kink);
  const element::Element::Passage passage =
      system_.elements()[static_cast<std::size_t>(element)]->passage();
  return {passage.depth, passage.grain, element};
}

void SystemProblem::event_speeds(double t, std::span<const double> x, std::span<double> speeds) {
  poll();
  system_.kinematics(t, x, snapshot_);
  std::fill_n(speeds.begin(), crossings_.size(), std::numeric_limits<double>::infinity());
  system_.kink_speeds(snapshot_, speeds.subspan(crossings_.size()));
}

Problem::StepBound SystemProblem::longest_step() const {
  const system::System::StepBound bound = system_.longest_step();
  return {bound.seconds, bound.element};
}

void SystemProblem::enter_segment(double begin, double end) {
  segment_begin_ = begin;
  segment_end_ = end;
  system_.read_times_inside(begin, end);
}

std::vector<Crossing> SystemProblem::crossings() const {
  std::vector<Crossing> all;
  for (const ChannelCrossing& crossing : crossings_) all.push_back(crossing.direction);
  all.resize(static_cast<std::size_t>(event_count()), Crossing::kBoth);
  return all;
}

bool SystemProblem::try_evaluate(double t, std::span<const double> x) {
  poll();
  return system_.evaluate<double>(t, x, snapshot_);
}

const system::Snapshot<double>& SystemProblem::kinematics(double t, std::span<const double> x) {
  poll();
  system_.kinematics(t, x, snapshot_);
  return snapshot_;
}

const system::Snapshot<double>& SystemProblem::evaluate(double t, std::span<const double> x) {
  poll();
  constexpr double kEver = std::numeric_limits<double>::infinity();
  system_.read_times_inside(-kEver, kEver);
  system_.evaluate<double>(t, x, snapshot_);
  system_.read_times_inside(segment_begin_, segment_end_);
  return snapshot_;
}

}  // namespace grapple::integrate
