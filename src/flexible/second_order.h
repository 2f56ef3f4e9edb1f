// The sections of a straight beam to second order in its coordinates eta. With theta = psi eta the
// first-order rotation (theta' = kappa = (twist', -u_z'', u_y'')) and shear gamma, sections are
// where
//   R' = R (kappa + kappa_2)^,   r' = R (e_x + gamma + gamma_2)
// puts them; kappa_2 and gamma_2 are quadratic in eta and may be chosen. The strain energy stays
// 1/2 eta' K eta up to fourth order if they do no work on kappa and gamma:
//   kappa_2 = theta_x (0, (1-b) kappa_z, -(1-a) kappa_y),   EI_y (1-a) = EI_z (1-b)
// and likewise for shear with its own a, b and stiffnesses. Integrated:
//   rotation vector   theta + int 1/2 theta x theta' + kappa_2 ds
//   x                 -1/2 int u_y'^2 + u_z'^2 ds                        (shortening)
//   y                 int [ q_y - a_s theta_x gamma_z ] ds,   q_y' = a theta_x kappa_y
//   z                 int [ q_z + b_s theta_x gamma_y ] ds,   q_z' = b theta_x kappa_z
// The last two let loads across the beam work on twist with bending (lateral-torsional buckling).
// The freedom left (twist_coupling) goes into what is of fourth order in the energy: bending in the
// plane of the load before buckling, which multiplies critical loads by 1/sqrt(1 -
// EI_weak/EI_strong) (Trahair, Flexural-Torsional Buckling of Structures, 1993) and keeps round
// bars from buckling at all: b = sqrt(1 - EI_y/EI_z), a = b/(1+b) for EI_y < EI_z.
#pragma once

#include <functional>
#include <vector>

#include "grapple/flexible/beam.h"
#include "grapple/flexible/flexible_body.h"
#include "grapple/flexible/quadrature.h"

namespace grapple::flexible {

/// a and b above, of two stiffnesses for displacement along y and z. One that is not positive
/// belongs to a motion the beam does not have: it counts as rigid.
struct TwistCoupling {
  double y = 1.0, z = 1.0;
};
TwistCoupling twist_coupling(double stiffness_y, double stiffness_z);

/// First-order shapes at one section; columns: coordinates.
struct SectionField {
  Mat3X psi;                                       ///< rotation of the section
  Mat3X kappa;                                     ///< its derivative along the beam
  Eigen::Matrix<double, 2, Eigen::Dynamic> slope;  ///< u_y', u_z' of the axis
  TwistCoupling bending, shear;

  void set_couplings(const BeamSection& section);
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
