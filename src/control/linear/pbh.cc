#include "grapple/control/linear/pbh.h"

#include <Eigen/Dense>
#include <cmath>

#include "grapple/control/linear/internal/given.h"
#include "grapple/control/linear/internal/schur.h"

namespace grapple::control {

namespace {

// A in balanced states, and the columns of B brought to the size of A.
void bring_to_common_size(MatX& A, MatX& B) {
  const Eigen::Index n = A.rows(), m = B.cols();
  MatX whole = MatX::Zero(n + m, n + m);
  whole.topLeftCorner(n, n) = A;
  whole.topRightCorner(n, m) = B;
  const VecX exponents = balancing_exponents(whole);
  const VecX scale = exponents.head(n).unaryExpr([](double e) { return std::exp2(e); });
  A = scale.asDiagonal() * A * scale.cwiseInverse().asDiagonal();
  B = scale.asDiagonal() * B;
  const double size = A.norm() > 0.0 ? A.norm() : 1.0;
  for (Eigen::Index j = 0; j < m; ++j) {
    const double length = B.col(j).norm();
    if (length > 0.0) B.col(j) *= size / length;
  }
}

}  // namespace

std::vector<EigenvalueReach> controllability(const MatX& A, const MatX& B) {
  require_square("controllability", "A", A);
  require_size("controllability", "B", B, A.rows(), B.cols());
  MatX a = A, b = B;
  bring_to_common_size(a, b);
  const Eigen::Index n = A.rows();
  const Eigen::VectorXcd eigenvalues = Eigen::EigenSolver<MatX>(a, false).eigenvalues();
  Eigen::MatrixXcd pencil(n, n + b.cols());
  std::vector<EigenvalueReach> reach;
  for (const std::complex<double>& z : eigenvalues) {
    pencil << a.cast<std::complex<double>>() - z * Eigen::MatrixXcd::Identity(n, n),
        b.cast<std::complex<double>>();
    const VecX singular = Eigen::JacobiSVD<Eigen::MatrixXcd>(pencil).singularValues();
    reach.push_back({z, singular[0] > 0.0 ? singular[n - 1] / singular[0] : 0.0});
  }
  return reach;
}

std::vector<EigenvalueReach> observability(const MatX& A, const MatX& C) {
  require_square("observability", "A", A);
  require_size("observability", "C", C, C.rows(), A.cols());
  return controllability(A.transpose(), C.transpose());
}

}  // namespace grapple::control
