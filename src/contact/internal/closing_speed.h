// A bound on how fast the gap between two shapes can change, whatever its nearest points are.
//
// d gap/dt = n . (velocity of A's material at the nearest point p - velocity of B's there)
//          = n . (v_A - v_B - omega_B x (p_A - p_B)) + n . ((omega_A - omega_B) x (p - p_A)),
// with |p - p_A| at most the radius of A. Turning about an axis of symmetry of A does nothing: n
// lies in the plane of that axis and p. The same holds with A and B exchanged; the lesser counts.
#pragma once

#include <algorithm>
#include <limits>

#include "grapple/contact/internal/contact_site.h"
#include "grapple/geometry/solid/extent.h"

namespace grapple::contact {

/// About the origin of A's frame, of `extent`.
inline double closing_speed_about(const geometry::Extent& extent, const FrameMotion<double>& a,
                                  const FrameMotion<double>& b) {
  const spatial::Vec3 carried = b.v + b.omega.cross(spatial::Vec3(a.p_WF - b.p_WF));
  const double shift = (a.v - carried).norm();
  spatial::Vec3 spin = a.omega - b.omega;
  if (extent.symmetry == geometry::Symmetry::kBall) return shift;
  if (extent.symmetry == geometry::Symmetry::kAxis) {
    const spatial::Vec3 axis = a.R_WF.col(2);
    spin -= axis.dot(spin) * axis;
  }
  const double turn = spin.norm();
  return turn > 0.0 ? shift + turn * extent.radius : shift;
}

/// m/s; infinite where two shapes without end turn against each other.
inline double closing_speed(const geometry::Extent& extent_a, const FrameMotion<double>& a,
                            const geometry::Extent& extent_b, const FrameMotion<double>& b) {
  return std::min(closing_speed_about(extent_a, a, b), closing_speed_about(extent_b, b, a));
}

/// m: a body that moves less in a step cannot have gone through the other unseen.
inline double passing_depth(const geometry::Extent& a, const geometry::Extent& b) {
  return a.depth + b.depth;
}

/// m: over a motion of this length the gap has at most one minimum.
inline double passing_grain(const geometry::Extent& a, const geometry::Extent& b) {
  return 0.25 * std::min(passing_depth(a, b), std::min(a.radius, b.radius));
}

}  // namespace grapple::contact
