// Coefficients of the alpha methods. With b the auxiliary accelerations,
//   (1 - am) b1 + am b0 = (1 - af) u'1 + af u'0,     u1 = u0 + h ((1 - gamma) b0 + gamma b1)
//   delta = h v0 + h^2 ((1/2 - beta) a0 + beta a1)
// b belongs to the time t + (am - af) h: of second order if gamma = 1/2 - (am - af).
// Sources: Chung and Hulbert, J. Appl. Mech. 60 (1993) 371-375, for given spectral radius at
// infinite frequency; Hilber, Hughes and Taylor 1977; Newmark 1959; z as in Bruls and Arnold,
// J. Comput. Nonlinear Dyn. 3 (2008) 041007.
#pragma once

#include "grapple/integrate/options.h"

namespace grapple::integrate {

struct AlphaCoefficients {
  double am = 0.0, af = 0.0, beta = 0.25, gamma = 0.5;

  /// du'1 / db1.
  double acceleration_weight() const { return (1.0 - am) / (1.0 - af); }
  /// b belongs to t + shift h.
  double shift() const { return am - af; }
};

inline AlphaCoefficients alpha_coefficients(const AlphaOptions& options) {
  const double rho = options.spectral_radius;
  AlphaCoefficients c;
  switch (options.scheme) {
    case AlphaScheme::kNewmark:
      c.gamma = options.newmark_gamma;
      c.beta = options.newmark_beta;
      return c;
    case AlphaScheme::kHht:
      c.af = (1.0 - rho) / (1.0 + rho);
      break;
    case AlphaScheme::kGeneralized:
      c.am = (2.0 * rho - 1.0) / (rho + 1.0);
      c.af = rho / (rho + 1.0);
      break;
  }
  c.gamma = 0.5 - c.shift();
  c.beta = 0.25 * (c.gamma + 0.5) * (c.gamma + 0.5);
  return c;
}

}  // namespace grapple::integrate
