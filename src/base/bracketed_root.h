// Root of a function with a sign change between a and b by the ITP method: never more evaluations
// than bisection plus one (two where rounding costs one), superlinear on smooth functions.
// Bisection itself for a statement that changes from true to false.
// Source: Oliveira and Takahashi, ACM Trans. Math. Software 47 (2021), with k1 = 0.2 / (b - a),
// k2 = 2, n0 = 1.
#pragma once

#include <algorithm>
#include <cmath>

namespace grapple {

struct Bracket {
  double a = 0.0, b = 0.0;
  double middle() const { return 0.5 * (a + b); }
};

/// A bracket not longer than `tolerance`, or of two neighbouring numbers. `side` (+1 or -1) is the
/// sign on b's side, where zero belongs: side * f is negative (or a zero that does not count) at a
/// and not negative at b, in the beginning and in the end. fa and fb are f(a) and f(b).
template <class Function>
Bracket bracket_root(Function&& f, double a, double fa, double b, double fb, double side,
                     double tolerance) {
  const double eps = 0.5 * tolerance;
  const double k1 = 0.2 / (b - a);
  const double halvings = std::ceil(std::log2(std::max((b - a) / tolerance, 1.0))) + 1.0;
  double slack = eps * std::exp2(halvings);
  double ya = side * fa, yb = side * fb;
  while (b - a > tolerance) {
    const double middle = 0.5 * (a + b);
    if (!(middle > a && middle < b)) break;  // the bracket is two neighbouring numbers
    const double radius = std::max(slack - 0.5 * (b - a), 0.0);
    const double falsi = (yb * a - ya * b) / (yb - ya);
    const double toward = middle > falsi ? 1.0 : -1.0;
    const double shift = k1 * (b - a) * (b - a);
    double guess = shift <= std::abs(middle - falsi) ? falsi + toward * shift : middle;
    if (!(std::abs(guess - middle) <= radius)) guess = middle - toward * radius;
    if (!(guess > a && guess < b)) guess = middle;
    const double y = side * f(guess);
    if (y >= 0.0) {
      b = guess;
      yb = y;
    } else {
      a = guess;
      ya = y;
    }
    slack *= 0.5;
  }
  return {a, b};
}

/// The same with the sign of f(b) on b's side; f(a) has the other one or is zero.
template <class Function>
Bracket bracket_root(Function&& f, double a, double b, double tolerance) {
  const double fa = f(a), fb = f(b);
  const bool rises = fb > 0.0 || (fb == 0.0 && fa < 0.0);
  return bracket_root(f, a, fa, b, fb, rises ? 1.0 : -1.0, tolerance);
}

/// A bracket in which a statement that holds at a and not at b changes, by bisection; it is not
/// longer than `tolerance`, or of two neighbouring numbers.
template <class Statement>
Bracket bracket_change(Statement&& holds, double a, double b, double tolerance = 0.0) {
  while (b - a > tolerance) {
    const double middle = 0.5 * (a + b);
    if (!(middle > a && middle < b)) break;
    (holds(middle) ? a : b) = middle;
  }
  return {a, b};
}

}  // namespace grapple
