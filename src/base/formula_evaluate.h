// Evaluates formulas on any scalar type T: double, jets (jet.h), dual numbers, intervals. T brings
// + - * /, < <= == of values, and by argument-dependent lookup sin cos tan asin acos atan atan2
// sinh cosh tanh exp log log10 sqrt abs pow; it is trivially destructible. Numbers are T(x) unless
// NumberOf<T> says otherwise.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <memory>
#include <type_traits>

#include "grapple/base/assert.h"
#include "grapple/base/formula.h"

namespace grapple::formulas {

template <class T>
struct NumberOf {
  static T constant(double x) { return T(x); }
};
template <class T>
T number(double x) {
  return NumberOf<T>::constant(x);
}
template <class T>
T truth(bool holds) {
  return number<T>(holds ? 1.0 : 0.0);
}
template <class T>
bool holds(const T& x) {
  return !(x == number<T>(0.0));
}

template <class T>
T sign(const T& x) {
  const T zero = number<T>(0.0);
  return number<T>(zero < x ? 1.0 : (x < zero ? -1.0 : 0.0));
}
template <class T>
T step(const T& x) {
  return truth<T>(!(x < number<T>(0.0)));
}
template <class T>
T pulse(const T& t, const T& on, const T& off) {
  return truth<T>(on <= t && t < off);
}
template <class T>
T smooth(const T& t, const T& begin, const T& end) {
  if (t <= begin) return number<T>(0.0);
  if (end <= t) return number<T>(1.0);
  const T s = (t - begin) / (end - begin);
  return s * s * s * (number<T>(10.0) + s * (number<T>(-15.0) + number<T>(6.0) * s));
}
template <class T>
T small_power(const T& x, std::uint32_t exponent) {
  T result = x * x;
  for (std::uint32_t k = 2; k < exponent; ++k) result = result * x;
  return result;
}
template <class T>
T less(const T& a, const T& b) {
  return truth<T>(a < b);
}
template <class T>
T less_or_equal(const T& a, const T& b) {
  return truth<T>(a <= b);
}
template <class T>
T equal(const T& a, const T& b) {
  return truth<T>(a == b);
}
template <class T>
T not_equal(const T& a, const T& b) {
  return truth<T>(!(a == b));
}
template <class T>
T both(const T& a, const T& b) {
  return truth<T>(holds(a) && holds(b));
}
template <class T>
T either(const T& a, const T& b) {
  return truth<T>(holds(a) || holds(b));
}

/// One operation on its arguments a[0], a[1], ...
template <class T>
[[gnu::always_inline]] inline T apply(const Instruction& instruction, const T* a) {
  using std::abs, std::acos, std::asin, std::atan, std::atan2, std::cos, std::cosh, std::exp;
  using std::log, std::log10, std::max, std::min, std::pow, std::sin, std::sinh, std::sqrt;
  using std::tan, std::tanh;
  switch (instruction.operation) {
    case Operation::kNegative:
      return -a[0];
    case Operation::kSmallPower:
      return small_power(a[0], instruction.index);
    case Operation::kSin:
      return sin(a[0]);
    case Operation::kCos:
      return cos(a[0]);
    case Operation::kTan:
      return tan(a[0]);
    case Operation::kAsin:
      return asin(a[0]);
    case Operation::kAcos:
      return acos(a[0]);
    case Operation::kAtan:
      return atan(a[0]);
    case Operation::kSinh:
      return sinh(a[0]);
    case Operation::kCosh:
      return cosh(a[0]);
    case Operation::kTanh:
      return tanh(a[0]);
    case Operation::kExp:
      return exp(a[0]);
    case Operation::kLn:
      return log(a[0]);
    case Operation::kLog10:
      return log10(a[0]);
    case Operation::kSqrt:
      return sqrt(a[0]);
    case Operation::kAbs:
      return abs(a[0]);
    case Operation::kSign:
      return sign(a[0]);
    case Operation::kStep:
      return step(a[0]);
    case Operation::kPlus:
      return a[0] + a[1];
    case Operation::kMinus:
      return a[0] - a[1];
    case Operation::kTimes:
      return a[0] * a[1];
    case Operation::kOver:
      return a[0] / a[1];
    case Operation::kPower:
      return pow(a[0], a[1]);
    case Operation::kAtan2:
      return atan2(a[0], a[1]);
    case Operation::kMin:
      return min(a[0], a[1]);
    case Operation::kMax:
      return max(a[0], a[1]);
    case Operation::kLess:
      return less(a[0], a[1]);
    case Operation::kLessOrEqual:
      return less_or_equal(a[0], a[1]);
    case Operation::kGreater:
      return less(a[1], a[0]);
    case Operation::kGreaterOrEqual:
      return less_or_equal(a[1], a[0]);
    case Operation::kEqual:
      return equal(a[0], a[1]);
    case Operation::kNotEqual:
      return not_equal(a[0], a[1]);
    case Operation::kAnd:
      return both(a[0], a[1]);
    case Operation::kOr:
      return either(a[0], a[1]);
    case Operation::kPulse:
      return pulse(a[0], a[1], a[2]);
    case Operation::kSmooth:
      return smooth(a[0], a[1], a[2]);
    case Operation::kConstant:
    case Operation::kVariable:
    case Operation::kBranch:
    case Operation::kJump:
    case Operation::kJoin:
      break;
  }
  GRAPPLE_ASSERT(false);
  return a[0];
}

/// Room for a stack of values, each written before it is read.
template <class T, std::size_t kDepth>
struct Stack {
  static_assert(std::is_trivially_destructible_v<T>);
  alignas(T) std::array<std::byte, kDepth * sizeof(T)> room;
  T* begin() { return reinterpret_cast<T*>(room.data()); }
};

/// The value that the instructions from `first` to `last` (included) leave on the stack.
template <class T>
T run(const Instruction* first, const Instruction* last, const T* variables, T* stack) {
  T* top = stack;  // behind the uppermost value
  for (const Instruction* at = first; at <= last; ++at) {
    switch (at->operation) {
      case Operation::kConstant:
        std::construct_at(top++, number<T>(at->value));
        break;
      case Operation::kVariable:
        std::construct_at(top++, variables[at->index]);
        break;
      case Operation::kBranch:
        if (!holds(*--top)) at += at->index;
        break;
      case Operation::kJump:
        at += at->index;
        break;
      case Operation::kJoin:
        break;
      default:
        top -= traits(at->operation).argument_count;
        *top = apply<T>(*at, top);
        ++top;
    }
  }
  return *stack;
}

inline constexpr std::size_t kUsualDepth = 24;
/// Every value that waits on the stack takes two characters of text at least.
inline constexpr std::size_t kLongestText = 4096, kMostDepth = kLongestText / 2 + 1;

template <class T, std::size_t kDepth>
[[gnu::noinline]] T run_on_stack(const Instruction* first, const Instruction* last,
                                 const T* variables) {
  Stack<T, kDepth> stack;
  return run(first, last, variables, stack.begin());
}

/// A part of a program: what instruction `last` completes.
template <class T>
T evaluate_part(const Program& program, std::size_t last, const T* variables) {
  const Instruction* const instructions = program.instructions.data();
  const Instruction* const end = instructions + last;
  const Instruction* const first = instructions + end->begin;
  if (program.depth > kUsualDepth) return run_on_stack<T, kMostDepth>(first, end, variables);
  return run_on_stack<T, kUsualDepth>(first, end, variables);
}

}  // namespace grapple::formulas

namespace grapple {

template <class T>
T Formula::evaluate(std::span<const T> variables) const {
  GRAPPLE_ASSERT(variables.size() >= variable_count_);
  return formulas::evaluate_part(program_, program_.instructions.size() - 1, variables.data());
}

}  // namespace grapple
