#include "grapple/dynamics/mass_solve.h"

#include <algorithm>

#include "grapple/dynamics/internal/link_inertia-inl.h"

namespace grapple::dynamics {

using model::JointType;
using model::Link;
using spatial::Spatial;
using spatial::Vec3;
using spatial::VecX;

// One solution: the sweeps over all links.
struct MassSolve::Pass {
  MassSolve& own;
  const model::Model& model;
  const model::State& state;
  const model::Workspace& w;
  Eigen::Ref<const VecX> b;
  Eigen::Ref<VecX> x;

  const Link& link(int i) const { return model.link(i); }
  Spatial& p(int i) { return own.p_[static_cast<std::size_t>(i)]; }
  Spatial& a(int i) { return own.a_[static_cast<std::size_t>(i)]; }
  const Spatial& S(int at) const { return w.S[static_cast<std::size_t>(at)]; }
  const Spatial& U(int at) const { return w.U[static_cast<std::size_t>(at)]; }
  double D(int at, int k) const {
    return w.D[static_cast<std::size_t>(at) * 6 + static_cast<std::size_t>(k)];
  }
  const Vec3& r(int i) const { return w.motion[static_cast<std::size_t>(i)].r; }

  void hand_over(int i, const Vec3& ang, const Vec3& lin) {
    Spatial& parent = p(link(i).parent);
    parent.ang += ang + r(i).cross(lin);
    parent.lin += lin;
  }

  void inward_elastic_frame(int i) {
    if (!link(i).bears_links) return;
    std::vector<double>& y = own.y_[static_cast<std::size_t>(link(i).flexible)];
    const std::vector<Spatial>& axes = w.elastic_axes[static_cast<std::size_t>(i)];
    for (std::size_t k = 0; k < axes.size(); ++k) y[k] += spatial::dot(axes[k], p(i));
    hand_over(i, p(i).ang, p(i).lin);
  }

  // y = L^-1 (y - b), p -= W'y with the factors of eliminate_modes (internal/aba-inl.h).
  void inward_modes(int i) {
    const auto at = static_cast<std::size_t>(link(i).flexible);
    const model::FlexibleScratch<double>& f = w.flexible[at];
    std::vector<double>& y = own.y_[at];
    const auto modes = static_cast<std::size_t>(link(i).modes);
    for (std::size_t k = 0; k < modes; ++k) {
      const auto mode = static_cast<int>(k);
      if (!model::is_led(model, state, i, mode)) y[k] -= b[link(i).v_modal + mode];
    }
    for (std::size_t k = 0; k < modes; ++k) {
      const double* const column = f.E.data() + k * modes;
      y[k] /= column[k];
      for (std::size_t l = k + 1; l < modes; ++l) y[l] -= column[l] * y[k];
      p(i).ang -= y[k] * f.coupling[k].ang;
      p(i).lin -= y[k] * f.coupling[k].lin;
    }
  }

  // D y = y, D factored as L d L' with 1/d on the diagonal.
  void solve_axes(int at, int n, double* y) const {
    for (int j = 0; j < n; ++j) {
      for (int k = 0; k < j; ++k) y[j] -= D(at + j, k) * y[k];
    }
    for (int j = n - 1; j >= 0; --j) {
      y[j] *= D(at + j, j);
      for (int k = j + 1; k < n; ++k) y[j] -= D(at + k, j) * y[k];
    }
  }

  void inward_one(int i) {
    const int at = link(i).v_index;
    const double u = b[at] - spatial::dot(S(at), p(i));
    own.u_[at] = u;
    if (link(i).parent == 0) return;
    const double gain = D(at, 0) * u;
    hand_over(i, p(i).ang + gain * U(at).ang, p(i).lin + gain * U(at).lin);
  }

  // As inward_free of aba: u_ takes the accelerations themselves, in world axes.
  void inward_free(int i) {
    const int at = link(i).v_index;
    Vec3 push = Vec3::Zero(), twist = Vec3::Zero();
    for (int k = 0; k < 3; ++k) {
      push += b[at + k] * S(at + k).lin;
      twist += b[at + 3 + k] * S(at + 3 + k).ang;
    }
    double y[6];
    for (int k = 0; k < 3; ++k) {
      y[k] = push[k] - p(i).lin[k];
      y[k + 3] = twist[k] - p(i).ang[k];
    }
    solve_axes(at, 6, y);
    for (int k = 0; k < 6; ++k) own.u_[at + k] = y[k];
    if (link(i).parent != 0) hand_over(i, twist, push);
  }

  void inward_general(int i) {
    const int at = link(i).v_index, n = link(i).nv;
    double y[6];
    for (int j = 0; j < n; ++j) {
      y[j] = own.u_[at + j] = b[at + j] - spatial::dot(S(at + j), p(i));
    }
    if (link(i).parent == 0) return;
    solve_axes(at, n, y);
    Vec3 ang = p(i).ang, lin = p(i).lin;
    for (int j = 0; j < n; ++j) {
      ang += y[j] * U(at + j).ang;
      lin += y[j] * U(at + j).lin;
    }
    hand_over(i, ang, lin);
  }

  void inward(int i) {
    switch (kind(i)) {
      case Kind::kElastic:
        return inward_elastic_frame(i);
      case Kind::kStill:
        if (link(i).parent != 0) hand_over(i, p(i).ang, p(i).lin);
        return;
      case Kind::kOne:
        return inward_one(i);
      case Kind::kFree:
        return inward_free(i);
      case Kind::kGeneral:
        return inward_general(i);
    }
  }

