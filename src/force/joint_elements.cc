#include "grapple/force/joint_elements.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "grapple/base/assert.h"
#include "grapple/force/internal/input_breakpoints.h"
#include "grapple/spatial/rotation.h"

namespace grapple::force {

namespace {

using model::Link;
using spatial::QuatT;
using spatial::Vec3;
using spatial::Vec3T;

// The coordinates of a joint a spring or stop acts on: q itself, or the rotation vector of its
// orientation.
template <class T>
struct Displacement {
  T value[6];               // one per degree of freedom
  Vec3T<T> phi;             // the orientation part, if any
  int first_rotation = -1;  // its index among the degrees of freedom

  Displacement(const Link& link, const model::StateT<T>& state, std::span<const double> rest) {
    const int offset = quaternion_offset(link.type);
    const int plain = vector_count(link.type);
    for (int k = 0; k < plain; ++k) {
      value[k] = state.q[link.q_index + k] - T(rest[static_cast<std::size_t>(k)]);
    }
    if (offset < 0) return;
    first_rotation = offset;
    QuatT<T> q = state.q.template segment<4>(link.q_index + offset);
    q /= sqrt_of(q.squaredNorm());
    const Vec3 start(rest[static_cast<std::size_t>(offset)],
                     rest[static_cast<std::size_t>(offset) + 1],
                     rest[static_cast<std::size_t>(offset) + 2]);
    const QuatT<T> back = spatial::quaternion_exp<double>(-start).template cast<T>();
    phi = spatial::rotation_vector<T>(spatial::product<T>(back, q));
    for (int k = 0; k < 3; ++k) value[offset + k] = phi[k];
  }

  static T sqrt_of(const T& x) {
    using std::sqrt;
    return sqrt(x);
  }

  // Generalised force of -force on the coordinates: B'(phi) on the orientation part, with B'(phi) =
  // B(-phi).
  void to_efforts(T* force) const {
    if (first_rotation < 0) return;
    const Vec3T<T> f(force[first_rotation], force[first_rotation + 1], force[first_rotation + 2]);
    const Vec3T<T> effort = spatial::rotation_vector_rate<T>(Vec3T<T>(-phi), f);
    for (int k = 0; k < 3; ++k) force[first_rotation + k] = effort[k];
  }
};

std::string stem(const model::Model& model, int link, const char* part) {
  return "joint/" + model.joint_of_link(link).name + "/" + part;
}

std::vector<element::Output> effort_outputs(const Link& link, const std::string& name) {
  std::vector<element::Output> outputs;
  outputs.reserve(static_cast<std::size_t>(link.nv));
  const std::vector<std::string> suffixes = rate_suffixes(link.type);
  for (int k = 0; k < link.nv; ++k) {
    outputs.push_back({name + "_effort" + suffixes[static_cast<std::size_t>(k)],
                       is_rotational(link.type, k) ? "N*m" : "N"});
  }
  return outputs;
}

// Everything the five share: a law from state to efforts[nv] that may book energy.
template <class Derived>
class JointElement : public element::ElementOf<Derived> {
 public:
  JointElement(const model::Model& model, int link, const char* part)
      : element::ElementOf<Derived>(stem(model, link, part)),
        link_(model.link(link)),
        row_(link_.v_index) {}

  template <class T>
  void act(element::Evaluation<T>& e) const {
    T effort[6] = {};
    self().law(e.moment(), e.state, effort, &e.energies);
    for (int k = 0; k < link_.nv; ++k) e.tau[row_ + k] += effort[k];
  }

  element::Element::Reach reach() const override { return element::Element::Reach::kCoordinates; }
  std::vector<element::Output> outputs() const override {
    return effort_outputs(link_, this->name());
  }

  template <class T>
  void report_as(const element::Evaluation<T>& e, std::span<T> values) const {
    T effort[6] = {};
    self().law(e.moment(), e.state, effort, static_cast<element::Energies<T>*>(nullptr));
    for (int k = 0; k < link_.nv; ++k) values[static_cast<std::size_t>(k)] = effort[k];
  }

 protected:
  template <class T>
  const T& rate(const model::StateT<T>& state, int k) const {
    return state.v[row_ + k];
  }
  Link link_;
  int row_;  ///< of the first degree of freedom it acts on

 private:
  const Derived& self() const { return static_cast<const Derived&>(*this); }
};

class Spring final : public JointElement<Spring> {
 public:
  Spring(const model::Model& model, int link, std::vector<double> stiffness,
         std::vector<element::Input> rest)
      : JointElement(model, link, "spring"),
        stiffness_(std::move(stiffness)),
        rest_(std::move(rest)) {}

