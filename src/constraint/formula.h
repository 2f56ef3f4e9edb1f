// A formula in named variables with first and second derivatives along their motion, by jets over
// any scalar (dual numbers included):  + - * / ^  and
//   sin cos tan asin acos atan atan2 sinh cosh tanh exp ln sqrt, the constant pi.
// Smooth functions only: a condition with a kink has no acceleration there. Where a derivative does
// not exist (sqrt(a) at 0, asin(a) at 1, atan2(0, 0)) it is infinite or no number, never a guess.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace grapple::constraint {

/// A quantity with its first two time derivatives.
template <class T>
struct Motion {
  T value = T(0), rate = T(0), acceleration = T(0);
};

class Formula {
 public:
  /// Throws Error GR-130 (does not parse, or not smooth), GR-131 (unknown name), GR-132 (too long).
  Formula(const std::string& text, const std::vector<std::string>& variables);

  template <class T>
  Motion<T> operator()(std::span<const Motion<T>> variables) const {
    return evaluate(root_, variables);
  }

 private:
  enum class Operation {
    kConstant,
    kVariable,
    kNegative,
    kPlus,
    kMinus,
    kTimes,
    kOver,
    kPower,
    kSin,
    kCos,
    kTan,
    kAsin,
    kAcos,
    kAtan,
    kAtan2,
    kSinh,
    kCosh,
    kTanh,
    kExp,
    kLn,
    kSqrt
  };
  struct Node {
    Operation operation = Operation::kConstant;
    double value = 0.0;
    std::size_t first = 0, second = 0;  ///< arguments; of a variable its index
  };
  class Parser;

  static bool takes_two(Operation operation);
  void fold_constants();
  template <class T>
  Motion<T> evaluate(std::size_t node, std::span<const Motion<T>> variables) const;

  std::vector<Node> nodes_;
  std::size_t root_ = 0;
};

}  // namespace grapple::constraint
