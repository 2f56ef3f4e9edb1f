#include "grapple/control/predictive/householder.h"

#include <cmath>

#include "grapple/base/assert.h"

namespace grapple::control {

using spatial::MatX;

void triangularise(MatX& augmented, Eigen::Index unknowns) {
  const Eigen::Index rows = augmented.rows();
  GRAPPLE_ASSERT(rows >= unknowns && augmented.cols() >= unknowns);
  for (Eigen::Index k = 0; k < unknowns; ++k) {
    auto pivot = augmented.col(k).tail(rows - k);
    const double length = pivot.norm();
    if (!(length > 0.0)) continue;  // R(k, k) = 0: the caller sees it in the diagonal
    const double diagonal = pivot[0] > 0.0 ? -length : length;
    pivot[0] -= diagonal;
    const double scale = -1.0 / (diagonal * pivot[0]);  // 2 / |v|^2
    for (Eigen::Index j = k + 1; j < augmented.cols(); ++j) {
      auto column = augmented.col(j).tail(rows - k);
      column -= (scale * pivot.dot(column)) * pivot;
    }
    augmented(k, k) = diagonal;
  }
}

void back_substitute(const MatX& augmented, MatX& X) {
  const Eigen::Index n = X.rows();
  for (Eigen::Index j = 0; j < X.cols(); ++j) {
    auto x = X.col(j);
    x = augmented.col(n + j).head(n);
    for (Eigen::Index k = n - 1; k >= 0; --k) {
      x[k] /= augmented(k, k);
      x.head(k) -= x[k] * augmented.col(k).head(k);
    }
  }
}

double diagonal_ratio(const MatX& augmented, Eigen::Index unknowns) {
  const auto diagonal = augmented.diagonal().head(unknowns).cwiseAbs();
  return unknowns == 0 ? 1.0 : diagonal.minCoeff() / diagonal.maxCoeff();
}

}  // namespace grapple::control
