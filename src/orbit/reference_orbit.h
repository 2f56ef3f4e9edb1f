// The orbit along which the origin of the world frame moves. W: origin at the reference point, axes
// inertial and equal at t = 0 to the local-vertical-local-horizontal axes O of the reference point:
// x radial outward, y along the track, z normal to the orbit. E: inertial axes of the Earth's
// equator, z to the north pole, x to the node's origin.
// The point goes round a Kepler ellipse in closed form; with J2, node, perigee and mean anomaly
// drift at their secular rates (Kozai 1959; Vallado, Fundamentals, 4th ed., eq. 9-37 ... 9-41),
//   node' = -3/2 n J2 (Re/p)^2 cos i,   perigee' = 3/4 n J2 (Re/p)^2 (4 - 5 sin^2 i),
//   M' = n + 3/4 n J2 (Re/p)^2 sqrt(1 - e^2) (2 - 3 sin^2 i),
// so that the point stays near a body on the J2 orbit. It is then no orbit of a mass point, and
// OrbitPoint::excess says by how much its acceleration differs from the central field's.
#pragma once

#include "grapple/spatial/types.h"

namespace grapple::orbit {

/// A planet's gravity. Defaults: Earth (EGM96 mu and J2, WGS 84 equatorial radius).
struct Planet {
  double mu = 3.986004418e14;           ///< m^3/s^2
  double radius = 6378137.0;            ///< m, at the equator
  double j2 = 1.08262668e-3;            ///< oblateness, used where it is asked for
  double rotation_rate = 7.2921159e-5;  ///< rad/s
};

/// Whether the oblateness of the planet acts.
enum class Oblateness { kNone, kJ2 };

struct KeplerElements {
  double semi_major_axis = 0.0;      ///< m
  double eccentricity = 0.0;         ///< 0 <= e < 1
  double inclination = 0.0;          ///< rad
  double node = 0.0;                 ///< rad, right ascension of the ascending node
  double argument_of_perigee = 0.0;  ///< rad
  double true_anomaly = 0.0;         ///< rad, at t = 0
};

/// The reference point at a time, world axes W.
struct OrbitPoint {
  spatial::Vec3 R;            ///< from the planet's centre, m
  spatial::Vec3 V;            ///< m/s
  spatial::Vec3 A;            ///< exact second derivative of R, m/s^2
  spatial::Vec3 excess;       ///< A + mu R/|R|^3; zero without J2
  spatial::Vec3 excess_rate;  ///< its time derivative, m/s^3
  double radius = 0.0;        ///< |R|
  double true_anomaly = 0.0;  ///< rad, whole turns kept
  spatial::Mat3 R_WO;         ///< the axes O; the normal is that of the elements
  spatial::Vec3 omega;        ///< angular velocity of O, rad/s
};

class ReferenceOrbit {
 public:
  /// Needs a > 0, 0 <= e < 1.
  ReferenceOrbit(const KeplerElements& elements, const Planet& planet, Oblateness oblateness);

  OrbitPoint at(double t) const;

  const KeplerElements& elements() const { return elements_; }
  const Planet& planet() const { return planet_; }
  Oblateness oblateness() const { return oblateness_; }
  double mean_motion() const { return n_; }  ///< sqrt(mu / a^3), rad/s
  double period() const;                     ///< 2 pi over the mean motion, s
  /// Velocity relative to the reference point, world axes, that a body there needs at t = 0 to stay
  /// near: with J2, the elements are mean ones, and this is the along-track velocity with which the
  /// body's mean semi-major axis is theirs (Brouwer 1959, first order). Zero without J2.
  spatial::Vec3 start_velocity() const;
  double node_rate() const { return node_rate_; }
  double perigee_rate() const { return perigee_rate_; }
  /// What J2 adds to the rate of the mean anomaly, rad/s.
  double anomaly_rate_excess() const { return anomaly_excess_; }
  /// Turns axes E into axes W.
  const spatial::Mat3& R_WE() const { return R_WE_; }
  /// The planet's axis of symmetry (north), world axes.
  spatial::Vec3 pole() const { return R_WE_.col(2); }

 private:
  KeplerElements elements_;
  Planet planet_;
  Oblateness oblateness_;
  double n_ = 0.0, mean_anomaly_ = 0.0;
  double node_rate_ = 0.0, perigee_rate_ = 0.0, anomaly_excess_ = 0.0;
  spatial::Mat3 R_WE_;
  spatial::Mat3 R_WN_;  ///< axes N of the ellipse (x to perigee, z normal) at t = 0
};

}  // namespace grapple::orbit
