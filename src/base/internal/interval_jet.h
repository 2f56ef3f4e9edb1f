// Bounds of a formula's value and rate over an interval of time: interval arithmetic on the
// operations of formulas (Moore, Kearfott and Cloud, Introduction to Interval Analysis, 2009).
// Every bound holds for all times of the interval, outward by more than the rounding of a few
// operations. `defined` and `jumps` of the arguments are the caller's to carry on (apply).
#pragma once

#include <cstdint>
#include <limits>

#include "grapple/base/formula_program.h"

namespace grapple::intervals {

struct Interval {
  double low = 0.0, high = 0.0;

  static Interval all() {
    return {-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  }
  bool contains(double x) const { return low <= x && x <= high; }
  bool is_point() const { return low == high; }
};

struct IntervalJet {
  Interval value, rate;
  bool defined = true;  ///< false: the formula has no value anywhere in the interval
  bool jumps = false;   ///< the value may jump within the interval, beside the rate
};

IntervalJet operator-(const IntervalJet& a);
IntervalJet operator+(const IntervalJet& a, const IntervalJet& b);
IntervalJet operator-(const IntervalJet& a, const IntervalJet& b);
IntervalJet operator*(const IntervalJet& a, const IntervalJet& b);
IntervalJet operator/(const IntervalJet& a, const IntervalJet& b);
IntervalJet sin(const IntervalJet& a);
IntervalJet cos(const IntervalJet& a);
IntervalJet tan(const IntervalJet& a);
IntervalJet asin(const IntervalJet& a);
IntervalJet acos(const IntervalJet& a);
IntervalJet atan(const IntervalJet& a);
IntervalJet sinh(const IntervalJet& a);
IntervalJet cosh(const IntervalJet& a);
IntervalJet tanh(const IntervalJet& a);
IntervalJet exp(const IntervalJet& a);
IntervalJet log(const IntervalJet& a);
IntervalJet log10(const IntervalJet& a);
IntervalJet sqrt(const IntervalJet& a);
IntervalJet abs(const IntervalJet& a);
IntervalJet sign(const IntervalJet& a);
IntervalJet step(const IntervalJet& a);
IntervalJet pow(const IntervalJet& a, const IntervalJet& b);
IntervalJet atan2(const IntervalJet& y, const IntervalJet& x);
IntervalJet min(const IntervalJet& a, const IntervalJet& b);
IntervalJet max(const IntervalJet& a, const IntervalJet& b);
IntervalJet less(const IntervalJet& a, const IntervalJet& b);
IntervalJet less_or_equal(const IntervalJet& a, const IntervalJet& b);
IntervalJet equal(const IntervalJet& a, const IntervalJet& b);
IntervalJet not_equal(const IntervalJet& a, const IntervalJet& b);
IntervalJet both(const IntervalJet& a, const IntervalJet& b);
IntervalJet either(const IntervalJet& a, const IntervalJet& b);
IntervalJet small_power(const IntervalJet& a, std::uint32_t exponent);
IntervalJet pulse(const IntervalJet& t, const IntervalJet& on, const IntervalJet& off);
IntervalJet smooth(const IntervalJet& t, const IntervalJet& begin, const IntervalJet& end);

/// The operation on its arguments, with what they say of the whole.
IntervalJet apply(const formulas::Instruction& operation, const IntervalJet* arguments);

IntervalJet hull(const IntervalJet& a, const IntervalJet& b);

}  // namespace grapple::intervals
