#include "grapple/control/continuous/continuous_controller.h"

#include <algorithm>
#include <cmath>

#include "grapple/base/assert.h"

namespace grapple::control {

namespace {

using spatial::Dual;

class ContinuousController final : public element::Element {
 public:
  ContinuousController(std::unique_ptr<element::SampledBlock> law, ContinuousAction action)
      : Element("controller/" + law->name()),
        law_(std::move(law)),
        action_(std::move(action)),
        remembered_(law_->memory()),
        at_(action_.reads.size()),
        moved_(action_.reads.size()),
        efforts_(action_.rates.size()),
        memory_(remembered_.size()),
        before_(efforts_.size() + memory_.size()),
        after_(before_.size()),
        duals_(before_.size()) {
    GRAPPLE_ASSERT(action_.efforts.size() == action_.rates.size());
  }

  Reach reach() const override { return Reach::kCoordinates; }

  void evaluate(element::Evaluation<double>& e) const override {
    read(e.state);
    respond(e.t, at_, before_);
    apply(before_, e);
  }
  void evaluate(element::Evaluation<Dual>& e) const override {
    respond_dual(e);
    apply(duals_, e);
  }

  std::vector<element::Output> outputs() const override {
    std::vector<element::Output> all = action_.efforts;
    all.insert(all.end(), remembered_.begin(), remembered_.end());
    for (element::Output& output : all) output.name = name() + "/" + output.name;
    return all;
  }
  void report(const element::Evaluation<double>& e, std::span<double> values) const override {
    read(e.state);
    respond(e.t, at_, values);
  }
  void report(const element::Evaluation<Dual>& e, std::span<Dual> values) const override {
    respond_dual(e);
    std::copy(duals_.begin(), duals_.end(), values.begin());
  }

  std::vector<double> breakpoints(double t_end) const override {
    std::vector<double> all;
    for (const Function& function : action_.functions) {
      const std::vector<double> own = function.breakpoints(0.0, t_end);
      all.insert(all.end(), own.begin(), own.end());
    }
    return all;
  }

 private:
  using Coordinate = ContinuousAction::Coordinate;

  template <class T>
  static const T& coordinate(const model::StateT<T>& state, const Coordinate& c) {
    return c.kind == Coordinate::Kind::kPosition ? state.q[c.index] : state.v[c.index];
  }
  template <class T>
  void read(const model::StateT<T>& state) const {
    for (std::size_t k = 0; k < at_.size(); ++k) {
      at_[k] = spatial::value_of(coordinate(state, action_.reads[k]));
    }
  }

  /// Efforts, then what it would remember.
  void respond(double t, std::span<const double> in, std::span<double> values) const {
    std::fill(efforts_.begin(), efforts_.end(), 0.0);
    std::fill(memory_.begin(), memory_.end(), 0.0);
    element::Sample sample{t, in, efforts_, memory_, requests_};
    law_->update(sample);
    const auto end = std::copy(efforts_.begin(), efforts_.end(), values.begin());
    std::copy(memory_.begin(), memory_.end(), end);
  }

  // Central differences along each direction; the step is that of the largest coordinate.
  void respond_dual(const element::Evaluation<Dual>& e) const {
    read(e.state);
    respond(e.t, at_, before_);
    for (std::size_t k = 0; k < before_.size(); ++k) duals_[k] = Dual(before_[k]);
    for (std::size_t direction = 0; direction < Dual::kWidth; ++direction) {
      double length = 0.0;
      for (const Coordinate& c : action_.reads) {
        length = std::max(length, std::abs(coordinate(e.state, c).d[direction]));
      }
      if (length == 0.0) continue;
      constexpr double kStep = 1e-6;
      const double step = kStep / length;
      step_along(e, direction, step, after_);
      step_along(e, direction, -step, before_);
      for (std::size_t k = 0; k < before_.size(); ++k) {
        duals_[k].d[direction] = (after_[k] - before_[k]) / (2.0 * step);
      }
    }
  }
  void step_along(const element::Evaluation<Dual>& e, std::size_t direction, double step,
                  std::span<double> values) const {
    for (std::size_t k = 0; k < at_.size(); ++k) {
      moved_[k] = at_[k] + step * coordinate(e.state, action_.reads[k]).d[direction];
    }
    respond(e.t, moved_, values);
  }

  template <class T>
  void apply(const std::vector<T>& values, element::Evaluation<T>& e) const {
    for (std::size_t k = 0; k < action_.rates.size(); ++k) {
      e.tau[action_.rates[k]] += values[k];
      e.energies.add_power(element::Supply::kActuators, values[k] * e.state.v[action_.rates[k]]);
    }
  }

  std::unique_ptr<element::SampledBlock> law_;
  ContinuousAction action_;
  std::vector<element::Output> remembered_;
  mutable std::vector<double> at_, moved_, efforts_, memory_, before_, after_;  // scratch
  mutable std::vector<Dual> duals_;
  mutable std::vector<element::Request> requests_;
};

}  // namespace

std::unique_ptr<element::Element> make_continuous_controller(
    std::unique_ptr<element::SampledBlock> law, ContinuousAction action) {
  return std::make_unique<ContinuousController>(std::move(law), std::move(action));
}

bool is_continuous_controller(const element::Element& element) {
  return dynamic_cast<const ContinuousController*>(&element) != nullptr;
}

}  // namespace grapple::control
