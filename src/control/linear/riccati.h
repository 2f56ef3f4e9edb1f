// Algebraic Riccati equations by ordered Schur forms (Laub 1979; Pappas, Laub, Sandell 1980):
//   continuous  A^T X + X A - (X B + N) R^-1 (B^T X + N^T) + Q = 0,
//   discrete    A^T X A - X - (A^T X B + N) (R + B^T X B)^-1 (B^T X A + N^T) + Q = 0.
// X is the one solution that makes A - B K stable, K = R^-1 (B^T X + N^T), or
// K = (R + B^T X B)^-1 (B^T X A + N^T). It spans, as [1; X], the stable subspace of
//   [ A', -G; -Q', -A'^T ]   or of the pencil   [ A', 0; -Q', 1 ] - z [ 1, G; 0, A'^T ],
// A' = A - B R^-1 N^T, Q' = Q - N R^-1 N^T, G = B R^-1 B^T, after a symplectic scaling of the
// states by powers of two. If the residual is beyond 1e-10 of the terms, one step of Newton and
// Kleinman follows. X exists exactly if (A, B) is stabilizable and the cost Q' sees every
// eigenvalue on the boundary of stability; unstable eigenvalues that the cost does not see are
// mirrored.
#pragma once

#include <complex>
#include <vector>

#include "grapple/spatial/types.h"

namespace grapple::control {

/// The cost: integral (or sum) of x^T Q x + 2 x^T N u + u^T R u.
struct Weights {
  spatial::MatX Q;       ///< n x n, symmetric, >= 0
  spatial::MatX R;       ///< m x m, symmetric, > 0
  spatial::MatX N = {};  ///< n x m; empty: zero. Q - N R^-1 N^T must be >= 0.
};

struct RiccatiSolution {
  spatial::MatX X;                          ///< symmetric, >= 0
  spatial::MatX K;                          ///< gain, m x n: u = -K x
  std::vector<std::complex<double>> poles;  ///< of A - B K
  double residual = 0.0;  ///< norm of the equation's left side over the sum of its terms' norms
};

inline constexpr double kLargestRiccatiResidual = 1e-10;

/// What the equation is solved for; errors then speak of its matrices.
enum class RiccatiPurpose { kRegulator, kEstimator };

/// A: n x n, B: n x m. Throws Error GR-980 if sizes do not fit, GR-981 if a weight is not symmetric
/// or has the wrong sign, GR-982 if an eigenvalue cannot be moved or is not seen by the cost,
/// GR-983 if rounding leaves no stable solution with a residual up to kLargestRiccatiResidual.
RiccatiSolution solve_continuous_riccati(const spatial::MatX& A, const spatial::MatX& B,
                                         const Weights& weights,
                                         RiccatiPurpose purpose = RiccatiPurpose::kRegulator);
RiccatiSolution solve_discrete_riccati(const spatial::MatX& A, const spatial::MatX& B,
                                       const Weights& weights,
                                       RiccatiPurpose purpose = RiccatiPurpose::kRegulator);

}  // namespace grapple::control
