// Bodies of aba.h, templates over the scalar: aba_scalars.cc compiles them for those
// of the program, a counter of operations for its own.
#pragma once

#include <cmath>

#include "grapple/dynamics/aba.h"
#include "grapple/dynamics/internal/flexible_inertia.h"
#include "grapple/dynamics/internal/link_inertia-inl.h"
#include "grapple/dynamics/kinematics.h"

namespace grapple::dynamics {

using model::JointType;
using model::Link;
using model::LinkInertia;
using model::LinkMotion;
using spatial::add_scaled;
using spatial::Mat3T;
using spatial::SpatialT;
using spatial::Sym3T;
using spatial::Vec3T;

namespace internal {

// The two sweeps of one call.
template <class T>
struct Sweep {
  const model::Model& model;
  const model::StateT<T>& state;
  const spatial::VecXT<T>& tau;
  model::WorkspaceT<T>& w;

  LinkInertia<T>& inertia(int i) { return w.inertia[static_cast<std::size_t>(i)]; }
  LinkMotion<T>& motion(int i) { return w.motion[static_cast<std::size_t>(i)]; }

  // A flexible body's own inertia; the coupling with its modes waits in its scratch.
  void start_flexible(int i, const Link& link) {
    const flexible::PackedBody& body = model.packed_body(link);
    model::FlexibleScratch<T>& f = w.flexible[static_cast<std::size_t>(link.flexible)];
    LinkMotion<T>& m = motion(i);
    LinkInertia<T>& I = inertia(i);
    const SpatialT<T>& external = w.wrench[static_cast<std::size_t>(i)];
    flexible_bias<T>(body, state.v.data() + link.v_modal, m.R_WL.transpose() * m.omega, f);
    const Vec3T<T> h = m.R_WL * f.c;
    I.A = spatial::rotated<T>(m.R_WL, f.J);
    I.B << T(0), -h.z(), h.y(), h.z(), T(0), -h.x(), -h.y(), h.x(), T(0);
    I.C = Sym3T<T>::diagonal(T(body.mass));
    I.p_ang = m.R_WL * f.p_ang - external.ang;
    I.p_lin = m.R_WL * f.p_lin - external.lin;
    const auto modes = static_cast<std::size_t>(body.modes);
    for (int k = 0; k < body.modes; ++k) {
      const auto at = static_cast<std::size_t>(k);
      f.coupling[at].ang = m.R_WL * f.N[at];
      f.coupling[at].lin = m.R_WL * f.P[at];
      f.y[at] = f.p_modal[at] - tau[link.v_modal + k];
      for (std::size_t l = at; l < modes; ++l) f.E[at * modes + l] = f.modal_mass[at * modes + l];
      if (k < link.guided) {
        f.E[at * modes + at] += T(model.reflected_inertia()[link.v_modal + k]);
      }
    }
  }

  // What hangs on an elastic frame loads the link and the modes of its body.
  void inward_elastic_frame(int i, const Link& link) {
    if (!link.bears_links) {
      inward_elastic_end(i, link);
      return;
    }
    model::FlexibleScratch<T>& f = w.flexible[static_cast<std::size_t>(link.flexible)];
    const LinkInertia<T>& I = inertia(i);
    const LinkMotion<T>& m = motion(i);
    const std::vector<SpatialT<T>>& axes = w.elastic_axes[static_cast<std::size_t>(i)];
    const SpatialT<T> Ic = times<T>(I, m.c_ang, m.c_lin);
    const SpatialT<T> pa{I.p_ang + Ic.ang, I.p_lin + Ic.lin};
    add_to_parent<T>(I, pa.ang, pa.lin, m.r, inertia(link.parent));
    const std::size_t modes = axes.size();
    for (std::size_t k = 0; k < modes; ++k) {
      const SpatialT<T> U = times<T>(I, axes[k].ang, axes[k].lin);
      f.coupling[k].ang += U.ang + m.r.cross(U.lin);
      f.coupling[k].lin += U.lin;
      f.y[k] += spatial::dot<T>(axes[k], pa);
      for (std::size_t l = k; l < modes; ++l) f.E[k * modes + l] += spatial::dot<T>(axes[l], U);
    }
  }

