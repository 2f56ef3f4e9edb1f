// Gauss-Legendre quadrature on panels, and Legendre polynomials.
#pragma once

#include <vector>

#include "grapple/spatial/types.h"

namespace grapple::flexible {

struct QuadraturePoint {
  double x = 0.0;
  double weight = 0.0;
};

/// n points on [-1, 1], exact for polynomials of degree 2 n - 1.
std::vector<QuadraturePoint> gauss_legendre(int n);

/// Rule on [0, length] made of equal panels between the breaks, `panels` in all at least, points
/// ascending.
std::vector<QuadraturePoint> panel_rule(double length, const std::vector<double>& breaks,
                                        int panels, int points);

/// P_0 ... P_degree at xi in [-1, 1].
spatial::VecX legendre(int degree, double xi);

}  // namespace grapple::flexible
