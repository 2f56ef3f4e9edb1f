#include "grapple/analysis/equilibrium.h"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>

#include "grapple/analysis/internal/independent.h"
#include "grapple/dynamics/manifold.h"
#include "grapple/dynamics/rnea.h"
#include "grapple/spatial/dual.h"

namespace grapple::analysis {

namespace {

using spatial::Dual;
using spatial::MatX;
using spatial::VecX;
using spatial::VecXT;

class Search {
 public:
  Search(const system::System& system, double t)
      : system_(system), t_(t), real_(system), dual_(system), x_dual_(system.size()) {
    // Every place looked at is on the manifold, and may be far from where rows were chosen.
    real_.constraints.choice = dual_.constraints.choice = constraint::RowChoice::kAnew;
  }

  void at_time(double t) { t_ = t; }

  // Unbalanced efforts at rest.
  VecX forces(const VecX& x) {
    return unbalanced<double>({x.data(), static_cast<std::size_t>(x.size())}, real_);
  }

  // The largest load that has to balance at the last point: rounding is relative to it.
  double load() const {
    double largest = system_.model().total_mass() * system_.model().gravity().norm();
    largest = std::max(largest, real_.tau.lpNorm<Eigen::Infinity>());
    for (const spatial::Spatial& wrench : real_.workspace.wrench) {
      largest = std::max({largest, wrench.lin.norm(), wrench.ang.norm()});
    }
    return largest;
  }

  // The Newton step for the forces r at x, in tangent coordinates.
  VecX step(const VecX& x, const VecX& r) {
    Eigen::CompleteOrthogonalDecomposition<MatX> solver;
    solver.setThreshold(1e-12);
    const MatX K = stiffness(x);
    const double size = std::max(1.0, x.head(system_.model().nq()).lpNorm<Eigen::Infinity>());
    rounding_ = 4.0 * std::numeric_limits<double>::epsilon() * K.lpNorm<Eigen::Infinity>() * size;
    if (system_.constraints().empty()) {
      solver.compute(K);
      return solver.solve(r);
    }
    // Along motions that keep the loops closed; real_ is still at x.
    const MatX along = independent_motions(system_, real_, Level::kPositions).all;
    if (along.cols() == 0) return VecX::Zero(along.rows());  // the loops leave no freedom
    solver.compute(K * along);
    return along * solver.solve(r);
  }

  // What the forces of a stiff system keep for rounding: epsilon times stiffness times position, at
  // the last step.
  double rounding() const { return rounding_; }

  VecX moved(const VecX& x, const VecX& delta) const {
    VecX out = x;
    VecX q = x.head(system_.model().nq());
    dynamics::move_positions(system_.model(), delta, q);
    out.head(system_.model().nq()) = q;
    system_.project(t_, {out.data(), static_cast<std::size_t>(out.size())});
    out.segment(system_.model().nq(), system_.model().nv()).setZero();
    return out;
  }

 private:
  // What the elements and loops give minus what staying takes. The loops give what keeps them
  // closed, so that what is left is along motions they allow. Driven joints carry any load.
  template <class T>
  VecXT<T> unbalanced(std::span<const T> x, system::Snapshot<T>& s) {
    const model::Model& model = system_.model();
    system_.evaluate<T>(t_, x, s);
    VecXT<T> staying = VecXT<T>::Zero(model.nv()), given = s.tau;
    for_driven(s, [&](int at, int n) { staying.segment(at, n) = s.workspace.vdot.segment(at, n); });
    if (!system_.constraints().empty()) {
      // What the accelerations found take is given by all together.
      dynamics::rnea_after_kinematics(model, s.state, s.workspace.vdot, s.workspace);
      given = s.workspace.tau;
    }
    dynamics::rnea_after_kinematics(model, s.state, staying, s.workspace);
    VecXT<T> r = given - s.workspace.tau;
    for_driven(s, [&](int at, int n) { r.segment(at, n).setZero(); });
    return r;
  }

  // -dr/dq in tangent coordinates, by dual numbers.
  MatX stiffness(const VecX& x) {
    const model::Model& model = system_.model();
    const int nq = model.nq(), nv = model.nv();
    MatX K(nv, nv);
    for (int first = 0; first < nv; first += Dual::kWidth) {
      const int count = std::min(Dual::kWidth, nv - first);
      x_dual_ = x.cast<Dual>();
      VecXT<Dual> q = x_dual_.head(nq), delta = VecXT<Dual>::Zero(nv);
      for (int d = 0; d < count; ++d) delta[first + d].d[static_cast<std::size_t>(d)] = 1.0;
      dynamics::move_positions(model, delta, q);
      x_dual_.head(nq) = q;
      const VecXT<Dual> r =
          unbalanced<Dual>({x_dual_.data(), static_cast<std::size_t>(x_dual_.size())}, dual_);
      for (int d = 0; d < count; ++d) {
        for (int k = 0; k < nv; ++k) K(k, first + d) = -r[k].d[static_cast<std::size_t>(d)];
      }
    }
    for_driven(dual_, [&](int at, int n) { K.middleCols(at, n).setZero(); });  // they stay
    return K;
  }