  // An elastic frame on which nothing hangs has no inertia, only its external wrench.
  void inward_elastic_end(int i, const Link& link) {
    model::FlexibleScratch<T>& f = w.flexible[static_cast<std::size_t>(link.flexible)];
    const std::vector<SpatialT<T>>& axes = w.elastic_axes[static_cast<std::size_t>(i)];
    const SpatialT<T>& external = w.wrench[static_cast<std::size_t>(i)];
    LinkInertia<T>& parent = inertia(link.parent);
    parent.p_ang -= external.ang + motion(i).r.cross(external.lin);
    parent.p_lin -= external.lin;
    for (std::size_t k = 0; k < axes.size(); ++k) f.y[k] -= spatial::dot<T>(axes[k], external);
  }

  // Guided coordinates whose motion is known are taken out: what they do is added to the others,
  // and an equation of their own, x = known, stays in their place. Their rows wait for the outward
  // sweep.
  void take_out_led(int i, const Link& link, LinkInertia<T>& I) {
    model::FlexibleScratch<T>& f = w.flexible[static_cast<std::size_t>(link.flexible)];
    const auto modes = static_cast<std::size_t>(link.modes);
    const auto entry = [&](std::size_t k, std::size_t l) -> T& {
      return k <= l ? f.E[k * modes + l] : f.E[l * modes + k];
    };
    for (std::size_t k = 0; k < static_cast<std::size_t>(link.guided); ++k) {
      f.led_coupling[k] = f.coupling[k];
      f.led_bias[k] = f.y[k];
      for (std::size_t l = 0; l < modes; ++l) f.led_row[k * modes + l] = entry(k, l);
    }
    for (std::size_t k = 0; k < static_cast<std::size_t>(link.guided); ++k) {
      if (!model::is_led(model, state, i, static_cast<int>(k))) continue;
      const T known = state.driven_vdot[link.v_modal + static_cast<int>(k)];
      add_scaled<T>(I.p_ang, known, f.coupling[k].ang);
      add_scaled<T>(I.p_lin, known, f.coupling[k].lin);
      for (std::size_t l = 0; l < modes; ++l) {
        if (l != k) f.y[l] += entry(k, l) * known;
        entry(k, l) = T(l == k ? 1.0 : 0.0);
      }
      f.coupling[k] = {};
      f.y[k] = -known;
    }
  }

  // Efforts of guided coordinates whose motion is known, once all accelerations are.
  void led_efforts(int i, const Link& link, const LinkMotion<T>& m) {
    const model::FlexibleScratch<T>& f = w.flexible[static_cast<std::size_t>(link.flexible)];
    for (int k = 0; k < link.guided; ++k) {
      if (!model::is_led(model, state, i, k)) continue;
      const auto at = static_cast<std::size_t>(k);
      T effort = f.led_bias[at] + tau[link.v_modal + k] + f.led_coupling[at].ang.dot(m.alpha) +
                 f.led_coupling[at].lin.dot(m.a);
      for (int l = 0; l < link.modes; ++l) {
        effort +=
            f.led_row[at * static_cast<std::size_t>(link.modes) + static_cast<std::size_t>(l)] *
            w.vdot[link.v_modal + l];
      }
      w.tau[link.v_modal + k] = effort;
    }
  }

  // Modes before the joint: E = L L', then I -= (L^-1 coupling)'(L^-1 coupling), p -= (L^-1
  // coupling)' L^-1 y. Column by column, so that the inner loops run along memory.
  void eliminate_modes(const Link& link, LinkInertia<T>& I) {
    using std::sqrt;
    model::FlexibleScratch<T>& f = w.flexible[static_cast<std::size_t>(link.flexible)];
    const auto modes = static_cast<std::size_t>(link.modes);
    for (std::size_t k = 0; k < modes; ++k) {
      T* pivot = f.E.data() + k * modes;
      pivot[k] = sqrt(pivot[k]);
      const T inverse = T(1) / pivot[k];
      SpatialT<T>& W = f.coupling[k];
      W.ang *= inverse;
      W.lin *= inverse;
      f.y[k] *= inverse;
      for (std::size_t l = k + 1; l < modes; ++l) {
        pivot[l] *= inverse;
        add_scaled<T>(f.coupling[l].ang, -pivot[l], W.ang);
        add_scaled<T>(f.coupling[l].lin, -pivot[l], W.lin);
        f.y[l] -= pivot[l] * f.y[k];
      }
      for (std::size_t l = k + 1; l < modes; ++l) {
        T* column = f.E.data() + l * modes;
        const T scale = pivot[l];
        for (std::size_t j = l; j < modes; ++j) column[j] -= scale * pivot[j];
      }
      I.A.subtract_outer(T(1), W.ang);
      I.C.subtract_outer(T(1), W.lin);
      for (int c = 0; c < 3; ++c) I.B.col(c) -= W.lin[c] * W.ang;
      add_scaled<T>(I.p_ang, -f.y[k], W.ang);
      add_scaled<T>(I.p_lin, -f.y[k], W.lin);
    }
  }

