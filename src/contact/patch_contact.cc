#include "grapple/contact/patch_contact.h"

#include <algorithm>
#include <array>
#include <type_traits>

#include "grapple/base/assert.h"
#include "grapple/contact/internal/contact_outputs.h"
#include "grapple/contact/internal/pair_element.h"
#include "grapple/spatial/root.h"

namespace grapple::contact {

namespace {

using contact::FrictionForce;
using contact::kMostFrictionStates;
using contact::PatchPressure;
using dynamics::FrameMotion;
using geometry::Overlap;
using spatial::Vec3T;

// Relative motion at the centroid; before there is one, at the nearest point.
template <class T>
struct PatchKinematics {
  Overlap<T> overlap;
  Vec3T<T> velocity, spin;  // of A over B
  T approach{0};            // m/s, positive while the overlap grows

  PatchKinematics(const geometry::VolumeQuery& query, const FrameMotion<T>& a,
                  const FrameMotion<T>& b)
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
  T relaxing_power{0};  // W, what giving volume back puts into the foundation
  Vec3T<T> friction_W = Vec3T<T>::Zero(), slip_W = Vec3T<T>::Zero();
  T lever{0}, spin{0}, spin_torque{0}, stick{0};

  T loss(const PatchKinematics<T>& m) const {
    return (pressure.force - pressure.elastic) * m.approach - pressure.rolling_torque.dot(m.spin) -
           friction_W.dot(slip_W) - spin_torque * spin;
  }
};

// Whether the patch is so far from touching that its bounds show it.
template <class T>
bool clearly_apart(const geometry::VolumeQuery& query, const FrameMotion<T>& a,
                   const FrameMotion<T>& b, double beyond) {
  if constexpr (std::is_same_v<T, double>) {
    return query.gap_at_least(geometry::Placement<double>{a.R_WF, a.p_WF}, {b.R_WF, b.p_WF}) >
           beyond;
  } else {
    const auto value = [](const T& x) { return spatial::value_of(x); };
    const spatial::Mat3 R_a = a.R_WF.unaryExpr(value), R_b = b.R_WF.unaryExpr(value);
    const spatial::Vec3 p_a = a.p_WF.unaryExpr(value), p_b = b.p_WF.unaryExpr(value);
    return query.gap_at_least(geometry::Placement<double>{R_a, p_a}, {R_b, p_b}) > beyond;
  }
}

class PatchElement final : public PairElement<PatchElement, PatchContact> {
 public:
  explicit PatchElement(PatchContact pair) : PairElement(pair.patches.size(), std::move(pair)) {
    books_work_ = pair_.relaxation > 0.0;
    for (const auto& query : pair_.patches) books_work_ |= !query->has_potential();
  }

  template <class T>
  void act(element::Evaluation<T>& e) const {
    const FrameMotion<T> a = e.motion(pair_.a), b = e.motion(pair_.b);
    if (books_work_) e.energies.store(element::Stored::kContact, e.z.back());
    for (std::size_t i = 0; i < pair_.patches.size(); ++i) {
      if (clearly_apart(*pair_.patches[i], a, b, 0.0)) continue;
      const PatchKinematics<T> m(*pair_.patches[i], a, b);
      if (!(m.overlap.volume > T(0))) continue;
      const PatchForce<T> f = force(i, m, a, b, e, zone_states(i, e.z_rate));
      book(m, f, e);
      const Vec3T<T>& n = m.overlap.normal_W;
      const Vec3T<T> on_A = f.pressure.force * n + f.friction_W;
      const Vec3T<T> torque = f.pressure.rolling_torque + f.spin_torque * n;
      e.add_wrench(pair_.a.link, m.overlap.centroid_W, on_A, torque);
      e.add_wrench(pair_.b.link, m.overlap.centroid_W, Vec3T<T>(-on_A), Vec3T<T>(-torque));
    }
  }

  std::vector<element::Output> states() const override {
    std::vector<element::Output> all = PairElement::states();
    if (books_work_) all.push_back({name() + "/elastic_work", "J"});
    return all;
  }

  bool commit(const element::Evaluation<double>& e, std::span<double> z,
              std::span<double> memory) const override {
    const FrameMotion<double> a = e.motion(pair_.a), b = e.motion(pair_.b);
    bool changed = false;
    for (std::size_t i = 0; i < pair_.patches.size(); ++i) {
      const std::span<double> own = zone_memory(i, memory);
      const bool touched = is_touching(own);
      if (!touched && clearly_apart(*pair_.patches[i], a, b, 0.0)) continue;
      if (touched) {
        const double gap = pair_.patches[i]->gap({a.R_WF, a.p_WF}, {b.R_WF, b.p_WF});
        note_depth(e.t, -gap, pair_.patches[i]->size(), memory.last(kDeepestCount));
        if (gap < 0.0) continue;
      }
      const PatchKinematics<double> m(*pair_.patches[i], a, b);
      const double slack = event_slack(e.t, m.approach, m.overlap.nearest_W.norm());
      const bool arriving = m.approach > 0.0 && m.overlap.gap <= slack;
      const bool touches = m.overlap.volume > 0.0 || arriving;
      if (touches == touched) continue;
      changed = true;
      pair_.friction->start(zone_states(i, z));
      latch_release(own);
      if (!touches) continue;
      const double speed = std::max(0.0, m.approach);
      const contact::FoundationLaw& law = pair_.law;
      latch_impact(speed, damping_factor(law.rule, law.restitution, law.slow_impact, speed), own);
      take_over(i, m, a, b, z, memory);
      latch_found(pair_.relaxation > 0.0 ? m.overlap.volume : 0.0, e.t, own);
    }
    return changed;
  }