  template <class T>
  void law(const element::Moment& moment, const model::StateT<T>& state, T* effort,
           element::Energies<T>* energies) const {
    std::array<double, 6> rest{}, rest_rate{};
    for (std::size_t k = 0; k < rest_.size(); ++k) {
      const Jet jet = rest_[k].jet(moment);
      rest[k] = jet.value;
      rest_rate[k] = jet.rate;
    }
    const Displacement<T> x(link_, state, rest);
    for (int k = 0; k < link_.nv; ++k) {
      const auto at = static_cast<std::size_t>(k);
      const T stiffness(stiffness_[at]);
      effort[k] = -stiffness * x.value[k];
      if (energies == nullptr) continue;
      energies->store(element::Stored::kElastic, T(0.5) * stiffness * x.value[k] * x.value[k]);
      if (rest_rate[at] != 0.0) {
        energies->add_power(element::Supply::kActuators, effort[k] * T(rest_rate[at]));
      }
    }
    x.to_efforts(effort);
  }
  bool stores_by_signals() const override {
    return std::ranges::any_of(rest_, [](const element::Input& rest) { return rest.is_held(); });
  }
  std::vector<double> breakpoints(double t_end) const override {
    return breakpoints_of(rest_, t_end);
  }

 private:
  std::vector<double> stiffness_;
  std::vector<element::Input> rest_;
};

class Damper final : public JointElement<Damper> {
 public:
  Damper(const model::Model& model, int link, std::vector<double> coefficient)
      : JointElement(model, link, "damper"), coefficient_(std::move(coefficient)) {}

  template <class T>
  void law(const element::Moment& /*at*/, const model::StateT<T>& state, T* effort,
           element::Energies<T>* energies) const {
    for (int k = 0; k < link_.nv; ++k) {
      effort[k] = -T(coefficient_[static_cast<std::size_t>(k)]) * rate(state, k);
      if (energies) energies->add_power(element::Supply::kDamping, effort[k] * rate(state, k));
    }
  }

 private:
  std::vector<double> coefficient_;
};

class Friction final : public JointElement<Friction> {
 public:
  Friction(const model::Model& model, int link, JointFriction law)
      : JointElement(model, link, "friction"), law_(std::move(law)) {}

  template <class T>
  void law(const element::Moment& /*at*/, const model::StateT<T>& state, T* effort,
           element::Energies<T>* energies) const {
    using std::tanh;
    for (int k = 0; k < link_.nv; ++k) {
      const auto at = static_cast<std::size_t>(k);
      const T& v = rate(state, k);
      effort[k] =
          -T(law_.dry[at]) * tanh(v / T(law_.transition_rate[at])) - T(law_.viscous[at]) * v;
      if (energies) energies->add_power(element::Supply::kFriction, effort[k] * v);
    }
  }

 private:
  JointFriction law_;
};

class Stop final : public JointElement<Stop> {
 public:
  Stop(const model::Model& model, int link, JointStop law)
      : JointElement(model, link, "stop"), law_(std::move(law)), rest_(6, 0.0) {}

  template <class T>
  void law(const element::Moment& /*at*/, const model::StateT<T>& state, T* effort,
           element::Energies<T>* energies) const {
    const Displacement<T> x(link_, state, rest_);
    const int plain = x.first_rotation < 0 ? link_.nv : x.first_rotation;
    for (int k = 0; k < plain; ++k) {
      const auto at = static_cast<std::size_t>(k);
      effort[k] = push(x.value[k] - T(law_.upper[at]), rate(state, k), at, energies) * T(-1) +
                  push(T(law_.lower[at]) - x.value[k], -rate(state, k), at, energies);
    }
    if (x.first_rotation >= 0) push_back_rotation(x, state, effort, energies);
  }

  int kink_count() const override { return 2 * link_.nv; }
  void kink_values(const element::Evaluation<double>& e, std::span<double> values) const override {
    const Displacement<double> x(link_, e.state, rest_);
    for (int k = 0; k < link_.nv; ++k) {
      const auto at = static_cast<std::size_t>(k);
      values[2 * at] = values[2 * at + 1] = 1.0;
      if (x.first_rotation < 0 || k < x.first_rotation) {
        values[2 * at] = finite(x.value[k] - law_.lower[at]);
        values[2 * at + 1] = finite(law_.upper[at] - x.value[k]);
      } else if (k == x.first_rotation) {
        values[2 * at + 1] = finite(law_.upper[at] - x.phi.norm());
      }
    }
  }

 private:
  static double finite(double gap) { return std::isfinite(gap) ? gap : 1.0; }

  // Force against a penetration d; the part beyond the spring is dissipated.
  template <class T>
  T push(const T& d, const T& d_rate, std::size_t at, element::Energies<T>* energies) const {
    if (!(d > T(0))) return T(0);
    const T spring = T(law_.stiffness[at]) * d;
    T force = spring * (T(1) + T(law_.damping[at]) * d_rate);
    if (force < T(0)) force = T(0);
    if (energies) {
      energies->store(element::Stored::kStops, T(0.5) * spring * d);
      energies->add_power(element::Supply::kDamping, (spring - force) * d_rate);
    }
    return force;
  }