  // eta'' = -L^-T (y + W a), once the link's acceleration is known.
  void outward_modes(const Link& link, const LinkMotion<T>& m) {
    const model::FlexibleScratch<T>& f = w.flexible[static_cast<std::size_t>(link.flexible)];
    const auto modes = static_cast<std::size_t>(link.modes);
    T* x = w.vdot.data() + link.v_modal;
    for (std::size_t k = 0; k < modes; ++k) {
      x[k] = -(f.y[k] + f.coupling[k].ang.dot(m.alpha) + f.coupling[k].lin.dot(m.a));
    }
    for (std::size_t k = modes; k-- > 0;) {
      const T* column = f.E.data() + k * modes;
      for (std::size_t l = k + 1; l < modes; ++l) x[k] -= column[l] * x[l];
      x[k] /= column[k];
    }
  }

  void outward_elastic_frame(int i, const Link& link, LinkMotion<T>& m) {
    const std::vector<SpatialT<T>>& axes = w.elastic_axes[static_cast<std::size_t>(i)];
    for (std::size_t k = 0; k < axes.size(); ++k) {
      const T& rate = w.vdot[link.v_modal + static_cast<int>(k)];
      add_scaled<T>(m.alpha, rate, axes[k].ang);
      add_scaled<T>(m.a, rate, axes[k].lin);
    }
  }

  // A massless link that only carries what others put on it.
  void start_elastic_frame(int i) {
    LinkInertia<T>& I = inertia(i);
    const SpatialT<T>& external = w.wrench[static_cast<std::size_t>(i)];
    I.A = Sym3T<T>{};
    I.B.setZero();
    I.C = Sym3T<T>{};
    I.p_ang = -external.ang;
    I.p_lin = -external.lin;
  }

  void start(int i) {
    const Link& link = model.link(i);
    switch (link.kind) {
      case Link::Kind::kRigid:
        start_link<T>(link, motion(i), w.wrench[static_cast<std::size_t>(i)], inertia(i));
        break;
      case Link::Kind::kFlexible:
        start_flexible(i, link);
        break;
      case Link::Kind::kElasticFrame:
        if (link.bears_links) start_elastic_frame(i);
        break;
    }
  }

  // One axis that only turns: S = (s, 0).
  void inward_revolute(const Link& link, LinkInertia<T>& I, const LinkMotion<T>& m) {
    const auto at = static_cast<std::size_t>(link.v_index);
    const Vec3T<T>& s = w.S[at].ang;
    SpatialT<T>& U = w.U[at];
    U.ang = I.A * s;
    U.lin = I.B.transpose() * s;
    const T inverse = inverse_inertia<T>(s.dot(U.ang) + T(model.reflected_inertia()[link.v_index]));
    const T u = tau[link.v_index] - s.dot(I.p_ang);
    w.D[at * 6] = inverse;
    w.u[link.v_index] = u;
    if (link.parent != 0) hand_over_one(link, I, m, U, inverse, u * inverse);
  }

  void inward_prismatic(const Link& link, LinkInertia<T>& I, const LinkMotion<T>& m) {
    const auto at = static_cast<std::size_t>(link.v_index);
    const Vec3T<T>& s = w.S[at].lin;
    SpatialT<T>& U = w.U[at];
    U.ang = I.B * s;
    U.lin = I.C * s;
    const T inverse = inverse_inertia<T>(s.dot(U.lin) + T(model.reflected_inertia()[link.v_index]));
    const T u = tau[link.v_index] - s.dot(I.p_lin);
    w.D[at * 6] = inverse;
    w.u[link.v_index] = u;
    if (link.parent != 0) hand_over_one(link, I, m, U, inverse, u * inverse);
  }

