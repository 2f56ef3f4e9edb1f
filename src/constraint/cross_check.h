// Other ways through the equations of closed loops, to check the default one (constraint_solver.h)
// against, each in a file of its own. They share no code with it but the rows, use dense matrices
// and allocate: not for long runs. Over the coordinates that follow forces,
//   M v' = f + A' lambda,   A v' = -b,   and corrections A delta = -gap of positions and rates.
#pragma once

#include <memory>
#include <string_view>

#include "grapple/constraint/constraint_solver.h"

namespace grapple::constraint {

struct ConstraintEquations {
  spatial::MatX M, A;
  spatial::VecX f, b;         ///< b: accelerations of the rows where v' is zero
  spatial::VecX value, rate;  ///< of the rows
};

class CrossCheck {
 public:
  virtual ~CrossCheck() = default;
  /// v' and lambda; returns the number of independent rows.
  virtual int solve(const ConstraintEquations& at, spatial::VecX& vdot,
                    spatial::VecX& lambda) const = 0;
  /// The step that takes a gap in the rows' values or rates away; empty: the method takes none.
  virtual spatial::VecX correction(const spatial::MatX& M, const spatial::MatX& A,
                                   const spatial::VecX& gap) const = 0;
};

/// Aghili and Piedboeuf 2002: projector P on the null space of A by singular values; the motion in
/// it by P M P, the rest and all corrections by the pseudo-inverse. Multipliers of least norm. Full
/// rank is not needed.
std::unique_ptr<CrossCheck> make_orthogonal_decomposition();
/// Terze and Lefeber 2002: corrections move only the coordinates nearest to the rows' gradients in
/// the metric of the kinetic energy, so that they do not push along the manifold.
std::unique_ptr<CrossCheck> make_optimal_partition();
/// Baumgarte 1972: rows' accelerations -2 s rate - s^2 value, no corrections. Gaps stay of the size
/// of the integration error.
std::unique_ptr<CrossCheck> make_baumgarte(double s_per_second);

/// As add_constraint_forces and close_constraints, by another method.
void add_constraint_forces(const CrossCheck& method, const model::Model& model,
                           const std::vector<Constraint>& constraints, const model::State& state,
                           ConstraintScratch<double>& scratch, model::Workspace& workspace);
ClosureResult close_constraints(const CrossCheck& method, const model::Model& model,
                                const std::vector<Constraint>& constraints, model::State& state,
                                ConstraintScratch<double>& scratch, model::Workspace& workspace);

/// The dense system of v' and lambda as it stands, by elimination with full pivoting.
int solve_augmented(const spatial::MatX& M, const spatial::MatX& A, const spatial::VecX& f,
                    const spatial::VecX& b, spatial::VecX& vdot, spatial::VecX& lambda);
/// Rows nearer than this sine to the others count as dependent.
inline constexpr double kCrossCheckDependent = 1e-5;

}  // namespace grapple::constraint
