// A formula in postfix form: arguments stand before the operation that takes them, so one pass over
// the instructions with a stack of values evaluates it. A choice  c ? a : b  is
//   c  kBranch  a  kJump  b  kJoin,
// where the branch skips to b if c is zero and the jump skips b.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace grapple::formulas {

enum class Operation : std::uint8_t {
  kConstant,
  kVariable,
  kBranch,
  kJump,
  kJoin,
  kNegative,
  kSmallPower,  ///< x^2, x^3 or x^4 of a variable, by multiplication
  kSin,
  kCos,
  kTan,
  kAsin,
  kAcos,
  kAtan,
  kSinh,
  kCosh,
  kTanh,
  kExp,
  kLn,
  kLog10,
  kSqrt,
  kAbs,
  kSign,
  kStep,
  kPlus,
  kMinus,
  kTimes,
  kOver,
  kPower,
  kAtan2,
  kMin,
  kMax,
  kLess,
  kLessOrEqual,
  kGreater,
  kGreaterOrEqual,
  kEqual,
  kNotEqual,
  kAnd,
  kOr,
  kPulse,
  kSmooth
};
inline constexpr std::size_t kOperationCount = static_cast<std::size_t>(Operation::kSmooth) + 1;

struct Instruction {
  Operation operation = Operation::kConstant;
  /// kVariable: which one. kBranch, kJump: how many instructions to skip. kSmallPower: the
  /// exponent. kMin, kMax: the second, third ... argument of the call is taken here.
  std::uint32_t index = 0;
  std::uint32_t begin = 0;  ///< first instruction of what this one completes
  double value = 0.0;       ///< of a constant
};

struct Program {
  std::vector<Instruction> instructions;
  std::size_t depth = 0;  ///< most values on the stack at a time
};

enum class Form : std::uint8_t { kInternal, kOperator, kFunction };

struct Traits {
  std::string_view symbol;
  std::size_t argument_count;
  Form form;
  bool has_kinks;  ///< the value or a derivative up to the second may jump
};
/// By operation, in the order of the enumeration. min and max take two arguments at a time.
inline constexpr std::array<Traits, kOperationCount> kTraits{{
    {"number", 0, Form::kInternal, false}, {"variable", 0, Form::kInternal, false},
    {"?:", 1, Form::kInternal, true},      {"?:", 0, Form::kInternal, true},
    {"?:", 0, Form::kInternal, true},      {"-", 1, Form::kInternal, false},
    {"^", 1, Form::kInternal, false},      {"sin", 1, Form::kFunction, false},
    {"cos", 1, Form::kFunction, false},    {"tan", 1, Form::kFunction, false},
    {"asin", 1, Form::kFunction, false},   {"acos", 1, Form::kFunction, false},
    {"atan", 1, Form::kFunction, false},   {"sinh", 1, Form::kFunction, false},
    {"cosh", 1, Form::kFunction, false},   {"tanh", 1, Form::kFunction, false},
    {"exp", 1, Form::kFunction, false},    {"ln", 1, Form::kFunction, false},
    {"log10", 1, Form::kFunction, false},  {"sqrt", 1, Form::kFunction, false},
    {"abs", 1, Form::kFunction, true},     {"sign", 1, Form::kFunction, true},
    {"step", 1, Form::kFunction, true},    {"+", 2, Form::kOperator, false},
    {"-", 2, Form::kOperator, false},      {"*", 2, Form::kOperator, false},
    {"/", 2, Form::kOperator, false},      {"^", 2, Form::kOperator, false},
    {"atan2", 2, Form::kFunction, false},  {"min", 2, Form::kFunction, true},
    {"max", 2, Form::kFunction, true},     {"<", 2, Form::kOperator, true},
    {"<=", 2, Form::kOperator, true},      {">", 2, Form::kOperator, true},
    {">=", 2, Form::kOperator, true},      {"==", 2, Form::kOperator, true},
    {"!=", 2, Form::kOperator, true},      {"&&", 2, Form::kOperator, true},
    {"||", 2, Form::kOperator, true},      {"pulse", 3, Form::kFunction, true},
    {"smooth", 3, Form::kFunction, true},
}};
constexpr const Traits& traits(Operation operation) {
  return kTraits[static_cast<std::size_t>(operation)];
}
static_assert(traits(Operation::kSmallPower).symbol == "^" &&
              traits(Operation::kStep).symbol == "step" &&
              traits(Operation::kMax).symbol == "max" && traits(Operation::kOr).symbol == "||" &&
              traits(Operation::kSmooth).symbol == "smooth");

constexpr bool folds_arguments(Operation operation) {
  return operation == Operation::kMin || operation == Operation::kMax;
}

}  // namespace grapple::formulas