  template <class T, class F>
  void for_driven(const system::Snapshot<T>& s, const F& f) const {
    for (int i = 1; i < system_.model().link_count(); ++i) {
      const model::Link& link = system_.model().link(i);
      if (s.state.driven[static_cast<std::size_t>(i)] != 0) f(link.v_actuated(), link.nv);
    }
  }

  const system::System& system_;
  double t_;
  system::Snapshot<double> real_;
  system::Snapshot<Dual> dual_;
  VecXT<Dual> x_dual_;
  double rounding_ = 0.0;
};

struct Newton {
  bool converged = false;
  int iterations = 0;
  VecX x, r;
};

// From afar every step must bring the forces down; near the answer a stiff system may pass through
// larger ones on its way, and needs no guard.
enum class Guard { kDescent, kNone };

Newton solve(Search& search, const VecX& x_start, double small, int max_iterations, Guard guard) {
  Newton at{false, 0, x_start, search.forces(x_start)};
  // A few more steps after the tolerance is met are nearly free and end at round-off.
  int polish = 2;
  for (; at.iterations < max_iterations; ++at.iterations) {
    const double residual = at.r.lpNorm<Eigen::Infinity>();
    const bool arrived = residual <= std::max(small, search.rounding());
    if (!std::isfinite(residual) || (arrived && polish-- == 0)) break;
    VecX delta = search.step(at.x, at.r);
    const double largest = delta.lpNorm<Eigen::Infinity>();
    if (!std::isfinite(largest)) break;
    if (largest > 0.5) delta *= 0.5 / largest;  // half a radian or half a metre at a time
    double share = 1.0;
    VecX next = search.moved(at.x, delta);
    VecX r_next = search.forces(next);
    while ((guard == Guard::kDescent || arrived) && !(r_next.norm() < at.r.norm()) &&
           share > 1e-4) {
      share *= 0.5;
      next = search.moved(at.x, share * delta);
      r_next = search.forces(next);
    }
    if ((guard == Guard::kDescent || arrived) && !(r_next.norm() < at.r.norm())) break;
    at.x = next;
    at.r = r_next;
  }
  at.converged = at.r.lpNorm<Eigen::Infinity>() <= std::max(small, search.rounding());
  return at;
}

// Loads that come on with time: from the equilibrium at the start along time to t, each answer the
// guess of the next.
Newton follow(Search& search, const VecX& x_start, double t, double small, int max_iterations) {
  constexpr int kSteps = 1000, kNewtonSteps = 15;
  search.at_time(0.0);
  Newton at = solve(search, x_start, small, max_iterations, Guard::kDescent);
  double now = 0.0, step = 0.1 * t;
  for (int k = 0; at.converged && k < kSteps && now < t && step > 1e-6 * t; ++k) {
    const double next = std::min(t, now + step);
    search.at_time(next);
    Newton tried = solve(search, at.x, small, kNewtonSteps, Guard::kNone);
    tried.iterations += at.iterations;
    if (!tried.converged) {
      at.iterations = tried.iterations;
      step *= 0.5;
      continue;
    }
    at = tried;
    now = next;
    step *= 1.5;
  }
  search.at_time(t);
  at.converged = at.converged && now == t;
  return at;
}

}  // namespace

EquilibriumResult equilibrium(const system::System& system, double t,
                              std::span<const double> x_guess, const EquilibriumOptions& options) {
  EquilibriumResult result;
  Search search(system, t);
  const VecX guess =
      Eigen::Map<const VecX>(x_guess.data(), static_cast<Eigen::Index>(x_guess.size()));
  result.x = search.moved(guess, VecX::Zero(system.model().nv()));
  if (system.model().nv() == 0) {
    result.converged = true;
    return result;
  }
  const VecX r = search.forces(result.x);
  const double scale = std::max({1.0, r.lpNorm<Eigen::Infinity>(), search.load()});
  const double small = options.tolerance * scale;
  Newton found = solve(search, result.x, small, options.max_iterations, Guard::kDescent);
  if (!found.converged && t > 0.0) {
    const int before = found.iterations;
    const Newton followed = follow(search, result.x, t, small, options.max_iterations);
    if (followed.converged) found = followed;
    found.iterations += before;
  }
  result.x = found.x;
  result.iterations = found.iterations;
  result.converged = found.converged;
  result.residual = search.forces(found.x).lpNorm<Eigen::Infinity>();
  system::Snapshot<double> there(system);
  system.evaluate<double>(t, {found.x.data(), static_cast<std::size_t>(found.x.size())}, there);
  if (there.refused) {
    result.refusal = system.refusal(there);
    result.converged = false;
  }
  return result;
}

}  // namespace grapple::analysis
