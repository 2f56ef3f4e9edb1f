// Mass, centre of mass and inertia of a rigid body, and the inertia of simple solids.
#pragma once

#include <string>

#include "grapple/spatial/types.h"

namespace grapple::spatial {

struct MassProperties {
  double mass = 0.0;                  ///< kg
  Vec3 com_B = Vec3::Zero();          ///< centre of mass from the body origin, m
  Mat3 inertia_com_B = Mat3::Zero();  ///< about the centre of mass, body axes, kg m^2

  /// Inertia about the body origin, body axes.
  Mat3 inertia_origin_B() const;
  /// The same body described in frame A, X_AB = pose of B in A.
  MassProperties expressed_in(const Pose& X_AB) const;
  /// Empty if a real body can have these; else the reason: negative mass, inertia not positive
  /// semi-definite, or the triangle inequality of the principal moments violated.
  std::string unphysical() const;
};

/// Two bodies as one; both in the same frame.
MassProperties combined(const MassProperties& a, const MassProperties& b);

MassProperties solid_box(double mass, const Vec3& edges);
MassProperties solid_sphere(double mass, double radius);
/// Along z, centred.
MassProperties solid_cylinder(double mass, double radius, double length);
/// Slender uniform rod along x from the origin to (length, 0, 0).
MassProperties slender_rod(double mass, double length);

}  // namespace grapple::spatial