  std::string obstacle(const element::Evaluation<double>& e) const override {
    const FrameMotion<double> a = e.motion(pair_.a), b = e.motion(pair_.b);
    for (const auto& patch : pair_.patches) {
      const double gap = patch->gap(geometry::Placement<double>{a.R_WF, a.p_WF}, {b.R_WF, b.p_WF});
      std::string why = too_deep(-gap, patch->size());
      if (!why.empty()) return why;
    }
    return "";
  }

  void kink_values(const element::Evaluation<double>& e, std::span<double> values) const override {
    const FrameMotion<double> a = e.motion(pair_.a), b = e.motion(pair_.b);
    for (std::size_t i = 0; i < pair_.patches.size(); ++i) {
      const geometry::VolumeQuery& query = *pair_.patches[i];
      const geometry::Placement<double> at_a{a.R_WF, a.p_WF}, at_b{b.R_WF, b.p_WF};
      const double bound = query.gap_at_least(at_a, at_b);
      values[i] = bound > 0.0 ? bound : query.gap(at_a, at_b);
    }
  }

  std::vector<element::Output> outputs() const override {
    std::vector<element::Output> all = contact_outputs(name());
    const auto add = [&](const char* quantity, const char* unit) {
      all.push_back({name() + "/" + quantity, unit});
    };
    add("volume", "m^3");
    add("lever", "m");
    add("spin", "rad/s");
    add("spin_torque", "N*m");
    add("rolling_torque", "N*m");
    if (pair_.patches.size() > 1) add("touching_patches", "1");
    return all;
  }

  // Forces, torques, volume, energy and loss are sums over the patches; gap, point, slip, stick,
  // lever, spin and impact speed are those of the deepest.
  template <class T>
  void report_as(const element::Evaluation<T>& e, std::span<T> values) const {
    const FrameMotion<T> a = e.motion(pair_.a), b = e.motion(pair_.b);
    std::array<T, kMostFrictionStates> unused;
    Totals<T> sum;
    for (std::size_t i = 0; i < pair_.patches.size(); ++i) {
      const double deepest = std::max(0.0, spatial::value_of(sum.gap));
      if (clearly_apart(*pair_.patches[i], a, b, deepest)) continue;
      const PatchKinematics<T> m(*pair_.patches[i], a, b);
      PatchForce<T> f;
      const bool touches = m.overlap.volume > T(0);
      if (touches) f = force(i, m, a, b, e, std::span<T>(unused.data(), friction_states()));
      const T energy = books_work_ ? T(0) : T(pair_.law.stiffness) * m.overlap.potential;
      sum.add(m, f, energy, T(touches ? zone_memory(i, e.memory)[kImpactSpeed] : 0.0));
      sum.touching += touches ? 1 : 0;
    }
    if (books_work_) sum.energy = e.z.back();
    sum.force *= T(sign_of(pair_.first));
    sum.write(values);
  }

 private:
  template <class T>
  struct Totals {
    T gap{1e300}, normal{0}, slip{0}, stick{0}, speed{0}, energy{0}, loss{0}, volume{0}, lever{0};
    T spin{0}, spin_torque{0};
    Vec3T<T> force = Vec3T<T>::Zero(), friction = Vec3T<T>::Zero(), point = Vec3T<T>::Zero();
    Vec3T<T> rolling = Vec3T<T>::Zero();
    int touching = 0;

    void add(const PatchKinematics<T>& m, const PatchForce<T>& f, const T& stored,
             const T& impact) {
      normal += f.pressure.force;
      friction += f.friction_W;
      force += f.pressure.force * m.overlap.normal_W + f.friction_W;
      rolling += f.pressure.rolling_torque;
      spin_torque += f.spin_torque;
      volume += m.overlap.volume;
      energy += stored;
      loss += f.loss(m);
      if (!(m.overlap.gap < gap)) return;
      gap = m.overlap.gap;
      point = m.overlap.centroid_W;
      slip = spatial::length_of<T>(f.slip_W);
      stick = f.stick;
      speed = impact;
      lever = f.lever;
      spin = f.spin;
    }
    void write(std::span<T> values) const {
      std::size_t k = 0;
      for (const T& value :
           {gap, normal, spatial::length_of<T>(friction), force.x(), force.y(), force.z(),
            point.x(), point.y(), point.z(), slip, stick, speed, energy, loss, volume, lever, spin,
            spin_torque, spatial::length_of<T>(rolling)}) {
        values[k++] = value;
      }
      if (k < values.size()) values[k] = T(touching);
    }
  };

