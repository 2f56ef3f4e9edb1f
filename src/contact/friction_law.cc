#include "grapple/contact/friction_law.h"

#include "grapple/base/assert.h"
#include "grapple/contact/internal/bristle_states.h"

namespace grapple::contact {

namespace {

using spatial::Vec3T;

class Frictionless final : public FrictionLawOf<Frictionless> {
 public:
  template <class T>
  FrictionForce<T> friction_force(const Sliding<T>& /*s*/) const {
    return {Vec3T<T>::Zero(), T(0)};
  }
};

class Coulomb final : public FrictionLawOf<Coulomb> {
 public:
  explicit Coulomb(const CoulombFriction& law) : law_(law) {}

  template <class T>
  FrictionForce<T> friction_force(const Sliding<T>& s) const {
    const Vec3T<T> pull = T(law_.kinetic) * smooth_direction<T>(s.slip_B, law_.transition_speed) +
                          T(law_.viscous) * s.slip_B;
    const T scaled = s.slip_B.squaredNorm() / T(law_.transition_speed * law_.transition_speed);
    return {-s.normal_force * pull, scaled < T(1) ? T(T(1) - scaled) : T(0)};
  }

 private:
  CoulombFriction law_;
};

class Bristle final : public FrictionLawOf<Bristle> {
 public:
  explicit Bristle(const BristleFriction& law) : bristles_(law) {}

  std::vector<std::pair<std::string, std::string>> state_names() const override {
    return BristleStates::names();
  }
  void start(std::span<double> state) const override { bristles_.start(state); }

  template <class T>
  FrictionForce<T> friction_force(const Sliding<T>& s) const {
    const BristleFriction& law = bristles_.law;
    const T stick = bristles_.stick(T(s.slip_B.squaredNorm()));
    const Vec3T<T> sliding = T(law.kinetic) * bristles_.direction(s);
    const Vec3T<T> trial = T(law.stiffness) * bristles_.deflection(s) * stick +
                           T(law.damping) * stick * s.slip_B + (T(1) - stick) * sliding;
    const Vec3T<T> b = saturated<T>(trial, bristles_.limit(s));
    bristles_.set_rates(s, b, stick);
    return {-s.normal_force * (b + T(law.viscous) * s.slip_B), stick};
  }

 private:
  BristleStates bristles_;
};

}  // namespace

std::shared_ptr<const FrictionLaw> make_frictionless() { return std::make_shared<Frictionless>(); }

std::shared_ptr<const FrictionLaw> make_friction_law(const CoulombFriction& law) {
  GRAPPLE_ASSERT(law.kinetic >= 0.0 && law.viscous >= 0.0 && law.transition_speed > 0.0);
  return std::make_shared<Coulomb>(law);
}

std::shared_ptr<const FrictionLaw> make_friction_law(const BristleFriction& law) {
  return std::make_shared<Bristle>(law);
}

}  // namespace grapple::contact
