// Unit quaternions (w, x, y, z) and rotation vectors. R(q) turns child axes into parent axes; with
// omega in child axes q' = 1/2 q (0, omega).
#pragma once

#include <cmath>

#include "grapple/spatial/types.h"

namespace grapple::spatial {

template <class T>
using QuatT = Eigen::Matrix<T, 4, 1>;
using Quat = QuatT<double>;

template <class T>
Mat3T<T> skew(const Vec3T<T>& a) {
  Mat3T<T> m;
  m << T(0), -a.z(), a.y(), a.z(), T(0), -a.x(), -a.y(), a.x(), T(0);
  return m;
}

/// Rotation matrix of a quaternion of any non-zero norm.
template <class T>
Mat3T<T> rotation_matrix(const QuatT<T>& q) {
  const T s = T(2) / q.squaredNorm();
  const T w = q[0], x = q[1], y = q[2], z = q[3];
  Mat3T<T> R;
  R << T(1) - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y), s * (x * y + w * z),
      T(1) - s * (x * x + z * z), s * (y * z - w * x), s * (x * z - w * y), s * (y * z + w * x),
      T(1) - s * (x * x + y * y);
  return R;
}

/// Hamilton product a b.
template <class T>
QuatT<T> product(const QuatT<T>& a, const QuatT<T>& b) {
  QuatT<T> r;
  r << a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
      a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
      a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
      a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
  return r;
}

/// q' = 1/2 q (0, omega), omega in child axes.
template <class T>
QuatT<T> quaternion_rate(const QuatT<T>& q, const Vec3T<T>& omega) {
  QuatT<T> w;
  w << T(0), T(0.5) * omega;
  return product(q, w);
}

/// Quaternion of the rotation vector phi (angle times axis); smooth through zero.
template <class T>
QuatT<T> quaternion_exp(const Vec3T<T>& phi) {
  using std::cos;
  using std::sin;
  using std::sqrt;
  const T square = phi.squaredNorm();
  QuatT<T> q;
  if (square < T(1e-6)) {  // series to 6th order: the next term is below 1e-22
    const T h = square / T(4);
    q[0] = T(1) - h / T(2) * (T(1) - h / T(12) * (T(1) - h / T(30)));
    q.template tail<3>() =
        T(0.5) * (T(1) - h / T(6) * (T(1) - h / T(20) * (T(1) - h / T(42)))) * phi;
  } else {
    const T angle = sqrt(square);
    q[0] = cos(angle / T(2));
    q.template tail<3>() = (sin(angle / T(2)) / angle) * phi;
  }
  return q;
}

/// Rotation vector of a unit quaternion, angle in [0, pi]; smooth through the identity.
template <class T>
Vec3T<T> rotation_vector(const QuatT<T>& q) {
  using std::atan2;
  using std::sqrt;
  const T sign = q[0] < T(0) ? T(-1) : T(1);
  const Vec3T<T> v = sign * q.template tail<3>();
  const T square = v.squaredNorm();
  if (square < T(1e-6)) {  // 2 asin(n)/n; the next term is below 1e-19
    return T(2) * (T(1) + square / T(6) + T(3) * square * square / T(40)) * v;
  }
  const T n = sqrt(square);
  return (T(2) * atan2(n, sign * q[0]) / n) * v;
}

/// Unit quaternion (w >= 0 up to rounding) of a rotation matrix, by its largest component
/// (Shepperd).
template <class T>
QuatT<T> quaternion_of(const Mat3T<T>& R) {
  using std::sqrt;
  const T trace = R.trace();
  QuatT<T> q;
  if (trace >= R(0, 0) && trace >= R(1, 1) && trace >= R(2, 2)) {
    q << T(1) + trace, R(2, 1) - R(1, 2), R(0, 2) - R(2, 0), R(1, 0) - R(0, 1);
  } else if (R(0, 0) >= R(1, 1) && R(0, 0) >= R(2, 2)) {
    q << R(2, 1) - R(1, 2), T(1) + T(2) * R(0, 0) - trace, R(1, 0) + R(0, 1), R(0, 2) + R(2, 0);
  } else if (R(1, 1) >= R(2, 2)) {
    q << R(0, 2) - R(2, 0), R(1, 0) + R(0, 1), T(1) + T(2) * R(1, 1) - trace, R(2, 1) + R(1, 2);
  } else {
    q << R(1, 0) - R(0, 1), R(0, 2) + R(2, 0), R(2, 1) + R(1, 2), T(1) + T(2) * R(2, 2) - trace;
  }
  if (q[0] < T(0)) q = -q;
  return q / sqrt(q.squaredNorm());
}

/// B(phi) with phi' = B omega for omega in child axes: 1 + 1/2 phi^ + k phi^ phi^.
template <class T>
Vec3T<T> rotation_vector_rate(const Vec3T<T>& phi, const Vec3T<T>& omega) {
  using std::cos;
  using std::sin;
  using std::sqrt;
  const T square = phi.squaredNorm();
  T k;
  if (square < T(1e-4)) {  // (1 - x/2 cot(x/2)) / x^2; the next term is below 1e-18
    k = T(1) / T(12) + square / T(720) + square * square / T(30240);
  } else {
    const T angle = sqrt(square);
    k = (T(1) - T(0.5) * angle * cos(angle / T(2)) / sin(angle / T(2))) / square;
  }
  const Vec3T<T> once = phi.cross(omega);
  return omega + T(0.5) * once + k * phi.cross(once);
}

