// What the bristle laws of a point and of a patch have in common: the mean deflection z, the dwell,
// and how both change (BristleFriction in friction_law.h has the equations).
#pragma once

#include <cmath>

#include "grapple/base/assert.h"
#include "grapple/contact/friction_law.h"

namespace grapple::contact {

struct BristleStates {
  enum State : std::size_t { kDeflection = 0, kDwell = 3, kCount = 4 };

  explicit BristleStates(const BristleFriction& given)
      : law(given), relaxation(given.stiffness / given.damping) {
    GRAPPLE_ASSERT(law.kinetic > 0.0 && law.static_ >= law.kinetic && law.stiffness > 0.0);
    GRAPPLE_ASSERT(law.damping > 0.0 && law.stribeck_speed > 0.0 && law.dwell_time > 0.0);
  }

  static std::vector<std::pair<std::string, std::string>> names() {
    return {{"bristle_x", "m"}, {"bristle_y", "m"}, {"bristle_z", "m"}, {"dwell", "1"}};
  }
  /// Of a new contact.
  void start(std::span<double> state) const {
    for (double& value : state) value = 0.0;
    state[kDwell] = law.start_dwell;
  }

  /// s: 1 sticks, 0 slides.
  template <class T>
  T stick(const T& speed_squared) const {
    using std::exp;
    return exp(-speed_squared / T(law.stribeck_speed * law.stribeck_speed));
  }
  /// mu_C + (mu_S - mu_C) s_dw.
  template <class T>
  T limit(const Sliding<T>& s) const {
    return T(law.kinetic) + T(law.static_ - law.kinetic) * s.state[kDwell];
  }
  /// z without its part along the normal.
  template <class T>
  spatial::Vec3T<T> deflection(const Sliding<T>& s) const {
    const spatial::Vec3T<T> z(s.state[0], s.state[1], s.state[2]);
    return z - s.normal_B.dot(z) * s.normal_B;
  }
  /// Direction of the slip without its jump at rest.
  template <class T>
  spatial::Vec3T<T> direction(const Sliding<T>& s) const {
    return smooth_direction<T>(s.slip_B, 0.01 * law.stribeck_speed);
  }

  /// `b`: friction over normal force without the viscous part.
  template <class T>
  void set_rates(const Sliding<T>& s, const spatial::Vec3T<T>& b, const T& stick) const {
    const spatial::Vec3T<T> z(s.state[0], s.state[1], s.state[2]);
    const spatial::Vec3T<T> rate = b / T(law.damping) - T(relaxation) * z;
    for (int k = 0; k < 3; ++k) s.state_rate[static_cast<std::size_t>(k)] = rate[k];
    const T& dwell = s.state[kDwell];
    s.state_rate[kDwell] = (stick - dwell) * T(stick >= dwell ? 1.0 / law.dwell_time : relaxation);
  }

  BristleFriction law;
  double relaxation;  ///< sigma_0/sigma_1, 1/s
};

/// u, shortened to the length `most`.
template <class T>
spatial::Vec3T<T> saturated(const spatial::Vec3T<T>& u, const T& most) {
  using std::sqrt;
  const T square = u.squaredNorm();
  return square <= most * most ? u : spatial::Vec3T<T>(u * (most / sqrt(square)));
}

}  // namespace grapple::contact
