#include "grapple/contact/normal_law.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "grapple/base/assert.h"

namespace grapple::contact {

namespace {

class Power final : public NormalLawOf<Power> {
 public:
  explicit Power(const PowerLaw& law)
      : law_(law), number_(damping_number(law.rule, restitution_at(law.restitution, 0.0))) {}

  double latch(double impact_speed) const override {
    if (law_.restitution.slope != 0.0) {
      return damping_factor(law_.rule, law_.restitution, law_.slow_impact, impact_speed);
    }
    return number_ / std::max(impact_speed, law_.slow_impact);
  }

  template <class T>
  NormalForce<T> normal_force(const Penetration<T>& s) const {
    using std::pow;
    using std::sqrt;
    const T spring = T(law_.stiffness) * (law_.exponent == 1.5   ? T(s.depth * sqrt(s.depth))
                                          : law_.exponent == 1.0 ? s.depth
                                                                 : T(pow(s.depth, law_.exponent)));
    T force = spring * (T(1) + T(s.latched) * s.depth_rate);
    if (force < T(0)) force = T(0);
    return {force, spring, spring * s.depth / T(law_.exponent + 1.0)};
  }

 private:
  PowerLaw law_;
  double number_;  // d of impacts at vanishing speed
};

}  // namespace

std::shared_ptr<const NormalLaw> make_normal_law(const PowerLaw& law) {
  GRAPPLE_ASSERT(law.stiffness > 0.0 && law.exponent >= 1.0 && law.slow_impact > 0.0);
  return std::make_shared<Power>(law);
}

ImpactEstimate estimate_impact(const PowerLaw& law, double m, double v) {
  const double q = law.exponent + 1.0;
  ImpactEstimate e;
  e.depth = std::pow(0.5 * q * m * v * v / law.stiffness, 1.0 / q);
  e.force = law.stiffness * std::pow(e.depth, law.exponent);
  e.duration = 2.0 * e.depth / v * std::sqrt(std::numbers::pi) * std::tgamma(1.0 + 1.0 / q) /
               std::tgamma(0.5 + 1.0 / q);
  e.frequency = std::sqrt(law.exponent * e.force / (e.depth * m));
  return e;
}

}  // namespace grapple::contact
