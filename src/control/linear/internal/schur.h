// Invariant and deflating subspaces by ordered Schur forms: LAPACK's dgees and dgges.
#pragma once

#include "grapple/spatial/types.h"

namespace grapple::control {

/// Where the wanted eigenvalues are.
enum class StableRegion { kLeftHalfPlane, kUnitDisc };

struct OrderedSubspace {
  spatial::MatX basis;  ///< orthonormal columns, one per wanted eigenvalue
  bool ordered =
      true;  ///< false: rounding moved eigenvalues across the boundary, or no convergence
};

/// Of H: the subspace of the eigenvalues in the region.
OrderedSubspace stable_subspace(spatial::MatX H, StableRegion region);
/// Of the pencil M - lambda L.
OrderedSubspace stable_subspace(spatial::MatX M, spatial::MatX L, StableRegion region);

/// Exponents s so that entries of diag(2^s) |M| diag(2^-s) are balanced: dgebal, without
/// permutations.
spatial::VecX balancing_exponents(spatial::MatX M);

}  // namespace grapple::control
