#include "grapple/scenario/contact_estimate.h"

#include <Eigen/Cholesky>
#include <algorithm>

#include "grapple/dynamics/crba.h"
#include "grapple/dynamics/jacobian.h"

namespace grapple::scenario {

namespace {

using spatial::MatX;
using spatial::Vec3;
using spatial::VecX;

// The site that is nearest at the start.
geometry::Witness<double> nearest(const ContactPlan& plan, const dynamics::FrameMotion<double>& a,
                                  const dynamics::FrameMotion<double>& b) {
  std::optional<geometry::Witness<double>> found;
  for (const auto& query : plan.sites) {
    const auto w = (*query)(geometry::Placement<double>{a.R_WF, a.p_WF}, {b.R_WF, b.p_WF});
    if (!found || w.gap < found->gap) found = w;
  }
  return *found;
}

// n . velocity at the point, per joint rate.
VecX row_of(const system::System& system, const model::Frame& frame,
            const geometry::Witness<double>& w, const system::Snapshot<double>& s) {
  VecX row = VecX::Zero(system.model().nv());
  if (frame.link == 0) return row;
  MatX J = MatX::Zero(6, system.model().nv());
  dynamics::frame_jacobian(system.model(), frame, s.workspace, J);
  const Vec3 arm = w.point_W - dynamics::frame_motion(frame, s.workspace).p_WF;
  row = J.bottomRows<3>().transpose() * w.normal_W +
        J.topRows<3>().transpose() * arm.cross(w.normal_W);
  return row;
}

// A driven joint moves as it must: no rate of it answers a force.
void hold_driven(const system::System& system, const system::Snapshot<double>& s, MatX& M,
                 VecX& row) {
  const model::Model& model = system.model();
  for (int i = 1; i < model.link_count(); ++i) {
    if (s.state.driven[static_cast<std::size_t>(i)] == 0) continue;
    const model::Link& link = model.link(i);
    for (int k = link.v_actuated(); k < link.v_actuated() + link.nv; ++k) {
      M.row(k).setZero();
      M.col(k).setZero();
      M(k, k) = 1.0;
      row[k] = 0.0;
    }
  }
}

}  // namespace

std::optional<ContactEstimate> estimate_contact(const system::System& system,
                                                const ContactPlan& plan) {
  const model::Model& model = system.model();
  system::Snapshot<double> s(system);
  const VecX x = system.initial_state();
  system.evaluate<double>(0.0, {x.data(), static_cast<std::size_t>(x.size())}, s);
  const auto w = nearest(plan, dynamics::frame_motion(plan.a, s.workspace),
                         dynamics::frame_motion(plan.b, s.workspace));
  VecX row = row_of(system, plan.a, w, s) - row_of(system, plan.b, w, s);
  ContactEstimate e;
  const double closing = -row.dot(s.state.v);
  e.speed = closing > 1e-9 ? closing : kTypicalSpeed;
  MatX M(model.nv(), model.nv());
  dynamics::crba(model, s.state, s.workspace, M);
  hold_driven(system, s, M, row);
  const double mobility = row.dot(M.ldlt().solve(row));
  if (!(mobility > 0.0)) return std::nullopt;
  e.reduced_mass = 1.0 / mobility;
  e.impact = contact::estimate_impact(plan.law, e.reduced_mass, e.speed);
  const double slow = contact::make_normal_law(plan.law)->latch(0.0);
  e.rest_rate = plan.load_per_mass * std::max(slow, plan.friction_damping);
  e.largest_step = 0.1 / e.impact.frequency;
  if (e.rest_rate > 0.0) e.largest_step = std::min(e.largest_step, 2.0 / e.rest_rate);
  return e;
}

}  // namespace grapple::scenario
