#include "grapple/system/patch_contact.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "grapple/base/assert.h"
#include "grapple/system/contact_outputs.h"

namespace grapple::system {

namespace {

using contact::FrictionForce;
using contact::kMostFrictionStates;
using contact::PatchPressure;
using dynamics::FrameMotion;
using geometry::Overlap;
using spatial::Vec3T;

enum Memory : std::size_t { kTouching, kImpactSpeed, kDamping, kMemoryCount };

template <class T>
T length(const Vec3T<T>& v) {
  using std::sqrt;
  const T square = v.squaredNorm();
  return square > T(0) ? T(sqrt(square)) : T(0);
}

// Relative motion at the centroid; before there is one, at the nearest point.
template <class T>
struct Meeting {
  Overlap<T> overlap;
  Vec3T<T> velocity, spin;  // of A over B
  T approach{0};            // m/s, positive while the overlap grows

  Meeting(const geometry::VolumeQuery& query, const FrameMotion<T>& a, const FrameMotion<T>& b)
      : overlap(query(geometry::Placement<T>{a.R_WF, a.p_WF}, {b.R_WF, b.p_WF})),
        spin(a.omega - b.omega) {
    const Vec3T<T>& p = overlap.volume > T(0) ? overlap.centroid_W : overlap.nearest_W;
    velocity =
        a.v + a.omega.cross(Vec3T<T>(p - a.p_WF)) - b.v - b.omega.cross(Vec3T<T>(p - b.p_WF));
    approach = -overlap.normal_W.dot(velocity);
  }
};

template <class T>
struct PatchForce {
  PatchPressure<T> pressure;
  Vec3T<T> friction_W = Vec3T<T>::Zero(), slip_W = Vec3T<T>::Zero();
  T lever{0}, spin{0}, spin_torque{0}, stick{0};

  T loss(const Meeting<T>& m) const {
    return (pressure.force - pressure.elastic) * m.approach - pressure.rolling_torque.dot(m.spin) -
           friction_W.dot(slip_W) - spin_torque * spin;
  }
};

// As in contact_element.cc: a located touch lies this near to gap 0.
double event_slack(double t, const Meeting<double>& m) {
  return 1e-13 * std::max(1.0, std::abs(t)) * m.approach + 1e-15 * m.overlap.nearest_W.norm();
}

class Patch final : public ElementOf<Patch> {
 public:
  explicit Patch(PatchContact pair)
      : ElementOf(pair.name),
        pair_(std::move(pair)),
        names_(pair_.friction->state_names()),
        states_(names_.size()) {
    if (!pair_.query->has_potential()) names_.push_back({"elastic_work", "J"});
  }

  template <class T>
  void act(Evaluation<T>& e) const {
    const FrameMotion<T> a = e.motion(pair_.a), b = e.motion(pair_.b);
    const Meeting<T> m(*pair_.query, a, b);
    e.energies.store(Stored::kContact, energy(m, e));
    if (!(m.overlap.volume > T(0))) return;
    const PatchForce<T> f = force(m, b, e, e.z_rate.first(states_));
    if (!pair_.query->has_potential()) e.z_rate[states_] = f.pressure.elastic * m.approach;
    const Vec3T<T>& n = m.overlap.normal_W;
    const Vec3T<T> on_A = f.pressure.force * n + f.friction_W;
    const Vec3T<T> torque = f.pressure.rolling_torque + f.spin_torque * n;
    e.add_wrench(pair_.a.link, m.overlap.centroid_W, on_A, torque);
    e.add_wrench(pair_.b.link, m.overlap.centroid_W, Vec3T<T>(-on_A), Vec3T<T>(-torque));
    e.energies.add_power(Supply::kDamping, (f.pressure.elastic - f.pressure.force) * m.approach +
                                               f.pressure.rolling_torque.dot(m.spin));
    e.energies.add_power(Supply::kFriction, f.friction_W.dot(f.slip_W) + f.spin_torque * f.spin);
  }

  std::vector<Output> states() const override {
    std::vector<Output> all;
    for (const auto& [state, unit] : names_) all.push_back({name() + "/" + state, unit});
    return all;
  }
  void initial_state(std::span<double> z) const override {
    pair_.friction->start(z.first(states_));
  }

