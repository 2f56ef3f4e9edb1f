// The functions of formulas (base/formula_evaluate.h, base/jet.h) that other code on dual numbers
// does not need.
#pragma once

#include <cmath>
#include <numbers>

#include "grapple/spatial/dual.h"

namespace grapple::spatial {

/// f(a) with f'(a) = slope, infinite slopes included: a direction in which `a` stands still stays
/// zero.
inline Dual lift(const Dual& a, double f, double slope) {
  Dual r(f);
  for (std::size_t i = 0; i < r.d.size(); ++i) r.d[i] = a.d[i] == 0.0 ? 0.0 : slope * a.d[i];
  return r;
}

inline Dual tan(const Dual& a) {
  const double f = std::tan(a.value);
  return a.chain(f, 1.0 + f * f);
}
inline Dual asin(const Dual& a) {
  return a.chain(std::asin(a.value), 1.0 / std::sqrt((1.0 - a.value) * (1.0 + a.value)));
}
inline Dual acos(const Dual& a) {
  return a.chain(std::acos(a.value), -1.0 / std::sqrt((1.0 - a.value) * (1.0 + a.value)));
}
inline Dual atan(const Dual& a) {
  return a.chain(std::atan(a.value), 1.0 / (1.0 + a.value * a.value));
}
inline Dual sinh(const Dual& a) { return a.chain(std::sinh(a.value), std::cosh(a.value)); }
inline Dual cosh(const Dual& a) { return a.chain(std::cosh(a.value), std::sinh(a.value)); }
inline Dual log10(const Dual& a) {
  return a.chain(std::log10(a.value), 1.0 / a.value / std::numbers::ln10);
}
/// A constant exponent serves negative numbers too.
inline Dual pow(const Dual& a, const Dual& b) {
  const double f = std::pow(a.value, b.value), logarithm = std::log(a.value);
  const double slope = b.value == 0.0 ? 0.0 : b.value * std::pow(a.value, b.value - 1.0);
  Dual r = lift(a, f, slope);
  for (std::size_t i = 0; i < r.d.size(); ++i) {
    if (b.d[i] != 0.0) r.d[i] += f * logarithm * b.d[i];
  }
  return r;
}

}  // namespace grapple::spatial
