// A scalar function of time with its first two derivatives: constant, expression (formula.h, in SI
// and `t`), table (straight lines, natural C2 cubic spline, or held values), or manoeuvres along
// standard profiles (manoeuvre.h). Immutable and cheap to copy (shared implementation); evaluation
// allocates nothing, and threads may share one.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace grapple {

/// Value and time derivatives of a function at one time.
struct Jet {
  double value = 0.0;
  double rate = 0.0;          ///< first derivative
  double acceleration = 0.0;  ///< second derivative
};

/// Straight lines, a natural spline, or each value until the next.
enum class Interpolation { kLinear, kSpline, kHold };

class Function {
 public:
  /// The constant 0.
  Function();
  static Function constant(double value);
  /// Formula in `t` [s] (formula.h). Throws Error (GR-13x) if it does not parse or uses an unknown
  /// name. Derivatives are exact to round-off (jet.h).
  static Function expression(const std::string& text);
  /// The same with derivatives supplied, which are then used; an empty string: the exact one.
  /// Throws Error GR-133 if a supplied derivative contradicts the function.
  static Function expression_with_derivatives(const std::string& value, const std::string& rate,
                                              const std::string& acceleration);
  /// Table with strictly increasing times (at least two rows). Outside the table the end values
  /// hold.
  static Function table(std::vector<double> times, std::vector<double> values,
                        Interpolation interpolation);
  /// Value and exact derivatives by a rule that is smooth between `switches` (increasing times).
  static Function piecewise(std::function<Jet(double)> rule, std::vector<double> switches);

  double operator()(double t) const;
  Jet jet(double t) const;
  bool is_constant() const;
  /// Times from `begin` to `end` where the function or a derivative up to the second may jump:
  /// table knots, switches of profiles, and where a formula switches (formula.h); integrators stop
  /// there. Throws Error GR-135 if a formula switches too often.
  std::vector<double> breakpoints(double begin, double end) const;
  /// Times from `begin` to `end` where a formula passes the level, all of them (formula.h); none of
  /// tables and profiles. Throws Error GR-135 if it does so too often.
  std::vector<double> crossings(double level, double begin, double end) const;

  class Implementation;

 private:
  explicit Function(std::shared_ptr<const Implementation> implementation);
  std::shared_ptr<const Implementation> implementation_;
};

}  // namespace grapple