  void hand_over_one(const Link& link, LinkInertia<T>& I, const LinkMotion<T>& m,
                     const SpatialT<T>& U, const T& inverse, const T& gain) {
    I.A.subtract_outer(inverse, U.ang);
    I.C.subtract_outer(inverse, U.lin);
    const Vec3T<T> scaled = inverse * U.ang;
    for (int k = 0; k < 3; ++k) I.B.col(k) -= U.lin[k] * scaled;
    const Vec3T<T> pa_ang = I.p_ang + (I.A * m.c_ang + I.B * m.c_lin) + gain * U.ang;
    const Vec3T<T> pa_lin = I.p_lin + (I.B.transpose() * m.c_ang + I.C * m.c_lin) + gain * U.lin;
    add_to_parent<T>(I, pa_ang, pa_lin, m.r, inertia(link.parent));
  }

  // Any number of axes: D is factored, and the factors kept for the outward sweep.
  void inward_general(const Link& link, LinkInertia<T>& I, const LinkMotion<T>& m) {
    const int n = link.nv;
    T L[6][6];
    for (int j = 0; j < n; ++j) {
      const auto at = static_cast<std::size_t>(link.v_index + j);
      w.U[at] = times<T>(I, w.S[at].ang, w.S[at].lin);
      const SpatialT<T> p{I.p_ang, I.p_lin};
      w.u[link.v_index + j] = tau[link.v_index + j] - spatial::dot<T>(w.S[at], p);
      for (int k = 0; k <= j; ++k) {
        L[j][k] = spatial::dot<T>(w.S[static_cast<std::size_t>(link.v_index + k)], w.U[at]);
      }
      L[j][j] += T(model.reflected_inertia()[link.v_index + j]);
    }
    factor_in_place(n, L);
    for (int j = 0; j < n; ++j) {
      for (int k = 0; k <= j; ++k) {
        w.D[static_cast<std::size_t>(link.v_index + j) * 6 + static_cast<std::size_t>(k)] = L[j][k];
      }
    }
    if (link.parent == 0) return;
    // W = L^-1 U' makes Ia = I - W' d^-1 W and the gain W' d^-1 L^-1 u.
    SpatialT<T> W[6];
    T y[6];
    for (int j = 0; j < n; ++j) {
      W[j] = w.U[static_cast<std::size_t>(link.v_index + j)];
      y[j] = w.u[link.v_index + j];
      for (int k = 0; k < j; ++k) {
        W[j].ang -= L[j][k] * W[k].ang;
        W[j].lin -= L[j][k] * W[k].lin;
        y[j] -= L[j][k] * y[k];
      }
    }
    Vec3T<T> gain_ang = Vec3T<T>::Zero(), gain_lin = Vec3T<T>::Zero();
    for (int j = 0; j < n; ++j) {
      const Vec3T<T> scaled = L[j][j] * W[j].ang;
      const T gain = L[j][j] * y[j];
      I.A.subtract_outer(L[j][j], W[j].ang);
      I.C.subtract_outer(L[j][j], W[j].lin);
      I.B -= scaled * W[j].lin.transpose();
      gain_ang += gain * W[j].ang;
      gain_lin += gain * W[j].lin;
    }
    const SpatialT<T> Ic = times<T>(I, m.c_ang, m.c_lin);
    const Vec3T<T> pa_ang = I.p_ang + Ic.ang + gain_ang;
    const Vec3T<T> pa_lin = I.p_lin + Ic.lin + gain_lin;
    add_to_parent<T>(I, pa_ang, pa_lin, m.r, inertia(link.parent));
  }

  // Six axes reach every acceleration: the link's is that of its own inertia under its wrenches,
  // S^-T tau among them (S is orthogonal), and that alone reaches the parent.
  void inward_free(const Link& link, const LinkInertia<T>& I, const LinkMotion<T>& m) {
    const int at = link.v_index;
    Vec3T<T> push = Vec3T<T>::Zero(), twist = Vec3T<T>::Zero();
    for (int k = 0; k < 3; ++k) {
      add_scaled<T>(push, tau[at + k], w.S[static_cast<std::size_t>(at + k)].lin);
      add_scaled<T>(twist, tau[at + 3 + k], w.S[static_cast<std::size_t>(at + 3 + k)].ang);
    }
    const Sym3T<T>&C = I.C, &A = I.A;
    const Mat3T<T>& B = I.B;
    T L[6][6] = {{C.xx},
                 {C.xy, C.yy},
                 {C.xz, C.yz, C.zz},
                 {B(0, 0), B(0, 1), B(0, 2), A.xx},
                 {B(1, 0), B(1, 1), B(1, 2), A.xy, A.yy},
                 {B(2, 0), B(2, 1), B(2, 2), A.xz, A.yz, A.zz}};
    factor_in_place(6, L);
    T x[6];
    for (int j = 0; j < 6; ++j) {
      x[j] = j < 3 ? push[j] - I.p_lin[j] : twist[j - 3] - I.p_ang[j - 3];
      for (int k = 0; k < j; ++k) x[j] -= L[j][k] * x[k];
    }
    for (int j = 5; j >= 0; --j) {
      x[j] *= L[j][j];
      for (int k = j + 1; k < 6; ++k) x[j] -= L[k][j] * x[k];
      w.u[at + j] = x[j];
    }
    for (int j = 0; j < 6; ++j) {
      T* const row = w.D.data() + static_cast<std::size_t>(at + j) * 6;
      for (int k = 0; k <= j; ++k) row[k] = L[j][k];
    }
    if (link.parent == 0) return;
    LinkInertia<T>& parent = inertia(link.parent);
    parent.p_ang += twist + m.r.cross(push);
    parent.p_lin += push;
  }

