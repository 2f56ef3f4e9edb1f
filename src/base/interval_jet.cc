#include "grapple/base/interval_jet.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "grapple/base/jet_functions.h"

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

using Jets = const IntervalJet*;

IntervalJet sin_of(Jets a, std::size_t) { return chain(*a, sine(a->value), cosine(a->value)); }
IntervalJet cos_of(Jets a, std::size_t) {
  return chain(*a, cosine(a->value), opposite(sine(a->value)));
}
IntervalJet tan_of(Jets a, std::size_t) {
  constexpr double kHalf = std::numbers::pi;
  if (!(a->value.high - a->value.low < kHalf) || holds_multiple(a->value, 0.5 * kHalf, kHalf)) {
    return {Interval::all(), Interval::all()};
  }
  const Interval f = increasing(a->value, [](double x) { return std::tan(x); });
  return chain(*a, f, sum(point(1.0), square(f)));
}
// 1 / sqrt(1 - x^2) over the part of the interval that has a value.
Interval arc_slope(const Interval& a) {
  const double far = std::min(1.0, std::max(std::abs(a.low), std::abs(a.high)));
  const double near = a.contains(0.0) ? 0.0 : std::min(std::abs(a.low), std::abs(a.high));
  return outward(1.0 / std::sqrt(1.0 - near * near), 1.0 / std::sqrt(1.0 - far * far));
}
Interval clipped(const Interval& a) { return {std::max(a.low, -1.0), std::min(a.high, 1.0)}; }
IntervalJet asin_of(Jets a, std::size_t) {
  if (a->value.low > 1.0 || a->value.high < -1.0) return undefined();
  return chain(*a, increasing(clipped(a->value), [](double x) { return std::asin(x); }),
               arc_slope(a->value));
}
IntervalJet acos_of(Jets a, std::size_t) {
  if (a->value.low > 1.0 || a->value.high < -1.0) return undefined();
  const Interval c = clipped(a->value);
  return chain(*a, outward(std::acos(c.high), std::acos(c.low)), opposite(arc_slope(a->value)));
}
IntervalJet atan_of(Jets a, std::size_t) {
  return chain(*a, increasing(a->value, [](double x) { return std::atan(x); }),
               inverse(sum(point(1.0), square(a->value))));
}
IntervalJet sinh_of(Jets a, std::size_t) {
  const double low = std::cosh(a->value.low), high = std::cosh(a->value.high);
  return chain(*a, increasing(a->value, [](double x) { return std::sinh(x); }),
               outward(a->value.contains(0.0) ? 1.0 : std::min(low, high), std::max(low, high)));
}
IntervalJet cosh_of(Jets a, std::size_t) {
  const double low = std::cosh(a->value.low), high = std::cosh(a->value.high);
  return chain(*a, outward(a->value.contains(0.0) ? 1.0 : std::min(low, high), std::max(low, high)),
               increasing(a->value, [](double x) { return std::sinh(x); }));
}
IntervalJet tanh_of(Jets a, std::size_t) {
  const auto slope = [](double x) { return 1.0 / (std::cosh(x) * std::cosh(x)); };
  const double low = slope(a->value.low), high = slope(a->value.high);
  return chain(*a, increasing(a->value, [](double x) { return std::tanh(x); }),
               outward(std::min(low, high), a->value.contains(0.0) ? 1.0 : std::max(low, high)));
}
IntervalJet exp_of(Jets a, std::size_t) {
  const Interval f = increasing(a->value, [](double x) { return std::exp(x); });
  return chain(*a, f, f);
}
IntervalJet ln_of(Jets a, std::size_t) {
  if (a->value.high <= 0.0) return undefined();
  const Interval inside{std::max(0.0, a->value.low), a->value.high};
  return chain(*a, increasing(inside, [](double x) { return std::log(x); }), inverse(inside));
}
IntervalJet log10_of(Jets a, std::size_t) {
  IntervalJet result = ln_of(a, 1);
  const Interval factor = outward(std::numbers::log10e, std::numbers::log10e);
  return {product(result.value, factor), product(result.rate, factor), result.defined, false};
}
IntervalJet sqrt_of(Jets a, std::size_t) {
  if (a->value.high < 0.0) return undefined();
  const Interval inside{std::max(0.0, a->value.low), a->value.high};
  const Interval f = increasing(inside, [](double x) { return std::sqrt(x); });
  return chain(*a, f, inverse({2.0 * f.low, 2.0 * f.high}));
}
IntervalJet negative(Jets a, std::size_t) { return {opposite(a->value), opposite(a->rate)}; }
IntervalJet abs_of(Jets a, std::size_t) {
  if (a->value.low >= 0.0) return *a;
  if (a->value.high <= 0.0) return negative(a, 1);
  return {{0.0, std::max(-a->value.low, a->value.high)}, hull_of(a->rate, opposite(a->rate))};
}

