#include "grapple/contact/patch_friction.h"

#include <cmath>

#include "grapple/base/assert.h"
#include "grapple/spatial/root.h"

namespace grapple::contact {

namespace {

using spatial::Vec3T;

template <class T>
T size_of(const T& x) {
  return x < T(0) ? T(-x) : x;
}

// A motion on the limit surface.
template <class T>
struct Slip {
  T lever;             // r, m
  T square;            // v_a^2
  PatchLimit<T> most;  // per mu N; zero where nothing moves
};

template <class T>
Slip<T> ellipse(const Rub<T>& r, double share) {
  using std::sqrt;
  const T lever = T(share) * r.lever;
  const T square = r.slip_B.squaredNorm() + lever * lever * r.spin * r.spin;
  const T inverse = square > T(0) ? T(T(1) / sqrt(square)) : T(0);
  return {lever, square, {r.slip_B * inverse, lever * lever * r.spin * inverse, lever}};
}

template <class T>
Slip<T> exact(const Rub<T>& r) {
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
Slip<T> slip_of(const Rub<T>& r, const SpinFriction& spin) {
  return spin.surface == SpinFriction::Surface::kExact ? exact(r) : ellipse(r, spin.lever_share);
}

class PatchCoulomb final : public FrictionLawOf<PatchCoulomb> {
 public:
  PatchCoulomb(const CoulombFriction& law, const SpinFriction& spin) : law_(law), spin_(spin) {}

  template <class T>
  FrictionForce<T> rub(const Rub<T>& r) const {
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
      : law_(law), spin_(spin), relaxation_(law.stiffness / law.damping) {}

  std::vector<std::pair<std::string, std::string>> state_names() const override {
    return {{"bristle_x", "m"},
            {"bristle_y", "m"},
            {"bristle_z", "m"},
            {"dwell", "1"},
            {"bristle_twist", "rad"}};
  }
  void start(std::span<double> state) const override {
    for (double& value : state) value = 0.0;
    state[3] = law_.start_dwell;
  }

  template <class T>
  FrictionForce<T> rub(const Rub<T>& r) const {
    using std::exp;
    const Slip<T> slip = slip_of(r, spin_);
    const T stick = exp(-slip.square / T(law_.stribeck_speed * law_.stribeck_speed));
    const T limit = T(law_.kinetic) + T(law_.static_ - law_.kinetic) * r.state[3];
    const T& dwell = r.state[3];
    r.state_rate[3] = (stick - dwell) * T(stick >= dwell ? 1.0 / law_.dwell_time : relaxation_);
    const Vec3T<T> b = slide(r, slip, stick, limit);
    r.state_rate[4] = T(0);
    const T q = slip.lever > T(0) ? twist(r, slip, stick, limit) : T(0);
    return {-r.normal_force * (b + T(law_.viscous) * r.slip_B), stick,
            -r.normal_force * slip.lever * slip.lever * (q + T(law_.viscous) * r.spin)};
  }

 private:
  template <class T>
  Vec3T<T> slide(const Rub<T>& r, const Slip<T>& slip, const T& stick, const T& limit) const {
    const Vec3T<T> z(r.state[0], r.state[1], r.state[2]);
    const Vec3T<T> z_t = z - r.normal_B.dot(z) * r.normal_B;
    const T slides = T(1) - stick;
    const Vec3T<T> sliding =
        T(law_.kinetic) * (stick * smooth_direction<T>(r.slip_B, 0.01 * law_.stribeck_speed) +
                           slides * slip.most.force);
    Vec3T<T> b =
        T(law_.stiffness) * stick * z_t + T(law_.damping) * stick * r.slip_B + slides * sliding;
    const T share = stick + slides * spatial::length_of<T>(slip.most.force);
    const T size = spatial::length_of<T>(b), most = limit * share;
    if (size > most) b *= most / size;
    const Vec3T<T> rate = b / T(law_.damping) - T(relaxation_) * z;
    for (int k = 0; k < 3; ++k) r.state_rate[static_cast<std::size_t>(k)] = rate[k];
    return b;
  }

  // The same in one dimension, per square of the lever.
  template <class T>
  T twist(const Rub<T>& r, const Slip<T>& slip, const T& stick, const T& limit) const {
    const T &theta = r.state[4], &top = slip.most.spin_lever;
    const T speed = slip.lever * r.spin, tiny(0.01 * law_.stribeck_speed);
    const T along = size_of(speed) >= tiny
                        ? T(speed > T(0) ? 1.0 : -1.0)
                        : T(speed / tiny * (T(1.5) - T(0.5) * speed * speed / (tiny * tiny)));
    const T slides = T(1) - stick, per_square = T(1) / (slip.lever * slip.lever);
    // Of a turning radius below the lever the patch itself damps more than that.
    const T wider = r.turning_radius > slip.lever ? T(r.turning_radius / slip.lever) : T(1);
    const T damping = T(law_.damping) * wider;
    T q = T(law_.stiffness) * stick * theta + damping * stick * r.spin +
          slides * T(law_.kinetic) * (stick * top * along + slides * slip.most.torque) * per_square;
    const T most = limit * (stick * top + slides * size_of(slip.most.torque)) * per_square;
    if (q > most) q = most;
    if (q < -most) q = -most;
    r.state_rate[4] = (q - T(law_.stiffness) * theta) / damping;
    return q;
  }

  BristleFriction law_;
  SpinFriction spin_;
  double relaxation_;
};

}  // namespace

std::shared_ptr<const FrictionLaw> make_patch_friction(const CoulombFriction& law,
                                                       const SpinFriction& spin) {
  GRAPPLE_ASSERT(law.kinetic >= 0.0 && law.transition_speed > 0.0 && spin.lever_share > 0.0);
  return std::make_shared<PatchCoulomb>(law, spin);
}

std::shared_ptr<const FrictionLaw> make_patch_friction(const BristleFriction& law,
                                                       const SpinFriction& spin) {
  GRAPPLE_ASSERT(law.kinetic > 0.0 && law.static_ >= law.kinetic && law.stiffness > 0.0);
  GRAPPLE_ASSERT(law.damping > 0.0 && law.stribeck_speed > 0.0 && law.dwell_time > 0.0);
  return std::make_shared<PatchBristle>(law, spin);
}

}  // namespace grapple::contact
