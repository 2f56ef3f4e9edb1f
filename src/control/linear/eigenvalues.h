// Eigenvalues after balancing (LAPACK dgeevx): rows and columns that isolate an eigenvalue are
// taken out first, and the rest is scaled, so that states in different units do not cost accuracy.
#pragma once

#include <complex>
#include <vector>

#include "grapple/spatial/types.h"

namespace grapple::control {

/// A: square, finite; may be empty. Throws Error GR-983 if the iteration does not converge.
std::vector<std::complex<double>> eigenvalues(const spatial::MatX& A);

}  // namespace grapple::control
