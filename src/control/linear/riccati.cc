#include "grapple/control/linear/riccati.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <cmath>
#include <string>

#include "grapple/base/error.h"
#include "grapple/control/linear/internal/given.h"
#include "grapple/control/linear/internal/schur.h"
#include "grapple/control/linear/lyapunov.h"
#include "grapple/control/linear/pbh.h"

namespace grapple::control {

namespace {

// Eigenvalues this close to the boundary of stability, relative to the size of A, may be on it: a
// double eigenvalue moves by the root of the rounding.
constexpr double kBoundary = 1e-8;

// How errors call the parts of the equation.
struct Words {
  const char *continuous, *discrete, *B, *Q, *R, *N, *reduced_Q, *unmoved, *unseen;
};
constexpr Words kRegulatorWords{"linear-quadratic regulator",
                                "discrete linear-quadratic regulator",
                                "B",
                                "Q",
                                "R",
                                "N",
                                "Q - N R^-1 N^T",
                                "the inputs cannot move the eigenvalue {}, which is not stable",
                                "the cost does not see the eigenvalue {} on the boundary of "
                                "stability, so nothing would damp it; give its states a weight "
                                "in Q"};
constexpr Words kEstimatorWords{
    "Kalman estimator",
    "discrete Kalman estimator",
    "C^T",
    "W",
    "V",
    "S",
    "W - S V^-1 S^T",
    "the outputs do not see the eigenvalue {}, which is not stable",
    "the noise W does not excite the eigenvalue {} on the boundary of stability, so the "
    "estimator would forget to correct it; give its states noise in W"};

// The equation, its data checked, the cross term eliminated.
struct Equation {
  StableRegion region;
  const Words& words;
  const char* where;
  MatX A, B, Q, R, N;
  MatX Ah, Qh, G;  // A', Q', G of the header

