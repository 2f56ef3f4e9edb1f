#include "grapple/control/linear/lyapunov.h"

#include <Eigen/Dense>

#include "grapple/control/linear/internal/given.h"

namespace grapple::control {

namespace {

using MatXc = Eigen::MatrixXcd;
using VecXc = Eigen::VectorXcd;

// F = U T U^*, P = U Y U^*: column j of Y follows from those before it.
template <class Column>
MatX in_schur_form(const MatX& F, const MatX& W, Column column) {
  const Eigen::ComplexSchur<MatX> schur(F);
  const MatXc &T = schur.matrixT(), &U = schur.matrixU();
  const MatXc V = U.adjoint() * W * U;
  MatXc Y = MatXc::Zero(F.rows(), F.cols());
  for (Eigen::Index j = 0; j < F.cols(); ++j) {
    const VecXc before = Y.leftCols(j) * T.col(j).head(j);
    Y.col(j) = column(T, T(j, j), before, V.col(j));
  }
  const MatX P = (U * Y * U.adjoint()).real();
  return 0.5 * (P + P.transpose());
}

}  // namespace

MatX solve_lyapunov(const MatX& F, const MatX& W) {
  return in_schur_form(
      F, W,
      [](const MatXc& T, std::complex<double> t, const VecXc& before, const VecXc& v) -> VecXc {
        const MatXc left = T.adjoint() + t * MatXc::Identity(T.rows(), T.cols());
        return left.triangularView<Eigen::Lower>().solve(-v - before);
      });
}

MatX solve_stein(const MatX& F, const MatX& W) {
  return in_schur_form(
      F, W,
      [](const MatXc& T, std::complex<double> t, const VecXc& before, const VecXc& v) -> VecXc {
        const MatXc left = MatXc::Identity(T.rows(), T.cols()) - t * T.adjoint();
        return left.triangularView<Eigen::Lower>().solve(v + T.adjoint() * before);
      });
}

}  // namespace grapple::control