  // S v' of known v' joins c.
  SpatialT<T> known_part(const Link& link, SpatialT<T> c) const {
    for (int k = 0; k < link.nv; ++k) {
      const SpatialT<T>& axis = w.S[static_cast<std::size_t>(link.v_index + k)];
      const T& known = state.driven_vdot[link.v_index + k];
      c.ang += axis.ang * known;
      c.lin += axis.lin * known;
    }
    return c;
  }

  // Known v': nothing to eliminate.
  void inward_driven(const Link& link, LinkInertia<T>& I, const LinkMotion<T>& m) {
    if (link.parent == 0) return;
    const SpatialT<T> c = known_part(link, {m.c_ang, m.c_lin});
    const SpatialT<T> Ic = times<T>(I, c.ang, c.lin);
    const Vec3T<T> pa_ang = I.p_ang + Ic.ang, pa_lin = I.p_lin + Ic.lin;
    add_to_parent<T>(I, pa_ang, pa_lin, m.r, inertia(link.parent));
  }

  void outward_one(const Link& link, LinkMotion<T>& m) {
    const auto at = static_cast<std::size_t>(link.v_index);
    const SpatialT<T>& U = w.U[at];
    const T vdot = w.D[at * 6] * (w.u[link.v_index] - U.ang.dot(m.alpha) - U.lin.dot(m.a));
    w.vdot[link.v_index] = vdot;
    if (link.type == JointType::kRevolute) {
      m.alpha += w.S[at].ang * vdot;
    } else {
      m.a += w.S[at].lin * vdot;
    }
  }

  void outward_general(const Link& link, LinkMotion<T>& m) {
    const int n = link.nv;
    const SpatialT<T> a{m.alpha, m.a};
    T x[6];
    const auto L = [&](int j, int k) -> const T& {
      return w.D[static_cast<std::size_t>(link.v_index + j) * 6 + static_cast<std::size_t>(k)];
    };
    for (int j = 0; j < n; ++j) {
      x[j] = w.u[link.v_index + j] -
             spatial::dot<T>(w.U[static_cast<std::size_t>(link.v_index + j)], a);
      for (int k = 0; k < j; ++k) x[j] -= L(j, k) * x[k];
    }
    for (int j = n - 1; j >= 0; --j) {
      x[j] *= L(j, j);
      for (int k = j + 1; k < n; ++k) x[j] -= L(k, j) * x[k];
    }
    for (int j = 0; j < n; ++j) {
      const SpatialT<T>& axis = w.S[static_cast<std::size_t>(link.v_index + j)];
      w.vdot[link.v_index + j] = x[j];
      m.alpha += axis.ang * x[j];
      m.a += axis.lin * x[j];
    }
  }

  void outward_free(const Link& link, LinkMotion<T>& m) {
    const int at = link.v_index;
    const Vec3T<T> a = w.u.template segment<3>(at), alpha = w.u.template segment<3>(at + 3);
    const Vec3T<T> own_a = a - m.a, own_alpha = alpha - m.alpha;
    for (int k = 0; k < 3; ++k) {
      w.vdot[at + k] = w.S[static_cast<std::size_t>(at + k)].lin.dot(own_a);
      w.vdot[at + 3 + k] = w.S[static_cast<std::size_t>(at + 3 + k)].ang.dot(own_alpha);
    }
    m.a = a;
    m.alpha = alpha;
  }

