#include "grapple/orbit/thruster.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace grapple::orbit {

namespace {

using spatial::Vec3T;

class ThrusterElement final : public element::ElementOf<ThrusterElement> {
 public:
  ThrusterElement(std::string name, model::Frame frame, Thruster law)
      : ElementOf(std::move(name)), frame_(std::move(frame)), law_(std::move(law)) {}

  template <class T>
  void act(element::Evaluation<T>& e) const {
    if (uses_propellant()) e.z_rate[0] = T(0);
    if (!std::isfinite(law_.command(e.moment()))) e.refused = true;
    if (!burns(e.memory)) return;
    const dynamics::FrameMotion<T> motion = e.motion(frame_);
    const Vec3T<T> force = motion.R_WF * (law_.thrust * law_.direction).cast<T>();
    e.add_wrench(frame_.link, motion.p_WF, force, Vec3T<T>(Vec3T<T>::Zero()));
    e.energies.add_power(element::Supply::kActuators, force.dot(motion.v));
    if (uses_propellant()) {
      e.z_rate[0] = T(-law_.thrust / (law_.specific_impulse * kStandardGravity));
    }
  }

  std::vector<element::Output> states() const override {
    if (!uses_propellant()) return {};
    return {{name() + "/propellant", "kg"}};
  }
  void initial_state(std::span<double> z) const override {
    if (uses_propellant()) z[0] = law_.propellant;
  }
  void begin_anew(std::span<double> /*z*/) const override {}  // the tank keeps what it has

  int memory_count() const override { return kMemory; }
  bool commit(const element::Evaluation<double>& e, std::span<double> z,
              std::span<double> memory) const override {
    const bool burned = burns(memory);
    if (uses_propellant() && memory[kEmpty] == 0.0 && !(z[0] > 2.0 * resolution())) {
      memory[kEmpty] = 1.0;
      memory[kEmptyTime] = e.t;
    }
    // A step ends on a crossing, just before or just behind it: what holds behind it counts.
    const double soon = e.t + kBehind * std::max(std::abs(e.t), 1.0);
    const bool asked = law_.command({soon, e.signals}) >= law_.threshold;
    if (!burned && asked && memory[kEmpty] == 0.0) memory[kPulseEnd] = e.t + law_.minimum_pulse;
    const bool pulse = burned && soon < memory[kPulseEnd];
    memory[kBurns] = memory[kEmpty] == 0.0 && (asked || pulse) ? 1.0 : 0.0;
    return burns(memory) != burned;
  }
  std::string refusal(const element::Evaluation<double>& e) const override {
    if (std::isfinite(law_.command(e.moment()))) return "";
    return fmt::format("the command of '{}' is not a number at t = {:.6g} s", name(), e.t);
  }
  std::string caution(std::span<const double> memory) const override {
    if (memory[kEmpty] == 0.0) return "";
    return fmt::format("'{}' ran out of propellant at {:.6g} s and gave no thrust from then on",
                       name(), memory[kEmptyTime]);
  }

  std::vector<element::Output> outputs() const override {
    return {{name() + "/thrust", "N"},
            {name() + "/burning", "1"},
            {name() + "/force_x", "N"},
            {name() + "/force_y", "N"},
            {name() + "/force_z", "N"}};
  }
  template <class T>
  void report_as(const element::Evaluation<T>& e, std::span<T> values) const {
    const bool on = burns(e.memory);
    values[0] = T(on ? law_.thrust : 0.0);
    values[1] = T(on ? 1.0 : 0.0);
    const Vec3T<T> force = e.motion(frame_).R_WF * law_.direction.cast<T>();
    for (int k = 0; k < 3; ++k) values[static_cast<std::size_t>(k) + 2] = values[0] * force[k];
  }

  int kink_count() const override { return kKinks; }
  void kink_values(const element::Evaluation<double>& e, std::span<double> values) const override {
    values[0] = law_.command(e.moment()) - law_.threshold;
    values[1] = uses_propellant() && e.memory[kEmpty] == 0.0 ? e.z[0] - resolution() : 1.0;
    values[2] = burns(e.memory) ? e.memory[kPulseEnd] - e.t : -1.0;
  }
  std::vector<double> breakpoints(double t_end) const override {
    std::vector<double> times = law_.command.breakpoints(0.0, t_end);
    const std::vector<double> switches = law_.command.crossings(law_.threshold, 0.0, t_end);
    times.insert(times.end(), switches.begin(), switches.end());
    return times;
  }

 private:
  enum Memory { kBurns, kPulseEnd, kEmpty, kEmptyTime, kMemory };
  static constexpr int kKinks = 3;
  static constexpr double kBehind = 1e-13;  // of the time, or of a second

  static bool burns(std::span<const double> memory) { return memory[kBurns] != 0.0; }
  bool uses_propellant() const { return law_.specific_impulse > 0.0; }
  // What counts as empty: a billionth of the tank.
  double resolution() const { return 1e-9 * law_.propellant; }

  model::Frame frame_;
  Thruster law_;
};

}  // namespace

std::unique_ptr<element::Element> make_thruster(std::string name, model::Frame frame,
                                                Thruster law) {
  law.direction.normalize();
  return std::make_unique<ThrusterElement>(std::move(name), std::move(frame), std::move(law));
}

}  // namespace grapple::orbit
