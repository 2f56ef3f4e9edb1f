#include "grapple/force/actuator.h"

#include <algorithm>
#include <cmath>

#include "grapple/base/assert.h"

namespace grapple::force {

namespace {

std::string drive_stem(const model::Model& model, int link, const char* part) {
  return "joint/" + model.joint_of_link(link).name + "/" + part;
}

template <class T>
T cut_between(const T& value, const T& lower, const T& upper) {
  return value < lower ? lower : value > upper ? upper : value;
}

class Actuator final : public element::ElementOf<Actuator> {
 public:
  Actuator(const model::Model& model, int link, std::vector<ActuatorLaw> laws)
      : ElementOf(drive_stem(model, link, "motor")),
        link_(model.link(link)),
        row_(link_.v_actuated()),
        laws_(std::move(laws)) {
    for (const ActuatorLaw& law : laws_) kinks_ += kinks_of(law);
  }

  Reach reach() const override { return Reach::kCoordinates; }

  template <class T>
  void act(element::Evaluation<T>& e) const {
    std::size_t state = 0;
    for (int k = 0; k < link_.nv; ++k) {
      const ActuatorLaw& law = laws_[static_cast<std::size_t>(k)];
      const T effort = T(law.gear_ratio) * torque(e, k, state);
      if (lags(law)) {
        const T error = T(command(law, e.moment())) - e.z[state];
        e.z_rate[state++] =
            cut_between<T>(error / T(law.time_constant), T(-law.rate_limit), T(law.rate_limit));
      }
      e.tau[row_ + k] += effort;
      e.energies.add_power(element::Supply::kActuators, effort * e.state.v[row_ + k]);
    }
  }

  std::vector<element::Output> states() const override {
    std::vector<element::Output> all;
    for (int k = 0; k < link_.nv; ++k) {
      if (!lags(laws_[static_cast<std::size_t>(k)])) continue;
      all.push_back({name() + "_torque" + suffix(k), unit(k)});
    }
    return all;
  }

  std::vector<element::Output> outputs() const override {
    std::vector<element::Output> all;
    for (int k = 0; k < link_.nv; ++k) all.push_back({name() + "_effort" + suffix(k), unit(k)});
    for (int k = 0; k < link_.nv; ++k) all.push_back({name() + "_command" + suffix(k), unit(k)});
    return all;
  }
  template <class T>
  void report_as(const element::Evaluation<T>& e, std::span<T> values) const {
    std::size_t state = 0;
    for (int k = 0; k < link_.nv; ++k) {
      const auto at = static_cast<std::size_t>(k);
      values[at] = T(laws_[at].gear_ratio) * torque(e, k, state);
      values[at + laws_.size()] = T(laws_[at].command(e.moment()));
      if (lags(laws_[at])) ++state;
    }
  }

  int kink_count() const override { return kinks_; }
  void kink_values(const element::Evaluation<double>& e, std::span<double> values) const override {
    std::size_t state = 0, at = 0;
    for (int k = 0; k < link_.nv; ++k) {
      const ActuatorLaw& law = laws_[static_cast<std::size_t>(k)];
      const double asked = law.command(e.moment());
      if (std::isfinite(law.limit)) {
        values[at++] = asked - law.limit;
        values[at++] = asked + law.limit;
      }
      const double given = lags(law) ? e.z[state] : command(law, e.moment());
      if (std::isfinite(law.rate_limit)) {
        const double wanted = (command(law, e.moment()) - given) / law.time_constant;
        values[at++] = wanted - law.rate_limit;
        values[at++] = wanted + law.rate_limit;
      }
      if (std::isfinite(law.no_load_speed)) {
        const double speed = law.gear_ratio * e.state.v[row_ + k];
        values[at++] = given - highest(law, speed);
        values[at++] = given - lowest(law, speed);
        values[at++] = speed;
        values[at++] = speed - law.no_load_speed;
        values[at++] = speed + law.no_load_speed;
      }
      if (lags(law)) ++state;
    }
  }

  std::vector<double> breakpoints(double t_end) const override {
    std::vector<double> times;
    for (const ActuatorLaw& law : laws_) {
      const std::vector<double> own = law.command.breakpoints(0.0, t_end);
      times.insert(times.end(), own.begin(), own.end());
    }
    return times;
  }

 private:
  static bool lags(const ActuatorLaw& law) { return law.time_constant > 0.0; }
  static int kinks_of(const ActuatorLaw& law) {
    return (std::isfinite(law.limit) ? 2 : 0) + (std::isfinite(law.rate_limit) ? 2 : 0) +
           (std::isfinite(law.no_load_speed) ? 5 : 0);
  }
  static double command(const ActuatorLaw& law, const element::Moment& moment) {
    return std::clamp(law.command(moment), -law.limit, law.limit);
  }

  template <class T>
  static T highest(const ActuatorLaw& law, const T& speed) {
    return T(law.limit) * cut_between<T>(T(1) - speed / T(law.no_load_speed), T(0), T(1));
  }
  template <class T>
  static T lowest(const ActuatorLaw& law, const T& speed) {
    return -highest<T>(law, -speed);
  }

  // Before the gear; `state`: of this degree of freedom, if its torque lags.
  template <class T>
  T torque(const element::Evaluation<T>& e, int k, std::size_t state) const {
    const ActuatorLaw& law = laws_[static_cast<std::size_t>(k)];
    const T given = lags(law) ? e.z[state] : T(command(law, e.moment()));
    if (!std::isfinite(law.no_load_speed)) return given;
    const T speed = T(law.gear_ratio) * e.state.v[row_ + k];
    return cut_between<T>(given, lowest<T>(law, speed), highest<T>(law, speed));
  }

