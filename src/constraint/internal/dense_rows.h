// Rows of constraints solved by dense matrices (constraint_solver.h): S = W'W factored with pivots.
#pragma once

#include "grapple/constraint/constraint_solver.h"

namespace grapple::constraint {

/// A pivot below this square of a sine means that a row follows from others.
inline constexpr double kDependent = 1e-10;
/// Coefficients below this, of coordinates a metre or a radian in size, are rounding: the row ties
/// two frames that cannot move against each other.
inline constexpr double kNoRow = 1e-12;

/// Room for the dense matrices of the rows.
template <class T>
void make_dense_room(const std::vector<Constraint>& constraints, int nv,
                     ConstraintScratch<T>& scratch);

/// W, S and the pivoted factor of S, from A and the factored mass matrix.
template <class T>
void factor_dense_rows(const dynamics::ForwardScratch<T>& forward, ConstraintScratch<T>& scratch);

/// The same with V = M^-1 A' in the place of W, after an aba at this state.
void factor_solved_rows(const model::Model& model, const model::State& state,
                        const model::Workspace& workspace, ConstraintScratch<double>& scratch);

/// lambda of S lambda = rhs, dependent rows at zero, and delta = M^-1 A' lambda.
template <class T>
void solve_dense_rows(const dynamics::ForwardScratch<T>& forward, ConstraintScratch<T>& scratch);

/// Where rows depend on others: from the lambda of the independent rows to that of least norm among
/// all that give the same motion.
template <class T>
void spread_over_dependent_rows(ConstraintScratch<T>& scratch);

}  // namespace grapple::constraint
