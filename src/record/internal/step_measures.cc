#include "grapple/record/internal/step_measures.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace grapple::record {

namespace {

constexpr double kMostTurn = 0.5;       // rad in a piece
constexpr double kMostPieces = 4096.0;  // of a step, for what turns

}  // namespace

// One measured channel inside the step under way.
class StepMeasures::Inside final : public Curve {
 public:
  Inside(StepMeasures& owner, std::size_t measure, integrate::Path& path)
      : owner_(owner), measure_(measure), path_(path) {}
  double at(double t) override {
    path_.state(t, owner_.x_);
    owner_.evaluate(owner_.need_of(measure_), t, owner_.x_);
    return owner_.value(measure_);
  }

 private:
  StepMeasures& owner_;
  std::size_t measure_;
  integrate::Path& path_;
};

StepMeasures::StepMeasures(const system::System& system, integrate::SystemProblem& problem,
                           std::vector<MeasureSpec> specs, std::span<const std::size_t> channels,
                           const std::vector<ChannelInfo>& infos, double record_every)
    : system_(system),
      problem_(problem),
      measures_(std::move(specs), infos),
      record_every_(record_every),
      x_(static_cast<std::size_t>(system.size())),
      middle_(measures_.size()),
      end_(measures_.size()),
      omega_of_joints_(system.model().links().size(), spatial::Vec3::Zero()) {
  for (std::size_t k = 0; k < measures_.size(); ++k) {
    channels_.push_back(system.channels()[channels[measures_.channel(k)]]);
  }
}

StepMeasures::Need StepMeasures::need() const {
  Need most = Need::kNothing;
  for (std::size_t k = 0; k < channels_.size(); ++k) {
    if (!measures_[k].follows()) continue;
    most = std::max(most, need_of(k));
  }
  return most;
}

// Of the state alone too: rate_of_turn() reads the motion of the links.
StepMeasures::Need StepMeasures::need_of(std::size_t measure) const {
  const system::Depth depth = system::depth_of(system_, channels_[measure]);
  return depth == system::Depth::kForces ? Need::kForces : Need::kKinematics;
}

void StepMeasures::evaluate(Need need, double t, std::span<const double> x) {
  evaluable_ = true;
  if (need == Need::kForces) {
    evaluable_ = problem_.try_evaluate(t, x);
  } else {
    problem_.kinematics(t, x);
  }
}

double StepMeasures::value(std::size_t measure) const {
  if (!evaluable_) return std::numeric_limits<double>::quiet_NaN();
  return system::channel_value(system_, channels_[measure], problem_.snapshot());
}

void StepMeasures::begin(double t, std::span<const double> x) {
  if (channels_.empty()) return;
  Need most = Need::kNothing;
  for (std::size_t k = 0; k < channels_.size(); ++k) most = std::max(most, need_of(k));
  evaluate(most, t, x);
  for (std::size_t k = 0; k < channels_.size(); ++k) measures_[k].begin({t, value(k)});
}

// What modal coordinates turn is left out: error control follows them as they swing.
double StepMeasures::rate_of_turn() {
  const auto& motion = problem_.snapshot().workspace.motion;
  const std::vector<model::Link>& links = system_.model().links();
  double largest = 0.0;
  for (std::size_t i = 1; i < links.size(); ++i) {
    const auto parent = static_cast<std::size_t>(links[i].parent);
    omega_of_joints_[i] = omega_of_joints_[parent];
    if (links[i].kind == model::Link::Kind::kElasticFrame) continue;
    omega_of_joints_[i] += motion[i].omega - motion[parent].omega;
    largest = std::max(largest, omega_of_joints_[i].norm());
  }
  return largest;
}

void StepMeasures::sample(Need need, double t, integrate::Path& path, std::vector<double>& values) {
  path.state(t, x_);
  evaluate(need, t, x_);
  for (std::size_t k = 0; k < channels_.size(); ++k) {
    if (measures_[k].follows()) values[k] = value(k);
  }
}

void StepMeasures::follow(double from, double to, integrate::Path& path) {
  if (!(to > from)) return;
  for (std::size_t k = 0; k < channels_.size(); ++k) {
    if (!measures_[k].asks(from, to)) continue;
    Inside curve(*this, k, path);
    measures_[k].answer(curve);
  }
  const Need all = need();
  if (all == Need::kNothing) return;
  const double span = to - from;
  double parts = 1.0;
  // Of a chord only the end is read; otherwise the last values are those at the end.
  if (!path.is_chord()) {
    sample(all, from + 0.5 * span, path, middle_);
    parts = std::max(parts, std::ceil(rate_of_turn() * span / kMostTurn));
  }
  sample(all, to, path, end_);
  parts = std::max(parts, std::ceil(rate_of_turn() * span / kMostTurn));
  parts = std::min(parts, kMostPieces);
  if (record_every_ > 0.0) parts = std::max(parts, std::ceil(span / record_every_));
  for (double part = 1.0; part <= parts; part += 1.0) {
    const double begin = from + span * ((part - 1.0) / parts);
    const double end = part == parts ? to : from + span * (part / parts);
    const double middle = 0.5 * (begin + end);
    if (parts > 1.0) {
      sample(all, middle, path, middle_);
      sample(all, end, path, end_);
    }
    for (std::size_t k = 0; k < channels_.size(); ++k) {
      if (!measures_[k].follows()) continue;
      Inside curve(*this, k, path);
      if (path.is_chord() && parts == 1.0) {
        measures_[k].follow_chord({end, end_[k]}, curve);
      } else {
        measures_[k].follow({middle, middle_[k]}, {end, end_[k]}, curve);
      }
    }
  }
}

}  // namespace grapple::record
