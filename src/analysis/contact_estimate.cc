#include "grapple/analysis/contact_estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "grapple/analysis/internal/sites_impact.h"
#include "grapple/base/bracketed_root.h"
#include "grapple/contact/hertz_patch.h"
#include "grapple/dynamics/aba.h"
#include "grapple/dynamics/jacobian.h"
#include "grapple/geometry/touch/gap_shape.h"

namespace grapple::analysis {

namespace {

using spatial::MatX;
using spatial::Vec3;
using spatial::VecX;

using Motion = dynamics::FrameMotion<double>;

// Where the pair is nearest at the start.
struct Nearest {
  Vec3 normal_W, point_W;
};

geometry::Overlap<double> nearest_patch(const ContactDescription& described,
                                        const geometry::Placement<double>& a,
                                        const geometry::Placement<double>& b) {
  geometry::Overlap<double> found = (*described.patches.front())(a, b);
  for (const auto& patch : described.patches) {
    const geometry::Overlap<double> o = (*patch)(a, b);
    if (o.gap < found.gap) found = o;
  }
  return found;
}

// The sites of a point contact, the nearest first, with their gaps.
struct Sites {
  std::vector<Nearest> at;
  std::vector<double> gap;

  Sites(const ContactDescription& described, const Motion& a, const Motion& b) {
    std::vector<geometry::Witness<double>> all;
    for (const auto& query : described.sites) {
      all.push_back((*query)(geometry::Placement<double>{a.R_WF, a.p_WF}, {b.R_WF, b.p_WF}));
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const auto& one, const auto& other) { return one.gap < other.gap; });
    for (const auto& w : all) {
      at.push_back({w.normal_W, w.point_W});
      gap.push_back(w.gap);
    }
  }
};

// The normal law of the nearest site, with the stiffness it has at the start.
contact::PowerLaw law_at_start(const ContactDescription& described, const Motion& a,
                               const Motion& b) {
  contact::PowerLaw law = described.law;
  if (!(described.modulus > 0.0)) return law;
  const geometry::Placement<double> at_a{a.R_WF, a.p_WF}, at_b{b.R_WF, b.p_WF};
  std::optional<geometry::Witness<double>> found;
  for (const auto& query : described.sites) {
    const auto w = (*query)(at_a, at_b);
    if (query->shape() == nullptr || (found && w.gap >= found->gap)) continue;
    found = w;
    const auto patch =
        contact::hertz_patch<double>(query->shape()->curvature(at_a, at_b, w), w.normal_W);
    law.stiffness = described.modulus * patch.stiffness;
  }
  return law;
}

// The pair pushed straight into each other from the start position, by a depth below the touch.
class StraightPenetration {
 public:
  StraightPenetration(const ContactDescription& described, const Motion& a, const Motion& b)
      : contact_(described), a_(a), b_(b) {
    const auto start = nearest_patch(described, {a.R_WF, a.p_WF}, {b.R_WF, b.p_WF});
    normal_ = start.normal_W;
    touch_ = a.p_WF - start.gap * normal_;
  }
  // Of all patches.
  double volume(double depth) const {
    double sum = 0.0;
    for_each_overlap(depth, [&](const auto& overlap) { sum += overlap.volume; });
    return sum;
  }
  // Where the force acts, put back to where the pair is at the start; nothing if they miss.
  std::optional<Nearest> acts_at(double depth) const {
    Vec3 moment = Vec3::Zero();
    double sum = 0.0;
    for_each_overlap(depth, [&](const auto& overlap) {
      moment += overlap.volume * overlap.centroid_W;
      sum += overlap.volume;
    });
    if (!(sum > 0.0)) return std::nullopt;
    return Nearest{normal_, moment / sum};
  }
  // The integral of the volume over the depth, m^4.
  double potential(double depth) const {
    constexpr int kPanels = 40;
    double sum = 0.0;
    for (int k = 0; k < kPanels; ++k) sum += volume(depth * (k + 0.5) / kPanels);
    return sum * depth / kPanels;
  }

 private:
  template <class Visit>
  void for_each_overlap(double depth, Visit&& visit) const {
    const Vec3 p_WA = touch_ - depth * normal_;
    for (const auto& patch : contact_.patches) {
      const auto overlap = (*patch)(geometry::Placement<double>{a_.R_WF, p_WA}, {b_.R_WF, b_.p_WF});
      if (overlap.volume > 0.0) visit(overlap);
    }
  }

