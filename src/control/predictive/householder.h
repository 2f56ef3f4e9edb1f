// Orthogonal triangularisation in place, without allocation: Q^T [A | B] = [R | C1; 0 | C2] by
// Householder reflections (Lawson and Hanson 1974, ch. 10). With A of full column rank the least
// squares solution of A X = B is R X = C1, and the columns of C2 are what is left. Small problems;
// the columns are contiguous.
#pragma once

#include "grapple/spatial/types.h"

namespace grapple::control {

/// The first `unknowns` columns of `augmented` are A, the others B; as many rows as unknowns at
/// least. Afterwards R is in the upper triangle; below it nothing of use.
void triangularise(spatial::MatX& augmented, Eigen::Index unknowns);

/// X of R X = C1 from what triangularise left; X: unknowns x columns of B.
void back_substitute(const spatial::MatX& augmented, spatial::MatX& X);

/// The smallest |diagonal of R| over the largest: 0 where A has dependent columns.
double diagonal_ratio(const spatial::MatX& augmented, Eigen::Index unknowns);

}  // namespace grapple::control
