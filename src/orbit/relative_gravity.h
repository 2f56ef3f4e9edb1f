// The gravity field of a planet as seen from the reference point of an orbit: what a mass point at
// r (world axes) feels there is the acceleration g(R + r) - A. With d = R + r, q = (2 R.r +
// r.r)/R^2 and s = sqrt(1 + q) = |d|/|R| (Battin 1999, section 8.8), no difference of nearly equal
// numbers remains:
//   central:    -mu/R^3 (r + F d),   F = s^-3 - 1 = -q (s^2 + s + 1)/((1 + s) s^3)
//   potential:  -mu (1/|d| - 1/|R| + R.r/R^3) = -mu/R ((q/(1 + s))^2 (s + 2)/(2 s) - r.r/(2 R^2))
// J2 with the pole z: potential k (3 (z.d)^2/|d|^5 - 1/|d|^3), k = mu J2 Re^2/2, relative to its
// value at the reference point; and the uniform field -excess of a reference that drifts
// (reference_orbit.h).
#pragma once

#include "grapple/orbit/reference_orbit.h"
#include "grapple/spatial/sym3.h"

namespace grapple::orbit {

/// The relative field at one point.
template <class T>
struct RelativeField {
  spatial::Vec3T<T> g = spatial::Vec3T<T>::Zero();  ///< m/s^2
  spatial::Sym3T<T> G{};                            ///< its gradient, 1/s^2
  T potential{0};                                   ///< phi with g = -grad phi, J/kg
  T potential_rate{0};                              ///< partial derivative of phi by t, W/kg
};

class RelativeGravity {
 public:
  /// The field at the time of `point`; `pole` in world axes.
  RelativeGravity(const OrbitPoint& point, const Planet& planet, Oblateness oblateness,
                  const spatial::Vec3& pole);

  template <class T>
  RelativeField<T> at(const spatial::Vec3T<T>& r) const;

  /// 1/2 d(S : G)/dr at r for a constant symmetric S: what a body of second moment S is pulled by
  /// besides m g.
  template <class T>
  spatial::Vec3T<T> third_order_pull(const spatial::Vec3T<T>& r, const spatial::Sym3T<T>& S) const;

 private:
  const OrbitPoint& point_;
  double mu_, k_;
  spatial::Vec3 pole_;
};

}  // namespace grapple::orbit
