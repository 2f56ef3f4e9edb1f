#include "grapple/constraint/kind/rolling.h"

#include <array>
#include <cmath>

#include "grapple/spatial/dual_functions.h"

namespace grapple::constraint {

namespace {

using spatial::Vec3;
using spatial::Vec3T;

// Where it touches.
template <class T>
struct ContactPoint {
  T rho, rho_rate, rho_acceleration;
  Vec3T<T> c, c_rate;

  ContactPoint(const Direction<T>& n, const Direction<T>& b, double radius) {
    using std::sqrt;
    const Product<T> s(n, b);
    rho = sqrt(T(1) - s.value * s.value);
    rho_rate = -s.value * s.rate / rho;
    rho_acceleration = -(s.rate * s.rate + s.value * s.acceleration + rho_rate * rho_rate) / rho;
    const Vec3T<T> e = (n.value - b.value * s.value) / rho;
    c = e * T(-radius);
    const Vec3T<T> u_rate = n.rate - b.value * s.rate - b.rate * s.value;
    c_rate = (u_rate - e * rho_rate) * (T(-radius) / rho);
  }
};

}  // namespace

std::span<const Row> Rolling::rows() const {
  constexpr Row kSupport{Row::Level::kPosition, Row::Measure::kDistance};
  constexpr Row kSlip{Row::Level::kRate, Row::Measure::kDistance};
  static constexpr std::array<Row, 3> kRows{kSupport, kSlip, kSlip};
  return kRows;
}

std::string Rolling::row_name(std::size_t row) const {
  return row == 0 ? "support" : row == 1 ? "slip x" : "slip y";
}

template <class T>
void Rolling::evaluate(const FramePairMotion<T>& at, RowMotions<T>& out) const {
  const Direction<T> n = at.F.direction(Vec3::UnitZ());
  const ContactPoint<T> contact(n, at.M.direction(axle_M), radius);
  const T R(radius);
  out[0] = at.along(n);
  out[0].value -= R * contact.rho;
  out[0].rate -= R * contact.rho_rate;
  out[0].acceleration -= R * contact.rho_acceleration;
  out[0].torque_M = contact.c.cross(n.value);

  // w is the velocity of M's touching material against F's.
  const Vec3T<T> arm = at.r + contact.c, arm_rate = at.r_rate + contact.c_rate;
  const Vec3T<T> omega_F = at.F.at.omega, omega_M = at.M.at.omega;
  const Vec3T<T> w = at.r_rate + omega_M.cross(contact.c) - omega_F.cross(arm);
  const Vec3T<T> w_rate = at.r_acceleration + at.M.alpha.cross(contact.c) +
                          omega_M.cross(contact.c_rate) - at.F.alpha.cross(arm) -
                          omega_F.cross(arm_rate);
  for (int axis = 0; axis < 2; ++axis) {
    const Direction<T> a = at.F.direction(Vec3::Unit(axis));
    RowMotion<T>& slip = out[static_cast<std::size_t>(1 + axis)];
    slip = {};
    slip.rate = a.value.dot(w);
    slip.acceleration = a.rate.dot(w) + a.value.dot(w_rate);
    slip.force = a.value;
    slip.torque_M = contact.c.cross(a.value);
  }
}

template void Rolling::evaluate(const FramePairMotion<double>&, RowMotions<double>&) const;
template void Rolling::evaluate(const FramePairMotion<spatial::Dual>&,
                                RowMotions<spatial::Dual>&) const;

}  // namespace grapple::constraint