  Equation(StableRegion wanted, const MatX& a, const MatX& b, const Weights& weights,
           RiccatiPurpose purpose);
  void require_solvable() const;
  MatX gain(const MatX& X) const;
  // The left side of the equation at X, and the sum of the norms of its terms.
  MatX left_side(const MatX& X, double& terms) const;
};

Equation::Equation(StableRegion wanted, const MatX& a, const MatX& b, const Weights& weights,
                   RiccatiPurpose purpose)
    : region(wanted),
      words(purpose == RiccatiPurpose::kRegulator ? kRegulatorWords : kEstimatorWords),
      where(wanted == StableRegion::kLeftHalfPlane ? words.continuous : words.discrete),
      A(a),
      B(b) {
  require_square(where, "A", A);
  const Eigen::Index n = A.rows(), m = B.cols();
  if (m == 0) {
    throw Error("GR-980", where, fmt::format("{} has no columns, at least one is needed", words.B));
  }
  require_size(where, words.B, B, n, m);
  require_size(where, words.Q, weights.Q, n, n);
  require_size(where, words.R, weights.R, m, m);
  if (weights.N.size() != 0) require_size(where, words.N, weights.N, n, m);
  R = required_definite(where, words.R, weights.R);
  Q = required_semidefinite(where, words.Q, weights.Q);
  N = weights.N.size() != 0 ? weights.N : MatX::Zero(n, m);
  const Eigen::LLT<MatX> factor(R);
  const MatX root_B = factor.matrixL().solve(B.transpose());  // L^-1 B^T
  const MatX root_N = factor.matrixL().solve(N.transpose());
  G = root_B.transpose() * root_B;
  Ah = A - root_B.transpose() * root_N;
  Qh = required_semidefinite(where, words.reduced_Q, Q - root_N.transpose() * root_N, Q);
}

void Equation::require_solvable() const {
  const auto beyond = [&](std::complex<double> z) {  // > 0: unstable
    return region == StableRegion::kLeftHalfPlane ? z.real() : std::abs(z) - 1.0;
  };
  // The spectral radius of |A| has the size of A in any units of the states.
  const double size =
      region == StableRegion::kUnitDisc ? 1.0 : A.cwiseAbs().eigenvalues().cwiseAbs().maxCoeff();
  const std::vector<EigenvalueReach> moved = controllability(A, B), seen = observability(Ah, Qh);
  for (const EigenvalueReach& mode : moved) {
    if (mode.margin < kReachMargin && beyond(mode.eigenvalue) >= -kBoundary * size) {
      throw Error("GR-982", where,
                  fmt::format(fmt::runtime(words.unmoved), number_text(mode.eigenvalue)) +
                      fmt::format(" (its margin in the test of Popov, Belevitch and Hautus is "
                                  "{:.1e})",
                                  mode.margin));
    }
  }
  for (const EigenvalueReach& mode : seen) {
    if (mode.margin < kReachMargin && std::abs(beyond(mode.eigenvalue)) <= kBoundary * size) {
      throw Error("GR-982", where,
                  fmt::format(fmt::runtime(words.unseen), number_text(mode.eigenvalue)));
    }
  }
}

MatX Equation::gain(const MatX& X) const {
  if (region == StableRegion::kLeftHalfPlane) {
    return R.llt().solve(B.transpose() * X + N.transpose());
  }
  return (R + B.transpose() * X * B).llt().solve(B.transpose() * X * A + N.transpose());
}

MatX Equation::left_side(const MatX& X, double& terms) const {
  const MatX K = gain(X);
  if (region == StableRegion::kLeftHalfPlane) {
    const MatX AX = A.transpose() * X, quadratic = K.transpose() * R * K;
    terms = 2.0 * AX.norm() + quadratic.norm() + Q.norm();
    return AX + AX.transpose() - quadratic + Q;
  }
  const MatX AXA = A.transpose() * X * A;
  const MatX quadratic = K.transpose() * (R + B.transpose() * X * B) * K;
  terms = AXA.norm() + X.norm() + quadratic.norm() + Q.norm();
  return AXA - X - quadratic + Q;
}

// Exponents of the scaling x -> 2^s x, costate -> 2^-s costate.
VecX symplectic_exponents(const MatX& doubled) {
  const Eigen::Index n = doubled.rows() / 2;
  const VecX exponents = balancing_exponents(doubled);
  return (0.5 * (exponents.head(n) - exponents.tail(n))).array().round();
}

// X from the stable subspace of the scaled Hamiltonian matrix or symplectic pencil.
MatX from_subspace(const Equation& e) {
  const Eigen::Index n = e.A.rows();
  MatX shape(2 * n, 2 * n);
  shape << e.Ah.cwiseAbs(), e.G.cwiseAbs(), e.Qh.cwiseAbs(), e.Ah.transpose().cwiseAbs();
  const VecX scale = symplectic_exponents(shape).unaryExpr([](double s) { return std::exp2(s); });
  const VecX inverse = scale.cwiseInverse();
  const MatX Ah = scale.asDiagonal() * e.Ah * inverse.asDiagonal();
  const MatX G = scale.asDiagonal() * e.G * scale.asDiagonal();
  const MatX Qh = inverse.asDiagonal() * e.Qh * inverse.asDiagonal();
  const MatX zero = MatX::Zero(n, n), one = MatX::Identity(n, n);
  OrderedSubspace stable;
  if (e.region == StableRegion::kLeftHalfPlane) {
    MatX H(2 * n, 2 * n);
    H << Ah, -G, -Qh, -Ah.transpose();
    stable = stable_subspace(std::move(H), e.region);
  } else {
    MatX M(2 * n, 2 * n), L(2 * n, 2 * n);
    M << Ah, zero, -Qh, one;
    L << one, G, zero, Ah.transpose();
    stable = stable_subspace(std::move(M), std::move(L), e.region);
  }
  if (!stable.ordered || stable.basis.cols() != n) {
    throw Error("GR-983", e.where,
                fmt::format("rounding does not tell the stable eigenvalues from the unstable ones "
                            "({} stable ones, {} expected); scale the states and weights, or "
                            "weight slow states more",
                            stable.basis.cols(), n));
  }
  // X U1 = U2.
  const Eigen::FullPivLU<MatX> upper(stable.basis.topRows(n).transpose());
  if (!upper.isInvertible()) {
    throw Error("GR-983", e.where, "the stable subspace has no part along some of the states");
  }
  const MatX X = upper.solve(stable.basis.bottomRows(n).transpose()).transpose();
  return scale.asDiagonal() * (0.5 * (X + X.transpose())) * scale.asDiagonal();
}

// One step of Newton's method: the change solves a linear equation of the closed loop.
MatX newton_step(const Equation& e, const MatX& X, const MatX& left_side) {
  const MatX closed = e.A - e.B * e.gain(X);
  return X + (e.region == StableRegion::kLeftHalfPlane ? solve_lyapunov(closed, left_side)
                                                       : solve_stein(closed, left_side));
}

bool is_stable(StableRegion region, const Eigen::VectorXcd& poles) {
  for (const std::complex<double>& z : poles) {
    const bool inside = region == StableRegion::kLeftHalfPlane ? z.real() < 0.0 : std::abs(z) < 1.0;
    if (!inside) return false;
  }
  return true;
}

RiccatiSolution solve(const Equation& e) {
  e.require_solvable();
  MatX X = from_subspace(e);
  double terms = 0.0;
  MatX left = e.left_side(X, terms);
  if (left.norm() > kLargestRiccatiResidual * terms) {
    X = newton_step(e, X, left);
    left = e.left_side(X, terms);
  }
  RiccatiSolution solution{X, e.gain(X), {}, terms > 0.0 ? left.norm() / terms : 0.0};
  if (!(solution.residual <= kLargestRiccatiResidual)) {
    throw Error("GR-983", e.where,
                fmt::format("the residual is {:.2e} of its terms, at most {:.0e} is allowed; scale "
                            "the states and weights to similar sizes",
                            solution.residual, kLargestRiccatiResidual));
  }
  const Eigen::VectorXcd poles =
      Eigen::EigenSolver<MatX>(e.A - e.B * solution.K, false).eigenvalues();
  if (!is_stable(e.region, poles)) {
    throw Error("GR-983", e.where, "rounding leaves a closed loop that is not stable");
  }
  solution.poles.assign(poles.begin(), poles.end());
  return solution;
}

}  // namespace

RiccatiSolution solve_continuous_riccati(const MatX& A, const MatX& B, const Weights& weights,
                                         RiccatiPurpose purpose) {
  return solve(Equation(StableRegion::kLeftHalfPlane, A, B, weights, purpose));
}

RiccatiSolution solve_discrete_riccati(const MatX& A, const MatX& B, const Weights& weights,
                                       RiccatiPurpose purpose) {
  return solve(Equation(StableRegion::kUnitDisc, A, B, weights, purpose));
}

}  // namespace grapple::control