/// Functions of x = |phi|^2 in omega = a phi' - b phi x phi' + c phi (phi.phi') (child axes), s =
/// |phi|:
///   a = sin(s)/s, b = (1 - cos s)/s^2, c = (s - sin s)/s^3, and their derivatives with respect to
///   x.
template <class T>
struct RotationCoefficients {
  T a{0}, b{0}, c{0}, a_x{0}, b_x{0}, c_x{0};

  explicit RotationCoefficients(const T& x) {
    using std::cos;
    using std::sin;
    using std::sqrt;
    if (x < T(0.25)) {  // alternating series, nine terms: relative error below 1e-20
      constexpr double kFactorial[] = {
          1.0,        6.0,          120.0,           5040.0,           362880.0,
          39916800.0, 6227020800.0, 1307674368000.0, 355687428096000.0};  // (2n+1)!
      for (int n = 8; n >= 0; --n) {  // Horner, value and derivative together
        const double fa = (n % 2 == 0 ? 1.0 : -1.0) / kFactorial[n];
        const double fb = fa / (2.0 * n + 2.0);
        const double fc = fb / (2.0 * n + 3.0);
        a_x = a_x * x + a, a = a * x + T(fa);
        b_x = b_x * x + b, b = b * x + T(fb);
        c_x = c_x * x + c, c = c * x + T(fc);
      }
      return;
    }
    const T s = sqrt(x), sine = sin(s), cosine = cos(s);
    a = sine / s;
    b = (T(1) - cosine) / x;
    c = (s - sine) / (x * s);
    a_x = (cosine - a) / (T(2) * x);
    b_x = (T(0.5) * a - b) / x;
    c_x = (b - T(3) * c) / (T(2) * x);
  }
};

/// exp(phi^) = 1 + a phi^ + b phi^ phi^, with the coefficients at |phi|^2.
template <class T>
Mat3T<T> rotation_matrix(const RotationCoefficients<T>& k, const Vec3T<T>& phi) {
  const Vec3T<T> s = k.a * phi, t = k.b * phi;
  const T xy = t.x() * phi.y(), xz = t.x() * phi.z(), yz = t.y() * phi.z();
  const T xx = t.x() * phi.x(), yy = t.y() * phi.y(), zz = t.z() * phi.z();
  Mat3T<T> R;
  R << T(1) - yy - zz, xy - s.z(), xz + s.y(), xy + s.z(), T(1) - xx - zz, yz - s.x(), xz - s.y(),
      yz + s.x(), T(1) - xx - yy;
  return R;
}

/// The matrix of omega = turning phi' in parent axes: a 1 + b phi^ + c phi phi'.
template <class T>
Mat3T<T> turning_matrix(const RotationCoefficients<T>& k, const Vec3T<T>& phi) {
  const Vec3T<T> s = k.b * phi, t = k.c * phi;
  const T xy = t.x() * phi.y(), xz = t.x() * phi.z(), yz = t.y() * phi.z();
  Mat3T<T> B;
  B << k.a + t.x() * phi.x(), xy - s.z(), xz + s.y(), xy + s.z(), k.a + t.y() * phi.y(), yz - s.x(),
      xz - s.y(), yz + s.x(), k.a + t.z() * phi.z();
  return B;
}

/// What omega' in parent axes has besides turning phi''.
template <class T>
Vec3T<T> turning_rate(const RotationCoefficients<T>& k, const Vec3T<T>& phi,
                      const Vec3T<T>& phi_rate) {
  const T along = phi.dot(phi_rate);
  const T x_rate = T(2) * along;
  return (k.a_x * x_rate + k.c * along) * phi_rate + (k.b_x * x_rate) * phi.cross(phi_rate) +
         (k.c * phi_rate.squaredNorm() + k.c_x * x_rate * along) * phi;
}

/// Angular velocity in child axes of a moving rotation vector: omega = B(phi)^-1 phi'.
template <class T>
Vec3T<T> body_rate(const Vec3T<T>& phi, const Vec3T<T>& phi_rate) {
  const RotationCoefficients<T> k(phi.squaredNorm());
  return k.a * phi_rate - k.b * phi.cross(phi_rate) + k.c * phi.dot(phi_rate) * phi;
}

/// Its time derivative, omega'.
template <class T>
Vec3T<T> body_acceleration(const Vec3T<T>& phi, const Vec3T<T>& phi_rate,
                           const Vec3T<T>& phi_acceleration) {
  const RotationCoefficients<T> k(phi.squaredNorm());
  const T along = phi.dot(phi_rate);
  const T x_rate = T(2) * along;
  const T along_rate = phi_rate.squaredNorm() + phi.dot(phi_acceleration);
  return k.a * phi_acceleration + k.a_x * x_rate * phi_rate - k.b * phi.cross(phi_acceleration) -
         k.b_x * x_rate * phi.cross(phi_rate) + (k.c * along_rate + k.c_x * x_rate * along) * phi +
         k.c * along * phi_rate;
}

/// A rotation whose third column is `axis` (need not be unit), chosen smoothly.
Mat3 frame_with_z(const Vec3& axis);

/// Angle about an axis.
Mat3 rotation_about(const Vec3& axis, double angle_rad);

}  // namespace grapple::spatial
