// A formula in named variables, the one language of formulas in Grapple: numbers, names, + - * / ^,
// comparisons, && ||, ?:, the constant pi, and
//   sin cos tan asin acos atan atan2 sinh cosh tanh exp ln log10 sqrt abs min max sign
//   step(x)           0 for x < 0, else 1
//   pulse(t, a, b)    1 for a <= t < b, else 0
//   smooth(t, a, b)   0 before a, 1 after b; between them s^3 (10 - 15 s + 6 s^2),
//                     s = (t - a) / (b - a): first and second derivative vanish at both ends
// Precedence, loosest first: ?:  ||  &&  comparisons  + -  * /  unary + and -  ^ (from the right),
// so -2^2 is -4. A name is [A-Za-z_][A-Za-z0-9_]*, or anything in single or double quotes:
//   'frame/tip/position_x' - 0.2
// The text is read once; a Formula is immutable and evaluation allocates nothing, so threads may
// share one. It evaluates on double; on jets (jet.h: exact first and second time derivative), on
// dual numbers and any other scalar by formula_evaluate.h. Hostile text (too long, too deep,
// assignments) is an Error, not a crash.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "grapple/base/formula_program.h"

namespace grapple {

class Formula {
 public:
  /// A formula in `variables`, whose values are given at each evaluation in this order, and
  /// `constants`. Throws Error GR-130 (does not parse), GR-131 (unknown name), GR-132 (too long or
  /// too deeply nested).
  explicit Formula(const std::string& text, const std::vector<std::string>& variables = {},
                   const std::map<std::string, double>& constants = {});

  /// May be NaN or infinite. variables: as many as at construction.
  double operator()(std::span<const double> variables) const;
  /// Of a formula in one variable (or none).
  double operator()(double variable) const { return (*this)(std::span(&variable, 1)); }

  /// On any scalar type; defined in formula_evaluate.h. Along a motion of the variables (their
  /// jets) the rate and acceleration of the formula follow; with one rate 1 and everything else at
  /// rest the rate is a partial derivative, and on jets of dual numbers these carry the Hessian.
  template <class T>
  T evaluate(std::span<const T> variables) const;

  /// Every time in (begin, end) at which a formula in the one variable time may change its branch:
  /// where the argument of step, sign or abs, the two sides of a comparison, two arguments of min
  /// or max, or the ends of pulse and smooth change their order. Bounds by interval arithmetic
  /// exclude what is left out (to a resolution of 1e-13 of the time). Sorted; the first number at
  /// which the new branch holds. Throws Error GR-135 if there are more than 100000.
  std::vector<double> switch_times(double begin, double end) const;

  /// Whether the formula mentions any variable at all.
  bool uses_variables() const;
  /// The first operation with a kink or jump (abs, <, ?: ...), empty if the formula is smooth.
  std::string_view first_kink() const;

  /// The names of the functions and constants every formula knows.
  static std::vector<std::string> built_in_names();
  /// The names a text mentions, in order, built-in or not, without quotes; the text need not parse.
  static std::vector<std::string> names_in(std::string_view text);

 private:
  formulas::Program program_;
  std::size_t variable_count_ = 0;  ///< up to the last one that the formula mentions
};

}  // namespace grapple
