#include "grapple/constraint/constraint_solver.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "grapple/base/assert.h"
#include "grapple/constraint/internal/dense_rows.h"
#include "grapple/dynamics/aba.h"
#include "grapple/dynamics/cholesky.h"
#include "grapple/dynamics/crba.h"
#include "grapple/dynamics/kinematics.h"
#include "grapple/dynamics/manifold.h"
#include "grapple/dynamics/rnea.h"
#include "grapple/spatial/dual.h"

namespace grapple::constraint {

namespace {

using model::Link;
using spatial::Dual;
using spatial::VecX;
using spatial::VecXT;

constexpr double kSlow = 0.05;  // progress of an iteration that asks for a new factor
// Shares of what is asked that may be left: forces go into the motion as they are, positions and
// rates are small corrections, the tangent measures errors.
constexpr double kForcesMet = 1e-12, kValuesMet = 1e-4, kRatesMet = 1e-6, kTangentMet = 1e-10;
constexpr double kHardlyMoved = 1e-7;  // m or rad
constexpr double kValueNoise = 1e-15;  // m or rad

bool has_rate_rows(const std::vector<Constraint>& constraints) {
  for (const Constraint& constraint : constraints) {
    if (constraint.active && !std::ranges::all_of(rows_of(constraint), holds_position)) {
      return true;
    }
  }
  return false;
}

// What the rows are solved with at the last kinematics: the factors of aba, or the mass matrix and
// its factor over the coordinates that follow forces.
void factor_mass(const model::Model& model, const model::State& state,
                 dynamics::ForwardScratch<double>& f, ConstraintScratch<double>& s,
                 model::Workspace& w) {
  if (s.articulated) return;
  if (s.mass_solve) {
    s.delta.setZero();  // no efforts: the accelerations are not used
    dynamics::aba_after_kinematics(model, state, s.delta, w);
    return;
  }
  dynamics::find_free_rows(model, state, f.free_rows);
  dynamics::crba_after_kinematics(model, w, f.M);
  const auto n = static_cast<int>(f.free_rows.size());
  for (int j = 0; j < n; ++j) {
    for (int i = j; i < n; ++i) {
      f.L(i, j) =
          f.M(f.free_rows[static_cast<std::size_t>(i)], f.free_rows[static_cast<std::size_t>(j)]);
    }
  }
  dynamics::factor_in_place(f.L, n);
}

// What the rows need to be solved, after evaluate_rows; the mass matrix must be factored already.
template <class T>
void factor_rows(const model::Model& model, const model::StateT<T>& state,
                 const dynamics::ForwardScratch<T>& forward, ConstraintScratch<T>& s,
                 const model::WorkspaceT<T>& w) {
  if constexpr (std::is_same_v<T, double>) {
    if (s.articulated) {
      s.articulated->factor(model, state, w, s.wrenches);
      return;
    }
    if (s.mass_solve) {
      factor_solved_rows(model, state, w, s);
      return;
    }
  }
  factor_dense_rows(forward, s);
}

// lambda and delta for s.rhs.
template <class T>
void solve_rows(const dynamics::ForwardScratch<T>& forward, Asked asked, ConstraintScratch<T>& s) {
  if constexpr (std::is_same_v<T, double>) {
    if (s.articulated) {
      for (std::size_t row = 0; row < s.held.size(); ++row) {
        if (s.held[row] == 0) s.rhs[static_cast<Eigen::Index>(row)] = 0.0;
      }
      const bool met = s.articulated->solve(s.rhs, asked, s.lambda, s.delta);
      s.rank = met ? static_cast<int>(s.rhs.size()) : 0;
      s.smallest_pivot = s.articulated->weakest();
      return;
    }
  }
  solve_dense_rows(forward, s);
}

// One more solution, with the efforts of all rows together.
void add_efforts_of_solves(const model::Model& model, const model::State& state,
                           ConstraintScratch<double>& s, model::Workspace& w) {
  const auto is_driven = [](std::uint8_t driven) { return driven != 0; };
  if (std::none_of(state.driven.begin(), state.driven.end(), is_driven)) return;
  s.efforts.noalias() = s.A.transpose() * s.lambda;
  s.mass_solve->solve(model, state, w, s.efforts, s.delta);
  for (int i = 1; i < model.link_count(); ++i) {
    const Link& link = model.link(i);
    if (state.driven[static_cast<std::size_t>(i)] == 0) continue;
    for (int k = 0; k < link.nv; ++k) {
      const int row = link.v_actuated() + k;
      if (link.motors == 0) w.tau[row] += s.mass_solve->driven_effort(model, w, i, k);
      w.tau[row] -= s.efforts[row];
    }
  }
}

// What the loops ask of driven joints on top of the tree's own efforts.
template <class T>
void add_driven_efforts(const model::Model& model, const model::StateT<T>& state,
                        const dynamics::ForwardScratch<T>& forward, ConstraintScratch<T>& s,
                        model::WorkspaceT<T>& w) {
  if constexpr (std::is_same_v<T, double>) {
    if (s.mass_solve) {
      add_efforts_of_solves(model, state, s, w);
      return;
    }
  }
  for (int i = 1; i < model.link_count(); ++i) {
    if (state.driven[static_cast<std::size_t>(i)] == 0) continue;
    const Link& link = model.link(i);
    if constexpr (std::is_same_v<T, double>) {
      if (s.articulated) {
        for (int k = 0; k < link.nv && link.motors == 0; ++k) {
          w.tau[link.v_index + k] += s.articulated->driven_effort(i, k);
        }
        continue;
      }
    }
    for (int row = link.v_actuated(); row < link.v_actuated() + link.nv; ++row) {
      for (const int column : forward.free_rows) {
        w.tau[row] += forward.M(row, column) * s.delta[column];
      }
      for (Eigen::Index k = 0; k < s.lambda.size(); ++k) w.tau[row] -= s.A(k, row) * s.lambda[k];
    }
  }
}

// Accelerations are rounded at this share of the largest.
template <class T>
double acceleration_noise(const model::WorkspaceT<T>& w) {
  double largest = 0.1;
  for (const auto& link : w.motion) {
    for (int k = 0; k < 3; ++k) {
      largest = std::max({largest, std::abs(spatial::value_of(link.alpha[k])),
                          std::abs(spatial::value_of(link.a[k]))});
    }
  }
  return 1e-13 * largest;
}

// Needs the factor of the rows whose rates are to vanish.
void take_opening_rates(const dynamics::ForwardScratch<double>& f, ConstraintScratch<double>& s,
                        model::State& state) {
  s.rhs = -s.rate;
  solve_rows(f, {kRatesMet, kValueNoise * (1.0 + state.v.lpNorm<Eigen::Infinity>())}, s);
  state.v += s.delta;
}

}  // namespace

template <class T>
ConstraintScratch<T>::ConstraintScratch(const model::Model& model,
                                        const std::vector<Constraint>& constraints,
                                        dynamics::Method method)
    : ConstraintScratch(model, constraints,
                        method == dynamics::Method::kArticulated ? RowSolution::kAlongTree
                                                                 : RowSolution::kMassMatrix) {}

template <class T>
ConstraintScratch<T>::ConstraintScratch(const model::Model& model,
                                        const std::vector<Constraint>& constraints,
                                        RowSolution solution) {
  const int m = row_count(constraints);
  GRAPPLE_ASSERT((std::is_same_v<T, double>) || solution == RowSolution::kMassMatrix || m == 0);
  value = rate = acceleration = drift = lambda = rhs = VecXT<T>::Zero(m);
  delta = VecXT<T>::Zero(model.nv());
  if (solution == RowSolution::kAlongTree && m > 0) {
    articulated.emplace(model, constraints);
    wrenches.resize(static_cast<std::size_t>(m));
  } else {
    make_dense_room(constraints, model.nv(), *this);
  }
  if (solution == RowSolution::kMassSolves && m > 0) {
    mass_solve.emplace(model);
    efforts = delta;
  }
}

template <class T>
void add_constraint_forces(const model::Model& model, const std::vector<Constraint>& constraints,
                           const model::StateT<T>& state, dynamics::ForwardScratch<T>& forward,
                           ConstraintScratch<T>& s, model::WorkspaceT<T>& w) {
  evaluate_rows<T>({model, s.t, state, w}, constraints, Rows::kAll, s);
  factor_rows(model, state, forward, s, w);
  s.rhs = -s.acceleration;
  solve_rows(forward, {kForcesMet, acceleration_noise(w)}, s);
  w.vdot += s.delta;
  dynamics::link_accelerations(model, w.vdot, w);
  add_driven_efforts(model, state, forward, s, w);
  if (!s.articulated) spread_over_dependent_rows(s);
  s.is_shared = !s.articulated || s.held.empty();
}

// All rows are asked for what the motion found does to them, so that they agree beside the
// manifold too; the answer is the same motion.
void share_constraint_forces(const model::Model& model, const std::vector<Constraint>& constraints,
                             const model::State& state, ConstraintScratch<double>& s,
                             model::Workspace& w) {
  if (s.is_shared) return;
  const std::span<const std::uint8_t> held = std::exchange(s.held, {});
  evaluate_rows<double>({model, s.t, state, w}, constraints, Rows::kAll, s);
  s.articulated->factor(model, state, w, s.wrenches);
  s.articulated->apply(s.delta, s.rhs);
  s.articulated->solve(s.rhs, {kForcesMet, acceleration_noise(w)}, s.lambda, s.delta);
  s.held = held;
  s.is_shared = true;
}

void project_rates(const model::Model& model, const std::vector<Constraint>& constraints,
                   model::State& state, dynamics::ForwardScratch<double>& forward,
                   ConstraintScratch<double>& s, model::Workspace& w) {
  dynamics::forward_kinematics(model, state, w);
  evaluate_rows<double>({model, s.t, state, w}, constraints, Rows::kAll, s);
  factor_mass(model, state, forward, s, w);
  factor_rows(model, state, forward, s, w);
  take_opening_rates(forward, s, state);
}

namespace {

// Newton's method on the positions; a factor serves as long as it closes well.
class Closing {
 public:
  Closing(const model::Model& model, const std::vector<Constraint>& constraints,
          model::State& state, dynamics::ForwardScratch<double>& forward,
          ConstraintScratch<double>& s, model::Workspace& w)
      : model_(model), constraints_(constraints), state_(state), forward_(forward), s_(s), w_(w) {}

