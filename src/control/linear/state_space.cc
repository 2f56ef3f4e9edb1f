#include "grapple/control/linear/state_space.h"

#include <Eigen/Dense>
#include <cmath>
#include <limits>

#include "grapple/base/assert.h"
#include "grapple/control/linear/internal/given.h"
#include "grapple/control/linear/lyapunov.h"

namespace grapple::control {

void require_fitting(const StateSpace& system) {
  constexpr const char* kWhere = "linear system";
  if (system.A.size() != 0) require_square(kWhere, "A", system.A);
  const Eigen::Index n = system.A.rows();
  require_size(kWhere, "B", system.B, n, system.D.cols());
  require_size(kWhere, "C", system.C, system.D.rows(), n);
  require_size(kWhere, "D", system.D, system.D.rows(), system.D.cols());
}

Eigen::MatrixXcd frequency_response(const StateSpace& system, double omega) {
  const Eigen::Index n = system.A.rows();
  Eigen::MatrixXcd response = system.D.cast<std::complex<double>>();
  if (n == 0) return response;
  const std::complex<double> at = system.period > 0.0 ? std::polar(1.0, omega * system.period)
                                                      : std::complex<double>(0.0, omega);
  const Eigen::MatrixXcd pencil = at * Eigen::MatrixXcd::Identity(n, n) - system.A;
  response += system.C * pencil.partialPivLu().solve(system.B.cast<std::complex<double>>());
  return response;
}

MatX step_response(const StateSpace& system, int input, int count) {
  require_fitting(system);
  GRAPPLE_ASSERT(input >= 0 && input < system.B.cols() && count >= 0);
  MatX y(system.C.rows(), count);
  VecX x = VecX::Zero(system.A.rows());
  for (int k = 0; k < count; ++k) {
    y.col(k) = system.C * x + system.D.col(input);
    x = (system.A * x + system.B.col(input)).eval();
  }
  return y;
}

double h2_norm(const StateSpace& system) {
  require_fitting(system);
  const bool continuous = system.period == 0.0;
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  if (continuous && system.D.norm() > 0.0) return kInfinite;
  const double direct = system.D.squaredNorm();
  if (system.A.size() == 0) return std::sqrt(direct);
  for (const std::complex<double>& z : system.A.eigenvalues()) {
    if (continuous ? z.real() >= 0.0 : std::abs(z) >= 1.0) return kInfinite;
  }
  const MatX W = system.C.transpose() * system.C;
  const MatX P = continuous ? solve_lyapunov(system.A, W) : solve_stein(system.A, W);
  return std::sqrt((system.B.transpose() * P * system.B).trace() + direct);
}

}  // namespace grapple::control
