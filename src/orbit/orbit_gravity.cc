#include "grapple/orbit/orbit_gravity.h"

#include <fmt/format.h>

#include "grapple/dynamics/field_efforts.h"
#include "grapple/orbit/eclipse.h"
#include "grapple/orbit/relative_gravity.h"

namespace grapple::orbit {

namespace {

using spatial::Vec3;
using spatial::Vec3T;

class OrbitGravity final : public element::ElementOf<OrbitGravity> {
 public:
  OrbitGravity(std::string name, ReferenceOrbit orbit, const GravityOptions& options)
      : ElementOf(std::move(name)), orbit_(std::move(orbit)), options_(options) {
    options_.sun_E.normalize();
  }

  Reach reach() const override {
    return options_.field == FieldUse::kNone ? Reach::kCoordinates : Reach::kKinematics;
  }

  template <class T>
  void act(element::Evaluation<T>& e) const {
    if (options_.field == FieldUse::kNone) return;
    const OrbitPoint point = orbit_.at(e.t);
    const RelativeGravity gravity(point, orbit_.planet(), orbit_.oblateness(), orbit_.pole());
    T energy(0), power(0);
    for (int i = 1; i < e.model.link_count(); ++i) {
      const dynamics::BodyMoments<T> body =
          dynamics::body_moments(e.model, i, e.state, e.workspace);
      if (!(body.mass > T(0))) continue;
      if (is_below_ground(point, body.p_WC)) e.refused = true;
      const RelativeField<T> field = gravity.at<T>(body.p_WC);
      const Vec3T<T> pull = gravity.third_order_pull<T>(body.p_WC, body.second);
      dynamics::field_efforts<T>(e.model, i, body, {field.g + pull / body.mass, field.G},
                                 e.workspace, e.tau);
      energy +=
          body.mass * field.potential - T(0.5) * dynamics::double_product(field.G, body.second);
      power += body.mass * field.potential_rate - point.V.cast<T>().dot(pull);
    }
    e.energies.store(element::Stored::kGravity, energy);
    e.energies.add_power(element::Supply::kExternal, power);
  }

  std::vector<element::Output> outputs() const override {
    std::vector<element::Output> all{
        {name() + "/altitude", "m"}, {name() + "/true_anomaly", "rad"}, {name() + "/eclipse", "1"}};
    for (const char* axis : {"x", "y", "z"}) all.push_back({name() + "/position_" + axis, "m"});
    for (const char* axis : {"x", "y", "z"}) all.push_back({name() + "/velocity_" + axis, "m/s"});
    for (const char* axis : {"x", "y", "z"}) all.push_back({name() + "/nadir_" + axis, "1"});
    for (const char* axis : {"x", "y", "z"}) all.push_back({name() + "/track_" + axis, "1"});
    return all;
  }
  template <class T>
  void report_as(const element::Evaluation<T>& e, std::span<T> values) const {
    const OrbitPoint point = orbit_.at(e.t);
    values[0] = T(point.radius - orbit_.planet().radius);
    values[1] = T(point.true_anomaly);
    const Vec3 sun_W = orbit_.R_WE() * options_.sun_E;
    values[2] =
        T(1.0 - sunlit_part<double>(Shadow::kConical, point.R, sun_W, orbit_.planet().radius));
    const Vec3 R_E = orbit_.R_WE().transpose() * point.R;
    const Vec3 V_E = orbit_.R_WE().transpose() * point.V;
    for (std::size_t k = 0; k < 3; ++k) {
      values[3 + k] = T(R_E[static_cast<int>(k)]);
      values[6 + k] = T(V_E[static_cast<int>(k)]);
      values[9 + k] = T(-point.R_WO(static_cast<int>(k), 0));
      values[12 + k] = T(point.R_WO(static_cast<int>(k), 1));
    }
  }

  // The field of a point mass is not that inside the planet.
  std::string refusal(const element::Evaluation<double>& e) const override {
    if (options_.field == FieldUse::kNone) return "";
    const OrbitPoint point = orbit_.at(e.t);
    for (int i = 1; i < e.model.link_count(); ++i) {
      const auto body = dynamics::body_moments(e.model, i, e.state, e.workspace);
      if (!(body.mass > 0.0) || !is_below_ground(point, body.p_WC)) continue;
      return fmt::format("body '{}' is below the surface of the planet",
                         e.model.body_of_link(i).name);
    }
    return "";
  }

 private:
  template <class T>
  bool is_below_ground(const OrbitPoint& point, const Vec3T<T>& p_W) const {
    const Vec3T<T> R = point.R.cast<T>() + p_W;
    const double radius = orbit_.planet().radius;
    return spatial::value_of(R.squaredNorm()) < radius * radius;
  }

  ReferenceOrbit orbit_;
  GravityOptions options_;
};

}  // namespace

std::unique_ptr<element::Element> make_orbit_gravity(std::string name, ReferenceOrbit orbit,
                                                     const GravityOptions& options) {
  return std::make_unique<OrbitGravity>(std::move(name), std::move(orbit), options);
}

}  // namespace grapple::orbit
