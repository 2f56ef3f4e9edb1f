// Symmetric 3x3 matrix by its six entries, with the products the articulated-body recursion needs.
#pragma once

#include "grapple/spatial/types.h"

namespace grapple::spatial {

template <class T>
struct Sym3T {
  T xx{}, xy{}, xz{}, yy{}, yz{}, zz{};

  static Sym3T from(const Mat3T<T>& m) {
    return {m(0, 0), m(0, 1), m(0, 2), m(1, 1), m(1, 2), m(2, 2)};
  }
  static Sym3T cast(const Sym3T<double>& m) {
    return {T(m.xx), T(m.xy), T(m.xz), T(m.yy), T(m.yz), T(m.zz)};
  }
  static Sym3T diagonal(const T& d) { return {d, T(0), T(0), d, T(0), d}; }

  Mat3T<T> matrix() const {
    Mat3T<T> m;
    m << xx, xy, xz, xy, yy, yz, xz, yz, zz;
    return m;
  }

  Vec3T<T> operator*(const Vec3T<T>& v) const {
    return {xx * v.x() + xy * v.y() + xz * v.z(), xy * v.x() + yy * v.y() + yz * v.z(),
            xz * v.x() + yz * v.y() + zz * v.z()};
  }

  Sym3T& operator+=(const Sym3T& b) {
    xx += b.xx, xy += b.xy, xz += b.xz, yy += b.yy, yz += b.yz, zz += b.zz;
    return *this;
  }

  /// this += s b
  void add_scaled(const T& s, const Sym3T& b) {
    xx += s * b.xx, xy += s * b.xy, xz += s * b.xz;
    yy += s * b.yy, yz += s * b.yz, zz += s * b.zz;
  }

  /// this -= s a a'
  void subtract_outer(const T& s, const Vec3T<T>& a) {
    const T sx = s * a.x(), sy = s * a.y(), sz = s * a.z();
    xx -= sx * a.x(), xy -= sx * a.y(), xz -= sx * a.z();
    yy -= sy * a.y(), yz -= sy * a.z(), zz -= sz * a.z();
  }
};
using Sym3 = Sym3T<double>;

/// R J R' (a body's inertia turned into world axes); J may be constant or depend on the state.
template <class T, class Entry>
Sym3T<T> rotated(const Mat3T<T>& R, const Sym3T<Entry>& J) {
  Mat3T<T> Y;  // R J
  for (int i = 0; i < 3; ++i) {
    Y(i, 0) = R(i, 0) * J.xx + R(i, 1) * J.xy + R(i, 2) * J.xz;
    Y(i, 1) = R(i, 0) * J.xy + R(i, 1) * J.yy + R(i, 2) * J.yz;
    Y(i, 2) = R(i, 0) * J.xz + R(i, 1) * J.yz + R(i, 2) * J.zz;
  }
  auto entry = [&](int i, int j) {
    return Y(i, 0) * R(j, 0) + Y(i, 1) * R(j, 1) + Y(i, 2) * R(j, 2);
  };
  return {entry(0, 0), entry(0, 1), entry(0, 2), entry(1, 1), entry(1, 2), entry(2, 2)};
}

}  // namespace grapple::spatial
