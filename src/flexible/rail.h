// A frame that slides along a bending body: its place s along the body is a coordinate, and the
// body's shapes are functions of it,
//   p(s, eta) = s e + phi(s) eta + 1/2 eta' H(s) eta,   rotation vector  psi(s) eta + 1/2 eta' G(s)
//   eta,
// so that slope and curvature of the body act on what slides. The functions are polynomials through
// the body's own frames at Chebyshev points, and their derivatives those of the polynomials: pose
// and Jacobian are exact derivatives of each other whatever the interpolation leaves out.
#pragma once

#include <string>
#include <vector>

#include "grapple/flexible/flexible_body.h"

namespace grapple::flexible {

/// Columns of Chebyshev polynomials on [lower, upper].
struct ChebyshevSeries {
  double lower = 0.0, upper = 1.0;
  /// Per column the coefficients of the polynomial and of its first two derivatives, term by term;
  /// empty: zero throughout.
  std::vector<std::vector<spatial::Vec3>> columns;

  /// Through values at chebyshev_points (rows: points). Trailing terms below round-off are dropped.
  static ChebyshevSeries through(double lower, double upper, const spatial::MatX& values);
};

/// Points of the series: extrema of the polynomial, ascending.
std::vector<double> chebyshev_points(double lower, double upper, int count);

struct RailShapes {
  int coordinate = 0;  ///< of s among those of the body
  int guided = 0;      ///< guided coordinates of the body; the shapes are those of the others
  spatial::Vec3 origin = spatial::Vec3::Zero();      ///< undeformed place of s = 0
  spatial::Vec3 direction = spatial::Vec3::UnitX();  ///< e
  /// Per elastic coordinate phi (3) and psi (3), then per pair k <= l H (3) and G (3).
  ChebyshevSeries shapes;
  struct Pair {
    int k = 0, l = 0;  ///< elastic coordinates
  };
  std::vector<Pair> pairs;
};

struct RailSpec {
  std::string joint;                             ///< name of the sliding joint
  std::string frame;                             ///< name of the frame
  double start = 0.0, lower = 0.0, upper = 0.0;  ///< m along x
  double reflected_inertia = 0.0;                ///< kg, of the drive along the rail
};

/// How many points describe the shapes of a body with so many modes in one direction.
int rail_points(int modes);

/// The body with one more guided coordinate in front, and a frame that slides with it. `at_points`
/// are frames of the body at chebyshev_points(lower, upper, n), in that order; they are taken out.
/// GR-372 if start lies off the rail or the range is empty.
FlexibleBody with_rail(const FlexibleBody& body, const std::vector<std::string>& at_points,
                       const RailSpec& rail);

}  // namespace grapple::flexible
