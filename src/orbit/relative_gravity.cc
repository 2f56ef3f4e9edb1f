#include "grapple/orbit/relative_gravity.h"

#include <cmath>

#include "grapple/spatial/dual.h"

namespace grapple::orbit {

using spatial::Sym3T;
using spatial::Vec3;
using spatial::Vec3T;

namespace {

// sum += a b b^T
template <class T>
void add_outer(Sym3T<T>& sum, const T& a, const Vec3T<T>& b) {
  sum.subtract_outer(-a, b);
}

// sum += a (b c^T + c b^T)
template <class T>
void add_symmetric(Sym3T<T>& sum, const T& a, const Vec3T<T>& b, const Vec3T<T>& c) {
  sum.xx += T(2) * a * b.x() * c.x();
  sum.yy += T(2) * a * b.y() * c.y();
  sum.zz += T(2) * a * b.z() * c.z();
  sum.xy += a * (b.x() * c.y() + b.y() * c.x());
  sum.xz += a * (b.x() * c.z() + b.z() * c.x());
  sum.yz += a * (b.y() * c.z() + b.z() * c.y());
}

// The point as the formulas need it.
template <class T>
struct Ratio {
  Vec3T<T> d;  // R + r
  T q, s;      // |d|^2/R^2 - 1, |d|/R
  T inverse;   // 1/|d|