  void outward_driven(const Link& link, const LinkInertia<T>& I, LinkMotion<T>& m) {
    const SpatialT<T> a = known_part(link, {m.alpha, m.a});
    m.alpha = a.ang;
    m.a = a.lin;
    const SpatialT<T> wrench = times<T>(I, m.alpha, m.a);
    for (int k = 0; k < link.nv; ++k) {
      const int at = link.v_index + k;
      const SpatialT<T>& axis = w.S[static_cast<std::size_t>(at)];
      const T& known = state.driven_vdot[at];
      w.vdot[at] = known;
      w.tau[at] = axis.ang.dot(wrench.ang + I.p_ang) + axis.lin.dot(wrench.lin + I.p_lin) +
                  T(model.reflected_inertia()[at]) * known;
    }
  }

  // A motor side meets its own inertia only; the transmission, an effort, ties it to its joint.
  void motor(const model::Drive& drive) {
    const int at = drive.v_index;
    const T inertia(model.reflected_inertia()[at]);
    if (state.driven[static_cast<std::size_t>(drive.link)] != 0) {
      w.vdot[at] = state.driven_vdot[at];
      w.tau[at] = inertia * w.vdot[at];
    } else {
      w.vdot[at] = tau[at] / inertia;
    }
  }

  // Whether the joint's own coordinates follow a known motion; in a flexible joint the motors do.
  bool led(int i, const Link& link) const {
    return state.driven[static_cast<std::size_t>(i)] != 0 && link.motors == 0;
  }
};

}  // namespace internal

template <class T>
void aba_after_kinematics(const model::Model& model, const model::StateT<T>& state,
                          const spatial::VecXT<T>& tau, model::WorkspaceT<T>& workspace) {
  internal::Sweep<T> sweep{model, state, tau, workspace};
  const int n = model.link_count();
  for (int i = 1; i < n; ++i) sweep.start(i);
  for (int i = n - 1; i > 0; --i) {
    const Link& link = model.link(i);
    LinkInertia<T>& I = sweep.inertia(i);
    LinkMotion<T>& m = sweep.motion(i);
    if (link.kind != Link::Kind::kRigid) {
      if (link.kind == Link::Kind::kElasticFrame) {
        sweep.inward_elastic_frame(i, link);
        continue;
      }
      if (link.guided > 0) sweep.take_out_led(i, link, I);
      sweep.eliminate_modes(link, I);
    }
    if (link.nv == 0 || sweep.led(i, link)) {
      sweep.inward_driven(link, I, m);
    } else if (link.type == JointType::kRevolute) {
      sweep.inward_revolute(link, I, m);
    } else if (link.type == JointType::kPrismatic) {
      sweep.inward_prismatic(link, I, m);
    } else if (internal::moves_freely(model, link)) {
      sweep.inward_free(link, I, m);
    } else {
      sweep.inward_general(link, I, m);
    }
  }
  LinkMotion<T>& world = sweep.motion(0);
  world.a = -model.gravity().template cast<T>();
  for (int i = 1; i < n; ++i) {
    const Link& link = model.link(i);
    const LinkMotion<T>& parent = sweep.motion(link.parent);
    LinkMotion<T>& m = sweep.motion(i);
    m.alpha = parent.alpha + m.c_ang;
    m.a = parent.a + parent.alpha.cross(m.r) + m.c_lin;
    if (link.kind == Link::Kind::kElasticFrame) {
      sweep.outward_elastic_frame(i, link, m);
      continue;
    }
    if (sweep.led(i, link)) {
      sweep.outward_driven(link, sweep.inertia(i), m);
    } else if (link.type == JointType::kRevolute || link.type == JointType::kPrismatic) {
      sweep.outward_one(link, m);
    } else if (internal::moves_freely(model, link)) {
      sweep.outward_free(link, m);
    } else {
      sweep.outward_general(link, m);
    }
    if (link.kind == Link::Kind::kFlexible) {
      sweep.outward_modes(link, m);
      if (link.guided > 0) sweep.led_efforts(i, link, m);
    }
  }
  for (const model::Drive& drive : model.drives()) sweep.motor(drive);
}

template <class T>
void aba(const model::Model& model, const model::StateT<T>& state, const spatial::VecXT<T>& tau,
         model::WorkspaceT<T>& workspace) {
  forward_kinematics(model, state, workspace);
  aba_after_kinematics(model, state, tau, workspace);
}

}  // namespace grapple::dynamics
