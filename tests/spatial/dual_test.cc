// Dual arithmetic against derivatives written by hand.
#include "grapple/spatial/dual.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "grapple/spatial/sym3.h"

namespace grapple::spatial {
namespace {

constexpr double kRounding = 4e-16;

void expect_dual(const Dual& actual, double value, double by_x, double by_y) {
  EXPECT_NEAR(actual.value, value, kRounding * (1.0 + std::abs(value)));
  EXPECT_NEAR(actual.d[2], by_x, 4 * kRounding * (1.0 + std::abs(by_x)));
  EXPECT_NEAR(actual.d[5], by_y, 4 * kRounding * (1.0 + std::abs(by_y)));
  for (const std::size_t other : {0u, 1u, 3u, 4u, 6u, 7u}) EXPECT_EQ(actual.d[other], 0.0);
}

TEST(Dual, ArithmeticAndFunctions) {
  for (const double x : {-2.3, -0.4, 0.7, 3.1}) {
    for (const double y : {-1.9, 0.2, 1.4}) {
      const Dual X = Dual::seed(x, 2), Y = Dual::seed(y, 5);
      expect_dual(X + Y, x + y, 1, 1);
      expect_dual(X - Y, x - y, 1, -1);
      expect_dual(X * Y, x * y, y, x);
      expect_dual(X / Y, x / y, 1 / y, -x / (y * y));
      expect_dual(-X, -x, -1, 0);
      expect_dual(+X, x, 1, 0);
      expect_dual(sin(X * Y), std::sin(x * y), y * std::cos(x * y), x * std::cos(x * y));
      expect_dual(cos(X), std::cos(x), -std::sin(x), 0);
      expect_dual(tanh(X), std::tanh(x), 1 / (std::cosh(x) * std::cosh(x)), 0);
      expect_dual(exp(X), std::exp(x), std::exp(x), 0);
      expect_dual(log(X * X), std::log(x * x), 2 / x, 0);
      expect_dual(sqrt(X * X), std::abs(x), x < 0 ? -1 : 1, 0);
      expect_dual(abs(X), std::abs(x), x < 0 ? -1 : 1, 0);
      const double r2 = x * x + y * y;
      expect_dual(atan2(Y, X), std::atan2(y, x), -y / r2, x / r2);
    }
  }
}

TEST(Dual, SelfAssignmentAndConstants) {
  Dual x = Dual::seed(3.0, 2);
  x *= x;
  expect_dual(x, 9.0, 6.0, 0.0);
  x = Dual::seed(3.0, 2);
  x /= x;
  expect_dual(x, 1.0, 0.0, 0.0);
  x = Dual::seed(3.0, 2);
  x -= x;
  expect_dual(x, 0.0, 0.0, 0.0);
  expect_dual(2.0 * Dual::seed(3.0, 2) + 1.0, 7.0, 2.0, 0.0);
}

TEST(Dual, ComparesByValue) {
  EXPECT_LT(Dual::seed(1.0, 0), Dual::seed(2.0, 1));
  EXPECT_TRUE(Dual::seed(1.0, 0) == Dual(1.0));
  EXPECT_FALSE(Dual(1.0) > Dual::seed(1.0, 3));
  EXPECT_TRUE(Dual(1.0) >= Dual(1.0) && Dual(1.0) <= Dual(1.0));
  EXPECT_EQ(value_of(Dual::seed(1.5, 0)), 1.5);
}

// d(A^-1 b) = -A^-1 dA A^-1 b through Eigen's products.
TEST(Dual, RunsThroughEigen) {
  Mat3T<Dual> A;
  A << Dual::seed(4.0, 0), 1.0, 0.5, 1.0, 3.0, 0.2, 0.5, 0.2, 2.0;
  const Vec3T<Dual> b(1.0, 2.0, 3.0);
  const Vec3T<Dual> x = A.inverse() * b;
  Mat3 A0;
  A0 << 4.0, 1.0, 0.5, 1.0, 3.0, 0.2, 0.5, 0.2, 2.0;
  const Vec3 x0 = A0.inverse() * Vec3(1, 2, 3);
  const Vec3 dx = -A0.inverse() * Vec3(x0[0], 0, 0);
  for (int k = 0; k < 3; ++k) {
    EXPECT_NEAR(x[k].value, x0[k], 1e-15);
    EXPECT_NEAR(x[k].d[0], dx[k], 1e-15);
  }
}

TEST(Sym3, EqualsFullMatrices) {
  Mat3 J;
  J << 2, 0.3, -0.1, 0.3, 3, 0.4, -0.1, 0.4, 4;
  const Mat3 R = Eigen::AngleAxisd(0.8, Vec3(1, 2, 3).normalized()).toRotationMatrix();
  const Vec3 v(0.5, -1, 2);
  Sym3 S = Sym3::from(J);
  EXPECT_EQ(S.matrix(), J);
  EXPECT_LT((S * v - J * v).norm(), 1e-15);
  EXPECT_LT((rotated<double>(R, S).matrix() - R * J * R.transpose()).norm(), 3e-15);
  S += Sym3::diagonal(2.0);
  S.subtract_outer(0.7, v);
  EXPECT_LT((S.matrix() - (J + 2.0 * Mat3::Identity() - 0.7 * v * v.transpose())).norm(), 1e-15);
}

}  // namespace
}  // namespace grapple::spatial