  Ratio(const Vec3& R, double radius, const Vec3T<T>& r) {
    using std::sqrt;
    const Vec3T<T> R_T = R.cast<T>();
    d = R_T + r;
    q = (T(2) * R_T.dot(r) + r.squaredNorm()) / T(radius * radius);
    s = sqrt(T(1) + q);
    inverse = T(1) / (s * T(radius));
  }
  /// s^-n - 1 for odd powers.
  T cube_less_one() const { return -q * (s * s + s + T(1)) / ((T(1) + s) * s * s * s); }
  T fifth_less_one() const {
    const T s2 = s * s;
    return -q * (s2 * s2 + s2 * s + s2 + s + T(1)) / ((T(1) + s) * s2 * s2 * s);
  }
};

template <class T>
void add_central(const OrbitPoint& point, double mu, const Vec3T<T>& r, const Ratio<T>& at,
                 RelativeField<T>& out) {
  const double R2 = point.radius * point.radius;
  const T n2(mu / (R2 * point.radius));
  const Vec3T<T> pull = -n2 * (r + at.cube_less_one() * at.d);
  out.g += pull;
  const T d3 = T(mu) * at.inverse * at.inverse * at.inverse;
  out.G += Sym3T<T>::diagonal(-d3);
  add_outer<T>(out.G, T(3) * d3 * at.inverse * at.inverse, at.d);
  const T step = at.q / (T(1) + at.s);
  out.potential -= T(mu / point.radius) *
                   (step * step * (at.s + T(2)) / (T(2) * at.s) - r.squaredNorm() / T(2.0 * R2));
  // d phi/dR . V = -(pull - G(R) r).V
  const Vec3 V = point.V;
  const Vec3 radial = point.R / point.radius;
  const Vec3 G_V = -(mu / (R2 * point.radius)) * (V - 3.0 * radial.dot(V) * radial);
  out.potential_rate += G_V.cast<T>().dot(r) - V.cast<T>().dot(pull);
}

template <class T>
Vec3T<T> oblate_pull(double k, const Vec3T<T>& pole, const Vec3T<T>& d, const T& inverse) {
  const T i2 = inverse * inverse, i5 = i2 * i2 * inverse, z = pole.dot(d);
  return T(3.0 * k) * i5 * ((T(5) * z * z * i2 - T(1)) * d - T(2) * z * pole);
}

template <class T>
void add_oblate(const OrbitPoint& point, double k, const Vec3& pole_W, const Vec3T<T>& r,
                const Ratio<T>& at, RelativeField<T>& out) {
  const Vec3T<T> pole = pole_W.cast<T>();
  const T i2 = at.inverse * at.inverse, i5 = i2 * i2 * at.inverse, i7 = i5 * i2;
  const T z = pole.dot(at.d);
  const Vec3T<T> pull = oblate_pull<T>(k, pole, at.d, at.inverse);
  out.g += pull;
  out.G += Sym3T<T>::diagonal(T(k) * (T(15) * z * z * i7 - T(3) * i5));
  add_outer<T>(out.G, T(-6.0 * k) * i5, pole);
  add_symmetric<T>(out.G, T(30.0 * k) * z * i7, pole, at.d);
  add_outer<T>(out.G, T(k) * i7 * (T(15) - T(105) * z * z * i2), at.d);
  // Relative to the reference point: differences of powers, not of potentials.
  const double R = point.radius, R3 = R * R * R, z0 = pole_W.dot(point.R);
  const T rise = pole.dot(r);
  out.potential +=
      T(k) * (T(3) * (rise * (z + T(z0)) * i5 + T(z0 * z0 / (R3 * R * R)) * at.fifth_less_one()) -
              T(1.0 / R3) * at.cube_less_one());
  const Vec3 here = oblate_pull<double>(k, pole_W, point.R, 1.0 / R);
  out.potential_rate -= point.V.cast<T>().dot(pull - here.cast<T>());
}

}  // namespace

RelativeGravity::RelativeGravity(const OrbitPoint& point, const Planet& planet,
                                 Oblateness oblateness, const Vec3& pole)
    : point_(point),
      mu_(planet.mu),
      k_(oblateness == Oblateness::kJ2 ? 0.5 * planet.mu * planet.j2 * planet.radius * planet.radius
                                       : 0.0),
      pole_(pole) {}

template <class T>
RelativeField<T> RelativeGravity::at(const Vec3T<T>& r) const {
  RelativeField<T> out;
  const Ratio<T> ratio(point_.R, point_.radius, r);
  add_central(point_, mu_, r, ratio, out);
  if (k_ == 0.0) return out;
  add_oblate(point_, k_, pole_, r, ratio, out);
  out.g -= point_.excess.cast<T>();
  out.potential += point_.excess.cast<T>().dot(r);
  out.potential_rate += point_.excess_rate.cast<T>().dot(r);
  return out;
}

template <class T>
Vec3T<T> RelativeGravity::third_order_pull(const Vec3T<T>& r, const Sym3T<T>& S) const {
  const Ratio<T> ratio(point_.R, point_.radius, r);
  const Vec3T<T>& d = ratio.d;
  const T i2 = ratio.inverse * ratio.inverse, i5 = i2 * i2 * ratio.inverse, i7 = i5 * i2;
  const Vec3T<T> Sd = S * d;
  const T trace = S.xx + S.yy + S.zz, c = d.dot(Sd);
  Vec3T<T> pull = T(0.5 * mu_) * i5 * ((T(3) * trace - T(15) * c * i2) * d + T(6) * Sd);
  if (k_ == 0.0) return pull;
  const Vec3T<T> pole = pole_.cast<T>();
  const Vec3T<T> Sz = S * pole;
  const T i9 = i7 * i2, z = pole.dot(d), a = pole.dot(Sz), b = pole.dot(Sd);
  const T along = T(-30) * a * i7 + T(420) * z * b * i9 + T(105) * z * z * trace * i9 -
                  T(945) * z * z * c * i9 * i2 - T(15) * trace * i7 + T(105) * c * i9;
  const T polar = T(-60) * b * i7 - T(30) * z * trace * i7 + T(210) * z * c * i9;
  pull -= T(0.5 * k_) * (along * d + polar * pole - T(60) * z * i7 * Sz +
                         (T(210) * z * z * i9 - T(30) * i7) * Sd);
  return pull;
}

#define GRAPPLE_INSTANTIATE(T)                                          \
  template RelativeField<T> RelativeGravity::at(const Vec3T<T>&) const; \
  template Vec3T<T> RelativeGravity::third_order_pull(const Vec3T<T>&, const Sym3T<T>&) const;
GRAPPLE_INSTANTIATE(double)
GRAPPLE_INSTANTIATE(spatial::Dual)
#undef GRAPPLE_INSTANTIATE

}  // namespace grapple::orbit
