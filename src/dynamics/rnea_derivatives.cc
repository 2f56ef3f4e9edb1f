#include "grapple/dynamics/rnea_derivatives.h"

#include <algorithm>

#include "grapple/spatial/rotation.h"

namespace grapple::dynamics {

namespace {

using model::JointType;
using model::Link;
using spatial::Mat3;
using spatial::MatX;
using spatial::Vec3;
using spatial::VecX;
using Axis = RneaDerivatives::Axis;
using Body = RneaDerivatives::Body;

Vec6 cross_motion(const Vec6& a, const Vec6& b) {
  Vec6 r;
  r.head<3>() = a.head<3>().cross(b.head<3>());
  r.tail<3>() = a.head<3>().cross(b.tail<3>()) + a.tail<3>().cross(b.head<3>());
  return r;
}

Vec6 cross_force(const Vec6& a, const Vec6& F) {
  Vec6 r;
  r.head<3>() = a.head<3>().cross(F.head<3>()) + a.tail<3>().cross(F.tail<3>());
  r.tail<3>() = a.head<3>().cross(F.tail<3>());
  return r;
}

Mat6 motion_matrix(const Vec6& a) {
  Mat6 m;
  const Mat3 w = spatial::skew<double>(a.head<3>()), v = spatial::skew<double>(a.tail<3>());
  m << w, Mat3::Zero(), v, w;
  return m;
}

// Whether a step of coordinate k of a joint moves its axis m.
bool carries(JointType type, int k, int m) {
  switch (type) {
    case JointType::kSpherical:
      return true;
    case JointType::kFree:
      return m >= 3;
    case JointType::kUniversal:
      return k == 0 && m == 1;
    case JointType::kPlanar:
      return k < 2 && m == 2;
    default:
      return false;
  }
}

// Inertia of a rigid link about a point at -arm from its origin, world axes.
Mat6 inertia_about(const Link& link, const Mat3& R, const Vec3& arm) {
  const Mat3 h = spatial::skew<double>(R * link.first_moment_L), d = spatial::skew<double>(arm);
  const Mat3 J = R * link.inertia_L.matrix() * R.transpose();
  const Mat3 moment = h + link.mass * d;
  Mat6 I;
  I << J - h * d - d * h - link.mass * d * d, moment, moment.transpose(),
      link.mass * Mat3::Identity();
  return I;
}

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

// Entries of coordinate k of link i with the axes of its own joint and of those inboard.
void fill_inboard(const model::Model& model, int i, int k, RneaDerivatives& out) {
  const Link& link = model.link(i);
  const int column = link.v_index + k;
  const Axis& axis = out.axes[static_cast<std::size_t>(column)];
  const Body& own = out.bodies[static_cast<std::size_t>(i)];
  for (int m = 0; m < link.nv; ++m) {
    const int row = link.v_index + m;
    const Axis& other = out.axes[static_cast<std::size_t>(row)];
    out.by_acceleration(row, column) = other.S.dot(axis.inertia);
    out.by_rate(row, column) = other.S.dot(axis.force_v);
    const double carried =
        carries(link.type, k, m) ? cross_motion(axis.S, other.S).dot(own.F) : 0.0;
    out.by_position(row, column) = other.S.dot(axis.force_q) + carried;
  }
  for (int p = link.parent; p != 0; p = model.link(p).parent) {
    const Link& inboard = model.link(p);
    for (int row = inboard.v_index; row < inboard.v_index + inboard.nv; ++row) {
      const Axis& other = out.axes[static_cast<std::size_t>(row)];
      out.by_acceleration(row, column) = out.by_acceleration(column, row) =
          other.S.dot(axis.inertia);
      out.by_rate(row, column) = other.S.dot(axis.force_v);
      out.by_position(row, column) = other.S.dot(axis.force_q);
      // The other way round: a step of the inboard coordinate, felt by this axis.
      out.by_rate(column, row) = axis.inertia.dot(other.D) + axis.gyration.dot(other.S);
      out.by_position(column, row) = axis.inertia.dot(other.chi) + axis.gyration.dot(other.psi);
    }
  }
}

}  // namespace

bool has_rnea_derivatives(const model::Model& model) { return model.flexible_bodies().empty(); }

RneaDerivatives::RneaDerivatives(const model::Model& model)
    : by_position(MatX::Zero(model.nv(), model.nv())),
      by_rate(by_position),
      by_acceleration(by_position),
      axes(static_cast<std::size_t>(model.nv())),
      bodies(static_cast<std::size_t>(model.link_count())) {}

void rnea_derivatives(const model::Model& model, const model::State& state, const VecX& vdot,
                      const model::Workspace& w, RneaDerivatives& out) {
  const int n = model.link_count();
  if (n < 2) return;
  // Near the tree, so that a system far from the world's origin loses no digits.
  const Vec3 point = w.motion[1].p_WL;
  Body& world = out.bodies[0];
  world.V.setZero();
  world.a << Vec3::Zero(), -model.gravity();
  for (int i = 1; i < n; ++i) {
    const Link& link = model.link(i);
    const model::LinkMotion<double>& at = w.motion[static_cast<std::size_t>(i)];
    const Vec3 arm = at.p_WL - point;
    move_outward(link, i, arm, state, vdot, w, out);
    find_rest(link, i, state, vdot, out);
    Body& own = out.bodies[static_cast<std::size_t>(i)];
    own.I = inertia_about(link, at.R_WL, arm);
    own.G = gyration(own.I, own.V);
    own.F = own.I * own.a + cross_force(own.V, own.I * own.V);
  }
  out.by_position.setZero();
  out.by_rate.setZero();
  out.by_acceleration.setZero();
  for (int i = n - 1; i > 0; --i) {
    const Link& link = model.link(i);
    const Body& own = out.bodies[static_cast<std::size_t>(i)];
    for (int k = 0; k < link.nv; ++k) {
      Axis& axis = out.axes[static_cast<std::size_t>(link.v_index + k)];
      axis.inertia = own.I * axis.S;
      axis.gyration = own.G.transpose() * axis.S;
      axis.force_v = own.I * axis.D + own.G * axis.S;
      axis.force_q = own.I * axis.chi + own.G * axis.psi + cross_force(axis.S, own.F);
      fill_inboard(model, i, k, out);
    }
    if (link.parent == 0) continue;
    Body& parent = out.bodies[static_cast<std::size_t>(link.parent)];
    parent.I += own.I;
    parent.G += own.G;
    parent.F += own.F;
  }
  out.by_acceleration.diagonal() += model.reflected_inertia();
}

}  // namespace grapple::dynamics
