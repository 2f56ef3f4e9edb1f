// A leg of an isolation platform as its computer sees it (Rybak 2002, eq. 1 and 2): the length
// delta follows a command u of its speed with a lag, delta'' + omega delta' = omega u, whatever it
// carries; the platform above accelerates by x = delta'' + phi, phi the base's acceleration along
// the leg. Sampled every T with u held, theta = delta',
//   delta+ = delta + a12 theta + b1 u,   theta+ = a22 theta + b2 u,
//   x+ = a32 theta + b3 u + phi+         (at the end of the period, before u changes).
// The source prints the coefficients as multiples of 1/T; its numbers are these.
#pragma once

namespace grapple::control {

struct LegModel {
  double a12 = 0.0;           ///< s
  double a22 = 0.0;           ///< -
  double a32 = 0.0;           ///< 1/s
  double b1 = 0.0;            ///< s
  double b2 = 0.0, b3 = 0.0;  ///< -, 1/s
};

/// bandwidth: omega, rad/s, > 0; period: s, > 0.
LegModel leg_model(double bandwidth, double period);

}  // namespace grapple::control
