// Bounds of a formula's value and rate over an interval of time: interval arithmetic on the
// functions of jet_expression.h (Moore, Kearfott and Cloud, Introduction to Interval Analysis,
// 2009). Every bound holds for all times of the interval, outward by more than the rounding of a
// few operations. Internal to the module.
#pragma once

#include <cstddef>
#include <limits>

#include "grapple/base/jet_expression.h"

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

/// A function of up to three arguments, or of two at a time (min, max). `defined` and `jumps` of
/// the arguments are the caller's to carry on (apply).
using Call = IntervalJet (*)(const IntervalJet* arguments, std::size_t count);
/// The rule for a call of jet_functions.h; null: none, nothing is known of its value.
Call rule_of(JetExpression::Call call);

/// The rule on arguments, with what they say of the whole.
IntervalJet apply(Call rule, const IntervalJet* arguments, std::size_t count);

IntervalJet hull(const IntervalJet& a, const IntervalJet& b);

}  // namespace grapple::intervals
