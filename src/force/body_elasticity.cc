#include "grapple/force/body_elasticity.h"

#include "grapple/base/assert.h"

namespace grapple::force {

namespace {

class BodyElasticity final : public element::ElementOf<BodyElasticity> {
 public:
  BodyElasticity(const model::Model& model, const model::Link& link)
      : ElementOf("body/" + model.bodies()[static_cast<std::size_t>(link.body)].name +
                  "/elasticity"),
        q_(link.q_modal),
        v_(link.v_modal),
        modes_(link.modes),
        stiffness_(model.flexible_body(link).stiffness),
        damping_(model.flexible_body(link).damping) {}

  Reach reach() const override { return Reach::kCoordinates; }

  template <class T>
  void act(element::Evaluation<T>& e) const {
    T energy(0), power(0);
    for (int k = 0; k < modes_; ++k) {
      T spring(0), damper(0);
      for (int l = 0; l < modes_; ++l) {
        spring += T(stiffness_(l, k)) * e.state.q[q_ + l];
        damper += T(damping_(l, k)) * e.state.v[v_ + l];
      }
      e.tau[v_ + k] -= spring + damper;
      energy += T(0.5) * spring * e.state.q[q_ + k];
      power -= damper * e.state.v[v_ + k];
    }
    e.energies.store(element::Stored::kElastic, energy);
    e.energies.add_power(element::Supply::kDamping, power);
  }

 private:
  int q_, v_, modes_;
  spatial::MatX stiffness_, damping_;
};

}  // namespace

std::unique_ptr<element::Element> make_body_elasticity(const model::Model& model, int link) {
  GRAPPLE_ASSERT(model.link(link).kind == model::Link::Kind::kFlexible);
  return std::make_unique<BodyElasticity>(model, model.link(link));
}

}  // namespace grapple::force
