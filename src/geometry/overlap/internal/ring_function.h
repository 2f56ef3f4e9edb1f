// Functions on a ring P(t) = center + cosine cos t + sine sin t: polynomials of second degree in
// cos and sin (planes, quadrics), or the quartic of a torus; and where they vanish.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "grapple/spatial/dual.h"
#include "grapple/spatial/types.h"

namespace grapple::geometry {

template <class T>
struct RingPoints {
  spatial::Vec3T<T> center, cosine, sine;

  spatial::Vec3T<T> at(const T& c, const T& s) const { return center + c * cosine + s * sine; }
};

/// k0 + kc c + ks s + kcc c^2 + kcs c s + kss s^2 with c = cos t, s = sin t.
template <class T>
struct RingQuadratic {
  T k0{0}, kc{0}, ks{0}, kcc{0}, kcs{0}, kss{0};

  T value(const T& c, const T& s) const {
    return k0 + c * (kc + kcc * c + kcs * s) + s * (ks + kss * s);
  }
  T slope(const T& c, const T& s) const {
    return ks * c - kc * s + kcs * (c * c - s * s) + T(2) * (kss - kcc) * c * s;
  }
  void add_plane(const spatial::Vec3T<T>& normal, const T& level, const RingPoints<T>& ring) {
    k0 += normal.dot(ring.center) - level;
    kc += normal.dot(ring.cosine);
    ks += normal.dot(ring.sine);
  }
  /// weight times the square of one coordinate.
  void add_square(int axis, const T& weight, const RingPoints<T>& ring) {
    const T &o = ring.center[axis], &u = ring.cosine[axis], &w = ring.sine[axis];
    k0 += weight * o * o;
    kc += T(2) * weight * o * u;
    ks += T(2) * weight * o * w;
    kcc += weight * u * u;
    kcs += T(2) * weight * u * w;
    kss += weight * w * w;
  }
};

/// A quadratic g, or for a torus (g + ring^2 - tube^2)^2 - 4 ring^2 h.
template <class T>
struct RingFunction {
  enum class Kind { kLinear, kQuadratic, kTorus };
  Kind kind = Kind::kQuadratic;
  RingQuadratic<T> g, h;
  double ring_radius = 0.0, tube_radius = 0.0;

  /// Without second harmonics, as a ball's: to rounding.
  bool is_linear() const {
    using std::abs;
    if (kind != Kind::kQuadratic) return kind == Kind::kLinear;
    return abs(g.kcc - g.kss) + abs(g.kcs) <= T(1e-15) * (abs(g.kcc) + abs(g.kss));
  }
  /// Bound on the second derivative of a quadratic.
  double sharpest() const {
    return std::hypot(g.kc, g.ks) + 2.0 * std::hypot(g.kcs, g.kss - g.kcc);
  }
  T value(const T& c, const T& s) const {
    if (kind != Kind::kTorus) return g.value(c, s);
    const T sum = g.value(c, s) + T(ring_radius * ring_radius - tube_radius * tube_radius);
    return sum * sum - T(4.0 * ring_radius * ring_radius) * h.value(c, s);
  }
  T slope(const T& c, const T& s) const {
    if (kind != Kind::kTorus) return g.slope(c, s);
    const T sum = g.value(c, s) + T(ring_radius * ring_radius - tube_radius * tube_radius);
    return T(2) * sum * g.slope(c, s) - T(4.0 * ring_radius * ring_radius) * h.slope(c, s);
  }
};

/// cos and sin of at most a quarter turn either way, to 1e-12: by their series, cheaper than those
/// of any angle.
template <class T>
struct SmallTurn {
  T c, s;

  explicit SmallTurn(const T& x) {
    const T y = x * x;
    c = T(kCosine[8]);
    s = T(kSine[8]);
    for (std::size_t k = 8; k-- > 0;) {
      c = c * y + T(kCosine[k]);
      s = s * y + T(kSine[k]);
    }
    s *= x;
  }

 private:
  // 1/(2k)! and 1/(2k + 1)! with changing signs.
  static constexpr std::array<double, 9> kCosine = {1.0,
                                                    -1.0 / 2,
                                                    1.0 / 24,
                                                    -1.0 / 720,
                                                    1.0 / 40320,
                                                    -1.0 / 3628800,
                                                    1.0 / 479001600.0,
                                                    -1.0 / 87178291200.0,
                                                    1.0 / 20922789888000.0};
  static constexpr std::array<double, 9> kSine = {1.0,
                                                  -1.0 / 6,
                                                  1.0 / 120,
                                                  -1.0 / 5040,
                                                  1.0 / 362880,
                                                  -1.0 / 39916800,
                                                  1.0 / 6227020800.0,
                                                  -1.0 / 1307674368000.0,
                                                  1.0 / 355687428096000.0};
};

/// A direction on the ring. No values to begin with: there are large arrays of them.
struct RingAngle {
  double angle, c, s;

