// The lowest natural modes of large sparse matrices: K v = omega^2 M v by Lanczos iterations on
// (K + shift M)^-1 M (Spectra), with a sparse LDL^T factorisation. Lanczos may miss one of several
// equal eigenvalues; the number of negative pivots of K - sigma M says how many lie below sigma
// (Sylvester's law of inertia), and the iteration is repeated with a larger space until all are
// there.
#pragma once

#include <memory>

#include "grapple/fem/element/assembly.h"
#include "grapple/flexible/reduction.h"

namespace grapple::fem {

/// A factorisation of a symmetric positive definite matrix, with a check that it is one.
class Factor {
 public:
  /// GR-390 with `message` if some motion meets no resistance.
  Factor(const SparseMatrix& K, const std::string& where, const std::string& message);
  ~Factor();
  Factor(const Factor&) = delete;
  Factor& operator=(const Factor&) = delete;
  spatial::MatX solve(const spatial::MatX& right) const;
  spatial::VecX solve(const spatial::VecX& right) const;

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

/// K + shift M positive definite, M too; 1 <= count <= size (GR-331). Shapes have v^T M v = 1 and
/// their largest entry positive. shift: rad^2/s^2, above zero for bodies that are not held.
/// GR-391 if the iteration does not find them.
flexible::LowestModes lowest_modes(const SparseMatrix& M, const SparseMatrix& K, int count,
                                   double shift = 0.0);
/// The same without shift, with a factorisation of K that is there already.
flexible::LowestModes lowest_modes(const SparseMatrix& M, const SparseMatrix& K, int count,
                                   const Factor& factor_of_K);

}  // namespace grapple::fem