// What jumps: its derivative is zero wherever it has one.
IntervalJet between(double low, double high) {
  return {{low, high}, point(0.0), true, low != high};
}
IntervalJet sign_of(Jets a, std::size_t) {
  const Interval& x = a->value;
  return between(x.low > 0.0 ? 1.0 : (x.low < 0.0 ? -1.0 : 0.0),
                 x.high > 0.0 ? 1.0 : (x.high < 0.0 ? -1.0 : 0.0));
}
IntervalJet step_of(Jets a, std::size_t) {
  return between(a->value.low < 0.0 ? 0.0 : 1.0, a->value.high < 0.0 ? 0.0 : 1.0);
}
IntervalJet truth(bool always, bool never) {
  return between(always ? 1.0 : 0.0, never ? 0.0 : 1.0);
}
IntervalJet pulse_of(Jets a, std::size_t) {
  const Interval &t = a[0].value, &on = a[1].value, &off = a[2].value;
  return truth(t.low >= on.high && t.high < off.low, t.high < on.low || t.low >= off.high);
}

IntervalJet plus(Jets a, std::size_t) {
  return {sum(a[0].value, a[1].value), sum(a[0].rate, a[1].rate)};
}
IntervalJet minus(Jets a, std::size_t) {
  return {sum(a[0].value, opposite(a[1].value)), sum(a[0].rate, opposite(a[1].rate))};
}
IntervalJet times(Jets a, std::size_t) {
  return {product(a[0].value, a[1].value),
          sum(product(a[0].rate, a[1].value), product(a[0].value, a[1].rate))};
}
IntervalJet over(Jets a, std::size_t) {
  const Interval one_over = inverse(a[1].value);
  const Interval value = product(a[0].value, one_over);
  const Interval rate = product(sum(a[0].rate, opposite(product(value, a[1].rate))), one_over);
  return {value, rate};
}

// a^n by its monotone pieces.
Interval whole_power(const Interval& a, int n) {
  if (n == 0) return point(1.0);
  if (n < 0) return inverse(whole_power(a, -n));
  const double low = std::pow(a.low, n), high = std::pow(a.high, n);
  if (n % 2 != 0) return outward(low, high);
  return outward(a.contains(0.0) ? 0.0 : std::min(low, high), std::max(low, high));
}
IntervalJet power(Jets a, std::size_t) {
  const IntervalJet &base = a[0], &exponent = a[1];
  const bool constant =
      exponent.value.is_point() && exponent.rate.low == 0.0 && exponent.rate.high == 0.0;
  const double n = exponent.value.low;
  if (constant && n == std::floor(n) && std::abs(n) <= 1024.0) {
    const int whole = static_cast<int>(n);
    return chain(base, whole_power(base.value, whole),
                 product(point(n), whole_power(base.value, whole - 1)));
  }
  const IntervalJet logarithm = ln_of(&base, 1);
  if (!logarithm.defined) return undefined();
  const std::array<IntervalJet, 2> factors{exponent, logarithm};
  const IntervalJet exponential = times(factors.data(), 2);
  return exp_of(&exponential, 1);
}

IntervalJet smooth_of(Jets a, std::size_t) {
  const Interval &t = a[0].value, &begin = a[1].value, &end = a[2].value;
  if (t.high <= begin.low) return {point(0.0), point(0.0)};
  if (t.low >= end.high && t.low > begin.high) return {point(1.0), point(0.0)};
  // The slope along s is at most 15/8.
  const std::array<IntervalJet, 2> top{a[0], a[1]}, bottom{a[2], a[1]};
  const std::array<IntervalJet, 2> ratio{minus(top.data(), 2), minus(bottom.data(), 2)};
  return {{0.0, 1.0}, product({0.0, 1.875}, over(ratio.data(), 2).rate)};
}
IntervalJet atan2_of(Jets a, std::size_t) {
  // Half-planes are told apart, no more: it is a rare argument of a switch.
  const Interval& y = a[0].value;
  constexpr double kPi = std::numbers::pi;
  const Interval value{y.low > 0.0 ? 0.0 : -kPi, y.high < 0.0 ? 0.0 : kPi};
  return {value, Interval::all(), true, y.contains(0.0) && a[1].value.low < 0.0};
}

