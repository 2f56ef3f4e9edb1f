#include "grapple/orbit/magnetic_torque.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace grapple::orbit {

namespace {

using spatial::Vec3;
using spatial::Vec3T;

/// The moment a frame is given, in its axes.
struct GivenMoment {
  std::array<element::Input, 3> components;

  template <class T>
  Vec3T<T> operator()(const element::Moment& at, const Vec3T<T>& /*B*/,
                      const Vec3T<T>& /*omega*/) const {
    return {T(components[0](at)), T(components[1](at)), T(components[2](at))};
  }
  std::vector<double> breakpoints(double t_end) const {
    std::vector<double> times;
    for (const element::Input& input : components) {
      const std::vector<double> own = input.breakpoints(0.0, t_end);
      times.insert(times.end(), own.begin(), own.end());
    }
    return times;
  }
  int kink_count() const { return 0; }
  void kinks(const Vec3&, const Vec3&, std::span<double>) const {}
};

struct DampingMoment {
  RateDamper law;

  // The field stands still, the frame turns: dB/dt = -omega x B.
  template <class T>
  Vec3T<T> unlimited(const Vec3T<T>& B, const Vec3T<T>& omega) const {
    return T(law.gain) * omega.cross(B);
  }
  template <class T>
  Vec3T<T> operator()(const element::Moment& /*at*/, const Vec3T<T>& B,
                      const Vec3T<T>& omega) const {
    Vec3T<T> M = unlimited<T>(B, omega);
    for (int k = 0; k < 3; ++k) {
      if (M[k] > T(law.limit)) M[k] = T(law.limit);
      if (M[k] < T(-law.limit)) M[k] = T(-law.limit);
    }
    return M;
  }
  std::vector<double> breakpoints(double /*t_end*/) const { return {}; }
  int kink_count() const { return std::isfinite(law.limit) ? 3 : 0; }
  void kinks(const Vec3& B, const Vec3& omega, std::span<double> values) const {
    if (!std::isfinite(law.limit)) return;
    const Vec3 M = unlimited<double>(B, omega);
    for (int k = 0; k < 3; ++k) {
      values[static_cast<std::size_t>(k)] = std::abs(M[k]) - law.limit;
    }
  }
};

template <class Law>
class MagneticTorque final : public element::ElementOf<MagneticTorque<Law>> {
 public:
  MagneticTorque(std::string name, model::Frame frame, Law law, const DipoleField& field,
                 ReferenceOrbit orbit)
      : element::ElementOf<MagneticTorque>(std::move(name)),
        frame_(std::move(frame)),
        law_(std::move(law)),
        field_(field),
        orbit_(std::move(orbit)) {}

  template <class T>
  void act(element::Evaluation<T>& e) const {
    const Torque<T> now(*this, e);
    e.add_wrench(frame_.link, now.frame.p_WF, Vec3T<T>(Vec3T<T>::Zero()), now.torque);
    e.energies.add_power(element::Supply::kActuators, now.torque.dot(now.frame.omega));
  }

  std::vector<element::Output> outputs() const override {
    std::vector<element::Output> all;
    for (const auto& [quantity, unit] :
         {std::pair{"field", "T"}, std::pair{"moment", "A*m^2"}, std::pair{"torque", "N*m"}}) {
      for (const char* axis : {"_x", "_y", "_z"}) {
        all.push_back({this->name() + "/" + quantity + axis, unit});
      }
    }
    return all;
  }
  template <class T>
  void report_as(const element::Evaluation<T>& e, std::span<T> values) const {
    const Torque<T> now(*this, e);
    for (int k = 0; k < 3; ++k) {
      const auto at = static_cast<std::size_t>(k);
      values[at] = now.B_F[k];
      values[at + 3] = now.moment_F[k];
      values[at + 6] = now.torque[k];
    }
  }
  std::vector<double> breakpoints(double t_end) const override { return law_.breakpoints(t_end); }
  int kink_count() const override { return law_.kink_count(); }
  void kink_values(const element::Evaluation<double>& e, std::span<double> values) const override {
    const Torque<double> now(*this, e);
    law_.kinks(now.B_F, now.omega_F, values);
  }

 private:
  template <class T>
  struct Torque {
    dynamics::FrameMotion<T> frame;
    Vec3T<T> B_F, omega_F, moment_F, torque;

    Torque(const MagneticTorque& element, const element::Evaluation<T>& e)
        : frame(e.motion(element.frame_)) {
      B_F = frame.R_WF.transpose() * element.template field<T>(e.t, frame.p_WF);
      omega_F = frame.R_WF.transpose() * frame.omega;
      moment_F = element.law_.template operator()<T>(e.moment(), B_F, omega_F);
      torque = frame.R_WF * moment_F.cross(B_F);
    }
  };

  template <class T>
  Vec3T<T> field(double t, const Vec3T<T>& r) const {
    using std::sqrt;
    const OrbitPoint point = orbit_.at(t);
    const double turn = field_.longitude + orbit_.planet().rotation_rate * t;
    const Vec3 north_E(std::sin(field_.tilt) * std::cos(turn),
                       std::sin(field_.tilt) * std::sin(turn), std::cos(field_.tilt));
    const Vec3T<T> m = (-(orbit_.R_WE() * north_E)).template cast<T>();
    const Vec3T<T> d = point.R.template cast<T>() + r;
    const T distance = sqrt(d.squaredNorm());
    const T ratio = T(orbit_.planet().radius) / distance;
    const Vec3T<T> up = d / distance;
    return T(field_.strength) * ratio * ratio * ratio * (T(3) * m.dot(up) * up - m);
  }

  model::Frame frame_;
  Law law_;
  DipoleField field_;
  ReferenceOrbit orbit_;
};

}  // namespace

std::unique_ptr<element::Element> make_magnetic_torque(std::string name, model::Frame frame,
                                                       std::array<element::Input, 3> moment,
                                                       const DipoleField& field,
                                                       ReferenceOrbit orbit) {
  return std::make_unique<MagneticTorque<GivenMoment>>(
      std::move(name), std::move(frame), GivenMoment{std::move(moment)}, field, std::move(orbit));
}

std::unique_ptr<element::Element> make_magnetic_damper(std::string name, model::Frame frame,
                                                       const RateDamper& law,
                                                       const DipoleField& field,
                                                       ReferenceOrbit orbit) {
  return std::make_unique<MagneticTorque<DampingMoment>>(
      std::move(name), std::move(frame), DampingMoment{law}, field, std::move(orbit));
}

}  // namespace grapple::orbit
