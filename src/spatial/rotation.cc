#include "grapple/spatial/rotation.h"

#include "grapple/base/assert.h"

namespace grapple::spatial {

namespace {

// omega = a phi' - b phi x phi' + c phi (phi . phi') in child axes, with functions of x = |phi|^2:
//   a = sin(s)/s, b = (1 - cos s)/s^2, c = (s - sin s)/s^3, s = |phi|; value and derivative with
//   respect to x.
struct Coefficients {
  double a, b, c, a_x, b_x, c_x;
};

Coefficients coefficients(double x) {
  if (x < 1e-2) {  // alternating series, six terms: relative error below 1e-17
    Coefficients k{0, 0, 0, 0, 0, 0};
    double power = 1.0, previous = 0.0, factorial = 1.0;  // x^n, n x^(n-1), (2n+1)!
    for (int n = 0; n < 7; ++n) {
      const double sign = n % 2 == 0 ? 1.0 : -1.0;
      const double fa = sign / factorial;
      const double fb = fa / (2.0 * n + 2.0);
      const double fc = fb / (2.0 * n + 3.0);
      k.a += fa * power;
      k.b += fb * power;
      k.c += fc * power;
      k.a_x += fa * previous;
      k.b_x += fb * previous;
      k.c_x += fc * previous;
      previous = (n + 1) * power;
      power *= x;
      factorial *= (2.0 * n + 2.0) * (2.0 * n + 3.0);
    }
    return k;
  }
  const double s = std::sqrt(x), sine = std::sin(s), cosine = std::cos(s);
  Coefficients k{};
  k.a = sine / s;
  k.b = (1.0 - cosine) / x;
  k.c = (s - sine) / (x * s);
  k.a_x = (cosine - k.a) / (2.0 * x);
  k.b_x = (0.5 * k.a - k.b) / x;
  k.c_x = ((1.0 - cosine) / x - 3.0 * k.c) / (2.0 * x);
  return k;
}

}  // namespace

Vec3 body_rate(const Vec3& phi, const Vec3& phi_rate) {
  const Coefficients k = coefficients(phi.squaredNorm());
  return k.a * phi_rate - k.b * phi.cross(phi_rate) + k.c * phi.dot(phi_rate) * phi;
}

Vec3 body_acceleration(const Vec3& phi, const Vec3& phi_rate, const Vec3& phi_acceleration) {
  const Coefficients k = coefficients(phi.squaredNorm());
  const double x_rate = 2.0 * phi.dot(phi_rate);
  const double along = phi.dot(phi_rate);
  const double along_rate = phi_rate.squaredNorm() + phi.dot(phi_acceleration);
  return k.a * phi_acceleration + k.a_x * x_rate * phi_rate - k.b * phi.cross(phi_acceleration) -
         k.b_x * x_rate * phi.cross(phi_rate) + (k.c * along_rate + k.c_x * x_rate * along) * phi +
         k.c * along * phi_rate;
}

Mat3 frame_with_z(const Vec3& axis) {
  const double norm = axis.norm();
  GRAPPLE_ASSERT(norm > 0.0);
  const Vec3 z = axis / norm;
  // The shortest turn that brings e_z to z; for z near -e_z a half turn about e_x comes first.
  if (z.z() > -0.5) return Eigen::Quaterniond::FromTwoVectors(Vec3::UnitZ(), z).toRotationMatrix();
  const Mat3 half_turn = Vec3(1.0, -1.0, -1.0).asDiagonal();
  return Eigen::Quaterniond::FromTwoVectors(-Vec3::UnitZ(), z).toRotationMatrix() * half_turn;
}

Mat3 rotation_about(const Vec3& axis, double angle_rad) {
  return Eigen::AngleAxisd(angle_rad, axis.normalized()).toRotationMatrix();
}

}  // namespace grapple::spatial
