#include "grapple/force/deployed_elasticity.h"

#include <fmt/format.h>

#include "grapple/base/assert.h"

namespace grapple::force {

namespace {

class DeployedElasticity final : public element::ElementOf<DeployedElasticity> {
 public:
  DeployedElasticity(const model::Model& model, const model::Link& link)
      : ElementOf("body/" + model.bodies()[static_cast<std::size_t>(link.body)].name +
                  "/elasticity"),
        q_(link.q_modal),
        v_(link.v_modal),
        line_(model.flexible_body(link).line) {}

  Reach reach() const override { return Reach::kCoordinates; }

  template <class T>
  void act(element::Evaluation<T>& e) const {
    const T a = T(1) / e.state.q[q_], a3 = a * a * a;
    const T slide = T(2) * a * e.state.v[v_];
    T energy(0), dissipated(0), pull(0);
    for (int k = 0; k < line_->elastic; ++k) {
      T spring(0), damper(0);
      for (int l = 0; l < line_->elastic; ++l) {
        const T& eta = e.state.q[q_ + 1 + l];
        const T u = e.state.v[v_ + 1 + l] - slide * eta;
        spring += T(line_->stiffness(k, l)) * eta;
        damper += T(line_->damping(k, l)) * u;
      }
      spring *= a3;
      damper *= a3;
      const T& eta = e.state.q[q_ + 1 + k];
      e.tau[v_ + 1 + k] -= spring + damper;
      pull += a * eta * (T(1.5) * spring + T(2) * damper);
      energy += T(0.5) * spring * eta;
      dissipated += damper * (e.state.v[v_ + 1 + k] - slide * eta);
    }
    e.tau[v_] += pull;
    e.energies.store(element::Stored::kElastic, energy);
    e.energies.add_power(element::Supply::kDamping, -dissipated);
  }

 private:
  int q_, v_;
  std::shared_ptr<const flexible::DeployedLine> line_;
};

class GuidedRange final : public element::ElementOf<GuidedRange> {
 public:
  GuidedRange(const model::Model& model, int link)
      : ElementOf("joint/" + model.joint_of_link(link).name + "/range"),
        q_(model.link(link).q_index),
        range_(*model.guided(model.link(link))) {}

  Reach reach() const override { return Reach::kCoordinates; }

  template <class T>
  void act(element::Evaluation<T>& e) const {
    if (is_outside(spatial::value_of(e.state.q[q_]))) e.refused = true;
  }

  std::string refusal(const element::Evaluation<double>& e) const override {
    const double at = e.state.q[q_];
    if (!is_outside(at)) return "";
    return fmt::format(
        "joint '{}' leaves its range from {:g} to {:g} m; a motion must end within it, a free or "
        "driven one needs stiff stops (limits) before its ends, or a lock",
        range_.joint, range_.lower, range_.upper);
  }

 private:
  // A stop gives a little, a prescribed motion ends with a rounding error.
  bool is_outside(double at) const {
    const double slack = 1e-9 * (range_.upper - range_.lower);
    return !(at >= range_.lower - slack && at <= range_.upper + slack);
  }

  int q_;
  flexible::GuidedCoordinate range_;
};

}  // namespace

std::unique_ptr<element::Element> make_deployed_elasticity(const model::Model& model, int link) {
  GRAPPLE_ASSERT(model.flexible_body(model.link(link)).line != nullptr);
  return std::make_unique<DeployedElasticity>(model, model.link(link));
}

std::unique_ptr<element::Element> make_guided_range(const model::Model& model, int link) {
  GRAPPLE_ASSERT(model.guided(model.link(link)) != nullptr);
  return std::make_unique<GuidedRange>(model, link);
}

}  // namespace grapple::force
