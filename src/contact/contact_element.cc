#include "grapple/contact/contact_element.h"

#include <algorithm>
#include <array>

#include "grapple/base/assert.h"
#include "grapple/contact/internal/contact_outputs.h"
#include "grapple/contact/internal/contact_site.h"
#include "grapple/contact/internal/pair_element.h"
#include "grapple/spatial/root.h"

namespace grapple::contact {

namespace {

using geometry::Witness;
using spatial::Vec3T;

class Contact final : public PairElement<Contact, PointContact> {
 public:
  explicit Contact(PointContact pair) : PairElement(pair.sites.size(), std::move(pair)) {
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
      const ContactKinematics<T> m(w, a, b);
      force(i, m, a, b, e, zone_states(i, e.z_rate)).act(m, pair_.a.link, pair_.b.link, e);
    }
  }

  bool commit(const element::Evaluation<double>& e, std::span<double> z,
              std::span<double> memory) const override {
    const FrameMotion<double> a = e.motion(pair_.a), b = e.motion(pair_.b);
    bool changed = false;
    for (std::size_t i = 0; i < pair_.sites.size(); ++i) {
      const ContactKinematics<double> m(*pair_.sites[i].query, a, b);
      const std::span<double> own = zone_memory(i, memory);
      note_depth(e.t, -m.witness.gap, pair_.sites[i].query->size(), memory.last(kDeepestCount));
      const double slack = event_slack(e.t, m.approach, m.witness.point_W.norm());
      const bool arriving = m.approach > 0.0 && m.witness.gap <= slack;
      const bool touches = m.witness.gap < 0.0 || arriving;
      if (touches == is_touching(own)) continue;
      changed = true;
      pair_.friction->start(zone_states(i, z));
      latch_release(own);
      if (!touches) continue;
      const double speed = std::max(0.0, m.approach);
      latch_impact(speed, pair_.sites[i].normal->latch(speed), own);
      if (pair_.relaxation > 0.0) latch_found(-m.witness.gap, e.t, own);
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

  void kink_values(const element::Evaluation<double>& e, std::span<double> values) const override {
    const FrameMotion<double> a = e.motion(pair_.a), b = e.motion(pair_.b);
    for (std::size_t i = 0; i < pair_.sites.size(); ++i) {
      values[i] = (*pair_.sites[i].query)(place_of(a), place_of(b)).gap;
    }
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
    Vec3T<T> total = Vec3T<T>::Zero(), friction = Vec3T<T>::Zero();
    for (std::size_t i = 0; i < pair_.sites.size(); ++i) {
      const ContactKinematics<T> m(*pair_.sites[i].query, a, b);
      const bool is_deepest = m.witness.gap <= nearest.gap;
      if (is_deepest) nearest = m.witness;
      if (!(m.witness.gap < T(0))) continue;
      const SiteForce<T> f = force(i, m, a, b, e, std::span<T>(unused.data(), friction_states()));
      ++touching;
      normal += f.normal.force;
      friction += f.friction_W;
      total += f.total_W(m);
      energy += f.normal.energy;
      loss -= f.damping_power(m) + f.friction_power();
      if (!is_deepest) continue;
      deepest = f;
      slip = spatial::length_of<T>(f.slip_W);
      speed = T(zone_memory(i, e.memory)[kImpactSpeed]);
      const auto stiffer = stiffening(pair_.sites[i], m, a, b);
      if (stiffer) ratio = stiffer->ratio;
    }
    total *= T(sign_of(pair_.first));
    std::size_t at = 0;
    for (const T& value :
         {nearest.gap, normal, spatial::length_of<T>(friction), total.x(), total.y(), total.z(),
          nearest.point_W.x(), nearest.point_W.y(), nearest.point_W.z(), slip, deepest.stick, speed,
          energy, loss, T(touching)}) {
      values[at++] = value;
    }
    if (follows_) values[at] = ratio;
  }

 private:
  template <class T>
  static std::optional<Stiffening<T>> stiffening(const ContactSite& site,
                                                 const ContactKinematics<T>& m,
                                                 const FrameMotion<T>& a, const FrameMotion<T>& b) {
    if (!(site.rest_stiffness > 0.0)) return std::nullopt;
    return Stiffening<T>(*site.query->shape(), site.rest_stiffness, m, a, b);
  }

  template <class T>
  SiteForce<T> force(std::size_t i, const ContactKinematics<T>& m, const FrameMotion<T>& a,
                     const FrameMotion<T>& b, const element::Evaluation<T>& e,
                     std::span<T> state_rate) const {
    const std::span<const double> own = zone_memory(i, e.memory);
    return {m,
            *pair_.sites[i].normal,
            *pair_.friction,
            b.R_WF,
            own[kLatched],
            relaxation_at(e.t, pair_.relaxation, own),
            stiffening(pair_.sites[i], m, a, b),
            zone_states(i, e.z),
            state_rate};
  }

  bool follows_ = false;  // some site's stiffness follows the point
};

}  // namespace

std::unique_ptr<element::Element> make_point_contact(PointContact pair) {
  GRAPPLE_ASSERT(!pair.sites.empty() && pair.friction != nullptr);
  return std::make_unique<Contact>(std::move(pair));
}

}  // namespace grapple::contact