  int memory_count() const override { return kMemoryCount; }
  bool commit(const Evaluation<double>& e, std::span<double> z,
              std::span<double> memory) const override {
    const Meeting<double> m(*pair_.query, e.motion(pair_.a), e.motion(pair_.b));
    const bool arriving = m.approach > 0.0 && m.overlap.gap <= event_slack(e.t, m);
    const bool touches = m.overlap.volume > 0.0 || arriving;
    if (touches == (memory[kTouching] != 0.0)) return false;
    pair_.friction->start(z.first(states_));
    const contact::FoundationLaw& law = pair_.law;
    const double speed = touches ? std::max(0.0, m.approach) : 0.0;
    memory[kTouching] = touches ? 1.0 : 0.0;
    memory[kImpactSpeed] = speed;
    memory[kDamping] =
        touches ? contact::damping_factor(law.rule, law.restitution, law.slow_impact, speed) : 0.0;
    return true;
  }

  int kink_count() const override { return 1; }
  void kink_values(const Evaluation<double>& e, std::span<double> values) const override {
    values[0] = Meeting<double>(*pair_.query, e.motion(pair_.a), e.motion(pair_.b)).overlap.gap;
  }

  std::vector<Output> outputs() const override {
    std::vector<Output> all = contact_outputs(name());
    const auto add = [&](const char* quantity, const char* unit) {
      all.push_back({name() + "/" + quantity, unit});
    };
    add("volume", "m^3");
    add("lever", "m");
    add("spin", "rad/s");
    add("spin_torque", "N*m");
    add("rolling_torque", "N*m");
    return all;
  }

  template <class T>
  void report_as(const Evaluation<T>& e, std::span<T> values) const {
    const FrameMotion<T> a = e.motion(pair_.a), b = e.motion(pair_.b);
    const Meeting<T> m(*pair_.query, a, b);
    std::array<T, kMostFrictionStates> unused;
    PatchForce<T> f;
    const bool touches = m.overlap.volume > T(0);
    if (touches) f = force(m, b, e, std::span<T>(unused.data(), states_));
    const Vec3T<T> on_A = f.pressure.force * m.overlap.normal_W + f.friction_W;
    const Vec3T<T>& at = m.overlap.centroid_W;
    std::size_t k = 0;
    for (const T& value :
         {m.overlap.gap, f.pressure.force, length(f.friction_W), on_A.x(), on_A.y(), on_A.z(),
          at.x(), at.y(), at.z(), length(f.slip_W), f.stick,
          T(touches ? e.memory[kImpactSpeed] : 0.0), energy(m, e), f.loss(m), m.overlap.volume,
          f.lever, f.spin, f.spin_torque, length(f.pressure.rolling_torque)}) {
      values[k++] = value;
    }
  }

 private:
  // Of the potential, or the work done on the foundation so far: what a pair without potential
  // does not give back at release stays in the account, for everyone to see.
  template <class T>
  T energy(const Meeting<T>& m, const Evaluation<T>& e) const {
    if (!pair_.query->has_potential()) return e.z[states_];
    return T(pair_.law.stiffness) * m.overlap.potential;
  }

  template <class T>
  PatchForce<T> force(const Meeting<T>& m, const FrameMotion<T>& b, const Evaluation<T>& e,
                      std::span<T> state_rate) const {
    using std::sqrt;
    const Vec3T<T>& n = m.overlap.normal_W;
    PatchForce<T> f;
    f.pressure = contact::press<T>(pair_.law, m.overlap, m.approach, m.spin, e.memory[kDamping]);
    f.slip_W = m.velocity + m.approach * n;
    f.spin = n.dot(m.spin);
    const T square = n.dot(m.overlap.inertia_W * n) / m.overlap.volume;
    f.lever = square > T(0) ? T(sqrt(square)) : T(0);
    const FrictionForce<T> rub = (*pair_.friction)(
        contact::Rub<T>{f.pressure.force, b.R_WF.transpose() * n, b.R_WF.transpose() * f.slip_W,
                        e.z.first(states_), state_rate, f.spin, f.lever});
    f.friction_W = b.R_WF * rub.on_A_B;
    f.spin_torque = rub.spin_torque;
    f.stick = rub.stick;
    return f;
  }

  PatchContact pair_;
  std::vector<std::pair<std::string, std::string>> names_;
  std::size_t states_;  // of the friction law
};

}  // namespace

std::unique_ptr<Element> make_patch_contact(PatchContact pair) {
  GRAPPLE_ASSERT(pair.query != nullptr && pair.friction != nullptr && pair.law.stiffness > 0.0);
  GRAPPLE_ASSERT(pair.friction->state_names().size() <= kMostFrictionStates);
  return std::make_unique<Patch>(std::move(pair));
}

}  // namespace grapple::system
