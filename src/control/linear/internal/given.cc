#include "grapple/control/linear/internal/given.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <cmath>

#include "grapple/base/error.h"

namespace grapple::control {

namespace {

// Weights often come from products and integrals: rounding of that size is not the user's fault.
constexpr double kRounding = 1e-12;

VecX symmetric_eigenvalues(const MatX& matrix) {
  return Eigen::SelfAdjointEigenSolver<MatX>(matrix, Eigen::EigenvaluesOnly).eigenvalues();
}

// The smallest eigenvalue after rows and columns are scaled by `units`, which brings entries of
// different units to a common size and keeps the signs of the eigenvalues.
double smallest_scaled_eigenvalue(const MatX& matrix, const VecX& units) {
  const VecX scale = units.cwiseSqrt().cwiseInverse();
  return symmetric_eigenvalues(scale.asDiagonal() * matrix * scale.asDiagonal())[0];
}

VecX units_of(const MatX& matrix) {
  const double largest = matrix.diagonal().cwiseAbs().maxCoeff();
  const double otherwise = largest > 0.0 ? largest : 1.0;
  return matrix.diagonal().unaryExpr([&](double d) { return d > 0.0 ? d : otherwise; });
}

}  // namespace

std::string size_text(const MatX& matrix) {
  return fmt::format("{} x {}", matrix.rows(), matrix.cols());
}

std::string number_text(std::complex<double> value) {
  if (value.imag() == 0.0) return fmt::format("{:.6g}", value.real());
  return fmt::format("{:.6g} {} {:.6g}i", value.real(), value.imag() < 0.0 ? '-' : '+',
                     std::abs(value.imag()));
}

void require_size(const char* where, const char* name, const MatX& matrix, Eigen::Index rows,
                  Eigen::Index cols) {
  if (matrix.rows() != rows || matrix.cols() != cols) {
    throw Error("GR-980", where,
                fmt::format("{} is {}, but must be {} x {} to fit the other matrices", name,
                            size_text(matrix), rows, cols));
  }
  if (!matrix.allFinite()) {
    throw Error("GR-980", where, fmt::format("{} has an entry that is no finite number", name));
  }
}

void require_square(const char* where, const char* name, const MatX& A) {
  if (A.rows() == 0 || A.rows() != A.cols()) {
    throw Error(
        "GR-980", where,
        fmt::format("{} is {}, but must be square with at least one row", name, size_text(A)));
  }
  require_size(where, name, A, A.rows(), A.cols());
}

MatX required_symmetric(const char* where, const char* name, const MatX& matrix) {
  const double skew = (matrix - matrix.transpose()).cwiseAbs().maxCoeff();
  if (skew > kRounding * matrix.cwiseAbs().maxCoeff()) {
    throw Error("GR-981", where,
                fmt::format("{} must be symmetric, but entries differ from their mirror images by "
                            "up to {:.3g}",
                            name, skew));
  }
  return 0.5 * (matrix + matrix.transpose());
}

MatX required_semidefinite(const char* where, const char* name, const MatX& matrix) {
  return required_semidefinite(where, name, matrix, matrix);
}

MatX required_semidefinite(const char* where, const char* name, const MatX& matrix,
                           const MatX& terms) {
  MatX symmetric = required_symmetric(where, name, matrix);
  if (smallest_scaled_eigenvalue(symmetric, units_of(terms)) < -kRounding) {
    throw Error("GR-981", where,
                fmt::format("{} must not be negative in any direction, but has the eigenvalue "
                            "{:.6g}",
                            name, symmetric_eigenvalues(symmetric)[0]));
  }
  return symmetric;
}

MatX required_definite(const char* where, const char* name, const MatX& matrix) {
  MatX symmetric = required_symmetric(where, name, matrix);
  if (!(smallest_scaled_eigenvalue(symmetric, units_of(symmetric)) > kRounding)) {
    throw Error("GR-981", where,
                fmt::format("{} must be positive definite, but has the eigenvalue {:.6g}", name,
                            symmetric_eigenvalues(symmetric)[0]));
  }
  return symmetric;
}

}  // namespace grapple::control
