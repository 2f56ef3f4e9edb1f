#include "grapple/contact/patch_friction.h"

#include <cmath>

#include "grapple/base/assert.h"
#include "grapple/spatial/root.h"

namespace grapple::contact {

namespace {

using spatial::Vec3T;

class PatchCoulomb final : public FrictionLawOf<PatchCoulomb> {
 public:
  PatchCoulomb(const CoulombFriction& law, double share) : law_(law), share_(share) {}

  template <class T>
  FrictionForce<T> rub(const Rub<T>& r) const {
    using std::sqrt;
    const T lever = T(share_) * r.lever, s(law_.transition_speed);
    const T square = r.slip_B.squaredNorm() + lever * lever * r.spin * r.spin;
    // 1/v_a, and its smooth continuation below the transition speed.
    const T inverse =
        square >= s * s ? T(T(1) / sqrt(square)) : T(T(1.5) / s - T(0.5) * square / (s * s * s));
    const T factor = r.normal_force * (T(law_.kinetic) * inverse + T(law_.viscous));
    return {-factor * r.slip_B, square < s * s ? T(T(1) - square / (s * s)) : T(0),
            -factor * lever * lever * r.spin};
  }

 private:
  CoulombFriction law_;
  double share_;
};

template <class T>
T size_of(const T& x) {
  return x < T(0) ? T(-x) : x;
}

class PatchBristle final : public FrictionLawOf<PatchBristle> {
 public:
  PatchBristle(const BristleFriction& law, double share)
      : law_(law), share_(share), relaxation_(law.stiffness / law.damping) {}

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
    using std::sqrt;
    const T lever = T(share_) * r.lever, tiny(0.01 * law_.stribeck_speed);
    const T slip = spatial::length_of<T>(r.slip_B), turning = lever * size_of(r.spin);
    const T square = slip * slip + turning * turning;
    const T stick = exp(-square / T(law_.stribeck_speed * law_.stribeck_speed));
    const T mean = square > tiny * tiny ? T(sqrt(square)) : tiny;
    const T share_v = stick + (T(1) - stick) * slip / mean;
    const T share_w = stick + (T(1) - stick) * turning / mean;
    const T limit = T(law_.kinetic) + T(law_.static_ - law_.kinetic) * r.state[3];
    const T& dwell = r.state[3];
    r.state_rate[3] = (stick - dwell) * T(stick >= dwell ? 1.0 / law_.dwell_time : relaxation_);
    const Vec3T<T> b = slide(r, stick, share_v, limit);
    const T q = lever > T(0) ? twist(r, lever, stick, share_w, limit) : T(0);
    return {-r.normal_force * (b + T(law_.viscous) * r.slip_B), stick,
            -r.normal_force * lever * lever * (q + T(law_.viscous) * r.spin)};
  }

 private:
  template <class T>
  Vec3T<T> slide(const Rub<T>& r, const T& stick, const T& share, const T& limit) const {
    const Vec3T<T> z(r.state[0], r.state[1], r.state[2]);
    const Vec3T<T> z_t = z - r.normal_B.dot(z) * r.normal_B;
    const Vec3T<T> sliding =
        T(law_.kinetic) * share * smooth_direction<T>(r.slip_B, 0.01 * law_.stribeck_speed);
    Vec3T<T> b = T(law_.stiffness) * stick * z_t + T(law_.damping) * stick * r.slip_B +
                 (T(1) - stick) * sliding;
    const T size = spatial::length_of<T>(b), most = limit * share;
    if (size > most) b *= most / size;
    const Vec3T<T> rate = b / T(law_.damping) - T(relaxation_) * z;
    for (int k = 0; k < 3; ++k) r.state_rate[static_cast<std::size_t>(k)] = rate[k];
    return b;
  }

  // The same in one dimension, per metre of lever.
  template <class T>
  T twist(const Rub<T>& r, const T& lever, const T& stick, const T& share, const T& limit) const {
    const T& theta = r.state[4];
    const T speed = lever * r.spin, tiny(0.01 * law_.stribeck_speed);
    const T along = size_of(speed) >= tiny
                        ? T(speed > T(0) ? 1.0 : -1.0)
                        : T(speed / tiny * (T(1.5) - T(0.5) * speed * speed / (tiny * tiny)));
    T q = T(law_.stiffness) * stick * theta + T(law_.damping) * stick * r.spin +
          (T(1) - stick) * T(law_.kinetic) * share * along / lever;
    const T most = limit * share / lever;
    if (q > most) q = most;
    if (q < -most) q = -most;
    r.state_rate[4] = q / T(law_.damping) - T(relaxation_) * theta;
    return q;
  }

  BristleFriction law_;
  double share_, relaxation_;
};

}  // namespace

std::shared_ptr<const FrictionLaw> make_patch_friction(const CoulombFriction& law,
                                                       double lever_share) {
  GRAPPLE_ASSERT(law.kinetic >= 0.0 && law.transition_speed > 0.0 && lever_share > 0.0);
  return std::make_shared<PatchCoulomb>(law, lever_share);
}

std::shared_ptr<const FrictionLaw> make_patch_friction(const BristleFriction& law,
                                                       double lever_share) {
  GRAPPLE_ASSERT(law.kinetic > 0.0 && law.static_ >= law.kinetic && law.stiffness > 0.0);
  GRAPPLE_ASSERT(law.damping > 0.0 && law.stribeck_speed > 0.0 && law.dwell_time > 0.0);
  return std::make_shared<PatchBristle>(law, lever_share);
}

}  // namespace grapple::contact
