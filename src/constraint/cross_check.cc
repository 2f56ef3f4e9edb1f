#include "grapple/constraint/cross_check.h"

#include <Eigen/LU>

#include "grapple/dynamics/crba.h"
#include "grapple/dynamics/kinematics.h"
#include "grapple/dynamics/manifold.h"
#include "grapple/dynamics/rnea.h"

namespace grapple::constraint {

namespace {

using model::Link;
using spatial::MatX;
using spatial::VecX;

// The parts of matrices and vectors that belong to the coordinates that follow forces.
struct Free {
  std::vector<int> rows;
  MatX M;  ///< of all coordinates

  Free(const model::Model& model, const model::State& state, model::Workspace& w)
      : M(model.nv(), model.nv()) {
    dynamics::find_free_rows(model, state, rows);
    dynamics::crba_after_kinematics(model, w, M);
  }
  MatX columns(const MatX& all) const { return all(Eigen::all, rows); }
  MatX mass() const { return M(rows, rows); }
};

// The rows solved for, as numbers (constraint_solver.h).
std::vector<int> solved_rows(const ConstraintScratch<double>& s) {
  std::vector<int> rows;
  for (int row = 0; row < static_cast<int>(s.value.size()); ++row) {
    if (s.held.empty() || s.held[static_cast<std::size_t>(row)] != 0) rows.push_back(row);
  }
  return rows;
}

// Dense decompositions need at least one row and one column; where the loops hold nothing or
// nothing can move there is no motion to correct and no multiplier to find.
bool nothing_to_solve(const MatX& A) { return A.size() == 0; }

VecX correction(const CrossCheck& method, const Free& free, const ConstraintScratch<double>& s,
                const VecX& gap) {
  const std::vector<int> solved = solved_rows(s);
  const MatX A = free.columns(s.A)(solved, Eigen::all);
  return nothing_to_solve(A) ? VecX() : method.correction(free.mass(), A, gap(solved));
}

int solve(const CrossCheck& method, const ConstraintEquations& at, const VecX& alone, VecX& vdot,
          VecX& lambda) {
  if (!nothing_to_solve(at.A)) return method.solve(at, vdot, lambda);
  vdot = alone;
  lambda = VecX::Zero(at.A.rows());
  return 0;
}

}  // namespace

int solve_augmented(const MatX& M, const MatX& A, const VecX& f, const VecX& b, VecX& vdot,
                    VecX& lambda) {
  const Eigen::Index n = M.rows(), m = A.rows();
  MatX K = MatX::Zero(n + m, n + m);
  K << M, -A.transpose(), A, MatX::Zero(m, m);
  VecX rhs(n + m);
  rhs << f, -b;
  Eigen::FullPivLU<MatX> lu(K);
  lu.setThreshold(kCrossCheckDependent * kCrossCheckDependent);
  const VecX solution = lu.solve(rhs);
  vdot = solution.head(n);
  lambda = solution.tail(m);
  return static_cast<int>(lu.rank() - n);
}

void add_constraint_forces(const CrossCheck& method, const model::Model& model,
                           const std::vector<Constraint>& constraints, const model::State& state,
                           ConstraintScratch<double>& s, model::Workspace& w) {
  const Free free(model, state, w);
  evaluate_rows<double>({model, s.t, state, w}, constraints, Rows::kAll, s);
  const std::vector<int> solved = solved_rows(s);
  const MatX A = free.columns(s.A);
  ConstraintEquations at;
  at.M = free.mass();
  at.A = A(solved, Eigen::all);
  const VecX alone = w.vdot(free.rows);  // accelerations without the loops
  at.f = at.M * alone;
  at.b = s.acceleration(solved) - at.A * alone;
  at.value = s.value(solved);
  at.rate = s.rate(solved);
  VecX vdot, lambda;
  s.rank = solve(method, at, alone, vdot, lambda);
  s.lambda.setZero();
  s.lambda(solved) = lambda;
  if (solved.size() < static_cast<std::size_t>(s.value.size())) {
    // Multipliers of all rows, asked for what the motion found does to them.
    at.A = A;
    at.b = -A * vdot;
    at.value = at.rate = VecX::Zero(s.value.size());
    VecX same;
    solve(method, at, vdot, same, s.lambda);
  }
  s.delta.setZero();
  s.delta(free.rows) = vdot - alone;
  w.vdot += s.delta;
  dynamics::link_accelerations(model, w.vdot, w);
  for (int i = 1; i < model.link_count(); ++i) {
    if (state.driven[static_cast<std::size_t>(i)] == 0) continue;
    const Link& link = model.link(i);
    for (int row = link.v_actuated(); row < link.v_actuated() + link.nv; ++row) {
      w.tau[row] += free.M.row(row).dot(s.delta) - s.A.col(row).dot(s.lambda);
    }
  }
}

ClosureResult close_constraints(const CrossCheck& method, const model::Model& model,
                                const std::vector<Constraint>& constraints, model::State& state,
                                ConstraintScratch<double>& s, model::Workspace& w) {
  ClosureResult result;
  for (; result.iterations < kMostClosingSteps; ++result.iterations) {
    dynamics::forward_kinematics(model, state, w);
    evaluate_rows<double>({model, s.t, state, w}, constraints, Rows::kPositions, s);
    result.largest_value = s.value.lpNorm<Eigen::Infinity>();
    if (!(result.largest_value > kClosedWithin)) break;
    const Free free(model, state, w);
    const VecX step = correction(method, free, s, s.value);
    if (step.size() == 0 || !step.allFinite()) break;
    s.delta.setZero();
    s.delta(free.rows) = step;
    dynamics::move_positions(model, s.delta, state.q);
  }
  evaluate_rows<double>({model, s.t, state, w}, constraints, Rows::kAll, s);
  const Free free(model, state, w);
  const VecX step = correction(method, free, s, s.rate);
  if (step.size() > 0) {
    for (std::size_t k = 0; k < free.rows.size(); ++k) {
      state.v[free.rows[k]] += step[static_cast<Eigen::Index>(k)];
    }
  }
  dynamics::normalize_quaternions(model, state.q.data());
  result.closed = result.largest_value <= 1e3 * kClosedWithin;
  return result;
}

}  // namespace grapple::constraint