  /// This one turned by a small angle.
  RingAngle turned(double by) const {
    const SmallTurn<double> turn(by);
    return {angle + by, c * turn.c - s * turn.s, s * turn.c + c * turn.s};
  }
  static RingAngle of(double angle) { return {angle, std::cos(angle), std::sin(angle)}; }
};

/// Where a function vanishes.
struct RingRoots {
  std::array<RingAngle, 16> at;
  std::size_t count = 0;

  void add(const RingAngle& angle) {
    if (count < at.size()) at[count++] = angle;
  }
};

/// Equal steps round the ring.
template <std::size_t N>
struct RingSteps {
  std::array<RingAngle, N> at;

  RingSteps() {
    for (std::size_t k = 0; k < N; ++k) {
      at[k] =
          RingAngle::of(2.0 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(N));
    }
  }
};

/// Between `a` and `b` from `base`, where f changes its sign: Newton steps kept between narrowing
/// limits.
inline RingAngle root_between(const RingFunction<double>& f, const RingAngle& base, double a,
                              double b, double at_a, double at_b) {
  constexpr double kLastStep = 1e-8;  // the error after a Newton step is of the order of its square
  const bool negative = at_a < 0.0;
  double t = a + (b - a) * at_a / (at_a - at_b);
  for (int round = 0; round < 60; ++round) {
    const RingAngle here = base.turned(t);
    const double value = f.value(here.c, here.s);
    ((value < 0.0) == negative ? a : b) = t;
    const double next = t - value / f.slope(here.c, here.s);
    if (std::abs(next - t) < kLastStep && next >= a && next <= b) return base.turned(next);
    t = next > a && next < b ? next : 0.5 * (a + b);
    if (!(b - a > 1e-15)) break;
  }
  return base.turned(t);
}

/// Without second harmonics: k0 + size cos(t - middle).
inline RingRoots linear_roots(const RingQuadratic<double>& g) {
  RingRoots roots;
  const double square = g.kc * g.kc + g.ks * g.ks, k0 = g.k0 + 0.5 * (g.kcc + g.kss);
  const double rest = square - k0 * k0;
  if (!(rest > 0.0)) return roots;
  const double half = std::sqrt(rest);
  for (const double side : {-1.0, 1.0}) {
    const double c = (-k0 * g.kc - side * half * g.ks) / square;
    const double s = (-k0 * g.ks + side * half * g.kc) / square;
    roots.add({std::atan2(s, c), c, s});
  }
  return roots;
}

/// Every root between `a` and `b` from `base`, by halving until the bend, at most `bend`, shows
/// that there is none or one; roots nearer to each other than the last halves are left alone.
inline void add_roots(const RingFunction<double>& f, const RingAngle& base, double a, double b,
                      double at_a, double at_b, double bend, RingRoots& roots) {
  constexpr double kLeastWidth = 1e-5;
  const double width = b - a, middle = 0.5 * (a + b);
  const bool changes = (at_a < 0.0) != (at_b < 0.0);
  if (!changes && std::min(std::abs(at_a), std::abs(at_b)) > 0.125 * bend * width * width) return;
  if (!changes && width < kLeastWidth) return;
  const RingAngle at = base.turned(middle);
  const bool monotone = std::abs(f.slope(at.c, at.s)) > 0.5 * bend * width;
  if (changes && (monotone || width < kLeastWidth)) {
    return roots.add(root_between(f, base, a, b, at_a, at_b));
  }
  if (monotone) return;
  const double here = f.value(at.c, at.s);
  add_roots(f, base, a, middle, at_a, here, bend, roots);
  add_roots(f, base, middle, b, here, at_b, bend, roots);
}

template <std::size_t kSteps>
RingRoots roots_by_steps(const RingFunction<double>& f) {
  static const RingSteps<kSteps> steps;
  constexpr double kStep = 2.0 * std::numbers::pi / kSteps;
  RingRoots roots;
  std::array<double, kSteps> value;
  for (std::size_t k = 0; k < kSteps; ++k) value[k] = f.value(steps.at[k].c, steps.at[k].s);
  double bend = f.sharpest();
  if (f.kind == RingFunction<double>::Kind::kTorus) {
    // No more than twice what the steps show: its harmonics are the first four.
    bend = 0.0;
    for (std::size_t k = 0; k < kSteps; ++k) {
      const double second = value[k] - 2.0 * value[(k + 1) % kSteps] + value[(k + 2) % kSteps];
      bend = std::max(bend, 2.0 * std::abs(second) / (kStep * kStep));
    }
  }
  for (std::size_t k = 0; k < kSteps; ++k) {
    add_roots(f, steps.at[k], 0.0, kStep, value[k], value[(k + 1) % kSteps], bend, roots);
  }
  return roots;
}

inline RingRoots roots_on_ring(const RingFunction<double>& f) {
  if (f.is_linear()) return linear_roots(f.g);
  return f.kind == RingFunction<double>::Kind::kTorus ? roots_by_steps<32>(f)
                                                      : roots_by_steps<16>(f);
}

}  // namespace grapple::geometry
