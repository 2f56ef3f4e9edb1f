#include "grapple/base/internal/interval_jet.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "grapple/base/formula_evaluate.h"

namespace grapple::intervals {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Outward by more than an operation rounds; a point at zero stays one.
Interval outward(double low, double high) {
  if (std::isnan(low)) low = -kInfinity;
  if (std::isnan(high)) high = kInfinity;
  constexpr double kRounding = 4.0 * std::numeric_limits<double>::epsilon();
  return {low - kRounding * std::abs(low), high + kRounding * std::abs(high)};
}
Interval hull_of(const Interval& a, const Interval& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}
Interval point(double x) { return {x, x}; }

Interval sum(const Interval& a, const Interval& b) {
  return outward(a.low + b.low, a.high + b.high);
}
Interval opposite(const Interval& a) { return {-a.high, -a.low}; }

Interval product(const Interval& a, const Interval& b) {
  const auto times = [](double x, double y) { return x == 0.0 || y == 0.0 ? 0.0 : x * y; };
  const std::array ends{times(a.low, b.low), times(a.low, b.high), times(a.high, b.low),
                        times(a.high, b.high)};
  return outward(*std::min_element(ends.begin(), ends.end()),
                 *std::max_element(ends.begin(), ends.end()));
}
Interval inverse(const Interval& a) {
  if (a.low > 0.0 || a.high < 0.0) return outward(1.0 / a.high, 1.0 / a.low);
  if (a.low == 0.0 && a.high > 0.0) return {outward(1.0 / a.high, 0.0).low, kInfinity};
  if (a.high == 0.0 && a.low < 0.0) return {-kInfinity, outward(0.0, 1.0 / a.low).high};
  return Interval::all();
}

// f increasing.
template <class F>
Interval increasing(const Interval& a, F f) {
  return outward(f(a.low), f(a.high));
}

// Whether a point  first + k period  lies in the interval.
bool holds_multiple(const Interval& a, double first, double period) {
  const double k = std::ceil((a.low - first) / period - 1e-9);
  return first + k * period <= a.high + 1e-9 * period;
}
Interval sine(const Interval& a) {
  constexpr double kTurn = 2.0 * std::numbers::pi, kQuarter = 0.5 * std::numbers::pi;
  if (!(a.high - a.low < kTurn)) return {-1.0, 1.0};
  const double s = std::sin(a.low), e = std::sin(a.high);
  Interval result = outward(std::min(s, e), std::max(s, e));
  // The argument itself is rounded: far from zero its sine is not known to the last digits.
  const double slack =
      4.0 * std::numeric_limits<double>::epsilon() * std::max(std::abs(a.low), std::abs(a.high));
  result = {std::max(-1.0, result.low - slack), std::min(1.0, result.high + slack)};
  if (holds_multiple(a, kQuarter, kTurn)) result.high = 1.0;
  if (holds_multiple(a, -kQuarter, kTurn)) result.low = -1.0;
  return result;
}
Interval cosine(const Interval& a) {
  constexpr double kQuarter = 0.5 * std::numbers::pi;
  return sine({a.low + kQuarter, a.high + kQuarter});
}
Interval square(const Interval& a) {
  const double low = a.low * a.low, high = a.high * a.high;
  return outward(a.contains(0.0) ? 0.0 : std::min(low, high), std::max(low, high));
}

// f(a) with f'(a) given as an interval; where the argument stands still, so does f.
IntervalJet chain(const IntervalJet& a, const Interval& f, const Interval& f1) {
  const bool still = a.rate.low == 0.0 && a.rate.high == 0.0;
  return {f, still ? point(0.0) : product(f1, a.rate)};
}
IntervalJet undefined() { return {Interval::all(), Interval::all(), false, false}; }
// 1 / sqrt(1 - x^2) over the part of the interval that has a value.
Interval arc_slope(const Interval& a) {
  const double far = std::min(1.0, std::max(std::abs(a.low), std::abs(a.high)));
  const double near = a.contains(0.0) ? 0.0 : std::min(std::abs(a.low), std::abs(a.high));
  return outward(1.0 / std::sqrt(1.0 - near * near), 1.0 / std::sqrt(1.0 - far * far));
}
Interval clipped(const Interval& a) { return {std::max(a.low, -1.0), std::min(a.high, 1.0)}; }

// a^n by its monotone pieces.
Interval whole_power(const Interval& a, int n) {
  if (n == 0) return point(1.0);
  if (n < 0) return inverse(whole_power(a, -n));
  const double low = std::pow(a.low, n), high = std::pow(a.high, n);
  if (n % 2 != 0) return outward(low, high);
  return outward(a.contains(0.0) ? 0.0 : std::min(low, high), std::max(low, high));
}

// What jumps: its derivative is zero wherever it has one.
IntervalJet between(double low, double high) {
  return {{low, high}, point(0.0), true, low != high};
}
IntervalJet truth(bool always, bool never) {
  return between(always ? 1.0 : 0.0, never ? 0.0 : 1.0);
}

bool are_apart(const IntervalJet& a, const IntervalJet& b) {
  return a.value.high < b.value.low || a.value.low > b.value.high;
}
bool are_one_point(const IntervalJet& a, const IntervalJet& b) {
  return a.value.is_point() && b.value.is_point() && a.value.low == b.value.low;
}
bool holds(const IntervalJet& a) { return !a.value.contains(0.0); }
bool fails(const IntervalJet& a) { return a.value.low == 0.0 && a.value.high == 0.0; }

}  // namespace

