// Pole placement for several inputs: K so that A - B K has the wanted eigenvalues, with
// eigenvectors as far from dependent as the freedom of the inputs allows, so that the poles move
// little when A and B are not exact. Method 0 of Kautsky, Nichols, Van Dooren (1985): eigenvector j
// lies in the null space of U1^T (A - z_j 1), B = [U0 U1] [Z; 0]; each in turn is moved towards the
// direction orthogonal to all others. Complex eigenvalues come in pairs. Holds for discrete systems
// alike.
#pragma once

#include <complex>
#include <vector>

#include "grapple/spatial/types.h"

namespace grapple::control {

struct Placement {
  spatial::MatX K;                          ///< m x n: u = -K x
  std::vector<std::complex<double>> poles;  ///< of A - B K, as computed from it
  double condition = 0.0;                   ///< of the eigenvectors; 1 is best
  double miss = 0.0;  ///< largest distance of a pole from the wanted one, relative to |A - B K|
};

/// poles: n of them, complex ones in pairs; an eigenvalue at most rank(B) times. Throws Error
/// GR-980 if sizes do not fit, GR-982 if an eigenvalue cannot be moved and is not wanted, GR-984 if
/// the wanted ones are not in pairs or too often the same, or if rounding misses them by more than
/// 1e-6.
Placement place(const spatial::MatX& A, const spatial::MatX& B,
                const std::vector<std::complex<double>>& poles);

}  // namespace grapple::control
