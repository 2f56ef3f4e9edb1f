#include "grapple/control/kinematics/thin_svd.h"

#include <algorithm>
#include <cmath>

#include "grapple/base/assert.h"

namespace grapple::control {

void ThinSvd::compute(const spatial::MatX& A, int rows, int columns) {
  GRAPPLE_ASSERT(columns <= kMostColumns && rows <= U_.rows());
  rows_ = rows, columns_ = columns;
  U_.topLeftCorner(rows, columns) = A.topLeftCorner(rows, columns);
  V_.setIdentity();
  constexpr int kMostSweeps = 40;  // some eight are needed: convergence is quadratic
  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    bool turned = false;
    for (int p = 0; p + 1 < columns; ++p) {
      for (int q = p + 1; q < columns; ++q) {
        const double a = left(p).squaredNorm(), b = left(q).squaredNorm();
        const double c = left(p).dot(left(q));
        if (!(std::abs(c) > 1e-16 * std::sqrt(a * b))) continue;
        turned = true;
        const double zeta = (b - a) / (2.0 * c);
        const double t = std::copysign(1.0, zeta) / (std::abs(zeta) + std::sqrt(1.0 + zeta * zeta));
        const double cosine = 1.0 / std::sqrt(1.0 + t * t), sine = cosine * t;
        const auto turn = [&](auto& matrix, int height) {
          for (int i = 0; i < height; ++i) {
            const double x = matrix(i, p), y = matrix(i, q);
            matrix(i, p) = cosine * x - sine * y;
            matrix(i, q) = sine * x + cosine * y;
          }
        };
        turn(U_, rows);
        turn(V_, columns);
      }
    }
    if (!turned) break;
  }
  for (int k = 0; k < columns; ++k) values_[k] = left(k).norm();
  for (int k = 0; k + 1 < columns; ++k) {  // the largest first
    int largest = k;
    for (int i = k + 1; i < columns; ++i) {
      if (values_[i] > values_[largest]) largest = i;
    }
    if (largest == k) continue;
    std::swap(values_[k], values_[largest]);
    U_.col(k).swap(U_.col(largest));
    V_.col(k).swap(V_.col(largest));
  }
  rank_ = 0;
  constexpr double kRounding = 1e-13;
  while (rank_ < std::min(rows, columns) && values_[rank_] > kRounding * values_[0]) {
    U_.col(rank_).head(rows) /= values_[rank_];
    ++rank_;
  }
}

double ThinSvd::product() const {
  double product = 1.0;
  for (int k = 0; k < std::min(rows_, columns_); ++k) product *= values_[k];
  return product;
}

}  // namespace grapple::control
