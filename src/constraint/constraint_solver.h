// Forces of constraints, and the way back to the manifold. With M the mass matrix of the
// coordinates that follow forces, A the rows' derivative by the rates, L L' = M, W = L^-1 A':
//   S = W'W,   S lambda = -(acceleration of the rows without lambda),   v' += L^-T W lambda
// or, where there are more coordinates, V = M^-1 A' by solutions along the tree (mass_solve.h):
//   S = A V,   v' += V lambda
// Projection moves positions and rates along M^-1 A', the shortest way in the metric of the kinetic
// energy. Rows that depend on others (planar loops in space, doubled closures, singular positions)
// are found by a pivoted factor of S and left out: they follow from the rest; of all multipliers
// with the same motion those of least norm (rows as scaled) are given. Each row is scaled by the
// longest of its constraint with the same unit, not by its own length: a row that fades away in a
// singular position must be seen to do so. S is dense in the rows, M in the coordinates.
//
// Which rows are independent is decided where the constraints are closed, and held from there (held
// rows). Beside the manifold, at a distance d, rows that depend on others on it are at an angle of
// order d to them and disagree with them by order d: solved for, they would add accelerations of
// order one, whatever the step.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "grapple/constraint/articulated_loops.h"
#include "grapple/constraint/constraint.h"
#include "grapple/dynamics/forward_dynamics.h"
#include "grapple/dynamics/mass_solve.h"

namespace grapple::constraint {

/// Whether an evaluation takes the rows held since the last choice, or finds the independent rows
/// anew. The latter is right on the manifold only.
enum class RowChoice { kHeld, kAnew };

/// How S, or what stands for it, is made; all but the first of doubles only.
enum class RowSolution {
  kMassMatrix,  ///< from the factored mass matrix of a dense method
  kMassSolves,  ///< from a solution along the tree per row, after aba
  kAlongTree,   ///< no S: the rows are eliminated along the tree; no room for A, W and S
};

template <class T>
struct ConstraintScratch {
  ConstraintScratch(const model::Model& model, const std::vector<Constraint>& constraints,
                    RowSolution solution);
  /// Articulated: along the tree; otherwise by the mass matrix.
  ConstraintScratch(const model::Model& model, const std::vector<Constraint>& constraints,
                    dynamics::Method method);

  double t = 0.0;  ///< set by the caller: rows may depend on time
  /// Set by the caller: per row, whether it is solved for; the others follow from these. Empty: the
  /// independent rows are found by pivots.
  std::span<const std::uint8_t> held;
  RowChoice choice = RowChoice::kHeld;  ///< what the owner of the rows puts into `held`
  spatial::MatXT<T> A;                  ///< rows x nv
  spatial::MatXT<T> W;  ///< nv x rows, its first rows for the free coordinates; by solves: V
  spatial::MatXT<T> S;  ///< rows x rows; factored in place, permuted
  spatial::VecXT<T> value, rate, acceleration, drift, lambda, rhs, scale, length, delta, efforts;
  std::vector<std::vector<int>> peers;  ///< per row, those of its constraint with the same unit
  spatial::MatXT<T> shares, gram;       ///< of dependent rows in independent ones
  spatial::VecXT<T> spread;
  std::vector<int> order;       ///< rows in the order of their pivots, independent ones first
  int rank = 0;                 ///< of the rows met; articulated: all of them, or none
  double smallest_pivot = 1.0;  ///< of the independent rows: squared sine between the nearest two
  std::optional<ArticulatedLoops> articulated;
  std::optional<dynamics::MassSolve> mass_solve;
  bool is_shared = true;            ///< lambda is of least norm; else zero where rows are not held
  std::vector<RowWrench> wrenches;  ///< articulated only
};

/// Which rows take part; the others are left without length, as those of constraints not active.
enum class Rows { kAll, kPositions };
/// Values, rates, accelerations and A (articulated: wrenches) of the rows.
template <class T>
void evaluate_rows(const TreeMotion<T>& tree, const std::vector<Constraint>& constraints,
                   Rows which, ConstraintScratch<T>& scratch);

/// Corrects workspace.vdot, link accelerations and efforts of driven joints after
/// forward_dynamics_after_kinematics by a dense method; lambda stays in the scratch.
template <class T>
void add_constraint_forces(const model::Model& model, const std::vector<Constraint>& constraints,
                           const model::StateT<T>& state, dynamics::ForwardScratch<T>& forward,
                           ConstraintScratch<T>& scratch, model::WorkspaceT<T>& workspace);

/// After add_constraint_forces: the multipliers of least norm among all that give the same motion.
/// The dense solution gives them at once; along the tree they cost another factor, and are asked
/// for where forces are read.
void share_constraint_forces(const model::Model& model, const std::vector<Constraint>& constraints,
                             const model::State& state, ConstraintScratch<double>& scratch,
                             model::Workspace& workspace);

/// Values and rates of all rows at the last forward_kinematics, in the scratch.
void constraint_values(const model::Model& model, const std::vector<Constraint>& constraints,
                       const model::State& state, const model::Workspace& workspace,
                       ConstraintScratch<double>& scratch);

/// Force and torque (about the origin of M) a constraint puts on the link of M, world axes; needs
/// add_constraint_forces.
template <class T>
spatial::SpatialT<T> constraint_wrench(const TreeMotion<T>& tree,
                                       const std::vector<Constraint>& constraints,
                                       std::size_t constraint, const ConstraintScratch<T>& scratch);

/// Takes from the rates what would open the constraints: the inelastic impulse in the metric of the
/// kinetic energy. Rank and order in the scratch are those of all active rows.
void project_rates(const model::Model& model, const std::vector<Constraint>& constraints,
                   model::State& state, dynamics::ForwardScratch<double>& forward,
                   ConstraintScratch<double>& scratch, model::Workspace& workspace);

/// A direction: what a direction of the coordinates (size nv) does to the rows last evaluated.
void apply_rows(ConstraintScratch<double>& scratch, const spatial::VecX& direction,
                spatial::VecX& rates);

/// Takes from `direction` (size nv) what opens the constraints, the shortest way; needs
/// add_constraint_forces at this place.
void keep_tangent(const dynamics::ForwardScratch<double>& forward,
                  ConstraintScratch<double>& scratch, spatial::VecX& direction);

/// Rows are closed to this, m or rad of loops a metre in size, or the iteration ends.
inline constexpr double kClosedWithin = 1e-13;
inline constexpr int kMostClosingSteps = 25;

struct ClosureResult {
  bool closed = false;
  int iterations = 0;
  double largest_value = 0.0;  ///< m or rad, what is left
  /// The held rows closed and left others open: they are too few here.
  bool held_too_few = false;
};

/// Moves positions until every row that holds positions is closed, then project_rates.
ClosureResult close_constraints(const model::Model& model,
                                const std::vector<Constraint>& constraints, model::State& state,
                                dynamics::ForwardScratch<double>& forward,
                                ConstraintScratch<double>& scratch, model::Workspace& workspace);

}  // namespace grapple::constraint
