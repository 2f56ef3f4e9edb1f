#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <Eigen/SVD>

#include "grapple/constraint/cross_check.h"

namespace grapple::constraint {

namespace {

using spatial::MatX;
using spatial::VecX;

// Coordinates to correct: the largest shares rho_i^2 = [A'(A M^-1 A')^-1 A]_ii / M_ii of their
// direction in the span of the gradients, one after the other, each with what the chosen ones
// leave (pivoted Cholesky). With M = L L' and L^-1 A' = U s V' the bracket is L U U' L'.
std::vector<int> dependent_coordinates(const MatX& M, const MatX& A) {
  const Eigen::LLT<MatX> llt(M);
  const MatX W = llt.matrixL().solve(A.transpose());
  const VecX length = W.colwise().norm().cwiseMax(1e-300).transpose();
  const Eigen::JacobiSVD<MatX> svd(W * length.cwiseInverse().asDiagonal(), Eigen::ComputeThinU);
  int rank = 0;
  for (const double value : svd.singularValues()) rank += value > kCrossCheckDependent ? 1 : 0;
  const MatX L = llt.matrixL();
  const MatX half =
      M.diagonal().cwiseSqrt().cwiseInverse().asDiagonal() * L * svd.matrixU().leftCols(rank);
  MatX N = half * half.transpose();
  std::vector<int> chosen;
  for (int k = 0; k < rank; ++k) {
    Eigen::Index best = 0;
    N.diagonal().maxCoeff(&best);
    chosen.push_back(static_cast<int>(best));
    const VecX column = N.col(best) / std::sqrt(N(best, best));
    N -= column * column.transpose();
    N.row(best).setZero();
    N.col(best).setZero();
  }
  return chosen;
}

class OptimalPartition final : public CrossCheck {
 public:
  int solve(const ConstraintEquations& at, VecX& vdot, VecX& lambda) const override {
    return solve_augmented(at.M, at.A, at.f, at.b, vdot, lambda);
  }

  VecX correction(const MatX& M, const MatX& A, const VecX& gap) const override {
    const std::vector<int> chosen = dependent_coordinates(M, A);
    if (chosen.empty()) return VecX::Zero(M.rows());  // every row is released or moves nothing
    const MatX dependent = A(Eigen::all, chosen);
    VecX step = VecX::Zero(M.rows());
    step(chosen) = -dependent.colPivHouseholderQr().solve(gap);
    return step;
  }
};

}  // namespace

std::unique_ptr<CrossCheck> make_optimal_partition() {
  return std::make_unique<OptimalPartition>();
}

}  // namespace grapple::constraint
