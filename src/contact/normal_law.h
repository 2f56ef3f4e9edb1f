// Force along the normal at a site. It pushes or lets go; it never pulls.
//
// To write one, derive from NormalLawOf<YourLaw> and give it
//   template <class T> NormalForce<T> normal_force(const Penetration<T>& s) const;   // s.depth > 0
// and latch(), the one number it wants to remember of the impact.
#pragma once

#include <memory>

#include "grapple/contact/restitution.h"
#include "grapple/spatial/dual.h"

namespace grapple::contact {

template <class T>
struct Penetration {
  T depth;         ///< m, > 0
  T depth_rate;    ///< m/s, > 0 while approaching
  double latched;  ///< what latch() said when this contact began; 0 before
};

template <class T>
struct NormalForce {
  T force;    ///< N, >= 0
  T elastic;  ///< N, the part that can be won back: d energy / d depth
  T energy;   ///< J
};

class NormalLaw {
 public:
  virtual ~NormalLaw() = default;
  virtual NormalForce<double> operator()(const Penetration<double>& s) const = 0;
  virtual NormalForce<spatial::Dual> operator()(const Penetration<spatial::Dual>& s) const = 0;
  /// Called once when a contact begins, at that approach speed [m/s, >= 0].
  virtual double latch(double impact_speed) const = 0;
};

template <class Derived>
class NormalLawOf : public NormalLaw {
 public:
  NormalForce<double> operator()(const Penetration<double>& s) const final {
    return static_cast<const Derived&>(*this).normal_force(s);
  }
  NormalForce<spatial::Dual> operator()(const Penetration<spatial::Dual>& s) const final {
    return static_cast<const Derived&>(*this).normal_force(s);
  }
};

/// f = max(0, k x^p (1 + a x')), a = d(e(v)) / max(v, slow_impact), latched at touch. p = 3/2 is
/// Hertz's, p = 1 a linear spring.
struct PowerLaw {
  double stiffness = 0.0;  ///< k, N/m^p, > 0
  double exponent = 1.5;   ///< p, >= 1
  DampingRule rule = DampingRule::kExact;
  Restitution restitution;
  /// The last impact speed before lasting contact, m/s: slower touches are damped as this one.
  double slow_impact = 1e-3;
};

std::shared_ptr<const NormalLaw> make_normal_law(const PowerLaw& law);

/// A contact of reduced mass m that begins at speed v, undamped: for choosing steps.
struct ImpactEstimate {
  double depth = 0.0;      ///< largest, m
  double force = 0.0;      ///< largest, N
  double duration = 0.0;   ///< s
  double frequency = 0.0;  ///< highest of the linearised contact, rad/s
};
/// depth = ((p+1)/2 m v^2 / k)^(1/(p+1)); duration = 2 depth/v sqrt(pi)
/// G(1+1/(p+1))/G(1/2+1/(p+1)).
ImpactEstimate estimate_impact(const PowerLaw& law, double reduced_mass_kg, double speed);

}  // namespace grapple::contact