IntervalJet sin(const IntervalJet& a) { return chain(a, sine(a.value), cosine(a.value)); }
IntervalJet cos(const IntervalJet& a) { return chain(a, cosine(a.value), opposite(sine(a.value))); }
IntervalJet tan(const IntervalJet& a) {
  constexpr double kHalf = std::numbers::pi;
  if (!(a.value.high - a.value.low < kHalf) || holds_multiple(a.value, 0.5 * kHalf, kHalf)) {
    return {Interval::all(), Interval::all()};
  }
  const Interval f = increasing(a.value, [](double x) { return std::tan(x); });
  return chain(a, f, sum(point(1.0), square(f)));
}
IntervalJet asin(const IntervalJet& a) {
  if (a.value.low > 1.0 || a.value.high < -1.0) return undefined();
  return chain(a, increasing(clipped(a.value), [](double x) { return std::asin(x); }),
               arc_slope(a.value));
}
IntervalJet acos(const IntervalJet& a) {
  if (a.value.low > 1.0 || a.value.high < -1.0) return undefined();
  const Interval c = clipped(a.value);
  return chain(a, outward(std::acos(c.high), std::acos(c.low)), opposite(arc_slope(a.value)));
}
IntervalJet atan(const IntervalJet& a) {
  return chain(a, increasing(a.value, [](double x) { return std::atan(x); }),
               inverse(sum(point(1.0), square(a.value))));
}
IntervalJet sinh(const IntervalJet& a) {
  const double low = std::cosh(a.value.low), high = std::cosh(a.value.high);
  return chain(a, increasing(a.value, [](double x) { return std::sinh(x); }),
               outward(a.value.contains(0.0) ? 1.0 : std::min(low, high), std::max(low, high)));
}
IntervalJet cosh(const IntervalJet& a) {
  const double low = std::cosh(a.value.low), high = std::cosh(a.value.high);
  return chain(a, outward(a.value.contains(0.0) ? 1.0 : std::min(low, high), std::max(low, high)),
               increasing(a.value, [](double x) { return std::sinh(x); }));
}
IntervalJet tanh(const IntervalJet& a) {
  const auto slope = [](double x) { return 1.0 / (std::cosh(x) * std::cosh(x)); };
  const double low = slope(a.value.low), high = slope(a.value.high);
  return chain(a, increasing(a.value, [](double x) { return std::tanh(x); }),
               outward(std::min(low, high), a.value.contains(0.0) ? 1.0 : std::max(low, high)));
}
IntervalJet exp(const IntervalJet& a) {
  const Interval f = increasing(a.value, [](double x) { return std::exp(x); });
  return chain(a, f, f);
}
IntervalJet log(const IntervalJet& a) {
  if (a.value.high <= 0.0) return undefined();
  const Interval inside{std::max(0.0, a.value.low), a.value.high};
  return chain(a, increasing(inside, [](double x) { return std::log(x); }), inverse(inside));
}
IntervalJet log10(const IntervalJet& a) {
  IntervalJet result = log(a);
  const Interval factor = outward(std::numbers::log10e, std::numbers::log10e);
  return {product(result.value, factor), product(result.rate, factor), result.defined, false};
}
IntervalJet sqrt(const IntervalJet& a) {
  if (a.value.high < 0.0) return undefined();
  const Interval inside{std::max(0.0, a.value.low), a.value.high};
  const Interval f = increasing(inside, [](double x) { return std::sqrt(x); });
  return chain(a, f, inverse({2.0 * f.low, 2.0 * f.high}));
}
IntervalJet operator-(const IntervalJet& a) { return {opposite(a.value), opposite(a.rate)}; }
IntervalJet abs(const IntervalJet& a) {
  if (a.value.low >= 0.0) return a;
  if (a.value.high <= 0.0) return -a;
  return {{0.0, std::max(-a.value.low, a.value.high)}, hull_of(a.rate, opposite(a.rate))};
}

IntervalJet sign(const IntervalJet& a) {
  const Interval& x = a.value;
  return between(x.low > 0.0 ? 1.0 : (x.low < 0.0 ? -1.0 : 0.0),
                 x.high > 0.0 ? 1.0 : (x.high < 0.0 ? -1.0 : 0.0));
}
IntervalJet step(const IntervalJet& a) {
  return between(a.value.low < 0.0 ? 0.0 : 1.0, a.value.high < 0.0 ? 0.0 : 1.0);
}
IntervalJet pulse(const IntervalJet& t, const IntervalJet& on, const IntervalJet& off) {
  return truth(t.value.low >= on.value.high && t.value.high < off.value.low,
               t.value.high < on.value.low || t.value.low >= off.value.high);
}

