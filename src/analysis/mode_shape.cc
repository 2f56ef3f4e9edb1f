#include "grapple/analysis/mode_shape.h"

#include <array>
#include <cmath>

#include "grapple/dynamics/energy.h"
#include "grapple/dynamics/kinematics.h"
#include "grapple/dynamics/manifold.h"
#include "grapple/spatial/dual.h"

namespace grapple::analysis {

using model::Link;
using spatial::Dual;
using spatial::VecX;
using spatial::VecXT;

namespace {

std::array<VecX, 2> parts_of(const Mode& mode) { return {mode.shape.real(), mode.shape.imag()}; }

// Derivative of the power of the wrenches over the rates in `motion`; both as dual numbers along
// the same displacement.
double derived_power(const std::vector<spatial::SpatialT<Dual>>& wrenches,
                     const std::vector<model::LinkMotion<Dual>>& motion) {
  Dual power(0.0);
  for (std::size_t i = 1; i < wrenches.size(); ++i) {
    power += wrenches[i].ang.dot(motion[i].omega) + wrenches[i].lin.dot(motion[i].v);
  }
  return power.d[0];
}

// What to divide by so that the parts add up to one, or to zero or less of an unstable mode.
double whole_of(const VecX& parts, double rest) {
  const double sum = parts.sum() + rest;
  if (sum > 0.0) return sum;
  const double sizes = parts.cwiseAbs().sum() + std::abs(rest);
  return sizes > 0.0 ? sizes : 1.0;
}

}  // namespace

ModeShapes::ModeShapes(const system::System& system, double t, std::span<const double> x)
    : system_(system), at_rest_(system), moving_(system), displaced_(system) {
  system.evaluate<double>(t, x, at_rest_);
  moving_.state = at_rest_.state;
}

void ModeShapes::move_along(const VecX& rates) {
  moving_.state.v = rates;
  dynamics::forward_kinematics(system_.model(), moving_.state, moving_.workspace);
}

std::vector<FrameDisplacement> ModeShapes::frames(const Mode& mode) {
  const std::vector<model::Frame>& all = system_.model().frames();
  std::vector<FrameDisplacement> result(all.size());
  std::complex<double> unit(1.0, 0.0);
  for (const VecX& part : parts_of(mode)) {
    move_along(part);
    for (std::size_t f = 0; f < all.size(); ++f) {
      const dynamics::FrameMotion<double> motion =
          dynamics::frame_motion(all[f], moving_.workspace);
      result[f].position += unit * motion.v.cast<std::complex<double>>();
      result[f].rotation += unit * motion.omega.cast<std::complex<double>>();
    }
    unit = {0.0, 1.0};
  }
  return result;
}

Participation ModeShapes::participation(const Mode& mode) {
  const model::Model& model = system_.model();
  const auto bodies = static_cast<Eigen::Index>(model.bodies().size());
  Participation shares{VecX::Zero(bodies), VecX::Zero(bodies),
                       VecX::Zero(static_cast<Eigen::Index>(system_.elements().size())), 0.0};
  for (const VecX& part : parts_of(mode)) {
    if (part.isZero(0.0)) continue;
    add_kinetic(part, shares);
    if (mode.kind != Mode::Kind::kRigid) add_stiffness(part, shares);
  }
  const double kinetic = whole_of(shares.bodies, shares.motors.sum());
  shares.bodies /= kinetic;
  shares.motors /= kinetic;
  const double stiffness = whole_of(shares.elements, shares.gravity);
  shares.elements /= stiffness;
  shares.gravity /= stiffness;
  return shares;
}

void ModeShapes::add_kinetic(const VecX& rates, Participation& sums) {
  const model::Model& model = system_.model();
  move_along(rates);
  for (int i = 1; i < model.link_count(); ++i) {
    const Link& link = model.link(i);
    if (link.kind == Link::Kind::kElasticFrame) continue;
    sums.bodies[link.body] +=
        2.0 * dynamics::body_kinetic_energy(model, i, moving_.state, moving_.workspace);
    for (int k = link.v_actuated(); k < link.v_actuated() + link.nv; ++k) {
      sums.motors[link.body] += model.reflected_inertia()[k] * rates[k] * rates[k];
    }
  }
}

// phi' K_e phi = -d/dh of phi . (efforts and wrenches of the element at q moved by h phi, at rest).
void ModeShapes::add_stiffness(const VecX& direction, Participation& sums) {
  const model::Model& model = system_.model();
  system::Snapshot<Dual>& s = displaced_;
  VecXT<Dual> delta(model.nv());
  for (int k = 0; k < model.nv(); ++k) delta[k].d[0] = direction[k];
  s.t = at_rest_.t;
  s.z = at_rest_.z.cast<Dual>();
  s.state.q = at_rest_.state.q.cast<Dual>();
  dynamics::move_positions(model, delta, s.state.q);
  model::WorkspaceT<Dual> along(model);
  s.state.v = direction.cast<Dual>();
  dynamics::forward_kinematics(model, s.state, along);
  const spatial::Vec3T<Dual> momentum =
      dynamics::mass_moments(model, s.state, along, spatial::Vec3::Zero()).linear;
  for (int k = 0; k < 3; ++k) sums.gravity -= model.gravity()[k] * momentum[k].d[0];
  s.state.v.setZero();
  dynamics::forward_kinematics(model, s.state, s.workspace);
  for (std::size_t e = 0; e < system_.elements().size(); ++e) {
    if (system_.modes().enabled[e] == 0) continue;
    s.tau.setZero();
    s.workspace.clear_wrenches();
    element::Evaluation<Dual> evaluation = evaluation_of(system_, s, static_cast<int>(e));
    system_.elements()[e]->evaluate(evaluation);
    double resisted = -derived_power(s.workspace.wrench, along.motion);
    for (int k = 0; k < model.nv(); ++k) resisted -= direction[k] * s.tau[k].d[0];
    sums.elements[static_cast<Eigen::Index>(e)] += resisted;
  }
}

}  // namespace grapple::analysis
