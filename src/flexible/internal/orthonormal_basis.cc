#include "grapple/flexible/internal/orthonormal_basis.h"

namespace grapple::flexible {

using spatial::MatX;
using spatial::VecX;

void OrthonormalBasis::hold(MatX columns, const VecX& scales) {
  columns = columns * scales.cwiseMax(1e-300).cwiseInverse().asDiagonal();
  remove(columns);
  while (Q_.cols() < Q_.rows() && columns.cols() > 0) {
    Eigen::Index largest = 0;
    const double remainder = columns.colwise().norm().maxCoeff(&largest);
    if (remainder <= tolerance_) return;
    MatX direction = columns.col(largest) / remainder;
    remove(direction);
    direction.normalize();
    Q_.conservativeResize(Eigen::NoChange, Q_.cols() + 1);
    Q_.rightCols(1) = direction;
    columns -= direction * (direction.transpose() * columns).eval();
  }
}

// Twice: once is not orthogonal to round-off.
void OrthonormalBasis::remove(MatX& columns) const {
  for (int pass = 0; pass < 2; ++pass) columns -= Q_ * (Q_.transpose() * columns).eval();
}

}  // namespace grapple::flexible