IntervalJet operator+(const IntervalJet& a, const IntervalJet& b) {
  return {sum(a.value, b.value), sum(a.rate, b.rate)};
}
IntervalJet operator-(const IntervalJet& a, const IntervalJet& b) {
  return {sum(a.value, opposite(b.value)), sum(a.rate, opposite(b.rate))};
}
IntervalJet operator*(const IntervalJet& a, const IntervalJet& b) {
  return {product(a.value, b.value), sum(product(a.rate, b.value), product(a.value, b.rate))};
}
IntervalJet operator/(const IntervalJet& a, const IntervalJet& b) {
  const Interval one_over = inverse(b.value);
  const Interval value = product(a.value, one_over);
  const Interval rate = product(sum(a.rate, opposite(product(value, b.rate))), one_over);
  return {value, rate};
}

IntervalJet small_power(const IntervalJet& a, std::uint32_t exponent) {
  const int n = static_cast<int>(exponent);
  return chain(a, whole_power(a.value, n), product(point(n), whole_power(a.value, n - 1)));
}
IntervalJet pow(const IntervalJet& a, const IntervalJet& b) {
  const bool constant = b.value.is_point() && b.rate.low == 0.0 && b.rate.high == 0.0;
  const double n = b.value.low;
  if (constant && n == std::floor(n) && std::abs(n) <= 1024.0) {
    const int whole = static_cast<int>(n);
    return chain(a, whole_power(a.value, whole),
                 product(point(n), whole_power(a.value, whole - 1)));
  }
  const IntervalJet logarithm = log(a);
  return logarithm.defined ? exp(b * logarithm) : undefined();
}

IntervalJet smooth(const IntervalJet& t, const IntervalJet& begin, const IntervalJet& end) {
  if (t.value.high <= begin.value.low) return {point(0.0), point(0.0)};
  if (t.value.low >= end.value.high && t.value.low > begin.value.high) {
    return {point(1.0), point(0.0)};
  }
  // The slope along s is at most 15/8.
  return {{0.0, 1.0}, product({0.0, 1.875}, ((t - begin) / (end - begin)).rate)};
}
IntervalJet atan2(const IntervalJet& y, const IntervalJet& x) {
  // Half-planes are told apart, no more: it is a rare argument of a switch.
  constexpr double kPi = std::numbers::pi;
  const Interval value{y.value.low > 0.0 ? 0.0 : -kPi, y.value.high < 0.0 ? 0.0 : kPi};
  return {value, Interval::all(), true, y.value.contains(0.0) && x.value.low < 0.0};
}

IntervalJet min(const IntervalJet& a, const IntervalJet& b) {
  if (a.value.high < b.value.low) return a;
  if (b.value.high < a.value.low) return b;
  IntervalJet result = hull(a, b);
  result.value.high = std::min(a.value.high, b.value.high);
  return result;
}
IntervalJet max(const IntervalJet& a, const IntervalJet& b) {
  if (a.value.low > b.value.high) return a;
  if (b.value.low > a.value.high) return b;
  IntervalJet result = hull(a, b);
  result.value.low = std::max(a.value.low, b.value.low);
  return result;
}

IntervalJet less(const IntervalJet& a, const IntervalJet& b) {
  return truth(a.value.high < b.value.low, a.value.low >= b.value.high);
}
IntervalJet less_or_equal(const IntervalJet& a, const IntervalJet& b) {
  return truth(a.value.high <= b.value.low, a.value.low > b.value.high);
}
IntervalJet equal(const IntervalJet& a, const IntervalJet& b) {
  return truth(are_one_point(a, b), are_apart(a, b));
}
IntervalJet not_equal(const IntervalJet& a, const IntervalJet& b) {
  return truth(are_apart(a, b), are_one_point(a, b));
}
IntervalJet both(const IntervalJet& a, const IntervalJet& b) {
  return truth(holds(a) && holds(b), fails(a) || fails(b));
}
IntervalJet either(const IntervalJet& a, const IntervalJet& b) {
  return truth(holds(a) || holds(b), fails(a) && fails(b));
}

IntervalJet hull(const IntervalJet& a, const IntervalJet& b) {
  if (!a.defined) return b;
  if (!b.defined) return a;
  return {hull_of(a.value, b.value), hull_of(a.rate, b.rate), true, a.jumps || b.jumps};
}

IntervalJet apply(const formulas::Instruction& operation, const IntervalJet* arguments) {
  IntervalJet result = formulas::apply(operation, arguments);
  for (std::size_t k = 0; k < traits(operation.operation).argument_count; ++k) {
    result.defined = result.defined && arguments[k].defined;
    result.jumps = result.jumps || arguments[k].jumps;
  }
  return result;
}

}  // namespace grapple::intervals
