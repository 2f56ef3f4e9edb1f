// The part of rnea_derivatives.h that belongs to flexible bodies: dual numbers through one body or
// one elastic frame, all else held.
#include "grapple/dynamics/internal/kinematics-inl.h"
#include "grapple/dynamics/internal/rnea-inl.h"
#include "grapple/dynamics/internal/rnea_derivatives-inl.h"

namespace grapple::dynamics {

namespace {

using spatial::Dual;
using spatial::MatX;
using spatial::Vec3;
using spatial::VecX;
using Axis = RneaDerivatives::Axis;
using Body = RneaDerivatives::Body;
using Modes = RneaDerivatives::Modes;
using Vec3D = Vec3T<Dual>;

Vec3D constant(const Vec3& v) { return v.cast<Dual>(); }

Vec6 lane_of(const Vec3D& ang, const Vec3D& lin, std::size_t lane) {
  Vec6 r;
  for (int k = 0; k < 3; ++k) {
    r[k] = ang[k].d[lane];
    r[3 + k] = lin[k].d[lane];
  }
  return r;
}

void load_motion(const LinkMotion<double>& from, LinkMotion<Dual>& to) {
  to.R_WL = from.R_WL.cast<Dual>();
  to.p_WL = constant(from.p_WL);
  to.r = constant(from.r);
  to.omega = constant(from.omega);
  to.v = constant(from.v);
}

void load_modes(const Link& link, const model::State& state, const VecX& vdot, int modes,
                LocalDuals& d) {
  for (int k = 0; k < modes; ++k) {
    d.state.q[link.q_modal + k] = state.q[link.q_modal + k];
    d.state.v[link.v_modal + k] = state.v[link.v_modal + k];
    d.vdot[link.v_modal + k] = vdot[link.v_modal + k];
  }
}

struct Spread {
  Vec3D ang, lin;
};

// A flexible body whose angular velocity, amplitudes and their rates are moved one after the other;
// its forces are linear in all else, with the inertia forward_kinematics has found.
class BodyProbe {
 public:
  BodyProbe(const model::Model& model, int link, const model::State& state, const VecX& vdot,
            const model::Workspace& w, const Vec3& point, const Body& body, LocalDuals& duals)
      : model_(model),
        link_(model.link(link)),
        at_(static_cast<std::size_t>(link)),
        state_(state),
        vdot_(vdot),
        arm_(w.motion[at_].p_WL - point),
        body_(body),
        d_(duals) {
    load_motion(w.motion[at_], d_.workspace.motion[at_]);
  }

  // Inputs first ... first+count-1 of [omega | eta | eta'], one per lane.
  void push(int first, int count) {
    load_modes(link_, state_, vdot_, link_.modes, d_);
    Spread V{constant(body_.V.head<3>()), constant(body_.V.tail<3>())};
    const Spread a{constant(body_.a.head<3>()), constant(body_.a.tail<3>())};
    for (int lane = 0; lane < count; ++lane) {
      input(first + lane, V).d[static_cast<std::size_t>(lane)] = 1.0;
    }
    LinkMotion<Dual>& m = d_.workspace.motion[at_];
    const Vec3D arm = constant(arm_);
    m.omega = V.ang;
    m.v = V.lin + V.ang.cross(arm);
    m.alpha = a.ang;
    m.a = a.lin + a.ang.cross(arm) + V.ang.cross(m.v);
    auto& flexible = d_.workspace.flexible[static_cast<std::size_t>(link_.flexible)];
    flexible_inertia(model_.packed_body(link_), d_.state.q.data() + link_.q_modal, flexible);
    internal::flexible_wrench(model_, link_, d_.state, d_.vdot, m, d_.workspace, own_);
    moment_ = own_.p_ang + arm.cross(own_.p_lin);
  }

