#include "grapple/contact/contact_element.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "grapple/base/assert.h"
#include "grapple/contact/contact_start.h"
#include "grapple/contact/internal/closing_speed.h"
#include "grapple/contact/internal/contact_outputs.h"
#include "grapple/contact/internal/contact_site.h"
#include "grapple/spatial/root.h"

namespace grapple::contact {

namespace {

using contact::kMostFrictionStates;
using geometry::Witness;
using spatial::Vec3T;

// What is remembered of a site.
enum Memory : std::size_t { kTouching, kImpactSpeed, kLatched, kDepth, kSince, kMemoryPerSite };

// How far a located touch may lie from gap 0: the time of an event is known to some 1e-14, a
// position to its rounding.
double event_slack(double t, const Meeting<double>& m) {
  return 1e-13 * std::max(1.0, std::abs(t)) * m.approach + 1e-15 * m.witness.point_W.norm();
}

class Contact final : public element::ElementOf<Contact> {
 public:
  explicit Contact(PointContact pair)
      : ElementOf(pair.name),
        pair_(std::move(pair)),
        names_(pair_.friction->state_names()),
        states_(names_.size()) {
    for (const ContactSite& site : pair_.sites) {
      GRAPPLE_ASSERT(!(site.rest_stiffness > 0.0) || site.query->shape() != nullptr);
      follows_ |= site.rest_stiffness > 0.0;
    }
  }

  template <class T>
  void act(element::Evaluation<T>& e) const {
    const FrameMotion<T> a = e.motion(pair_.a), b = e.motion(pair_.b);
    for (std::size_t i = 0; i < pair_.sites.size(); ++i) {
      const Witness<T> w = (*pair_.sites[i].query)(place_of(a), place_of(b));
      if (!(w.gap < T(0))) continue;
      const Meeting<T> m(w, a, b);
      force(i, m, a, b, e, e.z_rate.subspan(i * states_, states_))
          .act(m, pair_.a.link, pair_.b.link, e);
    }
  }

  std::vector<element::Output> states() const override {
    std::vector<element::Output> all;
    for (std::size_t i = 0; i < pair_.sites.size(); ++i) {
      for (const auto& [name, unit] : names_) all.push_back({stem(i) + "/" + name, unit});
    }
    return all;
  }
  void initial_state(std::span<double> z) const override {
    for (std::size_t i = 0; i < pair_.sites.size(); ++i) {
      pair_.friction->start(z.subspan(i * states_, states_));
    }
  }

  int memory_count() const override {
    return static_cast<int>(pair_.sites.size() * kMemoryPerSite + kDeepestCount);
  }
  bool commit(const element::Evaluation<double>& e, std::span<double> z,
              std::span<double> memory) const override {
    const FrameMotion<double> a = e.motion(pair_.a), b = e.motion(pair_.b);
    bool changed = false;
    for (std::size_t i = 0; i < pair_.sites.size(); ++i) {
      const Meeting<double> m(*pair_.sites[i].query, a, b);
      const std::span<double> own = memory.subspan(i * kMemoryPerSite, kMemoryPerSite);
      note_depth(e.t, -m.witness.gap, pair_.sites[i].query->size(), memory.last(kDeepestCount));
      const bool arriving = m.approach > 0.0 && m.witness.gap <= event_slack(e.t, m);
      const bool touches = m.witness.gap < 0.0 || arriving;
      if (touches == (own[kTouching] != 0.0)) continue;
      changed = true;
      pair_.friction->start(z.subspan(i * states_, states_));
      const double speed = touches ? std::max(0.0, m.approach) : 0.0;
      own[kTouching] = touches ? 1.0 : 0.0;
      own[kImpactSpeed] = speed;
      own[kLatched] = touches ? pair_.sites[i].normal->latch(speed) : 0.0;
      const bool relaxes = touches && pair_.relaxation > 0.0;
      own[kDepth] = relaxes ? std::max(0.0, -m.witness.gap) : 0.0;
      own[kSince] = relaxes ? e.t : 0.0;
    }
    return changed;
  }

  std::string obstacle(const element::Evaluation<double>& e) const override {
    const FrameMotion<double> a = e.motion(pair_.a), b = e.motion(pair_.b);
    for (const ContactSite& site : pair_.sites) {
      std::string why = too_deep(-(*site.query)(place_of(a), place_of(b)).gap, site.query->size());
      if (!why.empty()) return why;
    }
    return "";
  }

  std::string caution(std::span<const double> memory) const override {
    return too_deep_caution(name(), memory.last(kDeepestCount));
  }

  int kink_count() const override { return static_cast<int>(pair_.sites.size()); }
  void kink_values(const element::Evaluation<double>& e, std::span<double> values) const override {
    const FrameMotion<double> a = e.motion(pair_.a), b = e.motion(pair_.b);
    for (std::size_t i = 0; i < pair_.sites.size(); ++i) {
      values[i] = (*pair_.sites[i].query)(place_of(a), place_of(b)).gap;
    }
  }

