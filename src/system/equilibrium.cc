#include "grapple/system/equilibrium.h"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "grapple/dynamics/crba.h"
#include "grapple/dynamics/kinematics.h"
#include "grapple/dynamics/rnea.h"
#include "grapple/system/linearize.h"

namespace grapple::system {

namespace {

using spatial::MatX;
using spatial::VecX;

class Search {
 public:
  Search(const System& system, double t)
      : system_(system), t_(t), snapshot_(system), M_(nv(), nv()) {}

  int nv() const { return system_.model().nv(); }

  // Unbalanced efforts at rest: what the elements give minus what staying takes. Driven joints
  // carry any.
  VecX forces(const VecX& x) {
    system_.evaluate<double>(t_, span_of(x), snapshot_);
    VecX staying = VecX::Zero(nv());
    for_driven([&](const model::Link& link) {
      staying.segment(link.v_index, link.nv) =
          snapshot_.workspace.vdot.segment(link.v_index, link.nv);
    });
    dynamics::rnea_after_kinematics(system_.model(), snapshot_.state, staying, snapshot_.workspace);
    VecX r = snapshot_.tau - snapshot_.workspace.tau;
    for_driven([&](const model::Link& link) { r.segment(link.v_index, link.nv).setZero(); });
    return r;
  }

  // The largest load that has to balance at the last point: rounding is relative to it.
  double load() const {
    double largest = system_.model().total_mass() * system_.model().gravity().norm();
    largest = std::max(largest, snapshot_.tau.lpNorm<Eigen::Infinity>());
    for (const spatial::Spatial& wrench : snapshot_.workspace.wrench) {
      largest = std::max({largest, wrench.lin.norm(), wrench.ang.norm()});
    }
    return largest;
  }

  // The Newton step for the forces r at x, in tangent coordinates.
  VecX step(const VecX& x, const VecX& r) {
    system_.evaluate<double>(t_, span_of(x), snapshot_);
    dynamics::crba(system_.model(), snapshot_.state, snapshot_.workspace, M_);
    MatX stiffness = -M_ * linearize(system_, t_, span_of(x), {}, {}).A.block(nv(), 0, nv(), nv());
    for_driven([&](const model::Link& link) {
      stiffness.middleRows(link.v_index, link.nv).setZero();
      stiffness.middleCols(link.v_index, link.nv).setZero();
    });
    Eigen::CompleteOrthogonalDecomposition<MatX> solver;
    solver.setThreshold(1e-10);
    solver.compute(stiffness);
    return solver.solve(r);
  }

  VecX moved(const VecX& x, const VecX& delta) const {
    VecX out = x;
    VecX q = x.head(system_.model().nq());
    dynamics::move_positions(system_.model(), delta, q);
    out.head(system_.model().nq()) = q;
    system_.project(t_, {out.data(), static_cast<std::size_t>(out.size())});
    out.segment(system_.model().nq(), nv()).setZero();
    return out;
  }

 private:
  template <class F>
  void for_driven(const F& f) const {
    for (int i = 1; i < system_.model().link_count(); ++i) {
      if (snapshot_.state.driven[static_cast<std::size_t>(i)] != 0) f(system_.model().link(i));
    }
  }
  static std::span<const double> span_of(const VecX& x) {
    return {x.data(), static_cast<std::size_t>(x.size())};
  }
  const System& system_;
  double t_;
  Snapshot<double> snapshot_;
  MatX M_;
};

}  // namespace

EquilibriumResult equilibrium(const System& system, double t, std::span<const double> x_guess,
                              const EquilibriumOptions& options) {
  EquilibriumResult result;
  Search search(system, t);
  result.x = Eigen::Map<const VecX>(x_guess.data(), static_cast<Eigen::Index>(x_guess.size()));
  result.x.segment(system.model().nq(), system.model().nv()).setZero();
  if (system.model().nv() == 0) {
    result.converged = true;
    return result;
  }
  VecX r = search.forces(result.x);
  const double scale = std::max({1.0, r.lpNorm<Eigen::Infinity>(), search.load()});
  // A few more steps after the tolerance is met are nearly free and end at round-off.
  int polish = 2;
  for (; result.iterations < options.max_iterations; ++result.iterations) {
    result.residual = r.lpNorm<Eigen::Infinity>();
    if (!std::isfinite(result.residual)) return result;
    if (result.residual <= options.tolerance * scale && polish-- == 0) break;
    VecX delta = search.step(result.x, r);
    const double largest = delta.lpNorm<Eigen::Infinity>();
    if (!std::isfinite(largest)) return result;
    if (largest > 0.5) delta *= 0.5 / largest;  // half a radian or half a metre at a time
    double share = 1.0;
    VecX next = search.moved(result.x, delta);
    VecX r_next = search.forces(next);
    while (!(r_next.norm() < r.norm()) && share > 1e-4) {
      share *= 0.5;
      next = search.moved(result.x, share * delta);
      r_next = search.forces(next);
    }
    if (!(r_next.norm() < r.norm())) break;  // no descent: done, or stuck
    result.x = next;
    r = r_next;
  }
  result.residual = r.lpNorm<Eigen::Infinity>();
  result.converged = result.residual <= options.tolerance * scale;
  return result;
}

}  // namespace grapple::system