  Vec6 wrench(int lane) const {
    return lane_of(moment_, own_.p_lin, static_cast<std::size_t>(lane));
  }
  Vec6 wrench_value() const {
    Vec6 r;
    for (int k = 0; k < 3; ++k) {
      r[k] = moment_[k].value;
      r[3 + k] = own_.p_lin[k].value;
    }
    return r;
  }
  double modal(int k, int lane) const {
    return d_.workspace.tau[link_.v_modal + k].d[static_cast<std::size_t>(lane)];
  }

 private:
  Dual& input(int index, Spread& V) {
    if (index < 3) return V.ang[index];
    const int k = index - 3;
    return k < link_.modes ? d_.state.q[link_.q_modal + k]
                           : d_.state.v[link_.v_modal + k - link_.modes];
  }

  const model::Model& model_;
  const Link& link_;
  std::size_t at_;
  const model::State& state_;
  const VecX& vdot_;
  Vec3 arm_;
  const Body& body_;
  LocalDuals& d_;
  LinkInertia<Dual> own_;
  Vec3D moment_;
};

// The parts that are linear: inertia of the body and of its modes about the point, world axes.
void weigh(const model::Model& model, const Link& link, const LinkMotion<double>& at,
           const model::Workspace& w, const Vec3& point, Body& body, Modes& modes) {
  const model::FlexibleScratch<double>& f = w.flexible[static_cast<std::size_t>(link.flexible)];
  const Vec3 arm = at.p_WL - point;
  body.I = inertia_about(model.packed_body(link).mass, at.R_WL * f.c,
                         at.R_WL * f.J.matrix() * at.R_WL.transpose(), arm);
  for (int k = 0; k < link.modes; ++k) {
    const auto mode = static_cast<std::size_t>(k);
    const Vec3 force = at.R_WL * f.P[mode];
    modes.coupling[mode].inertia << at.R_WL * f.N[mode] + arm.cross(force), force;
    for (int l = 0; l < link.modes; ++l) {
      modes.by_acceleration(k, l) = f.modal_mass[static_cast<std::size_t>(k * link.modes + l)];
    }
  }
}

}  // namespace

void flexible_body_derivatives(const model::Model& model, int link, const model::State& state,
                               const VecX& vdot, const model::Workspace& w, const Vec3& point,
                               RneaDerivatives& out) {
  const Link& own = model.link(link);
  Body& body = out.bodies[static_cast<std::size_t>(link)];
  Modes& modes = out.modes[static_cast<std::size_t>(own.flexible)];
  const int m = own.modes, inputs = 3 + 2 * m;
  weigh(model, own, w.motion[static_cast<std::size_t>(link)], w, point, body, modes);
  BodyProbe probe(model, link, state, vdot, w, point, body, *out.duals);
  // A linear velocity enters by the acceleration omega x v of the origin alone.
  const Mat3T<double> turning = spatial::skew<double>(body.V.head<3>());
  Mat6 by_velocity;
  by_velocity.rightCols<3>() = body.I.rightCols<3>() * turning;
  for (auto& row : modes.coupling) {
    row.gyration.tail<3>() = turning.transpose() * row.inertia.tail<3>();
  }
  for (int first = 0; first < inputs; first += Dual::kWidth) {
    const int count = std::min(Dual::kWidth, inputs - first);
    probe.push(first, count);
    for (int lane = 0; lane < count; ++lane) {
      const int index = first + lane;
      if (index < 3) {
        by_velocity.col(index) = probe.wrench(lane);
        for (int k = 0; k < m; ++k) {
          modes.coupling[static_cast<std::size_t>(k)].gyration[index] = probe.modal(k, lane);
        }
        continue;
      }
      const int l = (index - 3) % m;
      auto& column = modes.coupling[static_cast<std::size_t>(l)];
      (index < 3 + m ? column.force_q : column.force_v) = probe.wrench(lane);
      MatX& modal = index < 3 + m ? modes.by_position : modes.by_rate;
      for (int k = 0; k < m; ++k) modal(k, l) = probe.modal(k, lane);
    }
  }
  body.F = probe.wrench_value();
  const Mat6 Vx = motion_matrix(body.V);
  body.G = by_velocity - body.I * Vx;
  for (auto& row : modes.coupling) row.gyration -= Vx.transpose() * row.inertia;
}

void elastic_frame_derivatives(const model::Model& model, int link, const model::State& state,
                               const VecX& vdot, const model::Workspace& w, const Vec3& point,
                               RneaDerivatives& out) {
  const Link& frame = model.link(link);
  const auto at = static_cast<std::size_t>(link), parent = static_cast<std::size_t>(frame.parent);
  Body& own = out.bodies[at];
  own.V = out.bodies[parent].V;
  own.a = out.bodies[parent].a;
  std::vector<Axis>& axes = out.frame_axes[at];
  if (axes.empty()) return;
  const auto m = static_cast<int>(axes.size());
  LocalDuals& d = *out.duals;
  LinkMotion<Dual>& base = d.workspace.motion[parent];
  load_motion(w.motion[parent], base);
  // Accelerations that out.bodies knows about the common point, at the parent's origin.
  const Vec3 arm_P = w.motion[parent].p_WL - point;
  const Vec6 a_P = out.bodies[parent].a;
  base.alpha = constant(a_P.head<3>());
  base.a = constant(a_P.tail<3>() + a_P.head<3>().cross(arm_P) +
                    w.motion[parent].omega.cross(w.motion[parent].v));
  for (int first = 0; first < 2 * m; first += Dual::kWidth) {
    const int count = std::min(Dual::kWidth, 2 * m - first);
    load_modes(frame, state, vdot, m, d);
    for (int lane = 0; lane < count; ++lane) {
      const int index = first + lane;
      Dual& input =
          index < m ? d.state.q[frame.q_modal + index] : d.state.v[frame.v_modal + index - m];
      input.d[static_cast<std::size_t>(lane)] = 1.0;
    }
    internal::move_link(model, d.state, link, base, d.workspace);
    internal::accelerate(model, link, d.vdot, d.workspace);
    const LinkMotion<Dual>& moved = d.workspace.motion[at];
    const Vec3D arm = moved.p_WL - constant(point);
    const Vec3D V_lin = moved.v - moved.omega.cross(arm);
    const Vec3D a_lin = moved.a - moved.alpha.cross(arm) - moved.omega.cross(moved.v);
    if (first == 0) {
      for (int k = 0; k < 3; ++k) {
        own.V[k] = moved.omega[k].value, own.V[3 + k] = V_lin[k].value;
        own.a[k] = moved.alpha[k].value, own.a[3 + k] = a_lin[k].value;
      }
    }
    for (int k = 0; k < m; ++k) {
      const auto& E = d.workspace.elastic_axes[at][static_cast<std::size_t>(k)];
      const Vec3D E_lin = E.lin + arm.cross(E.ang);
      Axis& axis = axes[static_cast<std::size_t>(k)];
      for (int c = 0; c < 3 && first == 0; ++c) {
        axis.S[c] = E.ang[c].value, axis.S[3 + c] = E_lin[c].value;
      }
      for (int lane = 0; lane < count; ++lane) {
        if (first + lane >= m) continue;
        out.frame_turns[at].block<6, 1>(6 * k, first + lane) =
            lane_of(E.ang, E_lin, static_cast<std::size_t>(lane));
      }
    }
    for (int lane = 0; lane < count; ++lane) {
      const int index = first + lane;
      Axis& axis = axes[static_cast<std::size_t>(index % m)];
      const Vec6 dV = lane_of(moved.omega, V_lin, static_cast<std::size_t>(lane));
      const Vec6 da = lane_of(moved.alpha, a_lin, static_cast<std::size_t>(lane));
      if (index < m) {
        axis.psi = dV - cross_motion(axis.S, own.V);
        axis.chi = da - cross_motion(axis.S, own.a) - cross_motion(axis.psi, own.V);
      } else {
        axis.D = da - cross_motion(axis.S, own.V);
      }
    }
  }
}

}  // namespace grapple::dynamics
