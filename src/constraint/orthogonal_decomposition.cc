#include <Eigen/Cholesky>
#include <Eigen/SVD>

#include "grapple/constraint/cross_check.h"

namespace grapple::constraint {

namespace {

using spatial::MatX;
using spatial::VecX;

// A = U s V' over its independent rows; rows are scaled to length one first, so that metres and
// radians weigh alike.
struct Decomposition {
  MatX U, V;
  VecX s, length;
  int rank = 0;

  explicit Decomposition(const MatX& A) {
    length = A.rowwise().norm().cwiseMax(1e-300);
    const MatX scaled = length.cwiseInverse().asDiagonal() * A;
    const Eigen::JacobiSVD<MatX> svd(scaled, Eigen::ComputeThinU | Eigen::ComputeThinV);
    for (const double value : svd.singularValues()) rank += value > kCrossCheckDependent ? 1 : 0;
    U = svd.matrixU().leftCols(rank);
    V = svd.matrixV().leftCols(rank);
    s = svd.singularValues().head(rank);
  }
  // A+ y
  VecX pseudo_inverse(const VecX& y) const {
    return V * (U.transpose() * y.cwiseQuotient(length)).cwiseQuotient(s);
  }
  // (A')+ y, of least norm in the scaled rows
  VecX transposed_inverse(const VecX& y) const {
    return (U * (V.transpose() * y).cwiseQuotient(s)).cwiseQuotient(length);
  }
  MatX projector() const { return MatX::Identity(V.rows(), V.rows()) - V * V.transpose(); }
};

class OrthogonalDecomposition final : public CrossCheck {
 public:
  // v' = v'n + P y,  v'n = -A+ b,  (P M P + m V V') y = P (f - M v'n),  A' lambda = M v' - f.
  int solve(const ConstraintEquations& at, VecX& vdot, VecX& lambda) const override {
    const Decomposition split(at.A);
    const MatX P = split.projector();
    const VecX across = -split.pseudo_inverse(at.b);
    const double scale = at.M.trace() / static_cast<double>(at.M.rows());
    const MatX reduced = P * at.M * P + scale * split.V * split.V.transpose();
    vdot = across + P * reduced.llt().solve(P * (at.f - at.M * across));
    lambda = split.transposed_inverse(at.M * vdot - at.f);
    return split.rank;
  }

  VecX correction(const MatX& /*M*/, const MatX& A, const VecX& gap) const override {
    return -Decomposition(A).pseudo_inverse(gap);
  }
};

}  // namespace

std::unique_ptr<CrossCheck> make_orthogonal_decomposition() {
  return std::make_unique<OrthogonalDecomposition>();
}

}  // namespace grapple::constraint
