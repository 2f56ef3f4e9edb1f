#include "grapple/contact/patch_friction.h"

#include <cmath>

#include "grapple/base/assert.h"
#include "grapple/contact/internal/bristle_states.h"
#include "grapple/contact/internal/magnitude.h"
#include "grapple/spatial/root.h"

namespace grapple::contact {

namespace {

using spatial::Vec3T;

// A motion on the limit surface.
template <class T>
struct Slip {
  T lever;             // r, m
  T square;            // v_a^2
  PatchLimit<T> most;  // per mu N; zero where nothing moves
};

template <class T>
Slip<T> ellipse(const Sliding<T>& r, double share) {
  using std::sqrt;
  const T lever = T(share) * r.lever;
  const T square = r.slip_B.squaredNorm() + lever * lever * r.spin * r.spin;
  const T inverse = square > T(0) ? T(T(1) / sqrt(square)) : T(0);
  return {lever, square, {r.slip_B * inverse, lever * lever * r.spin * inverse, lever}};
}

template <class T>
Slip<T> exact(const Sliding<T>& r) {
  const T square = r.slip_B.squaredNorm() + r.lever * r.lever * r.spin * r.spin;
  if (r.spread != nullptr) {
    return {r.lever, square, limit_surface<T>(*r.spread, r.normal_B, r.slip_B, r.spin)};
  }
  PatchSpread<T> round;
  round.moments = T(0.5) * r.lever * r.lever *
                  (spatial::Mat3T<T>::Identity() - r.normal_B * r.normal_B.transpose());
  return {r.lever, square, limit_surface<T>(round, r.normal_B, r.slip_B, r.spin)};
}

template <class T>
Slip<T> slip_of(const Sliding<T>& r, const SpinFriction& spin) {
  return spin.surface == SpinFriction::Surface::kExact ? exact(r) : ellipse(r, spin.lever_share);
}

class PatchCoulomb final : public FrictionLawOf<PatchCoulomb> {
 public:
  PatchCoulomb(const CoulombFriction& law, const SpinFriction& spin) : law_(law), spin_(spin) {}

  template <class T>
  FrictionForce<T> friction_force(const Sliding<T>& r) const {
    const Slip<T> slip = slip_of(r, spin_);
    const T s(law_.transition_speed), lever_squared = slip.lever * slip.lever;
    Vec3T<T> force = slip.most.force;
    T torque = slip.most.torque, stick(0);
    if (slip.square < s * s) {
      // Below the transition speed y < 1: (3 y - y^3)/2 of the limit, from a linear law at the
      // origin, where the limit has no direction, to the surface at y = 1.
      const T y_squared = slip.square / (s * s), y = spatial::root_of(y_squared);
      const T onto = y_squared * (T(3) - T(2) * y);
      const T rise = T(1.5) - T(0.5) * y_squared;
      force = rise * (onto * y * force + (T(1) - onto) / s * r.slip_B);
      torque = rise * (onto * y * torque + (T(1) - onto) / s * lever_squared * r.spin);
      stick = T(1) - y_squared;
    }
    const T mu(law_.kinetic), c(law_.viscous);
    return {-r.normal_force * (mu * force + c * r.slip_B), stick,
            -r.normal_force * (mu * torque + c * lever_squared * r.spin)};
  }

 private:
  CoulombFriction law_;
  SpinFriction spin_;
};

class PatchBristle final : public FrictionLawOf<PatchBristle> {
 public:
  PatchBristle(const BristleFriction& law, const SpinFriction& spin)
      : bristles_(law), spin_(spin) {}

  std::vector<std::pair<std::string, std::string>> state_names() const override {
    auto names = BristleStates::names();
    names.emplace_back("bristle_twist", "rad");
    return names;
  }
  void start(std::span<double> state) const override { bristles_.start(state); }

  template <class T>
  FrictionForce<T> friction_force(const Sliding<T>& s) const {
    const Slip<T> slip = slip_of(s, spin_);
    const T stick = bristles_.stick(slip.square);
    const T limit = bristles_.limit(s);
    const Vec3T<T> b = deflected(s, slip, stick, limit);
    bristles_.set_rates(s, b, stick);
    s.state_rate[kTwist] = T(0);
    const T q = slip.lever > T(0) ? twisted(s, slip, stick, limit) : T(0);
    const T viscous(bristles_.law.viscous);
    return {-s.normal_force * (b + viscous * s.slip_B), stick,
            -s.normal_force * slip.lever * slip.lever * (q + viscous * s.spin)};
  }

 private:
  static constexpr std::size_t kTwist = BristleStates::kCount;

  // b: force over normal force without the viscous part.
  template <class T>
  Vec3T<T> deflected(const Sliding<T>& s, const Slip<T>& slip, const T& stick,
                     const T& limit) const {
    const BristleFriction& law = bristles_.law;
    const T slides = T(1) - stick;
    const Vec3T<T> sliding =
        T(law.kinetic) * (stick * bristles_.direction(s) + slides * slip.most.force);
    const Vec3T<T> trial = T(law.stiffness) * stick * bristles_.deflection(s) +
                           T(law.damping) * stick * s.slip_B + slides * sliding;
    return saturated<T>(trial, limit * (stick + slides * spatial::length_of<T>(slip.most.force)));
  }

  // The same in one dimension, per square of the lever.
  template <class T>
  T twisted(const Sliding<T>& s, const Slip<T>& slip, const T& stick, const T& limit) const {
    const BristleFriction& law = bristles_.law;
    const T &theta = s.state[kTwist], &top = slip.most.spin_lever;
    const T speed = slip.lever * s.spin, tiny(0.01 * law.stribeck_speed);
    const T along = magnitude(speed) >= tiny
                        ? T(speed > T(0) ? 1.0 : -1.0)
                        : T(speed / tiny * (T(1.5) - T(0.5) * speed * speed / (tiny * tiny)));
    const T slides = T(1) - stick, per_square = T(1) / (slip.lever * slip.lever);
    // Of a turning radius below the lever the patch itself damps more than that.
    const T wider = s.turning_radius > slip.lever ? T(s.turning_radius / slip.lever) : T(1);
    const T damping = T(law.damping) * wider;
    T q = T(law.stiffness) * stick * theta + damping * stick * s.spin +
          slides * T(law.kinetic) * (stick * top * along + slides * slip.most.torque) * per_square;
    const T most = limit * (stick * top + slides * magnitude(slip.most.torque)) * per_square;
    if (q > most) q = most;
    if (q < -most) q = -most;
    s.state_rate[kTwist] = (q - T(law.stiffness) * theta) / damping;
    return q;
  }

  BristleStates bristles_;
  SpinFriction spin_;
};

}  // namespace

std::shared_ptr<const FrictionLaw> make_patch_friction(const CoulombFriction& law,
                                                       const SpinFriction& spin) {
  GRAPPLE_ASSERT(law.kinetic >= 0.0 && law.transition_speed > 0.0 && spin.lever_share > 0.0);
  return std::make_shared<PatchCoulomb>(law, spin);
}

std::shared_ptr<const FrictionLaw> make_patch_friction(const BristleFriction& law,
                                                       const SpinFriction& spin) {
  return std::make_shared<PatchBristle>(law, spin);
}

}  // namespace grapple::contact
