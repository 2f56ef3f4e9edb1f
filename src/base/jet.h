// A quantity with its first two time derivatives over any scalar T (double, dual numbers), carried
// through functions by the chain rule  f(a)'' = f''(a) a'^2 + f'(a) a''.  Slopes are closed forms,
// exact to round-off up to the ends of each range. Jumps (step, pulse, sign, comparisons) have
// derivative zero; on a kink the branch that holds counts. Where a derivative does not exist
// (sqrt(t) at 0, asin(t) at 1, atan2(0, 0)) it is infinite or no number, never a guess.
//   T brings + - * / atan2, value_of(T), and lift(a, f, f1): f(a) where f = f(a), f1 = f'(a).
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>

#include "grapple/base/formula_evaluate.h"

namespace grapple::jets {

template <class T>
struct JetOf {
  T value = T(0), rate = T(0), acceleration = T(0);
  /// Whether it stands still around t, so that an infinite derivative of a function of it does not
  /// count: the square root of a constant 0 is a constant, that of t^4 is not.
  bool is_constant = false;
};

inline double value_of(double x) { return x; }
inline double lift(double /*a*/, double f, double /*f1*/) { return f; }

template <class T>
JetOf<T> constant(double value) {
  return {T(value), T(0), T(0), true};
}

/// A function at one argument with its derivatives; the third is for dual numbers.
struct Slopes {
  double f, f1, f2, f3;
};

template <class T>
JetOf<T> chain(const JetOf<T>& a, const Slopes& s) {
  if (a.is_constant) return constant<T>(s.f);
  const T f = lift(a.value, s.f, s.f1), f1 = lift(a.value, s.f1, s.f2);
  const T f2 = lift(a.value, s.f2, s.f3);
  return {f, f1 * a.rate, f2 * a.rate * a.rate + f1 * a.acceleration};
}

template <class T>
bool operator<(const JetOf<T>& a, const JetOf<T>& b) {
  return value_of(a.value) < value_of(b.value);
}
template <class T>
bool operator<=(const JetOf<T>& a, const JetOf<T>& b) {
  return value_of(a.value) <= value_of(b.value);
}
template <class T>
bool operator==(const JetOf<T>& a, const JetOf<T>& b) {
  return value_of(a.value) == value_of(b.value);
}

template <class T>
JetOf<T> operator-(const JetOf<T>& a) {
  return {-a.value, -a.rate, -a.acceleration, a.is_constant};
}
template <class T>
JetOf<T> operator+(const JetOf<T>& a, const JetOf<T>& b) {
  return {a.value + b.value, a.rate + b.rate, a.acceleration + b.acceleration,
          a.is_constant && b.is_constant};
}
template <class T>
JetOf<T> operator-(const JetOf<T>& a, const JetOf<T>& b) {
  return {a.value - b.value, a.rate - b.rate, a.acceleration - b.acceleration,
          a.is_constant && b.is_constant};
}
template <class T>
JetOf<T> operator*(const JetOf<T>& a, const JetOf<T>& b) {
  const double x = value_of(a.value), y = value_of(b.value);
  // A part switched off (step(t - 1)*t before 1 s) stands still.
  const bool vanishes = (a.is_constant && x == 0.0 && std::isfinite(y)) ||
                        (b.is_constant && y == 0.0 && std::isfinite(x));
  if (vanishes || (a.is_constant && b.is_constant)) return constant<T>(x * y);
  return {a.value * b.value, a.rate * b.value + a.value * b.rate,
          a.acceleration * b.value + T(2) * a.rate * b.rate + a.value * b.acceleration};
}
template <class T>
JetOf<T> operator/(const JetOf<T>& a, const JetOf<T>& b) {
  const T value = a.value / b.value;
  if (a.is_constant && b.is_constant) return constant<T>(value_of(value));
  const T rate = (a.rate - value * b.rate) / b.value;
  return {value, rate, (a.acceleration - T(2) * rate * b.rate - value * b.acceleration) / b.value};
}

template <class T>
JetOf<T> sin(const JetOf<T>& a) {
  const double x = value_of(a.value), s = std::sin(x), c = std::cos(x);
  return chain(a, {s, c, -s, -c});
}
template <class T>
JetOf<T> cos(const JetOf<T>& a) {
  const double x = value_of(a.value), s = std::sin(x), c = std::cos(x);
  return chain(a, {c, -s, -c, s});
}
template <class T>
JetOf<T> tan(const JetOf<T>& a) {
  const double f = std::tan(value_of(a.value)), f1 = 1.0 + f * f, f2 = 2.0 * f * f1;
  return chain(a, {f, f1, f2, 2.0 * (f1 * f1 + f * f2)});
}
template <class T>
JetOf<T> asin(const JetOf<T>& a) {
  const double x = value_of(a.value), u = 1.0 / std::sqrt((1.0 - x) * (1.0 + x));
  return chain(a, {std::asin(x), u, x * u * u * u, u * u * u * (1.0 + 3.0 * x * x * u * u)});
}
template <class T>
JetOf<T> acos(const JetOf<T>& a) {
  const double x = value_of(a.value), u = -1.0 / std::sqrt((1.0 - x) * (1.0 + x));
  return chain(a, {std::acos(x), u, x * u * u * u, u * u * u * (1.0 + 3.0 * x * x * u * u)});
}
template <class T>
JetOf<T> atan(const JetOf<T>& a) {
  const double x = value_of(a.value), u = 1.0 / (1.0 + x * x);
  return chain(a, {std::atan(x), u, -2.0 * x * u * u, (8.0 * x * x * u - 2.0) * u * u});
}
template <class T>
JetOf<T> sinh(const JetOf<T>& a) {
  const double x = value_of(a.value), s = std::sinh(x), c = std::cosh(x);
  return chain(a, {s, c, s, c});
}
template <class T>
JetOf<T> cosh(const JetOf<T>& a) {
  const double x = value_of(a.value), s = std::sinh(x), c = std::cosh(x);
  return chain(a, {c, s, c, s});
}
template <class T>
JetOf<T> tanh(const JetOf<T>& a) {
  const double x = value_of(a.value), f = std::tanh(x), c = std::cosh(x);
  const double f1 = 1.0 / (c * c);  // 1 - f^2 would cancel far out
  return chain(a, {f, f1, -2.0 * f * f1, f1 * (4.0 * f * f - 2.0 * f1)});
}
template <class T>
JetOf<T> exp(const JetOf<T>& a) {
  const double f = std::exp(value_of(a.value));
  return chain(a, {f, f, f, f});
}
template <class T>
JetOf<T> log(const JetOf<T>& a) {
  const double x = value_of(a.value), f1 = 1.0 / x;
  return chain(a, {std::log(x), f1, -f1 * f1, 2.0 * f1 * f1 * f1});
}
template <class T>
JetOf<T> log10(const JetOf<T>& a) {
  const double x = value_of(a.value), f1 = 1.0 / x / std::numbers::ln10, f2 = -f1 / x;
  return chain(a, {std::log10(x), f1, f2, -2.0 * f2 / x});
}
template <class T>
JetOf<T> sqrt(const JetOf<T>& a) {
  const double x = value_of(a.value), f = std::sqrt(x), f1 = 0.5 / f, f2 = -0.5 * f1 / x;
  return chain(a, {f, f1, f2, -1.5 * f2 / x});
}
/// Adding zero turns -0 into 0.
template <class T>
JetOf<T> abs(const JetOf<T>& a) {
  if (value_of(a.value) < 0.0) return -a;
  return {a.value + T(0), a.rate, a.acceleration, a.is_constant};
}

/// x^n with a constant exponent, whole ones also of negative numbers. Factors that vanish do so
/// before x^(n - k) can blow up.
inline Slopes power_slopes(double x, double n) {
  const auto term = [x](double factor, double exponent) {
    return factor == 0.0 ? 0.0 : factor * std::pow(x, exponent);
  };
  return {std::pow(x, n), term(n, n - 1.0), term(n * (n - 1.0), n - 2.0),
          term(n * (n - 1.0) * (n - 2.0), n - 3.0)};
}
template <class T>
JetOf<T> small_power(const JetOf<T>& a, std::uint32_t exponent) {
  const double x = value_of(a.value);
  if (exponent == 2) return chain(a, {x * x, 2.0 * x, 2.0, 0.0});
  Slopes slopes = power_slopes(x, exponent);
  slopes.f = formulas::small_power(x, exponent);
  return chain(a, slopes);
}
template <class T>
JetOf<T> pow(const JetOf<T>& a, const JetOf<T>& b) {
  const double x = value_of(a.value), n = value_of(b.value);
  if (b.is_constant) return chain(a, power_slopes(x, n));
  const double f = std::pow(x, n);  // = exp(b ln a)
  return chain(b * log(a), {f, f, f, f});
}

/// The angle of (x, y) = r (c, s): its rate is (c y' - s x') / r. Scaled by the larger of the two,
/// so that squares stay in range; not a number where both vanish.
template <class T>
JetOf<T> atan2(const JetOf<T>& y, const JetOf<T>& x) {
  using std::atan2;
  const T angle = atan2(y.value, x.value);
  if (y.is_constant && x.is_constant) return constant<T>(value_of(angle));
  const T size(std::max(std::abs(value_of(x.value)), std::abs(value_of(y.value))));
  const T u = x.value / size, w = y.value / size, square = u * u + w * w;
  const T rate = (u * y.rate - w * x.rate) / (square * size);
  const T growth = T(2) * (u * x.rate + w * y.rate) / (square * size);
  return {angle, rate, (u * y.acceleration - w * x.acceleration) / (square * size) - growth * rate};
}

template <class T>
JetOf<T> smooth(const JetOf<T>& t, const JetOf<T>& begin, const JetOf<T>& end) {
  if (t <= begin) return constant<T>(0.0);
  if (end <= t) return constant<T>(1.0);
  const JetOf<T> along = (t - begin) / (end - begin);
  const double s = value_of(along.value), rest = 1.0 - s;
  return chain(along, {s * s * s * (10.0 + s * (-15.0 + 6.0 * s)), 30.0 * s * s * rest * rest,
                       60.0 * s * rest * (1.0 - 2.0 * s), 60.0 * (1.0 - 6.0 * s * rest)});
}

}  // namespace grapple::jets

namespace grapple::formulas {

template <class T>
struct NumberOf<jets::JetOf<T>> {
  static jets::JetOf<T> constant(double x) { return jets::constant<T>(x); }
};

}  // namespace grapple::formulas