  Passage passage() const override {
    return {passing_depth(pair_.extent_a, pair_.extent_b),
            passing_grain(pair_.extent_a, pair_.extent_b)};
  }
  double kink_speed(const element::Evaluation<double>& e) const override {
    return closing_speed(pair_.extent_a, e.motion(pair_.a), pair_.extent_b, e.motion(pair_.b));
  }

  std::vector<element::Output> outputs() const override {
    std::vector<element::Output> all = contact_outputs(name());
    all.push_back({name() + "/touching_sites", "1"});
    if (follows_) all.push_back({name() + "/stiffness_ratio", "1"});
    return all;
  }

  // Forces, energy and loss are sums over the sites; gap, point, slip, stick, impact speed and
  // stiffness ratio are those of the deepest; the ratio is 1 where nothing touches.
  template <class T>
  void report_as(const element::Evaluation<T>& e, std::span<T> values) const {
    const FrameMotion<T> a = e.motion(pair_.a), b = e.motion(pair_.b);
    std::array<T, kMostFrictionStates> unused;
    SiteForce<T> deepest{};
    Witness<T> nearest = (*pair_.sites[0].query)(place_of(a), place_of(b));
    T normal(0), energy(0), loss(0), slip(0), speed(0), ratio(1);
    int touching = 0;
    Vec3T<T> total = Vec3T<T>::Zero(), rub = Vec3T<T>::Zero();
    for (std::size_t i = 0; i < pair_.sites.size(); ++i) {
      const Meeting<T> m(*pair_.sites[i].query, a, b);
      const bool is_deepest = m.witness.gap <= nearest.gap;
      if (is_deepest) nearest = m.witness;
      if (!(m.witness.gap < T(0))) continue;
      const SiteForce<T> f = force(i, m, a, b, e, std::span<T>(unused.data(), states_));
      ++touching;
      normal += f.normal.force;
      rub += f.friction_W;
      total += f.total_W(m);
      energy += f.normal.energy;
      loss -= f.damping_power(m) + f.friction_power();
      if (!is_deepest) continue;
      deepest = f;
      slip = spatial::length_of<T>(f.slip_W);
      speed = T(e.memory[i * kMemoryPerSite + kImpactSpeed]);
      const auto stiffer = stiffening(pair_.sites[i], m, a, b);
      if (stiffer) ratio = stiffer->ratio;
    }
    total *= T(sign_of(pair_.first));
    std::size_t at = 0;
    for (const T& value : {nearest.gap, normal, spatial::length_of<T>(rub), total.x(), total.y(),
                           total.z(), nearest.point_W.x(), nearest.point_W.y(), nearest.point_W.z(),
                           slip, deepest.stick, speed, energy, loss, T(touching)}) {
      values[at++] = value;
    }
    if (follows_) values[at] = ratio;
  }

 private:
  // "contact/landing", or "contact/landing/3" where there are several sites.
  std::string stem(std::size_t site) const {
    return pair_.sites.size() == 1 ? name() : name() + "/" + std::to_string(site + 1);
  }

  template <class T>
  static std::optional<Stiffening<T>> stiffening(const ContactSite& site, const Meeting<T>& m,
                                                 const FrameMotion<T>& a, const FrameMotion<T>& b) {
    if (!(site.rest_stiffness > 0.0)) return std::nullopt;
    return Stiffening<T>(*site.query->shape(), site.rest_stiffness, m, a, b);
  }

  template <class T>
  SiteForce<T> force(std::size_t i, const Meeting<T>& m, const FrameMotion<T>& a,
                     const FrameMotion<T>& b, const element::Evaluation<T>& e,
                     std::span<T> state_rate) const {
    const std::span<const double> own = e.memory.subspan(i * kMemoryPerSite, kMemoryPerSite);
    return {m,
            *pair_.sites[i].normal,
            *pair_.friction,
            b.R_WF,
            own[kLatched],
            Relief(own[kDepth], e.t - own[kSince], pair_.relaxation),
            stiffening(pair_.sites[i], m, a, b),
            e.z.subspan(i * states_, states_),
            state_rate};
  }

  PointContact pair_;
  std::vector<std::pair<std::string, std::string>> names_;
  std::size_t states_;    // per site
  bool follows_ = false;  // some site's stiffness follows the point
};

}  // namespace

std::unique_ptr<element::Element> make_point_contact(PointContact pair) {
  GRAPPLE_ASSERT(!pair.sites.empty() && pair.friction != nullptr);
  GRAPPLE_ASSERT(pair.friction->state_names().size() <= kMostFrictionStates);
  return std::make_unique<Contact>(std::move(pair));
}

}  // namespace grapple::contact