  void iterate(ClosureResult& result) {
    double before = 0.0;
    bool fresh = false;
    for (; result.iterations < kMostClosingSteps; ++result.iterations) {
      dynamics::forward_kinematics(model_, state_, w_);
      evaluate_rows<double>({model_, s_.t, state_, w_}, constraints_, Rows::kPositions, s_);
      result.largest_value = s_.value.lpNorm<Eigen::Infinity>();
      if (!(largest_solved() > kClosedWithin)) return;
      if (!fresh || result.largest_value > kSlow * before) factor();
      fresh = true;
      before = result.largest_value;
      s_.rhs = -s_.value;
      solve_rows(forward_, {kValuesMet, kValueNoise}, s_);
      // Far from closed, half a radian or half a metre at a time.
      const double largest = s_.delta.lpNorm<Eigen::Infinity>();
      if (!std::isfinite(largest)) return;
      if (largest > 0.5) s_.delta *= 0.5 / largest;
      dynamics::move_positions(model_, s_.delta, state_.q);
      moved_ += std::min(largest, 0.5);
    }
  }

  void close_rates() {
    if (has_rate_rows(constraints_)) {
      evaluate_rows<double>({model_, s_.t, state_, w_}, constraints_, Rows::kAll, s_);
      factor();
    } else if (moved_ > kHardlyMoved) {
      factor();
    }
    take_opening_rates(forward_, s_, state_);
  }