  std::string suffix(int k) const { return rate_suffixes(link_.type)[static_cast<std::size_t>(k)]; }
  const char* unit(int k) const { return is_rotational(link_.type, k) ? "N*m" : "N"; }

  model::Link link_;
  int row_;
  std::vector<ActuatorLaw> laws_;
  int kinks_ = 0;
};

constexpr double kElasticShare = 0.95;

class Stiction final : public element::ElementOf<Stiction> {
 public:
  Stiction(const model::Model& model, int link, std::vector<StictionLaw> laws, FrictionSide side)
      : ElementOf(drive_stem(model, link, "friction")),
        link_(model.link(link)),
        row_(side == FrictionSide::kMotor ? link_.v_actuated() : link_.v_index),
        laws_(std::move(laws)) {}

  Reach reach() const override { return Reach::kCoordinates; }

  template <class T>
  void act(element::Evaluation<T>& e) const {
    for (int k = 0; k < link_.nv; ++k) {
      const auto at = static_cast<std::size_t>(k);
      const StictionLaw& law = laws_[at];
      const T& z = e.z[at];
      const T& v = e.state.v[row_ + k];
      const T level = level_at<T>(law, v);
      const T kept = kept_share<T>(law, level, z, v);
      const T bent = T(law.stiffness) * z;
      const T effort = sum<T>(law, level, bent, v, kept);
      e.z_rate[at] = v * kept;
      e.tau[row_ + k] += effort;
      e.energies.store(element::Stored::kElastic, T(0.5) * bent * z);
      e.energies.add_power(element::Supply::kFriction, effort * v + bent * v * kept);
    }
  }

  std::vector<element::Output> states() const override { return all("_bristle", "rad", "m"); }
  std::vector<element::Output> outputs() const override { return all("_effort", "N*m", "N"); }
  template <class T>
  void report_as(const element::Evaluation<T>& e, std::span<T> values) const {
    for (int k = 0; k < link_.nv; ++k) {
      const auto at = static_cast<std::size_t>(k);
      const T& v = e.state.v[row_ + k];
      const T level = level_at<T>(laws_[at], v);
      values[at] = sum<T>(laws_[at], level, T(laws_[at].stiffness) * e.z[at], v,
                          kept_share<T>(laws_[at], level, e.z[at], v));
    }
  }

 private:
  template <class T>
  static T level_at(const StictionLaw& law, const T& v) {
    using std::exp;
    const T u = v / T(law.stribeck_rate);
    return T(law.dry) + T(law.breakaway - law.dry) * exp(-u * u);
  }

  // 1 - a r: the share of the motion that bends the bristles; the rest slips.
  template <class T>
  static T kept_share(const StictionLaw& law, const T& level, const T& z, const T& v) {
    if (!(z * v > T(0))) return T(1);
    const T r = T(law.stiffness) * (z > T(0) ? z : T(-z)) / level;
    if (!(r > T(kElasticShare))) return T(1);
    if (r > T(1)) return T(1) - r;
    const T s = (r - T(kElasticShare)) / T(1.0 - kElasticShare);
    return T(1) - s * s * (T(3) - T(2) * s) * r;
  }

  template <class T>
  static T sum(const StictionLaw& law, const T& level, const T& bent, const T& v, const T& kept) {
    T bristles = bent;
    if (kept > T(0)) bristles += T(law.damping) * v * kept;
    // The damping is cut where it would go beyond the level: a fast start is no blow.
    if (v > T(0) && bristles > level) bristles = bent > level ? bent : level;
    if (v < T(0) && bristles < -level) bristles = bent < -level ? bent : T(-level);
    return -bristles - T(law.viscous) * v;
  }

  std::vector<element::Output> all(const char* what, const char* turning,
                                   const char* sliding) const {
    std::vector<element::Output> found;
    const std::vector<std::string> suffixes = rate_suffixes(link_.type);
    for (int k = 0; k < link_.nv; ++k) {
      found.push_back({name() + what + suffixes[static_cast<std::size_t>(k)],
                       is_rotational(link_.type, k) ? turning : sliding});
    }
    return found;
  }

  model::Link link_;
  int row_;
  std::vector<StictionLaw> laws_;
};

}  // namespace

std::unique_ptr<element::Element> make_actuator(const model::Model& model, int link,
                                                std::vector<ActuatorLaw> laws) {
  GRAPPLE_ASSERT(model.link(link).nv == static_cast<int>(laws.size()));
  for (const ActuatorLaw& law : laws) {
    GRAPPLE_ASSERT(law.limit > 0.0 && law.rate_limit > 0.0 && law.no_load_speed > 0.0);
    GRAPPLE_ASSERT(!std::isfinite(law.rate_limit) || law.time_constant > 0.0);
    GRAPPLE_ASSERT(!std::isfinite(law.no_load_speed) || std::isfinite(law.limit));
  }
  return std::make_unique<Actuator>(model, link, std::move(laws));
}

std::unique_ptr<element::Element> make_stiction(const model::Model& model, int link,
                                                std::vector<StictionLaw> laws, FrictionSide side) {
  GRAPPLE_ASSERT(model.link(link).nv == static_cast<int>(laws.size()));
  for (const StictionLaw& law : laws) {
    GRAPPLE_ASSERT(law.dry > 0.0 && law.breakaway >= law.dry && law.stiffness > 0.0 &&
                   law.stribeck_rate > 0.0);
  }
  return std::make_unique<Stiction>(model, link, std::move(laws), side);
}

}  // namespace grapple::force