IntervalJet min_of(Jets a, std::size_t) {
  if (a[0].value.high < a[1].value.low) return a[0];
  if (a[1].value.high < a[0].value.low) return a[1];
  IntervalJet result = hull(a[0], a[1]);
  result.value.high = std::min(a[0].value.high, a[1].value.high);
  return result;
}
IntervalJet max_of(Jets a, std::size_t) {
  if (a[0].value.low > a[1].value.high) return a[0];
  if (a[1].value.low > a[0].value.high) return a[1];
  IntervalJet result = hull(a[0], a[1]);
  result.value.low = std::max(a[0].value.low, a[1].value.low);
  return result;
}

IntervalJet less(Jets a, std::size_t) {
  return truth(a[0].value.high < a[1].value.low, a[0].value.low >= a[1].value.high);
}
IntervalJet less_or_equal(Jets a, std::size_t) {
  return truth(a[0].value.high <= a[1].value.low, a[0].value.low > a[1].value.high);
}
IntervalJet greater(Jets a, std::size_t) {
  return truth(a[0].value.low > a[1].value.high, a[0].value.high <= a[1].value.low);
}
IntervalJet greater_or_equal(Jets a, std::size_t) {
  return truth(a[0].value.low >= a[1].value.high, a[0].value.high < a[1].value.low);
}
bool are_apart(Jets a) {
  return a[0].value.high < a[1].value.low || a[0].value.low > a[1].value.high;
}
bool are_one_point(Jets a) {
  return a[0].value.is_point() && a[1].value.is_point() && a[0].value.low == a[1].value.low;
}
IntervalJet equal(Jets a, std::size_t) { return truth(are_one_point(a), are_apart(a)); }
IntervalJet not_equal(Jets a, std::size_t) { return truth(are_apart(a), are_one_point(a)); }
bool holds(const IntervalJet& a) { return !a.value.contains(0.0); }
bool fails(const IntervalJet& a) { return a.value.low == 0.0 && a.value.high == 0.0; }
IntervalJet both(Jets a, std::size_t) {
  return truth(holds(a[0]) && holds(a[1]), fails(a[0]) || fails(a[1]));
}
IntervalJet either(Jets a, std::size_t) {
  return truth(holds(a[0]) || holds(a[1]), fails(a[0]) && fails(a[1]));
}

struct Rule {
  JetExpression::Call call;
  Call rule;
};

JetExpression::Call named(std::string_view name) { return jets::find(name)->call; }

}  // namespace

IntervalJet hull(const IntervalJet& a, const IntervalJet& b) {
  if (!a.defined) return b;
  if (!b.defined) return a;
  return {hull_of(a.value, b.value), hull_of(a.rate, b.rate), true, a.jumps || b.jumps};
}

IntervalJet apply(Call rule, const IntervalJet* arguments, std::size_t count) {
  IntervalJet result = rule(arguments, count);
  for (std::size_t k = 0; k < count; ++k) {
    result.defined = result.defined && arguments[k].defined;
    result.jumps = result.jumps || arguments[k].jumps;
  }
  return result;
}

Call rule_of(JetExpression::Call call) {
  static const std::array rules{
      Rule{named("sin"), sin_of},
      Rule{named("cos"), cos_of},
      Rule{named("tan"), tan_of},
      Rule{named("asin"), asin_of},
      Rule{named("acos"), acos_of},
      Rule{named("atan"), atan_of},
      Rule{named("sinh"), sinh_of},
      Rule{named("cosh"), cosh_of},
      Rule{named("tanh"), tanh_of},
      Rule{named("exp"), exp_of},
      Rule{named("ln"), ln_of},
      Rule{named("log10"), log10_of},
      Rule{named("sqrt"), sqrt_of},
      Rule{named("abs"), abs_of},
      Rule{named("sign"), sign_of},
      Rule{named("step"), step_of},
      Rule{named("pulse"), pulse_of},
      Rule{named("smooth"), smooth_of},
      Rule{named("atan2"), atan2_of},
      Rule{named("min"), min_of},
      Rule{named("max"), max_of},
      Rule{jets::negative, negative},
      Rule{jets::plus, plus},
      Rule{jets::minus, minus},
      Rule{jets::times, times},
      Rule{jets::over, over},
      Rule{jets::power, power},
      Rule{jets::less, less},
      Rule{jets::less_or_equal, less_or_equal},
      Rule{jets::greater, greater},
      Rule{jets::greater_or_equal, greater_or_equal},
      Rule{jets::equal, equal},
      Rule{jets::not_equal, not_equal},
      Rule{jets::both, both},
      Rule{jets::either, either},
  };
  for (const Rule& rule : rules) {
    if (rule.call == call) return rule.rule;
  }
  return nullptr;
}

}  // namespace grapple::intervals