  const ContactDescription& contact_;
  const Motion &a_, &b_;
  Vec3 normal_, touch_;
};

// Energy gives the depth; the time by quadrature over depth = most sin(phi), which takes out the
// root singularity at the turn.
contact::ImpactEstimate estimate_penetration(const ContactDescription& described,
                                             const StraightPenetration& penetration, double m,
                                             double v) {
  const double energy = 0.5 * m * v * v / described.foundation;
  double high = described.deep;
  for (int k = 0; k < 5 && penetration.potential(high) < energy; ++k) high *= 2.0;
  const auto moves_on = [&](double depth) { return penetration.potential(depth) < energy; };
  high = bracket_change(moves_on, 0.0, high, std::ldexp(high, -60)).b;
  contact::ImpactEstimate e;
  e.depth = high;
  e.force = described.foundation * penetration.volume(high);
  const double step = 1e-4 * high;
  const double slope = (penetration.volume(high) - penetration.volume(high - step)) / step;
  e.frequency = std::sqrt(described.foundation * slope / m);
  constexpr int kPoints = 100;
  for (int k = 0; k < kPoints; ++k) {
    const double phi = (k + 0.5) / kPoints * 0.5 * std::numbers::pi;
    const double left = 1.0 - penetration.potential(high * std::sin(phi)) / energy;
    e.duration += 2.0 * high * std::cos(phi) / (v * std::sqrt(std::max(left, 1e-12))) * 0.5 *
                  std::numbers::pi / kPoints;
  }
  return e;
}

// n . velocity at the point, per joint rate.
VecX row_of(const system::System& system, const model::Frame& frame, const Nearest& w,
            const system::Snapshot<double>& s) {
  VecX row = VecX::Zero(system.model().nv());
  if (frame.link == 0) return row;
  MatX J = MatX::Zero(6, system.model().nv());
  dynamics::frame_jacobian(system.model(), frame, s.workspace, J);
  const Vec3 arm = w.point_W - dynamics::frame_motion(frame, s.workspace).p_WF;
  row = J.bottomRows<3>().transpose() * w.normal_W +
        J.topRows<3>().transpose() * arm.cross(w.normal_W);
  return row;
}

// M^-1 r' by two solutions of forward dynamics at rest, with and without a unit force on the gap:
// O(N), and a driven joint does not give way. Spoils the snapshot.
VecX response(const system::System& system, const ContactDescription& described, const Nearest& w,
              system::Snapshot<double>& s) {
  const VecX no_effort = VecX::Zero(system.model().nv());
  const auto push = [&](int link, const Vec3& force) {
    auto& wrench = s.workspace.wrench[static_cast<std::size_t>(link)];
    const Vec3 arm = w.point_W - s.workspace.motion[static_cast<std::size_t>(link)].p_WL;
    wrench.lin += force;
    wrench.ang += arm.cross(force);
  };
  s.state.v.setZero();
  s.state.driven_vdot.setZero();
  s.workspace.clear_wrenches();
  dynamics::aba(system.model(), s.state, no_effort, s.workspace);
  const VecX without = s.workspace.vdot;
  push(described.a.link, w.normal_W);
  push(described.b.link, -w.normal_W);
  dynamics::aba(system.model(), s.state, no_effort, s.workspace);
  return s.workspace.vdot - without;
}

// What rounding leaves of the difference of two accelerations is no motion.
constexpr double kLeastMobility = 1e-12;

// The start of a run, for estimates.
struct StartOfContact {
  const system::System& system;
  const ContactDescription& described;
  system::Snapshot<double> s;
  Motion a, b;
  VecX v;

