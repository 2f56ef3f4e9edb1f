// Checks of what the user of the linear functions gives. Each throws Error with `where`.
#pragma once

#include <complex>
#include <string>

#include "grapple/spatial/types.h"

namespace grapple::control {

using spatial::MatX;
using spatial::VecX;

/// "2 x 3".
std::string size_text(const MatX& matrix);
/// "-0.5", "1.2 + 3.4i".
std::string number_text(std::complex<double> value);

/// GR-980 unless the matrix is rows x cols and finite.
void require_size(const char* where, const char* name, const MatX& matrix, Eigen::Index rows,
                  Eigen::Index cols);
/// GR-980 unless A is square, not empty and finite.
void require_square(const char* where, const char* name, const MatX& A);
/// GR-981 unless the matrix is symmetric to rounding; returns its symmetric part.
MatX required_symmetric(const char* where, const char* name, const MatX& matrix);
/// GR-981 unless symmetric and without negative eigenvalues, to rounding.
MatX required_semidefinite(const char* where, const char* name, const MatX& matrix);
/// The same of a difference of terms, the rounding of which is of the size of `terms`.
MatX required_semidefinite(const char* where, const char* name, const MatX& matrix,
                           const MatX& terms);
/// GR-981 unless symmetric and positive definite.
MatX required_definite(const char* where, const char* name, const MatX& matrix);

}  // namespace grapple::control
