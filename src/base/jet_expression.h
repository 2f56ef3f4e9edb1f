// The language of Expression evaluated on jets: value, first and second derivative to round-off, by
// the chain rule f(a)'' = f''(a) a'^2 + f'(a) a''. muparser only gives values, and differences of
// them carry noise of 1e-8 that a step-size control cannot tell from motion. Jumps (step, pulse,
// sign, comparisons) have derivative zero; on a kink the branch that holds at t counts. Where a
// derivative does not exist (sqrt(t) at 0, asin(t) at 1) it is infinite or no number, never a
// guess.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "grapple/base/function.h"

namespace grapple {

namespace jets {
struct Jet;
}

class JetExpression {
 public:
  /// `text` is a formula in `t` that Expression accepts; anything else throws Error GR-130.
  explicit JetExpression(const std::string& text);

  /// Allocates nothing; safe from several threads.
  Jet operator()(double t) const;

  /// Every time in (begin, end) at which the formula may change its branch: where the argument of
  /// step, sign or abs, the two sides of a comparison, two arguments of min or max, or the ends of
  /// pulse and smooth change their order. Bounds by interval arithmetic exclude what is left out
  /// (to a resolution of 1e-13 of the time). Sorted; the first number at which the new branch
  /// holds. Throws Error GR-135 if there are more than 100000.
  std::vector<double> switch_times(double begin, double end) const;

  /// A function of up to three arguments, or of any number (min, max).
  using Call = jets::Jet (*)(const jets::Jet* arguments, std::size_t count);

 private:
  enum class Kind { kConstant, kTime, kCall, kFold, kChoice };
  struct Node {
    Kind kind = Kind::kConstant;
    double value = 0.0;
    Call call = nullptr;
    std::vector<std::size_t> arguments;
  };
  class Parser;
  class SwitchSearch;

  jets::Jet evaluate(std::size_t node, double t) const;

  std::vector<Node> nodes_;
  std::size_t root_ = 0;
};

}  // namespace grapple
