// Operators and functions of formulas on jets (jet_expression.h). Internal to the module.
#pragma once

#include <string_view>

#include "grapple/base/jet_expression.h"

namespace grapple::jets {

/// A jet that knows whether it stands still around t, so that an infinite derivative of a function
/// of it does not count: the square root of a constant 0 is a constant, that of t^4 is not.
struct Jet {
  double value = 0.0, rate = 0.0, acceleration = 0.0;
  bool is_constant = false;
};

inline constexpr std::size_t kMostArguments = 3;
inline constexpr std::size_t kAnyNumber = 0;

struct Named {
  std::string_view name;
  JetExpression::Call call;
  std::size_t argument_count;  ///< kAnyNumber: called with two at a time (min, max)
};
/// Null pointer if there is none.
const Named* find(std::string_view name);

Jet negative(const Jet* a, std::size_t);
Jet plus(const Jet* a, std::size_t);
Jet minus(const Jet* a, std::size_t);
Jet times(const Jet* a, std::size_t);
Jet over(const Jet* a, std::size_t);
Jet power(const Jet* a, std::size_t);
Jet less(const Jet* a, std::size_t);
Jet less_or_equal(const Jet* a, std::size_t);
Jet greater(const Jet* a, std::size_t);
Jet greater_or_equal(const Jet* a, std::size_t);
Jet equal(const Jet* a, std::size_t);
Jet not_equal(const Jet* a, std::size_t);
Jet both(const Jet* a, std::size_t);
Jet either(const Jet* a, std::size_t);

}  // namespace grapple::jets