  template <class T>
  void push_back_rotation(const Displacement<T>& x, const model::StateT<T>& state, T* effort,
                          element::Energies<T>* energies) const {
    using std::sqrt;
    const auto at = static_cast<std::size_t>(x.first_rotation);
    if (!(x.phi.squaredNorm() > T(law_.upper[at]) * T(law_.upper[at]))) return;
    const T angle = sqrt(x.phi.squaredNorm());
    const Vec3T<T> axis = x.phi / angle;
    T angle_rate(0);
    for (int k = 0; k < 3; ++k) angle_rate += axis[k] * rate(state, x.first_rotation + k);
    const T torque = push(angle - T(law_.upper[at]), angle_rate, at, energies);
    for (int k = 0; k < 3; ++k) effort[x.first_rotation + k] = -torque * axis[k];
  }

  JointStop law_;
  std::vector<double> rest_;
};

class Motor final : public JointElement<Motor> {
 public:
  Motor(const model::Model& model, int link, std::vector<element::Input> motor_effort,
        std::vector<double> gear_ratio)
      : JointElement(model, link, "motor"),
        motor_effort_(std::move(motor_effort)),
        gear_ratio_(std::move(gear_ratio)) {
    row_ = link_.v_actuated();
  }

  template <class T>
  void law(const element::Moment& moment, const model::StateT<T>& state, T* effort,
           element::Energies<T>* energies) const {
    for (int k = 0; k < link_.nv; ++k) {
      const auto at = static_cast<std::size_t>(k);
      effort[k] = T(gear_ratio_[at] * motor_effort_[at](moment));
      if (energies) energies->add_power(element::Supply::kActuators, effort[k] * rate(state, k));
    }
  }

  std::vector<double> breakpoints(double t_end) const override {
    return breakpoints_of(motor_effort_, t_end);
  }

 private:
  std::vector<element::Input> motor_effort_;
  std::vector<double> gear_ratio_;
};

class ControlledMotor final : public element::ElementOf<ControlledMotor> {
 public:
  ControlledMotor(int row, const std::string& controller, element::Input effort)
      : ElementOf("controller/" + controller), row_(row), effort_(std::move(effort)) {}

  template <class T>
  void act(element::Evaluation<T>& e) const {
    const T effort(effort_(e.moment()));
    e.tau[row_] += effort;
    e.energies.add_power(element::Supply::kActuators, effort * e.state.v[row_]);
  }
  Reach reach() const override { return Reach::kCoordinates; }

 private:
  int row_;
  element::Input effort_;
};

void check_sizes(const model::Model& model, int link, std::initializer_list<std::size_t> sizes) {
  for (const std::size_t size : sizes) {
    GRAPPLE_ASSERT(size == static_cast<std::size_t>(model.link(link).nv));
  }
}

}  // namespace

std::unique_ptr<element::Element> make_joint_spring(const model::Model& model, int link,
                                                    std::vector<double> stiffness,
                                                    const std::vector<double>& rest) {
  std::vector<element::Input> inputs;
  for (const double value : rest) inputs.emplace_back(Function::constant(value));
  return make_moving_joint_spring(model, link, std::move(stiffness), std::move(inputs));
}

std::unique_ptr<element::Element> make_moving_joint_spring(const model::Model& model, int link,
                                                           std::vector<double> stiffness,
                                                           std::vector<element::Input> rest) {
  check_sizes(model, link, {stiffness.size(), rest.size()});
  return std::make_unique<Spring>(model, link, std::move(stiffness), std::move(rest));
}

std::unique_ptr<element::Element> make_joint_damper(const model::Model& model, int link,
                                                    std::vector<double> coefficient) {
  check_sizes(model, link, {coefficient.size()});
  return std::make_unique<Damper>(model, link, std::move(coefficient));
}

std::unique_ptr<element::Element> make_joint_friction(const model::Model& model, int link,
                                                      JointFriction law) {
  check_sizes(model, link, {law.dry.size(), law.viscous.size(), law.transition_rate.size()});
  return std::make_unique<Friction>(model, link, std::move(law));
}

std::unique_ptr<element::Element> make_joint_stop(const model::Model& model, int link,
                                                  JointStop law) {
  check_sizes(model, link,
              {law.lower.size(), law.upper.size(), law.stiffness.size(), law.damping.size()});
  return std::make_unique<Stop>(model, link, std::move(law));
}

std::unique_ptr<element::Element> make_joint_motor(const model::Model& model, int link,
                                                   std::vector<element::Input> motor_effort,
                                                   std::vector<double> gear_ratio) {
  check_sizes(model, link, {motor_effort.size(), gear_ratio.size()});
  return std::make_unique<Motor>(model, link, std::move(motor_effort), std::move(gear_ratio));
}

std::unique_ptr<element::Element> make_controlled_motor(const model::Model& model, int link,
                                                        const std::string& controller,
                                                        element::Input effort) {
  GRAPPLE_ASSERT(model.link(link).nv == 1);
  return make_controlled_effort(controller, model.link(link).v_actuated(), std::move(effort));
}

std::unique_ptr<element::Element> make_controlled_effort(const std::string& controller, int rate,
                                                         element::Input effort) {
  return std::make_unique<ControlledMotor>(rate, controller, std::move(effort));
}

}  // namespace grapple::force
