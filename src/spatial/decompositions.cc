#include "grapple/spatial/decompositions.h"

template class Eigen::JacobiSVD<grapple::spatial::MatX>;
template class Eigen::ColPivHouseholderQR<grapple::spatial::MatX>;
template class Eigen::CompleteOrthogonalDecomposition<grapple::spatial::MatX>;
template class Eigen::FullPivLU<grapple::spatial::MatX>;
template class Eigen::PartialPivLU<grapple::spatial::MatX>;
