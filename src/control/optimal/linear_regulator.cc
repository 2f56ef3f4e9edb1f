#include "grapple/control/optimal/linear_regulator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "grapple/base/assert.h"

namespace grapple::control {

using spatial::MatX;
using spatial::VecX;

namespace {

// Numbers of one joint in the memory of the block.
enum RegulatorMemory : std::size_t { kWanted, kError, kSum, kRegulatorNumbers };

std::string unit_of_channel(const std::string& channel, const model::Model& model, int rate) {
  const bool of_rate = channel.ends_with("rate");
  switch (model::unit_of_rate(model, rate)) {
    case model::RateUnit::kAngular:
      return of_rate ? "rad/s" : "rad";
    case model::RateUnit::kLinear:
      return of_rate ? "m/s" : "m";
    case model::RateUnit::kModal:
      break;
  }
  return of_rate ? "1/s" : "1";
}

}  // namespace

LinearRegulator::LinearRegulator(const ControlledArm& arm, JointTargets targets,
                                 std::vector<RegulatorNode> nodes, GainSchedule schedule,
                                 std::vector<std::string> signals, VecX limit)
    : ArmBlock(arm),
      targets_(std::move(targets)),
      nodes_(std::move(nodes)),
      schedule_(std::move(schedule)),
      signals_(std::move(signals)),
      limit_(std::move(limit)),
      state_channels_(nodes_.front().posture.states),
      states_(nodes_.front().posture.A.rows()),
      joints_(nodes_.front().posture.joints),
      integrals_(nodes_.front().regulator.integrals),
      late_(nodes_.front().regulator.samples_late) {
  // An estimator also needs the efforts that act since the last sample.
  const double delay_samples = std::ceil(arm.schedule.delay / arm.schedule.period - 1e-9);
  kept_efforts_ = estimates() ? static_cast<int>(delay_samples) + 1 : late_;
  const auto p = static_cast<Eigen::Index>(posture().passive.size());
  for (VecX* vector : {&x_, &x_e_, &x_r_, &deviation_, &next_}) vector->setZero(states_);
  for (VecX* vector : {&u_e_, &u_, &u_late_, &u_early_, &r_ddot_}) vector->setZero(joints_);
  passive_.setZero(p);
  load_.setZero(p);
  innovation_.setZero(static_cast<Eigen::Index>(signals_.size()));
  feedback_in_.setZero(states_ + integrals_ + late_ * joints_);
  wanted_.resize(static_cast<std::size_t>(joints_));

  plant().tell_start(0.0);
  start_x_.setZero(states_);
  given_.clear();
  for (Eigen::Index k = 0; k < joints_; ++k) {
    const int rate = joint_rates()[static_cast<std::size_t>(k)];
    given_.emplace_back(rate, position_of(plant(), rate));
  }
  if (schedule_.rate >= 0) given_.emplace_back(schedule_.rate, 0.0);
  Between first;
  if (schedule_.rate >= 0) {
    given_.back().second = position_of(plant(), schedule_.rate);
    first = between(given_.back().second);
  }
  find_rest(0.0, first, given_);
  start_x_ = x_e_;
  start_u_ = u_e_;
}

std::vector<std::string> LinearRegulator::reads() const {
  std::vector<std::string> all = estimates() ? signals_ : state_channels_;
  if (!schedule_.channel.empty()) all.push_back(schedule_.channel);
  for (std::string& channel : all) {
    const auto shown = arm().measured.find(channel);
    if (shown != arm().measured.end()) channel = shown->second;
  }
  const std::vector<std::string> wanted = targets_.reads();
  all.insert(all.end(), wanted.begin(), wanted.end());
  return all;
}

std::size_t LinearRegulator::first_estimate() const {
  return static_cast<std::size_t>(joints_) * kRegulatorNumbers;
}
std::size_t LinearRegulator::first_effort() const {
  return first_estimate() + (estimates() ? static_cast<std::size_t>(states_) : 0);
}

std::vector<element::Output> LinearRegulator::memory() const {
  std::vector<element::Output> numbers;
  for (const ControlledCoordinate& joint : arm().joints) {
    const std::string unit = joint.turns ? "rad" : "m";
    numbers.push_back({joint.joint + "/set_point", unit});
    numbers.push_back({joint.joint + "/error", unit});
    numbers.push_back({joint.joint + "/integral", unit + "*s"});
  }
  if (estimates()) {
    for (std::size_t k = 0; k < state_channels_.size(); ++k) {
      const int rate = posture().coordinates[k % posture().coordinates.size()];
      numbers.push_back({"estimate/" + state_channels_[k],
                         unit_of_channel(state_channels_[k], plant().model(), rate)});
    }
  }
  for (int before = 1; before <= kept_efforts_; ++before) {
    for (const ControlledCoordinate& joint : arm().joints) {
      numbers.push_back(
          {fmt::format("{}/effort_before_{}", joint.joint, before), joint.turns ? "N*m" : "N"});
    }
  }
  return numbers;
}

// Efforts on their way before the first sample are none; what acted before is that of rest.
void LinearRegulator::start(std::span<double> memory) const {
  std::fill(memory.begin(), memory.end(), 0.0);
  if (!estimates()) return;
  std::copy(start_x_.begin(), start_x_.end(), memory.begin() + static_cast<long>(first_estimate()));
  std::copy(start_u_.begin(), start_u_.end(), memory.end() - joints_);
}

LinearRegulator::Between LinearRegulator::between(double value) const {
  const std::vector<double>& at = schedule_.at;
  if (at.size() < 2 || value <= at.front()) return {};
  if (value >= at.back()) return {at.size() - 2, 1.0};
  const auto next = std::upper_bound(at.begin(), at.end(), value);
  const auto node = static_cast<std::size_t>(next - at.begin()) - 1;
  return {node, (value - at[node]) / (at[node + 1] - at[node])};
}

// One step of Newton's method from the rest at the postures around: exact there.
void LinearRegulator::find_rest(double t, const Between& at, const GivenPositions& given) const {
  const PostureModel& one = nodes_[at.node].posture;
  const PostureModel& other = nodes_[at.share > 0.0 ? at.node + 1 : at.node].posture;
  const std::vector<int>& rates = one.passive;
  plant().tell_start(t);
  plant().state().v.setZero();
  for (const auto& [rate, position] : given) position_of(plant(), rate) = position;
  passive_ = one.passive_positions;
  passive_ += at.share * (other.passive_positions - one.passive_positions);
  const auto put_passive = [&] {
    for (std::size_t k = 0; k < rates.size(); ++k) {
      position_of(plant(), rates[k]) = passive_[static_cast<Eigen::Index>(k)];
    }
  };
  put_passive();
  plant().evaluate();
  if (!rates.empty()) {
    for (std::size_t k = 0; k < rates.size(); ++k) {
      load_[static_cast<Eigen::Index>(k)] = plant().bias()[rates[k]];
    }
    passive_.noalias() -= (1.0 - at.share) * one.passive_compliance * load_;
    if (at.share > 0.0) passive_.noalias() -= at.share * other.passive_compliance * load_;
    put_passive();
    plant().evaluate();
  }
  for (Eigen::Index k = 0; k < joints_; ++k) {
    u_e_[k] = plant().bias()[joint_rates()[static_cast<std::size_t>(k)]];
  }
  x_e_.setZero();
  for (std::size_t k = 0; k < one.coordinates.size(); ++k) {
    x_e_[static_cast<Eigen::Index>(k)] = position_of(plant(), one.coordinates[k]);
  }
}

void LinearRegulator::add_estimate(const StateEstimator& of, const PostureModel& posture,
                                   double share, std::span<const double> measured) const {
  const Eigen::Index s = posture.positions.size();
  for (Eigen::Index k = 0; k < innovation_.size(); ++k) {
    innovation_[k] = measured[static_cast<std::size_t>(k)] - of.value[k];
  }
  // y - value = C (x_e - x_0) + H (x - x_e) + ...
  innovation_.noalias() -= of.C.leftCols(s) * x_e_.head(s);
  innovation_.noalias() += of.C.leftCols(s) * posture.positions;
  innovation_.noalias() -= of.H * deviation_;
  innovation_.noalias() -= of.H_late * u_late_;
  innovation_.noalias() -= of.H_early * u_early_;
  next_ += share * x_e_;
  next_.noalias() += share * of.Phi * deviation_;
  next_.noalias() += share * of.late * u_late_;
  next_.noalias() += share * of.early * u_early_;
  next_.noalias() += share * of.L * innovation_;
}

void LinearRegulator::estimate(const Between& at, std::span<const double> measured,
                               std::span<double> memory) const {
  const std::span<double> kept = memory.subspan(first_estimate());
  const std::span<const double> efforts = memory.subspan(first_effort());
  const auto late = static_cast<std::size_t>(kept_efforts_ - 1);
  const std::size_t early = late > 0 ? late - 1 : 0;  // without delay its matrix is zero
  for (Eigen::Index k = 0; k < states_; ++k) {
    deviation_[k] = kept[static_cast<std::size_t>(k)] - x_e_[k];
  }
  const auto m = static_cast<std::size_t>(joints_);
  for (std::size_t k = 0; k < m; ++k) {
    const auto joint = static_cast<Eigen::Index>(k);
    u_late_[joint] = efforts[late * m + k] - u_e_[joint];
    u_early_[joint] = efforts[early * m + k] - u_e_[joint];
  }
  next_.setZero();
  const RegulatorNode& one = nodes_[at.node];
  add_estimate(*one.estimator, one.posture, 1.0 - at.share, measured);
  if (at.share > 0.0) {
    const RegulatorNode& other = nodes_[at.node + 1];
    add_estimate(*other.estimator, other.posture, at.share, measured);
  }
  x_ = next_;
  std::copy(x_.begin(), x_.end(), kept.begin());
}

void LinearRegulator::feed_back(const Between& at, std::span<const double> memory) const {
  feedback_in_.head(states_) = x_ - x_r_;
  for (Eigen::Index k = 0; k < integrals_; ++k) {
    feedback_in_[states_ + k] = memory[static_cast<std::size_t>(k) * kRegulatorNumbers + kSum];
  }
  const std::span<const double> efforts = memory.subspan(first_effort());
  for (Eigen::Index k = 0; k < late_ * joints_; ++k) {
    feedback_in_[states_ + integrals_ + k] =
        efforts[static_cast<std::size_t>(k)] - u_e_[k % joints_];
  }
  u_ = u_e_;
  const auto add = [&](const RegulatorNode& node, double share) {
    u_.noalias() -= share * node.regulator.K * feedback_in_;
    u_.noalias() += share * node.posture.inertia * r_ddot_;
  };
  add(nodes_[at.node], 1.0 - at.share);
  if (at.share > 0.0) add(nodes_[at.node + 1], at.share);
}

void LinearRegulator::update(element::Sample& sample) const {
  const std::size_t measured = estimates() ? signals_.size() : state_channels_.size();
  const std::size_t scheduled = schedule_.channel.empty() ? 0 : 1;
  Between at;
  if (scheduled > 0) at = between(sample.in[measured]);
  targets_.at(sample.t, sample.in.subspan(measured + scheduled), wanted_);
  // A joint that is wanted elsewhere than the schedule has measured it rests where it is wanted.
  if (scheduled > 0) given_.back().second = sample.in[measured];
  for (std::size_t k = 0; k < wanted_.size(); ++k) {
    given_[k].second = wanted_[k].value;
    if (scheduled > 0 && given_[k].first == schedule_.rate) given_.back().second = wanted_[k].value;
    r_ddot_[static_cast<Eigen::Index>(k)] = wanted_[k].acceleration;
  }
  find_rest(sample.t, at, given_);
  x_r_ = x_e_;
  const PostureModel& near = nodes_[at.share > 0.5 ? at.node + 1 : at.node].posture;
  for (std::size_t k = near.joints; k < near.coordinates.size(); ++k) {
    const auto passive = std::find(near.passive.begin(), near.passive.end(), near.coordinates[k]) -
                         near.passive.begin();
    x_r_[static_cast<Eigen::Index>(k)] += near.passive_by_acceleration.row(passive).dot(r_ddot_);
  }
  for (Eigen::Index k = 0; k < joints_; ++k) {
    x_r_[states_ / 2 + k] = wanted_[static_cast<std::size_t>(k)].rate;
  }
  if (estimates()) {
    estimate(at, sample.in.first(measured), sample.memory);
  } else {
    std::copy_n(sample.in.begin(), measured, x_.begin());
  }
  feed_back(at, sample.memory);
  for (Eigen::Index k = 0; k < joints_; ++k) {
    const auto joint = static_cast<std::size_t>(k);
    double* const own = sample.memory.data() + joint * kRegulatorNumbers;
    own[kWanted] = wanted_[joint].value;
    own[kError] = wanted_[joint].value - x_[k];
    const bool cut = std::abs(u_[k]) > limit_[k];
    // While it is cut, the sum does not grow (conditional integration).
    if (integrals_ > 0 && !cut) own[kSum] -= schedule().period * own[kError];
    sample.out[joint] = std::clamp(u_[k], -limit_[k], limit_[k]);
  }
  if (kept_efforts_ == 0) return;
  const std::span<double> efforts = sample.memory.subspan(first_effort());
  std::copy_backward(efforts.begin(), efforts.end() - joints_, efforts.end());
  std::copy_n(sample.out.begin(), joints_, efforts.begin());
}

std::vector<std::string> LinearRegulator::notes() const {
  std::vector<std::string> all;
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    const RegulatorNode& node = nodes_[k];
    double largest = 0.0;
    for (const auto& pole : node.regulator.poles) largest = std::max(largest, std::abs(pole));
    std::string text = fmt::format("controller '{}'", name());
    if (!schedule_.at.empty()) text += fmt::format(" at {:.6g}", schedule_.at[k]);
    if (!node.regulator.poles.empty()) {
      text += fmt::format(", poles of the design: largest |z| {:.6g}, residual {:.1e}", largest,
                          node.regulator.residual);
    }
    if (node.estimator) {
      double slowest = 0.0;
      for (const auto& pole : node.estimator->poles) slowest = std::max(slowest, std::abs(pole));
      text += fmt::format("; of its estimator: largest |z| {:.6g}, residual {:.1e}", slowest,
                          node.estimator->residual);
    }
    all.push_back(std::move(text));
    for (Eigen::Index row = 0; row < node.regulator.K.rows(); ++row) {
      std::string gains =
          fmt::format("  gains of {}:", arm().joints[static_cast<std::size_t>(row)].joint);
      for (Eigen::Index c = 0; c < states_; ++c) {
        gains +=
            fmt::format(" {:.6g} {}{}", node.regulator.K(row, c),
                        state_channels_[static_cast<std::size_t>(c)], c + 1 < states_ ? "," : "");
      }
      all.push_back(std::move(gains));
    }
  }
  return all;
}

}  // namespace grapple::control
