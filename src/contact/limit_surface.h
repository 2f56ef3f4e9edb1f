// Dry friction of a patch that slides and spins: the exact limit surface of its pressure. With v
// the sliding velocity at the centroid, w the spin about the normal n and <.> the mean over the
// patch weighted by the pressure, Coulomb's law in every point of the patch gives, per mu N,
//   force  = <u/|u|>,   torque = <n.(r x u)/|u|>,   u = v + w n x r
// (Contensou 1963), the gradient of the convex <|u|> by v and w. Since |u| = 1/4 of the integral of
// |u.e| over all unit vectors e of the plane, one integral over the angle of e is left,
//   force  = 1/2 int_0^pi e (2 P(x) - 1),   torque = sgn(w) int_0^pi M(|x|),   x = v.e/|w|,
// where P is the share of the load on one side of a line across g = e x n and M its moment,
//   P(x) = int_-inf^x p(t) dt,   M(x) = int_x^inf t p(t) dt,   p the pressure summed along the
//   line.
// Both are elementary for the pressures below, on every ellipse and rectangle. Beyond |x| of the
// patch P is 1 and M is 0: that part of the integral is closed, the rest by Gauss's rule.
// Exact for elliptical patches under uniform, Hertz's and parabolic pressure (a flat disc; Hertz's
// solids; round bodies on an elastic foundation) and for rectangles under uniform pressure. Of
// other patches second moments and fullness count.
#pragma once

#include <Eigen/Core>

#include "grapple/contact/hertz_patch.h"
#include "grapple/spatial/dual.h"
#include "grapple/spatial/root.h"
#include "grapple/spatial/types.h"

namespace grapple::contact {

/// Where the pressure of a patch is.
template <class T>
struct PatchSpread {
  /// <r r'>, r from the centroid in the plane of the patch, m^2.
  spatial::Mat3T<T> moments = spatial::Mat3T<T>::Zero();
  /// volume/(4 pi depth sigma_1 sigma_2) with the principal roots of `moments`: 1 for uniform
  /// pressure on an ellipse, 5/6 for Hertz's, 3/4 for a parabolic one.
  T fullness{1};
  /// How far the patch is a rectangle, 0 to 1, and the direction of one side (unit, in the plane).
  T rectangle{0};
  spatial::Vec3T<T> side = spatial::Vec3T<T>::Zero();
};

/// Friction per mu N: the most the patch can do in this motion.
template <class T>
struct PatchLimit {
  spatial::Vec3T<T> force;  ///< against the friction on A; at most 1
  T torque;                 ///< m, about the normal, against the friction on A
  T spin_lever;             ///< m, |torque| of spinning without sliding
};

/// `v`: velocity of A over B in the plane, m/s; `w`: spin of A over B about the normal n, rad/s. Of
/// degree zero in (v, w); zero where both vanish.
template <class T>
PatchLimit<T> limit_surface(const PatchSpread<T>& patch, const spatial::Vec3T<T>& n,
                            const spatial::Vec3T<T>& v, const T& w);

extern template PatchLimit<double> limit_surface(const PatchSpread<double>&, const spatial::Vec3&,
                                                 const spatial::Vec3&, const double&);
extern template PatchLimit<spatial::Dual> limit_surface(const PatchSpread<spatial::Dual>&,
                                                        const spatial::Vec3T<spatial::Dual>&,
                                                        const spatial::Vec3T<spatial::Dual>&,
                                                        const spatial::Dual&);

}  // namespace grapple::contact
