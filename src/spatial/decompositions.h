// Eigen's decompositions of matrices of any size, compiled once in decompositions.cc: each takes
// the compiler 10 to 40 s, which every file that uses one would pay again.
#pragma once

#include <Eigen/Dense>

#include "grapple/spatial/types.h"

extern template class Eigen::JacobiSVD<grapple::spatial::MatX>;
extern template class Eigen::ColPivHouseholderQR<grapple::spatial::MatX>;
extern template class Eigen::CompleteOrthogonalDecomposition<grapple::spatial::MatX>;
extern template class Eigen::FullPivLU<grapple::spatial::MatX>;
extern template class Eigen::PartialPivLU<grapple::spatial::MatX>;