  // Where there is a potential the energy follows from it; otherwise the work done on the
  // foundation is a state, and what is not given back at release stays in the account, for everyone
  // to see.
  template <class T>
  void book(const PatchKinematics<T>& m, const PatchForce<T>& f, element::Evaluation<T>& e) const {
    if (books_work_) {
      e.z_rate.back() += f.pressure.elastic * m.approach + f.relaxing_power;
      e.energies.add_power(element::Supply::kExternal, f.relaxing_power);
    } else {
      e.energies.store(element::Stored::kContact, T(pair_.law.stiffness) * m.overlap.potential);
    }
    e.energies.add_power(element::Supply::kDamping,
                         (f.pressure.elastic - f.pressure.force) * m.approach +
                             f.pressure.rolling_torque.dot(m.spin));
    e.energies.add_power(element::Supply::kFriction,
                         f.friction_W.dot(f.slip_W) + f.spin_torque * f.spin);
  }

  // Patch i takes over damping and bristles of the touching patch that bears most, among those that
  // press within 30 degrees of its own normal.
  void take_over(std::size_t i, const PatchKinematics<double>& m, const FrameMotion<double>& a,
                 const FrameMotion<double>& b, std::span<double> z,
                 std::span<double> memory) const {
    constexpr double kSameDirection = 0.866;
    double most = 0.0;
    for (std::size_t k = 0; k < pair_.patches.size(); ++k) {
      const std::span<double> other = zone_memory(k, memory);
      if (k == i || !is_touching(other)) continue;
      const PatchKinematics<double> neighbour(*pair_.patches[k], a, b);
      if (!(neighbour.overlap.volume > most)) continue;
      if (neighbour.overlap.normal_W.dot(m.overlap.normal_W) < kSameDirection) continue;
      most = neighbour.overlap.volume;
      std::ranges::copy(other, zone_memory(i, memory).begin());
      std::ranges::copy(zone_states(k, z), zone_states(i, z).begin());
    }
  }

  template <class T>
  PatchForce<T> force(std::size_t i, const PatchKinematics<T>& m, const FrameMotion<T>& a,
                      const FrameMotion<T>& b, const element::Evaluation<T>& e,
                      std::span<T> state_rate) const {
    const Vec3T<T>& n = m.overlap.normal_W;
    PatchForce<T> f;
    const std::span<const double> own = zone_memory(i, e.memory);
    const Relaxation relaxation = relaxation_at(e.t, pair_.relaxation, own);
    const double held = relaxation.held;
    const T& volume = m.overlap.volume;
    // Above where it was found there is no elastic force.
    const T share = volume > T(held) ? T(T(1) - T(held) / volume) : T(0);
    f.pressure =
        contact::patch_pressure<T>(pair_.law, m.overlap, m.approach, m.spin, own[kLatched], share);
    // Volume given back raises a column of the mean area, volume over depth.
    if (held > 0.0) {
      f.relaxing_power = f.pressure.elastic * T(relaxation.rate) * -m.overlap.gap / volume;
    }
    f.slip_W = m.velocity + m.approach * n;
    f.spin = n.dot(m.spin);
    const T square = n.dot(m.overlap.inertia_W * n) / m.overlap.volume;
    f.lever = spatial::root_of(square);
    const spatial::Mat3T<T> R_BW = b.R_WF.transpose();
    contact::PatchSpread<T> spread =
        spread_of<T>(m.overlap, pair_.outline.kind,
                     pair_.outline.side == PatchOutline::Side::kA ? a.R_WF : b.R_WF);
    spread.moments = R_BW * spread.moments * b.R_WF;
    spread.side = R_BW * spread.side;
    const FrictionForce<T> friction = (*pair_.friction)(contact::Sliding<T>{
        f.pressure.force, R_BW * n, R_BW * f.slip_W, zone_states(i, e.z), state_rate, f.spin,
        f.lever, &spread, turning_radius<T>(pair_.body_a, a.R_WF, pair_.body_b, b.R_WF, n)});
    f.friction_W = b.R_WF * friction.on_A_B;
    f.spin_torque = friction.spin_torque;
    f.stick = friction.stick;
    return f;
  }

  bool books_work_ = false;  // in the last state
};

}  // namespace

std::unique_ptr<element::Element> make_patch_contact(PatchContact pair) {
  GRAPPLE_ASSERT(!pair.patches.empty() && pair.friction != nullptr && pair.law.stiffness > 0.0);
  return std::make_unique<PatchElement>(std::move(pair));
}

}  // namespace grapple::contact
