#include <algorithm>

#include "grapple/dynamics/internal/rnea_derivatives-inl.h"

namespace grapple::dynamics {

namespace {

using model::carries;
using model::Link;
using spatial::Mat3;
using spatial::MatX;
using spatial::Vec3;
using spatial::VecX;
using Axis = RneaDerivatives::Axis;
using Body = RneaDerivatives::Body;
using Coordinate = RneaDerivatives::Coordinate;

// G of one body from its inertia and velocity.
Mat6 gyration(const Mat6& I, const Vec6& V) {
  const Vec6 momentum = I * V;
  const Mat6 Vx = motion_matrix(V);
  const Mat3 n = spatial::skew<double>(momentum.head<3>());
  const Mat3 f = spatial::skew<double>(momentum.tail<3>());
  Mat6 bar;
  bar << -n, -f, -f, Mat3::Zero();
  return bar - I * Vx - Vx.transpose() * I;
}

// Axes about the common point, their rates, and V, a of link i from its parent's.
void move_outward(const Link& link, int i, const Vec3& arm, const model::State& state,
                  const VecX& vdot, const model::Workspace& w, RneaDerivatives& out) {
  const Body& parent = out.bodies[static_cast<std::size_t>(link.parent)];
  Body& own = out.bodies[static_cast<std::size_t>(i)];
  Axis* axes = out.axes.data() + link.v_index;
  for (int k = 0; k < link.nv; ++k) {
    const spatial::Spatial& S = w.S[static_cast<std::size_t>(link.v_index + k)];
    axes[k].S << S.ang, S.lin + arm.cross(S.ang);
  }
  own.V = parent.V;
  own.a = parent.a;
  for (int k = 0; k < link.nv; ++k) own.V += state.v[link.v_index + k] * axes[k].S;
  for (int k = 0; k < link.nv; ++k) {
    Vec6 carrier = parent.V;
    for (int l = 0; l < link.nv; ++l) {
      if (carries(link.type, l, k)) carrier += state.v[link.v_index + l] * axes[l].S;
    }
    axes[k].S_rate = cross_motion(carrier, axes[k].S);
    axes[k].D = axes[k].S_rate;  // B x S follows
    own.a += vdot[link.v_index + k] * axes[k].S + state.v[link.v_index + k] * axes[k].S_rate;
  }
}

// psi, chi and D of the axes of one joint, from what each does not carry.
void find_rest(const Link& link, int i, const model::State& state, const VecX& vdot,
               RneaDerivatives& out) {
  const Body& own = out.bodies[static_cast<std::size_t>(i)];
  Axis* axes = out.axes.data() + link.v_index;
  for (int k = 0; k < link.nv; ++k) {
    Vec6 B = own.V, A = own.a;
    for (int m = 0; m < link.nv; ++m) {
      if (!carries(link.type, k, m)) continue;
      const double v = state.v[link.v_index + m];
      B -= v * axes[m].S;
      A -= vdot[link.v_index + m] * axes[m].S + v * axes[m].S_rate;
    }
    axes[k].psi = cross_motion(B, axes[k].S);
    axes[k].chi = cross_motion(A, axes[k].S) + cross_motion(B, axes[k].psi);
    axes[k].D += axes[k].psi;
  }
}

// Entries of a coordinate with one axis that carries all it moves, both ways round.
void fill_pair(int column, int row, const Axis& axis, RneaDerivatives& out) {
  const Coordinate& own = out.coordinates[static_cast<std::size_t>(column)];
  out.by_acceleration(row, column) += axis.S.dot(own.inertia);
  out.by_acceleration(column, row) += axis.S.dot(own.inertia);
  out.by_rate(row, column) += axis.S.dot(own.force_v);
  out.by_position(row, column) += axis.S.dot(own.force_q);
  out.by_rate(column, row) += own.inertia.dot(axis.D) + own.gyration.dot(axis.S);
  out.by_position(column, row) += own.inertia.dot(axis.chi) + own.gyration.dot(axis.psi);
}

// Entries of a coordinate with all axes from link `from` to the root.
void fill_inboard(const model::Model& model, int column, int from, RneaDerivatives& out) {
  for (int p = from; p != 0; p = model.link(p).parent) {
    const Link& link = model.link(p);
    for (int row = link.v_index; row < link.v_index + link.axis_count(); ++row) {
      fill_pair(column, row, out.axes[static_cast<std::size_t>(row)], out);
    }
    const std::vector<Axis>& modal = out.frame_axes[static_cast<std::size_t>(p)];
    for (std::size_t l = 0; l < modal.size(); ++l) {
      fill_pair(column, link.v_modal + static_cast<int>(l), modal[l], out);
    }
  }
}

// Entries of a joint's coordinates with each other and with what is inboard.
void fill_joint(const model::Model& model, int i, RneaDerivatives& out) {
  const Link& link = model.link(i);
  const Body& own = out.bodies[static_cast<std::size_t>(i)];
  for (int k = 0; k < link.nv; ++k) {
    const int column = link.v_index + k;
    const Axis& axis = out.axes[static_cast<std::size_t>(column)];
    Coordinate& sum = out.coordinates[static_cast<std::size_t>(column)];
    sum.inertia = own.I * axis.S;
    sum.gyration = own.G.transpose() * axis.S;
    sum.force_v = own.I * axis.D + own.G * axis.S;
    sum.force_q = own.I * axis.chi + own.G * axis.psi + cross_force(axis.S, own.F);
    for (int m = 0; m < link.nv; ++m) {
      const int row = link.v_index + m;
      const Axis& other = out.axes[static_cast<std::size_t>(row)];
      out.by_acceleration(row, column) = other.S.dot(sum.inertia);
      out.by_rate(row, column) = other.S.dot(sum.force_v);
      const double carried =
          carries(link.type, k, m) ? cross_motion(axis.S, other.S).dot(own.F) : 0.0;
      out.by_position(row, column) = other.S.dot(sum.force_q) + carried;
    }
    fill_inboard(model, column, link.parent, out);
  }
}

// Adds what hangs on elastic frame e to the modes of its body.
void add_frame(const Link& frame, int e, RneaDerivatives& out) {
  const Body& hung = out.bodies[static_cast<std::size_t>(e)];
  const std::vector<Axis>& axes = out.frame_axes[static_cast<std::size_t>(e)];
  const MatX& turns = out.frame_turns[static_cast<std::size_t>(e)];
  for (std::size_t l = 0; l < axes.size(); ++l) {
    const Axis& axis = axes[l];
    const int column = frame.v_modal + static_cast<int>(l);
    const Vec6 inertia = hung.I * axis.S;
    const Vec6 force_v = hung.I * axis.D + hung.G * axis.S;
    const Vec6 force_q = hung.I * axis.chi + hung.G * axis.psi + cross_force(axis.S, hung.F);
    Coordinate& sum = out.coordinates[static_cast<std::size_t>(column)];
    sum.inertia += inertia;
    sum.force_v += force_v;
    sum.force_q += force_q;
    sum.gyration += hung.G.transpose() * axis.S;
    for (std::size_t k = 0; k < axes.size(); ++k) {
      const int row = frame.v_modal + static_cast<int>(k);
      const Vec6 turned = turns.block<6, 1>(6 * static_cast<int>(k), static_cast<int>(l));
      out.by_acceleration(row, column) += axes[k].S.dot(inertia);
      out.by_rate(row, column) += axes[k].S.dot(force_v);
      out.by_position(row, column) += axes[k].S.dot(force_q) + turned.dot(hung.F);
    }
  }
}

// The modes of a body by themselves; its frames are added as the sweep meets them.
void begin_modes(const Link& link, RneaDerivatives& out) {
  const RneaDerivatives::Modes& own = out.modes[static_cast<std::size_t>(link.flexible)];
  for (int l = 0; l < link.modes; ++l) {
    out.coordinates[static_cast<std::size_t>(link.v_modal + l)] =
        own.coupling[static_cast<std::size_t>(l)];
  }
  const int v = link.v_modal, m = link.modes;
  out.by_position.block(v, v, m, m) = own.by_position;
  out.by_rate.block(v, v, m, m) = own.by_rate;
  out.by_acceleration.block(v, v, m, m) = own.by_acceleration;
}

void move_and_weigh(const model::Model& model, int i, const Vec3& point, const model::State& state,
                    const VecX& vdot, const model::Workspace& w, RneaDerivatives& out) {
  const Link& link = model.link(i);
  Body& own = out.bodies[static_cast<std::size_t>(i)];
  if (link.kind == Link::Kind::kElasticFrame) {
    elastic_frame_derivatives(model, i, state, vdot, w, point, out);
    own.I.setZero();
    own.G.setZero();
    own.F.setZero();
    return;
  }
  const model::LinkMotion<double>& at = w.motion[static_cast<std::size_t>(i)];
  const Vec3 arm = at.p_WL - point;
  move_outward(link, i, arm, state, vdot, w, out);
  find_rest(link, i, state, vdot, out);
  if (link.kind == Link::Kind::kFlexible) {
    flexible_body_derivatives(model, i, state, vdot, w, point, out);
    begin_modes(link, out);
    return;
  }
  own.I = inertia_about(link.mass, at.R_WL * link.first_moment_L,
                        at.R_WL * link.inertia_L.matrix() * at.R_WL.transpose(), arm);
  own.G = gyration(own.I, own.V);
  own.F = own.I * own.a + cross_force(own.V, own.I * own.V);
}

}  // namespace

RneaDerivatives::RneaDerivatives(const model::Model& model)
    : by_position(MatX::Zero(model.nv(), model.nv())),
      by_rate(by_position),
      by_acceleration(by_position),
      axes(static_cast<std::size_t>(model.nv())),
      coordinates(axes.size()),
      bodies(static_cast<std::size_t>(model.link_count())),
      modes(model.flexible_bodies().size()),
      frame_axes(bodies.size()),
      frame_turns(bodies.size()) {
  if (modes.empty()) return;
  duals = std::make_shared<LocalDuals>(model);
  for (std::size_t i = 1; i < bodies.size(); ++i) {
    const Link& link = model.links()[i];
    if (link.kind == Link::Kind::kFlexible) {
      Modes& own = modes[static_cast<std::size_t>(link.flexible)];
      own.coupling.resize(static_cast<std::size_t>(link.modes));
      own.by_position = own.by_rate = own.by_acceleration = MatX::Zero(link.modes, link.modes);
    }
    const std::size_t m = duals->workspace.elastic_axes[i].size();
    frame_axes[i].resize(m);
    frame_turns[i] = MatX::Zero(6 * static_cast<int>(m), static_cast<int>(m));
  }
}

void rnea_derivatives(const model::Model& model, const model::State& state, const VecX& vdot,
                      const model::Workspace& w, RneaDerivatives& out) {
  const int n = model.link_count();
  if (n < 2) return;
  // Near the tree, so that a system far from the world's origin loses no digits.
  const Vec3 point = w.motion[1].p_WL;
  out.bodies[0].V.setZero();
  out.bodies[0].a << Vec3::Zero(), -model.gravity();
  out.by_position.setZero();
  out.by_rate.setZero();
  out.by_acceleration.setZero();
  for (int i = 1; i < n; ++i) move_and_weigh(model, i, point, state, vdot, w, out);
  for (int i = n - 1; i > 0; --i) {
    const Link& link = model.link(i);
    if (link.kind == Link::Kind::kElasticFrame) {
      add_frame(link, i, out);
    } else {
      fill_joint(model, i, out);
    }
    for (int l = 0; link.kind == Link::Kind::kFlexible && l < link.modes; ++l) {
      fill_inboard(model, link.v_modal + l, i, out);
    }
    if (link.parent == 0) continue;
    const Body& own = out.bodies[static_cast<std::size_t>(i)];
    Body& parent = out.bodies[static_cast<std::size_t>(link.parent)];
    parent.I += own.I;
    parent.G += own.G;
    parent.F += own.F;
  }
  out.by_acceleration.diagonal() += model.reflected_inertia();
}

}  // namespace grapple::dynamics
