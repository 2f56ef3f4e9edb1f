#include "grapple/orbit/drag.h"

#include <cmath>

namespace grapple::orbit {

namespace {

using spatial::Vec3;
using spatial::Vec3T;

class Drag final : public element::ElementOf<Drag> {
 public:
  Drag(std::string name, model::Frame frame, std::vector<Plate> plates, double coefficient,
       const Atmosphere& atmosphere, ReferenceOrbit orbit)
      : ElementOf(std::move(name)),
        frame_(std::move(frame)),
        plates_(std::move(plates)),
        coefficient_(coefficient),
        atmosphere_(atmosphere),
        orbit_(std::move(orbit)),
        air_rate_(atmosphere.air == Atmosphere::Air::kStill
                      ? Vec3(Vec3::Zero())
                      : Vec3(orbit_.planet().rotation_rate * orbit_.pole())) {}

  template <class T>
  void act(element::Evaluation<T>& e) const {
    for_each_plate<T>(e, [&](const PlateMotion<T>& plate, const Vec3T<T>& force, const T&) {
      e.add_wrench(frame_.link, plate.centre, force, Vec3T<T>(Vec3T<T>::Zero()));
      e.energies.add_power(element::Supply::kExternal, force.dot(plate.velocity));
    });
  }

  std::vector<element::Output> outputs() const override {
    return {{name() + "/force_x", "N"},
            {name() + "/force_y", "N"},
            {name() + "/force_z", "N"},
            {name() + "/density", "kg/m^3"}};
  }
  template <class T>
  void report_as(const element::Evaluation<T>& e, std::span<T> values) const {
    Vec3T<T> sum = Vec3T<T>::Zero();
    for_each_plate<T>(
        e, [&](const PlateMotion<T>&, const Vec3T<T>& force, const T&) { sum += force; });
    for (int k = 0; k < 3; ++k) values[static_cast<std::size_t>(k)] = sum[k];
    const OrbitPoint point = orbit_.at(e.t);
    values[3] = density<T>(point.R.cast<T>() + e.motion(frame_).p_WF);
  }

  int kink_count() const override { return static_cast<int>(plates_.size()); }
  // Where a plate turns its back to the flow.
  void kink_values(const element::Evaluation<double>& e, std::span<double> values) const override {
    std::size_t k = 0;
    for_each_plate<double>(e, [&](const PlateMotion<double>&, const Vec3&, const double& into) {
      values[k++] = into;
    });
  }

 private:
  template <class T>
  T density(const Vec3T<T>& d) const {
    using std::exp;
    using std::sqrt;
    const T height = sqrt(d.squaredNorm()) - T(orbit_.planet().radius);
    return T(atmosphere_.density) *
           exp((T(atmosphere_.reference_altitude) - height) / T(atmosphere_.scale_height));
  }

  // visit(plate, force on it, speed of the flow onto it).
  template <class T, class Visit>
  void for_each_plate(const element::Evaluation<T>& e, const Visit& visit) const {
    const OrbitPoint point = orbit_.at(e.t);
    const dynamics::FrameMotion<T> frame = e.motion(frame_);
    for (const Plate& given : plates_) {
      const PlateMotion<T> plate(given, frame);
      const Vec3T<T> d = point.R.cast<T>() + plate.centre;
      const Vec3T<T> u = point.V.cast<T>() + plate.velocity - air_rate_.cast<T>().cross(d);
      const T into = plate.normal.dot(u);
      Vec3T<T> force = Vec3T<T>::Zero();
      if (into > T(0)) force = -(T(0.5 * coefficient_ * given.area) * density<T>(d) * into) * u;
      visit(plate, force, into);
    }
  }

  model::Frame frame_;
  std::vector<Plate> plates_;
  double coefficient_;
  Atmosphere atmosphere_;
  ReferenceOrbit orbit_;
  Vec3 air_rate_;
};

}  // namespace

std::unique_ptr<element::Element> make_drag(std::string name, model::Frame frame,
                                            std::vector<Plate> plates, double drag_coefficient,
                                            const Atmosphere& atmosphere, ReferenceOrbit orbit) {
  return std::make_unique<Drag>(std::move(name), std::move(frame), std::move(plates),
                                drag_coefficient, atmosphere, std::move(orbit));
}

}  // namespace grapple::orbit
