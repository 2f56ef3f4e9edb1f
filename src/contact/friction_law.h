// Force in the tangent plane at a site, proportional to the normal force. Vectors are in axes fixed
// to shape B, so that states of the law turn with it.
//
// To write one, derive from FrictionLawOf<YourLaw> and give it
//   template <class T> FrictionForce<T> friction_force(const Sliding<T>& s) const;
// with states: state_names(), start(), and rates set in friction_force().
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "grapple/contact/limit_surface.h"
#include "grapple/spatial/dual.h"
#include "grapple/spatial/types.h"

namespace grapple::contact {

template <class T>
struct Sliding {
  T normal_force;              ///< N, >= 0
  spatial::Vec3T<T> normal_B;  ///< from B towards A
  spatial::Vec3T<T> slip_B;    ///< m/s, velocity of A over B, tangential
  std::span<const T> state;
  std::span<T> state_rate;
  T spin{0};   ///< rad/s, of A over B about the normal
  T lever{0};  ///< m, radius of gyration of the patch; 0 for a point
  /// Of the patch, in B's axes; none: round, of that radius of gyration, under uniform pressure.
  const PatchSpread<T>* spread = nullptr;
  /// m, root of inertia over mass of what spins against each other; 0: that of the patch.
  T turning_radius{0};
};

template <class T>
struct FrictionForce {
  spatial::Vec3T<T> on_A_B;  ///< N, in B's axes
  T stick;                   ///< 1 sticking, 0 sliding
  T spin_torque{0};          ///< N m, on A about the normal
};

/// The most states a law may have.
inline constexpr std::size_t kMostFrictionStates = 8;

class FrictionLaw {
 public:
  virtual ~FrictionLaw() = default;
  virtual FrictionForce<double> operator()(const Sliding<double>& s) const = 0;
  virtual FrictionForce<spatial::Dual> operator()(const Sliding<spatial::Dual>& s) const = 0;
  /// Names and units of its states.
  virtual std::vector<std::pair<std::string, std::string>> state_names() const { return {}; }
  /// The states of a new contact.
  virtual void start(std::span<double> /*state*/) const {}
};

template <class Derived>
class FrictionLawOf : public FrictionLaw {
 public:
  FrictionForce<double> operator()(const Sliding<double>& s) const final {
    return static_cast<const Derived&>(*this).friction_force(s);
  }
  FrictionForce<spatial::Dual> operator()(const Sliding<spatial::Dual>& s) const final {
    return static_cast<const Derived&>(*this).friction_force(s);
  }
};

/// u/|u|, and (u/s)(3/2 - 1/2 |u|^2/s^2) below |u| = s: continuous with its first derivative
/// (Gonthier 3.33, in the reading that has no kink).
template <class T>
spatial::Vec3T<T> smooth_direction(const spatial::Vec3T<T>& u, double s) {
  using std::sqrt;
  const T square = u.squaredNorm();
  if (square >= T(s * s)) return u / sqrt(square);
  return u * (T(1.5 / s) - square * T(0.5 / (s * s * s)));
}

/// f = -N (mu dir(v) + c v). Below `transition_speed` it creeps instead of sticking.
struct CoulombFriction {
  double kinetic = 0.0;            ///< mu
  double viscous = 0.0;            ///< c, s/m
  double transition_speed = 1e-3;  ///< m/s
};

/// The seven-parameter vector bristle model (Gonthier 2007, section 3.2.2). States: mean bristle
/// deflection z [m, tangential] and dwell s_dw, with v the slip velocity:
///   s      = exp(-v.v / v_S^2)                                              1 sticks, 0 slides
///   z'     = s v + (1 - s) (mu_C dir(v) - sigma_0 z) / sigma_1
///   s_dw'  = (s - s_dw) / (s >= s_dw ? tau_dw : sigma_1/sigma_0)
///   b      = sat(sigma_0 z + sigma_1 z', mu_C + (mu_S - mu_C) s_dw),   z' <- (b - sigma_0
///   z)/sigma_1 f      = -N (b + sigma_2 v)
/// z keeps to the tangent plane while the normal turns: what points along the normal does not act
/// and dies out in sigma_1/sigma_0.
struct BristleFriction {
  double static_ = 0.0;         ///< mu_S >= mu_C
  double kinetic = 0.0;         ///< mu_C > 0
  double stiffness = 0.0;       ///< sigma_0, 1/m
  double damping = 0.0;         ///< sigma_1, s/m
  double viscous = 0.0;         ///< sigma_2, s/m
  double stribeck_speed = 0.0;  ///< v_S, m/s
  double dwell_time = 0.0;      ///< tau_dw, s
  double start_dwell = 0.0;     ///< s_dw of a new contact: 0 fresh, 1 rested
};

/// Rules of the source for what is not given: mu_S = mu_C, sigma_0 = mu_S / 0.1 mm, sigma_1 = 2
/// sqrt(sigma_0 / g) (critical under its own weight), tau_dw = 10 sigma_1/sigma_0, v_S = 1 mm/s.
inline constexpr double kPreslidingLength = 1e-4;  ///< m
inline constexpr double kStribeckSpeed = 1e-3;     ///< m/s

std::shared_ptr<const FrictionLaw> make_frictionless();
std::shared_ptr<const FrictionLaw> make_friction_law(const CoulombFriction& law);
std::shared_ptr<const FrictionLaw> make_friction_law(const BristleFriction& law);

}  // namespace grapple::contact
