// A formula in named values, read by muparser: + - * / ^, comparisons, && ||, ?:, and
//   sin cos tan asin acos atan atan2 sinh cosh tanh exp ln log10 sqrt abs min max sign
//   step(x)           0 for x < 0, else 1
//   pulse(t, a, b)    1 for a <= t < b, else 0
//   smooth(t, a, b)   0 before a, 1 after b; between them s^3 (10 - 15 s + 6 s^2),
//                     s = (t - a) / (b - a): first and second derivative vanish at both ends
// and the constant pi. Hostile text (too long, too deep, assignments) is an Error, not a crash.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace grapple {

class Expression {
 public:
  /// A formula in `constants` and, unless empty, the one variable named `variable`. Throws Error
  /// GR-130 (does not parse), GR-131 (unknown name), GR-132 (too long or too deeply nested).
  Expression(const std::string& text, const std::string& variable,
             const std::map<std::string, double>& constants);
  ~Expression();
  Expression(Expression&&) noexcept;
  Expression& operator=(Expression&&) noexcept;

  /// The value where the variable is `x`. muparser keeps its stack inside the parser, so a lock
  /// makes one Expression usable from several threads. Allocates nothing. May be NaN or infinite.
  double operator()(double x) const;
  /// The names of the functions and constants every formula knows.
  static std::vector<std::string> built_in_names();
  /// The names a text mentions, in order, built-in or not; the text need not parse.
  static std::vector<std::string> names_in(const std::string& text);
  /// Whether the formula mentions the variable at all.
  bool uses_variable() const;

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace grapple
