#include "grapple/spatial/symmetric_eigen.h"

#include <Eigen/Eigenvalues>

namespace grapple::spatial {

using Solver = Eigen::SelfAdjointEigenSolver<MatX>;
using GeneralizedSolver = Eigen::GeneralizedSelfAdjointEigenSolver<MatX>;

SymmetricEigen symmetric_eigen(const MatX& A) {
  const Solver solver(A);
  return {solver.eigenvalues(), solver.eigenvectors(), solver.info() == Eigen::Success};
}

SymmetricEigen symmetric_eigen(const MatX& A, const MatX& B) {
  const GeneralizedSolver solver(A, B);
  return {solver.eigenvalues(), solver.eigenvectors(), solver.info() == Eigen::Success};
}

VecX symmetric_eigenvalues(const MatX& A) {
  return Solver(A, Eigen::EigenvaluesOnly).eigenvalues();
}

VecX symmetric_eigenvalues(const MatX& A, const MatX& B) {
  return GeneralizedSolver(A, B, Eigen::EigenvaluesOnly).eigenvalues();
}

}  // namespace grapple::spatial
