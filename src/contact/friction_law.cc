#include "grapple/contact/friction_law.h"

#include <cmath>

#include "grapple/base/assert.h"

namespace grapple::contact {

namespace {

using spatial::Vec3T;

class Frictionless final : public FrictionLawOf<Frictionless> {
 public:
  template <class T>
  FrictionForce<T> rub(const Rub<T>& /*r*/) const {
    return {Vec3T<T>::Zero(), T(0)};
  }
};

class Coulomb final : public FrictionLawOf<Coulomb> {
 public:
  explicit Coulomb(const CoulombFriction& law) : law_(law) {}

  template <class T>
  FrictionForce<T> rub(const Rub<T>& r) const {
    const Vec3T<T> pull = T(law_.kinetic) * smooth_direction<T>(r.slip_B, law_.transition_speed) +
                          T(law_.viscous) * r.slip_B;
    const T scaled = r.slip_B.squaredNorm() / T(law_.transition_speed * law_.transition_speed);
    return {-r.normal_force * pull, scaled < T(1) ? T(T(1) - scaled) : T(0)};
  }

 private:
  CoulombFriction law_;
};

template <class T>
Vec3T<T> saturated(const Vec3T<T>& u, const T& most) {
  using std::sqrt;
  const T square = u.squaredNorm();
  return square <= most * most ? u : Vec3T<T>(u * (most / sqrt(square)));
}

class Bristle final : public FrictionLawOf<Bristle> {
 public:
  explicit Bristle(const BristleFriction& law)
      : law_(law), relaxation_(law.stiffness / law.damping) {}

  std::vector<std::pair<std::string, std::string>> state_names() const override {
    return {{"bristle_x", "m"}, {"bristle_y", "m"}, {"bristle_z", "m"}, {"dwell", "1"}};
  }
  void start(std::span<double> state) const override {
    state[0] = state[1] = state[2] = 0.0;
    state[3] = law_.start_dwell;
  }

  template <class T>
  FrictionForce<T> rub(const Rub<T>& r) const {
    using std::exp;
    const T stick = exp(-r.slip_B.squaredNorm() / T(law_.stribeck_speed * law_.stribeck_speed));
    const Vec3T<T> z(r.state[0], r.state[1], r.state[2]);
    const Vec3T<T> off_plane = r.normal_B.dot(z) * r.normal_B, z_t = z - off_plane;
    const Vec3T<T> b = pull(r.slip_B, z_t, stick, r.state[3]);
    const Vec3T<T> rate = b / T(law_.damping) - T(relaxation_) * z;
    for (int k = 0; k < 3; ++k) r.state_rate[static_cast<std::size_t>(k)] = rate[k];
    const T& dwell = r.state[3];
    r.state_rate[3] = (stick - dwell) * T(stick >= dwell ? 1.0 / law_.dwell_time : relaxation_);
    return {-r.normal_force * (b + T(law_.viscous) * r.slip_B), stick};
  }

 private:
  // b: friction over normal force without the viscous part.
  template <class T>
  Vec3T<T> pull(const Vec3T<T>& v, const Vec3T<T>& z, const T& stick, const T& dwell) const {
    const Vec3T<T> sliding = T(law_.kinetic) * smooth_direction<T>(v, 0.01 * law_.stribeck_speed);
    const Vec3T<T> trial =
        T(law_.stiffness) * z * stick + T(law_.damping) * stick * v + (T(1) - stick) * sliding;
    return saturated<T>(trial, T(law_.kinetic) + T(law_.static_ - law_.kinetic) * dwell);
  }

  BristleFriction law_;
  double relaxation_;  // 1/s
};

}  // namespace

std::shared_ptr<const FrictionLaw> make_frictionless() { return std::make_shared<Frictionless>(); }

std::shared_ptr<const FrictionLaw> make_friction_law(const CoulombFriction& law) {
  GRAPPLE_ASSERT(law.kinetic >= 0.0 && law.viscous >= 0.0 && law.transition_speed > 0.0);
  return std::make_shared<Coulomb>(law);
}

std::shared_ptr<const FrictionLaw> make_friction_law(const BristleFriction& law) {
  GRAPPLE_ASSERT(law.kinetic > 0.0 && law.static_ >= law.kinetic && law.stiffness > 0.0);
  GRAPPLE_ASSERT(law.damping > 0.0 && law.stribeck_speed > 0.0 && law.dwell_time > 0.0);
  return std::make_shared<Bristle>(law);
}

}  // namespace grapple::contact
