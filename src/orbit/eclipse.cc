#include "grapple/orbit/eclipse.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "grapple/spatial/dual.h"
#include "grapple/spatial/dual_functions.h"
#include "grapple/spatial/root.h"

namespace grapple::orbit {

using spatial::Dual;
using spatial::Vec3;
using spatial::Vec3T;

namespace {

// Apparent radii of Sun and planet and the angle between their centres.
template <class T>
struct Discs {
  T sun, planet, apart;

  Discs(const Vec3T<T>& d, const Vec3& to_sun, double radius) {
    using spatial::asin;
    using std::asin;
    using std::atan2;
    using std::sqrt;
    const T distance = sqrt(d.squaredNorm());
    const Vec3T<T> s = to_sun.cast<T>() * T(kSunDistance) - d;
    sun = asin(T(kSunRadius) / sqrt(s.squaredNorm()));
    const T sine = T(radius) / distance;
    planet = sine < T(1) ? T(asin(sine)) : T(0.5 * std::numbers::pi);
    const Vec3T<T> down = -d;
    apart = atan2(spatial::length_of<T>(s.cross(down)), s.dot(down));
  }
};

template <class T>
T conical(const Discs<T>& discs) {
  using spatial::acos;
  using std::acos;
  using std::sqrt;
  const T &a = discs.sun, &b = discs.planet, &c = discs.apart;
  if (c >= a + b) return T(1);
  if (c <= b - a) return T(0);
  if (c <= a - b) return T(1) - b * b / (a * a);
  const T x = (c * c + a * a - b * b) / (T(2) * c);
  const T y = spatial::root_of<T>(a * a - x * x);
  const T area = a * a * acos(x / a) + b * b * acos((c - x) / b) - c * y;
  return T(1) - area / (T(std::numbers::pi) * a * a);
}

// Smooth from 0 to 1.
template <class T>
T ramp(const T& x) {
  if (x <= T(0)) return T(0);
  if (x >= T(1)) return T(1);
  return x * x * (T(3) - T(2) * x);
}

}  // namespace

template <class T>
T sunlit_part(Shadow shadow, const Vec3T<T>& d, const Vec3& sun, double radius) {
  if (shadow == Shadow::kNone) return T(1);
  const Vec3T<T> s = sun.cast<T>();
  const T along = s.dot(d);
  if (shadow == Shadow::kConical) {
    return along >= T(0) ? T(1) : conical(Discs<T>(d, sun, radius));
  }
  if (along >= T(0)) return T(1);
  const T off = spatial::length_of<T>(d - along * s);
  return ramp<T>((off - T(radius)) / T(kCylindricalEdgeWidth) + T(0.5));
}

ShadowEdges shadow_edges(Shadow shadow, const Vec3& d, const Vec3& sun, double radius) {
  const double along = sun.dot(d);
  if (shadow == Shadow::kNone) return {};
  if (shadow == Shadow::kConical) {
    const Discs<double> discs(d, sun, radius);
    // Before the planet the discs never meet: the angle between them stays above a right angle.
    return {discs.apart - discs.sun - discs.planet, discs.apart - discs.planet + discs.sun};
  }
  const double off = (d - along * sun).norm();
  if (along >= 0.0) return {1.0, 1.0};
  return {off - radius - 0.5 * kCylindricalEdgeWidth, off - radius + 0.5 * kCylindricalEdgeWidth};
}

template double sunlit_part(Shadow, const Vec3T<double>&, const Vec3&, double);
template Dual sunlit_part(Shadow, const Vec3T<Dual>&, const Vec3&, double);

}  // namespace grapple::orbit