  void outward_axes(int i) {
    const int at = link(i).v_index, n = link(i).nv;
    double y[6];
    for (int j = 0; j < n; ++j) y[j] = own.u_[at + j] - spatial::dot(U(at + j), a(i));
    solve_axes(at, n, y);
    for (int j = 0; j < n; ++j) {
      x[at + j] = y[j];
      a(i).ang += y[j] * S(at + j).ang;
      a(i).lin += y[j] * S(at + j).lin;
    }
  }

  void outward_free(int i) {
    const int at = link(i).v_index;
    const Vec3 lin = own.u_.segment<3>(at), ang = own.u_.segment<3>(at + 3);
    for (int k = 0; k < 3; ++k) {
      x[at + k] = S(at + k).lin.dot(lin - a(i).lin);
      x[at + 3 + k] = S(at + 3 + k).ang.dot(ang - a(i).ang);
    }
    a(i) = {ang, lin};
  }

  void outward_modes(int i) {
    const auto at = static_cast<std::size_t>(link(i).flexible);
    const model::FlexibleScratch<double>& f = w.flexible[at];
    const std::vector<double>& y = own.y_[at];
    const auto modes = static_cast<std::size_t>(link(i).modes);
    double* const modal = x.data() + link(i).v_modal;
    for (std::size_t k = 0; k < modes; ++k) {
      modal[k] = -(y[k] + spatial::dot(f.coupling[k], a(i)));
    }
    for (std::size_t k = modes; k-- > 0;) {
      const double* const column = f.E.data() + k * modes;
      for (std::size_t l = k + 1; l < modes; ++l) modal[k] -= column[l] * modal[l];
      modal[k] /= column[k];
    }
  }

  void outward(int i) {
    const Spatial& parent = a(link(i).parent);
    a(i).ang = parent.ang;
    a(i).lin = parent.lin + parent.ang.cross(r(i));
    switch (kind(i)) {
      case Kind::kElastic: {
        if (!link(i).bears_links) return;
        const std::vector<Spatial>& axes = w.elastic_axes[static_cast<std::size_t>(i)];
        for (std::size_t k = 0; k < axes.size(); ++k) {
          const double rate = x[link(i).v_modal + static_cast<int>(k)];
          a(i).ang += rate * axes[k].ang;
          a(i).lin += rate * axes[k].lin;
        }
        return;
      }
      case Kind::kStill:
        for (int k = 0; k < link(i).nv; ++k) x[link(i).v_index + k] = 0.0;
        break;
      case Kind::kFree:
        outward_free(i);
        break;
      case Kind::kOne:
      case Kind::kGeneral:
        outward_axes(i);
        break;
    }
    if (link(i).kind == Link::Kind::kFlexible) outward_modes(i);
  }

  void motor(const model::Drive& drive) {
    const bool driven = state.driven[static_cast<std::size_t>(drive.link)] != 0;
    x[drive.v_index] = driven ? 0.0 : b[drive.v_index] / model.reflected_inertia()[drive.v_index];
  }

  // As aba_after_kinematics tells links apart.
  enum class Kind { kElastic, kStill, kOne, kFree, kGeneral };
  Kind kind(int i) const {
    const Link& at = link(i);
    if (at.kind == Link::Kind::kElasticFrame) return Kind::kElastic;
    const bool led = state.driven[static_cast<std::size_t>(i)] != 0 && at.motors == 0;
    if (at.nv == 0 || led) return Kind::kStill;
    if (at.type == JointType::kRevolute || at.type == JointType::kPrismatic) return Kind::kOne;
    return internal::moves_freely(model, at) ? Kind::kFree : Kind::kGeneral;
  }
};

MassSolve::MassSolve(const model::Model& model)
    : p_(static_cast<std::size_t>(model.link_count())), a_(p_.size()), u_(VecX::Zero(model.nv())) {
  for (const flexible::PackedBody& body : model.packed_bodies()) {
    y_.emplace_back(static_cast<std::size_t>(body.modes));
  }
}

void MassSolve::solve(const model::Model& model, const model::State& state,
                      const model::Workspace& workspace, Eigen::Ref<const VecX> b,
                      Eigen::Ref<VecX> x) {
  std::fill(p_.begin(), p_.end(), Spatial{});
  for (std::vector<double>& y : y_) std::fill(y.begin(), y.end(), 0.0);
  Pass pass{*this, model, state, workspace, b, x};
  const int n = model.link_count();
  for (int i = n - 1; i > 0; --i) {
    if (pass.link(i).kind == Link::Kind::kFlexible) pass.inward_modes(i);
    pass.inward(i);
  }
  a_[0] = {};
  for (int i = 1; i < n; ++i) pass.outward(i);
  for (const model::Drive& drive : model.drives()) pass.motor(drive);
}

double MassSolve::driven_effort(const model::Model& model, const model::Workspace& workspace,
                                int link, int axis) const {
  const auto at = static_cast<std::size_t>(link);
  const Spatial& S = workspace.S[static_cast<std::size_t>(model.link(link).v_index + axis)];
  Spatial wrench = internal::times<double>(workspace.inertia[at], a_[at].ang, a_[at].lin);
  wrench.ang += p_[at].ang;
  wrench.lin += p_[at].lin;
  return spatial::dot(S, wrench);
}

}  // namespace grapple::dynamics
