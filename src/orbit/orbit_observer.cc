#include "grapple/orbit/orbit_observer.h"

#include <cmath>

#include "grapple/dynamics/field_efforts.h"
#include "grapple/spatial/root.h"

namespace grapple::orbit {

namespace {

using spatial::Mat3T;
using spatial::Vec3T;

class OrbitObserver final : public element::ElementOf<OrbitObserver> {
 public:
  OrbitObserver(std::string name, ReferenceOrbit orbit, int body)
      : ElementOf(std::move(name)), orbit_(std::move(orbit)), body_(body) {}

  Reach reach() const override { return Reach::kCoordinates; }

  template <class T>
  void act(element::Evaluation<T>& /*e*/) const {}

  std::vector<element::Output> outputs() const override {
    const auto named = [&](const char* what, const char* unit) {
      return element::Output{name() + "/" + what, unit};
    };
    return {named("roll", "rad"),
            named("pitch", "rad"),
            named("yaw", "rad"),
            named("position_radial", "m"),
            named("position_along", "m"),
            named("position_normal", "m"),
            named("velocity_radial", "m/s"),
            named("velocity_along", "m/s"),
            named("velocity_normal", "m/s"),
            named("semi_major_axis", "m"),
            named("eccentricity", "1"),
            named("inclination", "rad"),
            named("node", "rad")};
  }

  template <class T>
  void report_as(const element::Evaluation<T>& e, std::span<T> values) const {
    const OrbitPoint point = orbit_.at(e.t);
    const model::Body& body = e.model.bodies()[static_cast<std::size_t>(body_)];
    const dynamics::BodyMoments<T> moments =
        dynamics::body_moments(e.model, body.link, e.state, e.workspace);
    const Mat3T<T> R_OW = point.R_WO.transpose().cast<T>();
    const model::LinkMotion<T>& link = e.workspace.motion[static_cast<std::size_t>(body.link)];
    attitude<T>(R_OW * link.R_WL * body.X_LB.R.cast<T>(), values.first(3));
    const Vec3T<T> r = R_OW * moments.p_WC;
    const Vec3T<T> v = R_OW * (moments.v_WC - point.omega.cast<T>().cross(moments.p_WC));
    for (int k = 0; k < 3; ++k) {
      values[3 + static_cast<std::size_t>(k)] = r[k];
      values[6 + static_cast<std::size_t>(k)] = v[k];
    }
    elements<T>(point, moments.p_WC, moments.v_WC, values.subspan(9, 4));
  }

 private:
  template <class T>
  static void attitude(const Mat3T<T>& R, std::span<T> values) {
    using std::atan2;
    const T level = spatial::root_of<T>(R(2, 1) * R(2, 1) + R(2, 2) * R(2, 2));
    values[0] = atan2(-R(2, 0), level);
    values[1] = atan2(R(1, 0), R(0, 0));
    values[2] = atan2(R(2, 1), R(2, 2));
  }

  template <class T>
  void elements(const OrbitPoint& point, const Vec3T<T>& r, const Vec3T<T>& v,
                std::span<T> values) const {
    using std::atan2;
    using std::sqrt;
    const double mu = orbit_.planet().mu, R = point.radius;
    const Vec3T<T> R_T = point.R.cast<T>(), V_T = point.V.cast<T>();
    const T q = (T(2) * R_T.dot(r) + r.squaredNorm()) / T(R * R), s = sqrt(T(1) + q);
    // -mu (1/|d| - 1/R) = mu/R q/(s (1 + s))
    const T gain = V_T.dot(v) + T(0.5) * v.squaredNorm() + T(mu / R) * q / (s * (T(1) + s));
    values[0] = T(1) / (T(reference_inverse_axis(point)) - T(2.0 / mu) * gain);
    const Vec3T<T> d = R_T + r, u = V_T + v;
    const Vec3T<T> h = d.cross(u);
    const Vec3T<T> e = u.cross(h) / T(mu) - d / (s * T(R));
    values[1] = spatial::length_of<T>(e);
    const Vec3T<T> h_E = orbit_.R_WE().transpose().cast<T>() * h;
    values[2] = atan2(spatial::root_of<T>(h_E.x() * h_E.x() + h_E.y() * h_E.y()), h_E.z());
    values[3] = h_E.x() == T(0) && h_E.y() == T(0) ? T(0) : T(atan2(h_E.x(), -h_E.y()));
  }

  // Of the reference point's osculating orbit: that of its elements, unless they drift.
  double reference_inverse_axis(const OrbitPoint& point) const {
    if (orbit_.oblateness() == Oblateness::kNone) return 1.0 / orbit_.elements().semi_major_axis;
    return 2.0 / point.radius - point.V.squaredNorm() / orbit_.planet().mu;
  }

  ReferenceOrbit orbit_;
  int body_;
};

}  // namespace

std::unique_ptr<element::Element> make_orbit_observer(std::string name, ReferenceOrbit orbit,
                                                      int body) {
  return std::make_unique<OrbitObserver>(std::move(name), std::move(orbit), body);
}

}  // namespace grapple::orbit
