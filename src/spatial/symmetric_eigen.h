// Eigenvalues of real symmetric matrices, ascending, by tridiagonal reduction and QR iteration.
// Here once for all modules, because Eigen's solver takes many seconds to compile wherever it is
// used.
#pragma once

#include "grapple/spatial/types.h"

namespace grapple::spatial {

struct SymmetricEigen {
  VecX values;
  MatX vectors;            ///< column k belongs to values[k]
  bool converged = false;  ///< false only for numbers that are not finite
};

/// A v = lambda v, V' V = 1. Only the lower triangle of A is read.
SymmetricEigen symmetric_eigen(const MatX& A);

/// A v = lambda B v, V' B V = 1, for positive definite B, through its Cholesky factor.
SymmetricEigen symmetric_eigen(const MatX& A, const MatX& B);

/// The eigenvalues alone: cheaper than with vectors.
VecX symmetric_eigenvalues(const MatX& A);
VecX symmetric_eigenvalues(const MatX& A, const MatX& B);

}  // namespace grapple::spatial
