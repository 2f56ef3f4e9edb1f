// Forces of loop closures, and the way back to the manifold. With M the mass matrix of the
// coordinates that follow forces, A the rows' derivative by the rates, L L' = M, W = L^-1 A':
//   S = W'W,   S lambda = -(acceleration of the rows without lambda),   v' += L^-T W lambda
// Projection moves positions and rates along M^-1 A', the shortest way in the metric of the kinetic
// energy. Rows that depend on others (planar loops in space, doubled closures, singular positions)
// are found by a pivoted factor of S scaled to a unit diagonal and left out: they follow from the
// rest. S is dense in the rows, M in the coordinates.
#pragma once

#include <vector>

#include "grapple/constraint/loop.h"
#include "grapple/dynamics/forward_dynamics.h"

namespace grapple::constraint {

template <class T>
struct LoopScratch {
  LoopScratch(const std::vector<Loop>& loops, int nv);

  spatial::MatXT<T> A;  ///< rows x nv
  spatial::MatXT<T> W;  ///< nv x rows, its first rows for the free coordinates
  spatial::MatXT<T> S;  ///< rows x rows; factored in place, permuted
  spatial::VecXT<T> value, rate, acceleration, lambda, rhs, scale, delta;
  std::vector<int> order;  ///< rows in the order of their pivots, independent ones first
  int rank = 0;
  double smallest_pivot = 1.0;  ///< of the independent rows: squared sine between the nearest two
};

/// Values, rates, accelerations and A of all rows at the last forward_kinematics; the accelerations
/// also need link accelerations (rnea.h).
template <class T>
void evaluate_rows(const model::Model& model, const std::vector<Loop>& loops,
                   const model::WorkspaceT<T>& workspace, LoopScratch<T>& scratch);

/// Corrects workspace.vdot, link accelerations and efforts of driven joints after
/// forward_dynamics_after_kinematics by a dense method; lambda stays in the scratch.
template <class T>
void add_loop_forces(const model::Model& model, const std::vector<Loop>& loops,
                     const model::StateT<T>& state, dynamics::ForwardScratch<T>& forward,
                     LoopScratch<T>& scratch, model::WorkspaceT<T>& workspace);

/// Values of all rows at the last forward_kinematics.
void loop_values(const model::Model& model, const std::vector<Loop>& loops,
                 const model::Workspace& workspace, spatial::VecX& value);

/// The wrench a loop puts on the link of M, about the origin of M, in the axes of F; needs
/// add_loop_forces.
template <class T>
spatial::SpatialT<T> loop_wrench(const model::Model& model, const std::vector<Loop>& loops,
                                 std::size_t loop, const LoopScratch<T>& scratch,
                                 const model::WorkspaceT<T>& workspace);

struct ClosureResult {
  bool closed = false;
  int iterations = 0;
  double largest_value = 0.0;  ///< m or rad, what is left
};

/// Moves positions until every row is closed, and takes from the rates what would open them.
ClosureResult close_loops(const model::Model& model, const std::vector<Loop>& loops,
                          model::State& state, dynamics::ForwardScratch<double>& forward,
                          LoopScratch<double>& scratch, model::Workspace& workspace);

}  // namespace grapple::constraint