  StartOfContact(const system::System& of, const ContactDescription& contact)
      : system(of), described(contact), s(of) {
    const VecX x = system.initial_state();
    system.evaluate<double>(0.0, {x.data(), static_cast<std::size_t>(x.size())}, s);
    a = dynamics::frame_motion(described.a, s.workspace);
    b = dynamics::frame_motion(described.b, s.workspace);
    v = s.state.v;
  }
  VecX row(const Nearest& w) const {
    return row_of(system, described.a, w, s) - row_of(system, described.b, w, s);
  }
};

// The point of action moves with the depth, and the depth follows from the mass at that point:
// settled after a few rounds, since the centroid of a nearly flat patch moves little.
bool estimate_patch(StartOfContact& start, ContactEstimate& e) {
  const StraightPenetration penetration(start.described, start.a, start.b);
  double depth = 1e-3 * start.described.deep;
  for (int round = 0; round < 4; ++round) {
    std::optional<Nearest> w = penetration.acts_at(depth);
    if (!w && round == 0) w = penetration.acts_at(start.described.deep);
    if (!w) return false;
    const VecX row = start.row(*w);
    const double closing = -row.dot(start.v);
    e.speed = closing > 1e-9 ? closing : kTypicalSpeed;
    const double gives_way = row.dot(response(start.system, start.described, *w, start.s));
    if (!(gives_way > kLeastMobility)) return false;
    e.reduced_mass = 1.0 / gives_way;
    e.impact = estimate_penetration(start.described, penetration, e.reduced_mass, e.speed);
    if (std::abs(e.impact.depth - depth) <= 1e-3 * e.impact.depth) break;
    depth = e.impact.depth;
  }
  return true;
}

// A pair that does not close yet is thought to come straight on, with all sites at one speed.
bool estimate_sites(StartOfContact& start, ContactEstimate& e) {
  const Sites sites(start.described, start.a, start.b);
  const auto n = static_cast<Eigen::Index>(sites.at.size());
  MatX rows(n, start.system.model().nv());
  for (Eigen::Index i = 0; i < n; ++i) {
    rows.row(i) = start.row(sites.at[static_cast<std::size_t>(i)]).transpose();
  }
  MatX mobility(n, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const Nearest& w = sites.at[static_cast<std::size_t>(i)];
    mobility.col(i) = rows * response(start.system, start.described, w, start.s);
  }
  if (!(mobility(0, 0) > kLeastMobility)) return false;
  VecX speed = -rows * start.v, behind(n);
  if (!(speed[0] > 1e-9)) speed.setConstant(kTypicalSpeed);
  for (Eigen::Index i = 0; i < n; ++i) {
    behind[i] = sites.gap[static_cast<std::size_t>(i)] - sites.gap.front();
  }
  const contact::PowerLaw law = law_at_start(start.described, start.a, start.b);
  const SitesImpact found = impact_of_sites(law, mobility, behind, speed);
  e.speed = speed[0];
  e.stiffness = law.stiffness;
  e.reduced_mass = found.reduced_mass;
  e.impact = found.impact;
  return true;
}

}  // namespace

std::optional<ContactEstimate> estimate_contact(const system::System& system,
                                                const ContactDescription& described) {
  StartOfContact start(system, described);
  ContactEstimate e;
  if (!(described.patches.empty() ? estimate_sites(start, e) : estimate_patch(start, e))) {
    return std::nullopt;
  }
  if (!(e.impact.force > 0.0)) return std::nullopt;
  const double slow = contact::damping_factor(described.law.rule, described.law.restitution,
                                              described.law.slow_impact, 0.0);
  e.rest_rate = described.load_per_mass * std::max(slow, described.friction_damping);
  e.impact_rate = described.friction_damping * e.impact.force / e.reduced_mass;
  e.largest_step = 0.1 / e.impact.frequency;
  const double rate = std::max(e.rest_rate, e.impact_rate);
  if (rate > 0.0) e.largest_step = std::min(e.largest_step, 2.0 / rate);
  return e;
}

std::string step_warning(const system::System& system, std::span<const ContactDescription> contacts,
                         double step) {
  const ContactDescription* worst = nullptr;
  double longest = step;
  for (const ContactDescription& contact : contacts) {
    const auto e = estimate_contact(system, contact);
    if (!e || e->largest_step >= longest) continue;
    worst = &contact;
    longest = e->largest_step;
  }
  if (worst == nullptr) return "";
  return fmt::format(
      "the step of {:g} s cannot resolve contact '{}'; at most {:.2g} s, or soften it, damp its "
      "friction less, or raise slow_impact",
      step, worst->name, longest);
}

}  // namespace grapple::analysis
