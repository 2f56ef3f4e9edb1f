// Dual numbers: value plus kWidth directional derivatives, carried exactly through the same code
// that runs on doubles. d(f o g) = f'(g) dg; no step size, no truncation error. The width fills one
// wide vector register.
#pragma once

#include <Eigen/Core>
#include <array>
#include <cmath>

namespace grapple::spatial {

struct Dual {
  static constexpr int kWidth = 8;

  double value = 0.0;
  std::array<double, kWidth> d{};

  Dual() = default;
  Dual(double x) : value(x) {}  // NOLINT: constants mix freely with dual numbers

  /// The variable x with derivative 1 in direction `direction`.
  static Dual seed(double x, int direction) {
    Dual r(x);
    r.d[static_cast<std::size_t>(direction)] = 1.0;
    return r;
  }

  /// f(x) with f'(x) = slope.
  Dual chain(double f, double slope) const {
    Dual r(f);
    for (std::size_t i = 0; i < kWidth; ++i) r.d[i] = slope * d[i];
    return r;
  }

  Dual& operator+=(const Dual& b) {
    value += b.value;
    for (std::size_t i = 0; i < kWidth; ++i) d[i] += b.d[i];
    return *this;
  }
  Dual& operator-=(const Dual& b) {
    value -= b.value;
    for (std::size_t i = 0; i < kWidth; ++i) d[i] -= b.d[i];
    return *this;
  }
  Dual& operator*=(const Dual& b) {
    for (std::size_t i = 0; i < kWidth; ++i) d[i] = d[i] * b.value + value * b.d[i];
    value *= b.value;
    return *this;
  }
  Dual& operator/=(const Dual& b) {
    const double inverse = 1.0 / b.value;
    value *= inverse;
    for (std::size_t i = 0; i < kWidth; ++i) d[i] = (d[i] - value * b.d[i]) * inverse;
    return *this;
  }

  friend Dual operator+(Dual a, const Dual& b) { return a += b; }
  friend Dual operator-(Dual a, const Dual& b) { return a -= b; }
  friend Dual operator*(Dual a, const Dual& b) { return a *= b; }
  friend Dual operator/(Dual a, const Dual& b) { return a /= b; }
  friend Dual operator-(const Dual& a) { return a.chain(-a.value, -1.0); }
  friend Dual operator+(const Dual& a) { return a; }

  friend bool operator<(const Dual& a, const Dual& b) { return a.value < b.value; }
  friend bool operator>(const Dual& a, const Dual& b) { return a.value > b.value; }
  friend bool operator<=(const Dual& a, const Dual& b) { return a.value <= b.value; }
  friend bool operator>=(const Dual& a, const Dual& b) { return a.value >= b.value; }
  friend bool operator==(const Dual& a, const Dual& b) { return a.value == b.value; }

  friend Dual sqrt(const Dual& a) {
    const double root = std::sqrt(a.value);
    return a.chain(root, 0.5 / root);
  }
  friend Dual sin(const Dual& a) { return a.chain(std::sin(a.value), std::cos(a.value)); }
  friend Dual cos(const Dual& a) { return a.chain(std::cos(a.value), -std::sin(a.value)); }
  friend Dual tanh(const Dual& a) {
    const double t = std::tanh(a.value);
    return a.chain(t, 1.0 - t * t);
  }
  friend Dual exp(const Dual& a) {
    const double e = std::exp(a.value);
    return a.chain(e, e);
  }
  friend Dual log(const Dual& a) { return a.chain(std::log(a.value), 1.0 / a.value); }
  friend Dual pow(const Dual& a, double p) {
    return a.chain(std::pow(a.value, p), p * std::pow(a.value, p - 1.0));
  }
  friend Dual abs(const Dual& a) { return a.value < 0.0 ? -a : a; }
  friend Dual atan2(const Dual& y, const Dual& x) {
    const double scale = 1.0 / (x.value * x.value + y.value * y.value);
    Dual r(std::atan2(y.value, x.value));
    for (std::size_t i = 0; i < kWidth; ++i) {
      r.d[i] = (x.value * y.d[i] - y.value * x.d[i]) * scale;
    }
    return r;
  }
};

/// The value without its derivatives, for decisions and for parts that do not depend on the state.
inline double value_of(double x) { return x; }
inline double value_of(long double x) { return static_cast<double>(x); }
inline double value_of(const Dual& x) { return x.value; }

}  // namespace grapple::spatial

namespace Eigen {
template <>
struct NumTraits<grapple::spatial::Dual> : NumTraits<double> {
  using Real = grapple::spatial::Dual;
  using NonInteger = grapple::spatial::Dual;
  using Nested = grapple::spatial::Dual;
  enum {
    IsComplex = 0,
    IsInteger = 0,
    IsSigned = 1,
    RequireInitialization = 1,
    ReadCost = 9,
    AddCost = 9,
    MulCost = 18
  };
};
}  // namespace Eigen