 private:
  // Rows that are not held follow from those that are.
  double largest_solved() const {
    double largest = s_.held.empty() ? s_.value.lpNorm<Eigen::Infinity>() : 0.0;
    for (std::size_t row = 0; row < s_.held.size(); ++row) {
      if (s_.held[row] == 0) continue;
      largest = std::max(largest, std::abs(s_.value[static_cast<Eigen::Index>(row)]));
    }
    return largest;
  }
  void factor() {
    factor_mass(model_, state_, forward_, s_, w_);
    factor_rows(model_, state_, forward_, s_, w_);
    moved_ = 0.0;
  }

  const model::Model& model_;
  const std::vector<Constraint>& constraints_;
  model::State& state_;
  dynamics::ForwardScratch<double>& forward_;
  ConstraintScratch<double>& s_;
  model::Workspace& w_;
  double moved_ = std::numeric_limits<double>::infinity();  // since the factor was made
};

}  // namespace

ClosureResult close_constraints(const model::Model& model,
                                const std::vector<Constraint>& constraints, model::State& state,
                                dynamics::ForwardScratch<double>& forward,
                                ConstraintScratch<double>& s, model::Workspace& w) {
  ClosureResult result;
  Closing closing(model, constraints, state, forward, s, w);
  const std::span<const std::uint8_t> held = s.held;
  closing.iterate(result);
  if (!held.empty() && !(result.largest_value <= 1e3 * kClosedWithin)) {
    result.held_too_few = true;
    s.held = {};
    closing.iterate(result);
  }
  if (s.delta.allFinite()) closing.close_rates();
  s.held = held;
  if (!s.delta.allFinite()) return result;
  dynamics::normalize_quaternions(model, state.q.data());
  result.closed = result.largest_value <= 1e3 * kClosedWithin;
  return result;
}

void apply_rows(ConstraintScratch<double>& s, const VecX& direction, VecX& rates) {
  if (s.articulated) {
    s.articulated->apply(direction, rates);
  } else {
    rates.noalias() = s.A * direction;
  }
}

void keep_tangent(const dynamics::ForwardScratch<double>& forward, ConstraintScratch<double>& s,
                  VecX& direction) {
  apply_rows(s, direction, s.rhs);
  s.rhs = -s.rhs;
  solve_rows(forward, {kTangentMet, 0.0}, s);
  direction += s.delta;
}

template struct ConstraintScratch<double>;
template struct ConstraintScratch<Dual>;
template void add_constraint_forces(const model::Model&, const std::vector<Constraint>&,
                                    const model::State&, dynamics::ForwardScratch<double>&,
                                    ConstraintScratch<double>&, model::Workspace&);
template void add_constraint_forces(const model::Model&, const std::vector<Constraint>&,
                                    const model::StateT<Dual>&, dynamics::ForwardScratch<Dual>&,
                                    ConstraintScratch<Dual>&, model::WorkspaceT<Dual>&);

}  // namespace grapple::constraint
