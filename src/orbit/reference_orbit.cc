#include "grapple/orbit/reference_orbit.h"

#include <cmath>
#include <numbers>

#include "grapple/base/assert.h"
#include "grapple/orbit/kepler.h"
#include "grapple/spatial/rotation.h"

namespace grapple::orbit {

using spatial::Mat3;
using spatial::Vec3;

namespace {

Mat3 about_z(double angle) { return spatial::rotation_about(Vec3::UnitZ(), angle); }

Mat3 axes_of_ellipse(double node, double inclination, double perigee) {
  return about_z(node) * spatial::rotation_about(Vec3::UnitX(), inclination) * about_z(perigee);
}

}  // namespace

ReferenceOrbit::ReferenceOrbit(const KeplerElements& elements, const Planet& planet,
                               Oblateness oblateness)
    : elements_(elements), planet_(planet), oblateness_(oblateness) {
  const double a = elements.semi_major_axis, e = elements.eccentricity;
  GRAPPLE_ASSERT(a > 0.0 && e >= 0.0 && e < 1.0 && planet.mu > 0.0);
  n_ = std::sqrt(planet.mu / a) / a;
  mean_anomaly_ = orbit::mean_anomaly(elements.true_anomaly, e);
  const Mat3 R_EN =
      axes_of_ellipse(elements.node, elements.inclination, elements.argument_of_perigee);
  // Without a product of two rotations the point of a Kepler orbit stays in the plane z = 0.
  R_WN_ = about_z(-elements.true_anomaly);
  R_WE_ = R_WN_ * R_EN.transpose();
  if (oblateness == Oblateness::kNone) return;
  const double ratio = planet.radius / (a * (1.0 - e * e));
  const double k = n_ * planet.j2 * ratio * ratio;
  const double sine = std::sin(elements.inclination);
  node_rate_ = -1.5 * k * std::cos(elements.inclination);
  perigee_rate_ = 0.75 * k * (4.0 - 5.0 * sine * sine);
  anomaly_excess_ = 0.75 * k * std::sqrt(1.0 - e * e) * (2.0 - 3.0 * sine * sine);
}

double ReferenceOrbit::period() const { return 2.0 * std::numbers::pi / n_; }

Vec3 ReferenceOrbit::start_velocity() const {
  if (oblateness_ == Oblateness::kNone) return Vec3::Zero();
  const OrbitPoint start = at(0.0);
  const double a = elements_.semi_major_axis, e = elements_.eccentricity, r = start.radius;
  const double sine = std::sin(elements_.inclination);
  const double latitude = elements_.argument_of_perigee + elements_.true_anomaly;
  const double near = std::pow(a / r, 3), mean = std::pow((1.0 - e) * (1.0 + e), -1.5);
  const double periodic = planet_.j2 * planet_.radius * planet_.radius / a *
                          ((1.0 - 1.5 * sine * sine) * (near - mean) +
                           1.5 * sine * sine * near * std::cos(2.0 * latitude));
  const double square = planet_.mu * (2.0 / r - 1.0 / (a + periodic));
  const double along = start.V.y();
  const double wanted = std::sqrt(along * along + square - start.V.squaredNorm());
  return {0.0, wanted - along, 0.0};
}

OrbitPoint ReferenceOrbit::at(double t) const {
  const double a = elements_.semi_major_axis, e = elements_.eccentricity;
  const double rate = n_ + anomaly_excess_;
  const double E = eccentric_anomaly(mean_anomaly_ + rate * t, e);
  const double s = std::sin(E), c = std::cos(E), half = std::sin(0.5 * E);
  const double root = std::sqrt((1.0 - e) * (1.0 + e));
  const double r = a * ((1.0 - e) + 2.0 * e * half * half);  // a (1 - e cos E) near perigee, too
  // In the axes N of the ellipse: position, its first and second derivative by the mean anomaly.
  const Vec3 p(a * (c - e), a * root * s, 0.0);
  const Vec3 p_1 = (a * a / r) * Vec3(-s, root * c, 0.0);
  const double cube = a * a * a / (r * r * r);

  OrbitPoint out;
  out.radius = r;
  const double beta = e / (1.0 + root);  // f = E + 2 atan(...) keeps whole turns
  out.true_anomaly = E + 2.0 * std::atan2(beta * s, 1.0 - beta * c);
  const bool drifts = oblateness_ == Oblateness::kJ2;
  const Mat3 R_WN =
      drifts ? Mat3(R_WE_ * axes_of_ellipse(elements_.node + node_rate_ * t, elements_.inclination,
                                            elements_.argument_of_perigee + perigee_rate_ * t))
             : R_WN_;
  out.R = R_WN * p;
  const Vec3 u = R_WN * (rate * p_1);  // velocity on the ellipse
  const Vec3 h = R_WN.col(2);
  const double anomaly_rate = rate * root * a * a / (r * r);
  const Vec3 radial = out.R / r;
  out.R_WO << radial, h.cross(radial), h;
  const Vec3 central = -n_ * n_ * cube * out.R;  // = -mu R/r^3
  if (!drifts) {
    out.V = u;
    out.A = central;
    out.excess = out.excess_rate = Vec3::Zero();
    out.omega = anomaly_rate * h;
    return out;
  }
  // The ellipse turns at W = node' pole + perigee' h, which itself turns with the node.
  const Vec3 north = pole();
  const Vec3 W = node_rate_ * north + perigee_rate_ * h;
  const Vec3 W_1 = node_rate_ * perigee_rate_ * north.cross(h);
  const Vec3 W_2 = node_rate_ * north.cross(W_1);
  out.V = u + W.cross(out.R);
  // On the ellipse the acceleration is (rate/n)^2 times the central one; its excess has no
  // difference of nearly equal numbers.
  const double k = anomaly_excess_ * (2.0 * n_ + anomaly_excess_);
  const Vec3 faster = -k * cube * out.R;
  const Vec3 faster_rate_N = -k * cube * (u - 3.0 * radial.dot(u) * radial);
  const Vec3 on_ellipse = central + faster;
  out.excess = faster + 2.0 * W.cross(u) + W_1.cross(out.R) + W.cross(W.cross(out.R));
  out.A = central + out.excess;
  out.excess_rate = W.cross(faster) + faster_rate_N + 2.0 * W_1.cross(u) +
                    2.0 * W.cross(Vec3(W.cross(u) + on_ellipse)) + W_2.cross(out.R) +
                    W_1.cross(out.V) + W_1.cross(Vec3(W.cross(out.R))) +
                    W.cross(Vec3(W_1.cross(out.R))) + W.cross(Vec3(W.cross(out.V)));
  out.omega = W + anomaly_rate * h;
  return out;
}

}  // namespace grapple::orbit
