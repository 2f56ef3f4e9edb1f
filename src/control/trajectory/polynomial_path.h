// A scalar curve of polynomials of degree up to five between knots, with exact derivatives and
// exact extremes of rate, acceleration and jerk. Cubic splines are twice, quintic ones four times
// continuously differentiable. Outside the knots the end values hold.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "grapple/control/trajectory/time_law.h"

namespace grapple::control {

/// What holds at both ends of a spline: no curvature (a cubic's second, a quintic's third and
/// fourth derivatives vanish), or rest (the rate vanishes, of a quintic the acceleration too).
enum class SplineEnds { kNatural, kClamped };

class PolynomialPath {
 public:
  /// knots: increasing, at least two, one per value.
  static PolynomialPath cubic(std::span<const double> knots, std::span<const double> values,
                              SplineEnds ends);
  static PolynomialPath quintic(std::span<const double> knots, std::span<const double> values,
                                SplineEnds ends);

  Jet at(double x) const;
  /// The same on the piece that holds x, continued beyond its ends: inside() says which.
  std::size_t piece_of(double x) const;
  Jet on_piece(std::size_t piece, double x) const;
  /// Largest sizes of the first three derivatives between the knots.
  Limits peaks() const;
  const std::vector<double>& knots() const { return knots_; }

 private:
  using Coefficients = std::array<double, 6>;
  std::vector<double> knots_;
  std::vector<Coefficients> pieces_;  ///< powers of the distance from the piece's first knot
};

/// Second derivatives at the knots of the cubic spline that starts and ends with slope zero.
std::vector<double> clamped_spline(std::span<const double> knots, std::span<const double> values);

}  // namespace grapple::control
