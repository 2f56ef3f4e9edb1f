// The sections of a straight beam to second order in its coordinates eta. Twist and curvature of
// the material, kappa = kappa_1 eta, and shear, gamma = gamma_1 eta, are linear in eta, so that the
// strain energy stays quadratic; position and rotation follow from
//   R' = R kappa^,   r' = R (e_x + gamma)
// integrated to second order (theta = psi eta: the first-order rotation, theta' = kappa):
//   rotation vector   theta + 1/2 int theta x theta' ds
//   x                 -1/2 int u_y'^2 + u_z'^2 ds                        (shortening)
//   y                 int [ q_y - theta_x gamma_z ] ds,   q_y' = theta_x kappa_y = -theta_x u_z''
//   z                 int [ q_z + theta_x gamma_y ] ds,   q_z' = theta_x kappa_z =  theta_x u_y''
// The last two let loads across the beam work on twist with bending (lateral-torsional buckling).
// Internal to the module.
#pragma once

#include <functional>
#include <vector>

#include "grapple/flexible/flexible_body.h"
#include "grapple/flexible/quadrature.h"

namespace grapple::flexible {

/// First-order shapes at one section; columns: coordinates.
struct SectionField {
  Mat3X psi;                                       ///< rotation of the section
  Mat3X kappa;                                     ///< its derivative along the beam
  Eigen::Matrix<double, 2, Eigen::Dynamic> slope;  ///< u_y', u_z' of the axis
};
using SectionFields = std::function<SectionField(double x)>;

/// Second-order shapes at one section, 1/2 eta' Q eta each.
struct SecondOrder {
  Quadratic3 position, rotation;
  spatial::MatX incline_y, incline_z;  ///< q_y and q_z above

  /// At the root, whose section may turn (pinned and free roots).
  explicit SecondOrder(const SectionField& root);

  /// From x = from to x = to by one Gauss rule (points in -1 ... 1).
  void advance(double from, double to, const std::vector<QuadraturePoint>& rule,
               const SectionFields& at);
};

/// The same with components that vanish left empty.
Quadratic3 without_empty(const Quadratic3& quadratic);

}  // namespace grapple::flexible
