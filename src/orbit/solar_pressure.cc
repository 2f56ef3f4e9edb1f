#include "grapple/orbit/solar_pressure.h"

namespace grapple::orbit {

namespace {

using spatial::Vec3;
using spatial::Vec3T;

class SolarPressure final : public element::ElementOf<SolarPressure> {
 public:
  SolarPressure(std::string name, model::Frame frame, std::vector<Plate> plates,
                const Sunlight& light, ReferenceOrbit orbit)
      : ElementOf(std::move(name)),
        frame_(std::move(frame)),
        plates_(std::move(plates)),
        light_(light),
        orbit_(std::move(orbit)),
        sun_(orbit_.R_WE() * light.sun_E.normalized()) {}

  template <class T>
  void act(element::Evaluation<T>& e) const {
    const dynamics::FrameMotion<T> frame = e.motion(frame_);
    const T lit = sunlit(e, frame);
    if (!(lit > T(0))) return;
    for (const Plate& given : plates_) {
      const PlateMotion<T> plate(given, frame);
      const Vec3T<T> push = lit * force_in_full_light<T>(given, plate);
      e.add_wrench(frame_.link, plate.centre, push, Vec3T<T>(Vec3T<T>::Zero()));
      e.energies.add_power(element::Supply::kExternal, push.dot(plate.velocity));
    }
  }

  std::vector<element::Output> outputs() const override {
    return {{name() + "/force_x", "N"},
            {name() + "/force_y", "N"},
            {name() + "/force_z", "N"},
            {name() + "/sunlit", "1"}};
  }
  template <class T>
  void report_as(const element::Evaluation<T>& e, std::span<T> values) const {
    const dynamics::FrameMotion<T> frame = e.motion(frame_);
    values[3] = sunlit(e, frame);
    Vec3T<T> sum = Vec3T<T>::Zero();
    for (const Plate& given : plates_) {
      sum += force_in_full_light<T>(given, PlateMotion<T>(given, frame));
    }
    for (int k = 0; k < 3; ++k) values[static_cast<std::size_t>(k)] = values[3] * sum[k];
  }

  int kink_count() const override { return static_cast<int>(plates_.size()) + 2; }
  // Where a plate turns away from the Sun, and the edges of the shadow.
  void kink_values(const element::Evaluation<double>& e, std::span<double> values) const override {
    const dynamics::FrameMotion<double> frame = e.motion(frame_);
    for (std::size_t k = 0; k < plates_.size(); ++k) {
      values[k] = (frame.R_WF * plates_[k].normal).dot(sun_);
    }
    const ShadowEdges edges =
        shadow_edges(light_.shadow, orbit_.at(e.t).R + frame.p_WF, sun_, orbit_.planet().radius);
    values[plates_.size()] = edges.outer;
    values[plates_.size() + 1] = edges.inner;
  }

 private:
  template <class T>
  T sunlit(const element::Evaluation<T>& e, const dynamics::FrameMotion<T>& frame) const {
    const OrbitPoint point = orbit_.at(e.t);
    const Vec3T<T> d = point.R.cast<T>() + frame.p_WF;
    return sunlit_part<T>(light_.shadow, d, sun_, orbit_.planet().radius);
  }

  template <class T>
  Vec3T<T> force_in_full_light(const Plate& given, const PlateMotion<T>& plate) const {
    const Vec3T<T> s = sun_.cast<T>();
    const T c = plate.normal.dot(s);
    if (!(c > T(0))) return Vec3T<T>::Zero();
    const T along_normal = T(2) * (T(light_.specular) * c + T(light_.diffuse / 3.0));
    return -(T(light_.pressure * given.area) * c) *
           (T(1.0 - light_.specular) * s + along_normal * plate.normal);
  }

  model::Frame frame_;
  std::vector<Plate> plates_;
  Sunlight light_;
  ReferenceOrbit orbit_;
  Vec3 sun_;
};

}  // namespace

std::unique_ptr<element::Element> make_solar_pressure(std::string name, model::Frame frame,
                                                      std::vector<Plate> plates,
                                                      const Sunlight& light, ReferenceOrbit orbit) {
  return std::make_unique<SolarPressure>(std::move(name), std::move(frame), std::move(plates),
                                         light, std::move(orbit));
}

}  // namespace grapple::orbit
