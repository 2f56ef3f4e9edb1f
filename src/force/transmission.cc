#include "grapple/force/transmission.h"

#include <cmath>

#include "grapple/base/assert.h"

namespace grapple::force {

namespace {

using model::Link;
using Laws = std::vector<TransmissionLaw>;

template <class T>
T spring_effort(const TransmissionLaw& law, const T& x) {
  return (T(law.stiffness) + T(law.cubic_stiffness) * x * x) * x;
}

template <class T>
T spring_energy(const TransmissionLaw& law, const T& x) {
  return (T(0.5 * law.stiffness) + T(0.25 * law.cubic_stiffness) * x * x) * x * x;
}

// Spring and damper at an elastic twist x; what exceeds the spring is lost.
template <class T>
T bonded(const TransmissionLaw& law, const T& x, const T& x_rate, element::Energies<T>* energies) {
  const T damper = T(law.damping) * x_rate;
  if (energies) {
    energies->store(element::Stored::kElastic, spring_energy<T>(law, x));
    energies->add_power(element::Supply::kDamping, -damper * x_rate);
  }
  return spring_effort<T>(law, x) + damper;
}

// The same on one flank of the backlash, x > 0 pressed: it pushes or lets go.
template <class T>
T flank(const TransmissionLaw& law, const T& x, const T& x_rate, element::Energies<T>* energies) {
  if (!(x > T(0))) return T(0);
  const T spring = spring_effort<T>(law, x);
  T force = spring + T(law.damping) * x_rate;
  if (force < T(0)) force = T(0);
  if (energies) {
    energies->store(element::Stored::kElastic, spring_energy<T>(law, x));
    energies->add_power(element::Supply::kDamping, (spring - force) * x_rate);
  }
  return force;
}

template <class T>
T bearing(const TransmissionLaw& law, const T& twist, const T& rate,
          element::Energies<T>* energies) {
  if (law.backlash == 0.0) return bonded<T>(law, twist, rate, energies);
  const T gap(0.5 * law.backlash);
  return flank<T>(law, twist - gap, rate, energies) - flank<T>(law, -twist - gap, -rate, energies);
}

// Share of the twist rate that slips instead of winding z.
template <class T>
T slip_share(const Hysteresis& law, const T& z, const T& twist_rate) {
  using std::pow;
  if (!(z * twist_rate > T(0))) return T(0);
  const T size = z > T(0) ? z : T(-z);
  return pow(T(size * T(law.stiffness / law.yield)), law.exponent);
}

bool has_hysteresis(const TransmissionLaw& law) { return law.hysteresis.stiffness > 0.0; }

class Transmission final : public element::ElementOf<Transmission> {
 public:
  Transmission(const model::Model& model, int link, Laws laws)
      : ElementOf("joint/" + model.joint_of_link(link).name + "/transmission"),
        link_(model.link(link)),
        laws_(std::move(laws)) {
    for (const TransmissionLaw& law : laws_) {
      kinks_ += (law.backlash > 0.0 ? 2 : 0) + (has_hysteresis(law) ? 2 : 0);
    }
  }

  Reach reach() const override { return Reach::kCoordinates; }

  template <class T>
  void act(element::Evaluation<T>& e) const {
    std::size_t state = 0;
    for (int k = 0; k < link_.nv; ++k) {
      const TransmissionLaw& law = laws_[static_cast<std::size_t>(k)];
      const T rate = twist_rate(e.state, k);
      T effort = bearing<T>(law, twist(e.state, k), rate, &e.energies);
      if (has_hysteresis(law)) {
        const T& z = e.z[state];
        const T torque = T(law.hysteresis.stiffness) * z;
        const T slip = rate * slip_share<T>(law.hysteresis, z, rate);
        e.z_rate[state++] = rate - slip;
        e.energies.store(element::Stored::kElastic, T(0.5) * torque * z);
        e.energies.add_power(element::Supply::kFriction, -torque * slip);
        effort += torque;
      }
      e.tau[link_.v_index + k] += effort;
      e.tau[link_.v_motor + k] -= effort;
    }
  }

  std::vector<element::Output> states() const override {
    std::vector<element::Output> all;
    for (int k = 0; k < link_.nv; ++k) {
      if (!has_hysteresis(laws_[static_cast<std::size_t>(k)])) continue;
      all.push_back(
          {name() + "/hysteresis" + suffix(k), is_rotational(link_.type, k) ? "rad" : "m"});
    }
    return all;
  }

  std::vector<element::Output> outputs() const override {
    std::vector<element::Output> all;
    for (int k = 0; k < link_.nv; ++k) {
      const bool turns = is_rotational(link_.type, k);
      all.push_back({name() + "/effort" + suffix(k), turns ? "N*m" : "N"});
      all.push_back({name() + "/twist" + suffix(k), turns ? "rad" : "m"});
      all.push_back({name() + "/twist_rate" + suffix(k), turns ? "rad/s" : "m/s"});
    }
    return all;
  }

  template <class T>
  void report_as(const element::Evaluation<T>& e, std::span<T> values) const {
    std::size_t state = 0, at = 0;
    for (int k = 0; k < link_.nv; ++k) {
      const TransmissionLaw& law = laws_[static_cast<std::size_t>(k)];
      const T w = twist(e.state, k), rate = twist_rate(e.state, k);
      T effort = bearing<T>(law, w, rate, nullptr);
      if (has_hysteresis(law)) effort += T(law.hysteresis.stiffness) * e.z[state++];
      values[at++] = effort;
      values[at++] = w;
      values[at++] = rate;
    }
  }

  int kink_count() const override { return kinks_; }
  void kink_values(const element::Evaluation<double>& e, std::span<double> values) const override {
    std::size_t state = 0, at = 0;
    for (int k = 0; k < link_.nv; ++k) {
      const TransmissionLaw& law = laws_[static_cast<std::size_t>(k)];
      if (law.backlash > 0.0) {
        values[at++] = twist(e.state, k) - 0.5 * law.backlash;
        values[at++] = twist(e.state, k) + 0.5 * law.backlash;
      }
      if (has_hysteresis(law)) {
        values[at++] = twist_rate(e.state, k);
        values[at++] = e.z[state++];
      }
    }
  }

 private:
  template <class T>
  T twist(const model::StateT<T>& state, int k) const {
    return state.q[link_.q_motor + k] - state.q[link_.q_index + k];
  }
  template <class T>
  T twist_rate(const model::StateT<T>& state, int k) const {
    return state.v[link_.v_motor + k] - state.v[link_.v_index + k];
  }
  std::string suffix(int k) const { return rate_suffixes(link_.type)[static_cast<std::size_t>(k)]; }

  Link link_;
  Laws laws_;
  int kinks_ = 0;
};

}  // namespace

std::unique_ptr<element::Element> make_transmission(const model::Model& model, int link,
                                                    Laws laws) {
  GRAPPLE_ASSERT(model.link(link).motors == static_cast<int>(laws.size()) && !laws.empty());
  for (const TransmissionLaw& law : laws) {
    GRAPPLE_ASSERT(!has_hysteresis(law) ||
                   (law.hysteresis.yield > 0.0 && law.hysteresis.exponent >= 1.0));
  }
  return std::make_unique<Transmission>(model, link, std::move(laws));
}

}  // namespace grapple::force
