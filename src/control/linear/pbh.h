// Which eigenvalues of x' = A x + B u, y = C x an input can move and an output can see: the test of
// Popov, Belevitch and Hautus. An eigenvalue z of A cannot be moved by u exactly if [A - z 1, B]
// has dependent rows. States, inputs and outputs are scaled to a common size first (dgebal), so
// that units do not matter; `margin` is then the smallest singular value relative to the largest.
// Holds for discrete systems alike.
#pragma once

#include <complex>
#include <vector>

#include "grapple/spatial/types.h"

namespace grapple::control {

struct EigenvalueReach {
  std::complex<double> eigenvalue;
  double margin = 0.0;  ///< 0: cannot be moved (seen) at all
};

/// Below this margin an eigenvalue counts as out of reach; rounding alone leaves some 1e-16 n.
inline constexpr double kReachMargin = 1e-12;

/// One entry per eigenvalue of A (size n x n); B: n x m. Throws Error GR-980 if sizes do not fit.
std::vector<EigenvalueReach> controllability(const spatial::MatX& A, const spatial::MatX& B);
/// C: p x n.
std::vector<EigenvalueReach> observability(const spatial::MatX& A, const spatial::MatX& C);

}  // namespace grapple::control
