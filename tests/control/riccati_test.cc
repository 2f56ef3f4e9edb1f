// Riccati equations, regulators and estimators: closed forms, random pairs, and a second way to the
// same solution (iteration on policies for the continuous equation, doubling for the discrete one).
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <random>
#include <string>

#include "grapple/base/error.h"
#include "grapple/control/linear/lqr.h"
#include "grapple/control/linear/lyapunov.h"
#include "grapple/control/linear/pbh.h"

namespace {

using namespace grapple::control;
using Eigen::MatrixXd;

MatrixXd random_matrix(std::mt19937& random, int rows, int cols) {
  std::normal_distribution<double> normal;
  MatrixXd m(rows, cols);
  for (int j = 0; j < cols; ++j) {
    for (int i = 0; i < rows; ++i) m(i, j) = normal(random);
  }
  return m;
}

struct RandomProblem {
  MatrixXd A, B;
  Weights weights;
};

// Weights from a factor [F; H]: with cross term N, and Q - N R^-1 N^T >= 0.
RandomProblem random_problem(unsigned seed) {
  std::mt19937 random(seed);
  const int n = 2 + static_cast<int>(seed % 19), m = 1 + static_cast<int>(seed % 3);
  const MatrixXd F = random_matrix(random, n + m, n), H = random_matrix(random, n + m, m);
  return {random_matrix(random, n, n),
          random_matrix(random, n, m),
          {F.transpose() * F, H.transpose() * H, F.transpose() * H}};
}

std::string id_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const grapple::Error& error) {
    return error.id() + " " + error.what();
  }
  return "none";
}

// The matrix sign of the Hamiltonian by Newton's iteration (Roberts 1971): an independent way to X.
MatrixXd by_matrix_sign(const MatrixXd& A, const MatrixXd& B, const Weights& w) {
  const auto n = A.rows();
  const MatrixXd N = w.N.size() ? w.N : MatrixXd::Zero(n, B.cols());
  const MatrixXd R1 = w.R.inverse(), Ah = A - B * R1 * N.transpose();
  MatrixXd S(2 * n, 2 * n);
  S << Ah, -B * R1 * B.transpose(), -(w.Q - N * R1 * N.transpose()), -Ah.transpose();
  for (int i = 0; i < 60; ++i) {
    const MatrixXd inverse = S.inverse();
    const double c = std::pow(std::abs(inverse.determinant()), 0.5 / static_cast<double>(n));
    S = 0.5 * (c * S + inverse / c);
  }
  // (S + 1) [1; X] = 0.
  MatrixXd left(2 * n, n), right(2 * n, n);
  left << S.topRightCorner(n, n), S.bottomRightCorner(n, n) + MatrixXd::Identity(n, n);
  right << S.topLeftCorner(n, n) + MatrixXd::Identity(n, n), S.bottomLeftCorner(n, n);
  return left.colPivHouseholderQr().solve(-right);
}

// Structure-preserving doubling (Chu, Fan, Lin, Wang 2004): X is the limit of H.
MatrixXd by_doubling(const MatrixXd& A0, const MatrixXd& B, const Weights& w) {
  const auto n = A0.rows();
  const MatrixXd N = w.N.size() ? w.N : MatrixXd::Zero(n, B.cols());
  const MatrixXd R1 = w.R.inverse(), one = MatrixXd::Identity(n, n);
  MatrixXd A = A0 - B * R1 * N.transpose(), G = B * R1 * B.transpose(),
           H = w.Q - N * R1 * N.transpose();
  for (int i = 0; i < 40; ++i) {
    const MatrixXd W = (one + G * H).inverse();
    const MatrixXd nextG = G + A * W * G * A.transpose();
    const MatrixXd nextH = H + A.transpose() * H * W * A;
    A = (A * W * A).eval();
    G = nextG;
    H = nextH;
  }
  return H;
}

TEST(Lqr, DoubleIntegratorHasItsClosedForm) {
  // x'' = u, cost q1 x^2 + q2 x'^2 + r u^2: k1 = sqrt(q1/r), k2 = sqrt(q2/r + 2 k1), e.g. Bryson
  // and Ho, Applied Optimal Control, 5.4.
  const MatrixXd A{{0, 1}, {0, 0}}, B{{0}, {1}};
  for (const auto& [q1, q2, r] :
       {std::array{1.0, 0.0, 1.0}, std::array{4.0, 9.0, 0.25}, std::array{1e4, 1.0, 1e-6}}) {
    const RiccatiSolution found = lqr(A, B, {MatrixXd{{q1, 0}, {0, q2}}, MatrixXd{{r}}});
    const double k1 = std::sqrt(q1 / r), k2 = std::sqrt(q2 / r + 2 * k1);
    EXPECT_NEAR(found.K(0, 0), k1, 1e-11 * k1);
    EXPECT_NEAR(found.K(0, 1), k2, 1e-11 * k2);
    EXPECT_LT(found.residual, 1e-10);
  }
}

TEST(Lqr, CrossTermOfAScalarSystem) {
  // 2 a x - (b x + n)^2 / r + q = 0, the root that makes a - b k < 0.
  const double a = 1.5, b = 2.0, q = 3.0, r = 0.5, n = 0.4;
  const RiccatiSolution found =
      lqr(MatrixXd{{a}}, MatrixXd{{b}}, {MatrixXd{{q}}, MatrixXd{{r}}, MatrixXd{{n}}});
  const double p = a - b * n / r, s = q - n * n / r, g = b * b / r;
  const double x = (p + std::sqrt(p * p + g * s)) / g;
  EXPECT_NEAR(found.X(0, 0), x, 1e-13);
  EXPECT_NEAR(found.K(0, 0), (b * x + n) / r, 1e-12);
}

TEST(Dlqr, ScalarSystemHasItsClosedForm) {
  // x = a^2 x - (a b x)^2 / (r + b^2 x) + q: b^2 x^2 + (r - a^2 r - b^2 q) x - q r = 0.
  for (const auto& [a, b, q, r] :
       {std::array{1.2, 0.5, 2.0, 0.3}, std::array{0.0, 1.0, 1.0, 1.0},
        std::array{-3.0, 2.0, 1e-3, 10.0}, std::array{1.0, 1e-3, 1.0, 1.0}}) {
    const RiccatiSolution found =
        dlqr(MatrixXd{{a}}, MatrixXd{{b}}, {MatrixXd{{q}}, MatrixXd{{r}}});
    const double linear = r - a * a * r - b * b * q;
    const double x = (-linear + std::sqrt(linear * linear + 4 * b * b * q * r)) / (2 * b * b);
    EXPECT_NEAR(found.X(0, 0), x, 1e-10 * x);
    EXPECT_NEAR(found.K(0, 0), a * b * x / (r + b * b * x), 1e-10 * std::abs(a / b));
  }
}

TEST(Lqr, HundredRandomPairsAreStableAndAgreeWithTheMatrixSign) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    const RandomProblem p = random_problem(seed);
    const RiccatiSolution found = lqr(p.A, p.B, p.weights);
    EXPECT_LT(found.residual, 1e-10) << "seed " << seed;
    for (const auto& pole : found.poles) EXPECT_LT(pole.real(), 0.0) << "seed " << seed;
    const MatrixXd other = by_matrix_sign(p.A, p.B, p.weights);
    // The sign iteration inverts ill-conditioned matrices and loses half of the digits.
    EXPECT_LT((found.X - other).norm(), 1e-6 * other.norm()) << "seed " << seed;
  }
}

// The eigenvalues of a random matrix fill a disc of radius sqrt(n); here about 1.2, as sampled
// systems have them: some are unstable.
RandomProblem random_discrete_problem(unsigned seed) {
  RandomProblem p = random_problem(seed);
  p.A *= 1.2 / std::sqrt(static_cast<double>(p.A.rows()));
  return p;
}

TEST(Dlqr, HundredRandomPairsAreStableAndAgreeWithDoubling) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    const RandomProblem p = random_discrete_problem(seed);
    const RiccatiSolution found = dlqr(p.A, p.B, p.weights);
    EXPECT_LT(found.residual, 1e-10) << "seed " << seed;
    for (const auto& pole : found.poles) EXPECT_LT(std::abs(pole), 1.0) << "seed " << seed;
    const MatrixXd other = by_doubling(p.A, p.B, p.weights);
    EXPECT_LT((found.X - other).norm(), 1e-7 * other.norm()) << "seed " << seed;
  }
}

TEST(Dlqr, SingularTransitionMatrixIsNoObstacle) {
  // A delay line: x1+ = u, x2+ = x1. X = Q + A^T Q A summed, the input never pays: K = 0.
  const MatrixXd A{{0, 0}, {1, 0}}, B{{1}, {0}};
  const RiccatiSolution found = dlqr(A, B, {MatrixXd::Identity(2, 2), MatrixXd{{1.0}}});
  EXPECT_LT((found.X - MatrixXd{{2, 0}, {0, 1}}).norm(), 1e-14);
  EXPECT_LT(found.K.norm(), 1e-14);
}

TEST(Lqr, WidelyScaledStatesKeepTheResidual) {
  // Ten undamped oscillators of 1 to 1e4 rad/s, positions in m, one force on all.
  const int modes = 10;
  MatrixXd A = MatrixXd::Zero(2 * modes, 2 * modes), B = MatrixXd::Zero(2 * modes, 1);
  MatrixXd Q = MatrixXd::Zero(2 * modes, 2 * modes);
  for (int i = 0; i < modes; ++i) {
    const double omega = std::pow(10.0, 4.0 * i / (modes - 1));
    A(i, modes + i) = 1.0;
    A(modes + i, i) = -omega * omega;
    B(modes + i, 0) = 1.0;
    Q(i, i) = omega * omega;
    Q(modes + i, modes + i) = 1.0;
  }
  const RiccatiSolution found = lqr(A, B, {Q, MatrixXd{{1e-4}}});
  EXPECT_LT(found.residual, 1e-10);
  for (const auto& pole : found.poles) EXPECT_LT(pole.real(), 0.0);
}

TEST(Kalman, IsTheRegulatorOfTheTransposedSystem) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const RandomProblem p = random_discrete_problem(seed);
    const MatrixXd C = p.B.transpose(), At = p.A.transpose();
    const Noise noise{p.weights.Q, p.weights.R, p.weights.N};
    EXPECT_EQ(kalman(At, C, noise).L, lqr(p.A, p.B, p.weights).K.transpose());
    const Estimator discrete = dkalman(At, C, noise);
    EXPECT_EQ(discrete.L, dlqr(p.A, p.B, p.weights).K.transpose());
    // L = A M for noises that are independent.
    const Estimator apart = dkalman(At, C, {noise.W, noise.V});
    EXPECT_LT((apart.L - At * apart.M).norm(), 1e-8 * apart.L.norm()) << "seed " << seed;
  }
}

TEST(Kalman, ScalarEstimatorHasItsClosedForm) {
  // A constant seen through noise, drifting with intensity w: P = sqrt(w v), L = sqrt(w / v).
  const Estimator found =
      kalman(MatrixXd{{0}}, MatrixXd{{1}}, {MatrixXd{{4e-4}}, MatrixXd{{0.01}}});
  EXPECT_NEAR(found.P(0, 0), 2e-3, 1e-15);
  EXPECT_NEAR(found.L(0, 0), 0.2, 1e-13);
}

TEST(Lqr, EigenvalueThatCannotBeMovedIsNamed) {
  const MatrixXd A{{2, 1}, {0, 3}}, B{{1}, {0}};
  const std::string told = id_of([&] { lqr(A, B, {MatrixXd::Identity(2, 2), MatrixXd{{1.0}}}); });
  EXPECT_TRUE(told.starts_with("GR-982")) << told;
  EXPECT_NE(told.find("cannot move the eigenvalue 3"), std::string::npos) << told;
  // A stable one may stay.
  EXPECT_EQ(id_of([&] {
              lqr(MatrixXd{{2, 1}, {0, -3}}, B, {MatrixXd::Identity(2, 2), MatrixXd{{1.0}}});
            }),
            "none");
}

TEST(Lqr, UnitsOfTheInputDoNotDecideAboutReach) {
  const MatrixXd A{{0, 1}, {0, 0}}, B{{0}, {1e-14}};
  EXPECT_EQ(id_of([&] { lqr(A, B, {MatrixXd::Identity(2, 2), MatrixXd{{1e-28}}}); }), "none");
}

TEST(Lqr, FreeMotionWithoutWeightIsRefused) {
  // Only the rate is weighted: the position may stay anywhere.
  const MatrixXd A{{0, 1}, {0, 0}}, B{{0}, {1}}, Q{{0, 0}, {0, 1}};
  const std::string told = id_of([&] { lqr(A, B, {Q, MatrixXd{{1.0}}}); });
  EXPECT_TRUE(told.starts_with("GR-982")) << told;
  EXPECT_NE(told.find("does not see the eigenvalue"), std::string::npos) << told;
}

TEST(Kalman, UnseenStateIsNamedAsUnseen) {
  const MatrixXd A{{0, 0}, {0, -1}}, C{{0, 1}};
  const std::string told = id_of([&] {
    kalman(A, C, {MatrixXd::Identity(2, 2), MatrixXd{{1.0}}});
  });
  EXPECT_TRUE(told.starts_with("GR-982")) << told;
  EXPECT_NE(told.find("outputs do not see the eigenvalue 0"), std::string::npos) << told;
}

TEST(Dlqr, EigenvalueOutsideTheDiscThatCannotBeMovedIsNamed) {
  const std::string told = id_of([] {
    dlqr(MatrixXd{{-1.5, 0}, {0, 0.5}}, MatrixXd{{0}, {1}},
         {MatrixXd::Identity(2, 2), MatrixXd{{1.0}}});
  });
  EXPECT_TRUE(told.starts_with("GR-982")) << told;
  EXPECT_NE(told.find("-1.5"), std::string::npos) << told;
}

TEST(Lqr, WrongWeightsAndSizesAreRefused) {
  const MatrixXd A{{0, 1}, {0, 0}}, B{{0}, {1}}, one = MatrixXd::Identity(2, 2), r{{1.0}};
  const double nan = std::nan("");
  EXPECT_TRUE(id_of([&] { lqr(A, B, {MatrixXd{{1, 1}, {0, 1}}, r}); }).starts_with("GR-981"));
  EXPECT_TRUE(id_of([&] { lqr(A, B, {MatrixXd{{1, 0}, {0, -1}}, r}); }).starts_with("GR-981"));
  EXPECT_TRUE(id_of([&] { lqr(A, B, {one, MatrixXd{{0.0}}}); }).starts_with("GR-981"));
  EXPECT_TRUE(id_of([&] { lqr(A, B, {one, r, MatrixXd{{2.0}, {0.0}}}); }).starts_with("GR-981"));
  EXPECT_TRUE(id_of([&] { lqr(A, B, {one, one}); }).starts_with("GR-980"));
  EXPECT_TRUE(id_of([&] { lqr(A, B.transpose(), {one, r}); }).starts_with("GR-980"));
  EXPECT_TRUE(id_of([&] { lqr(A, MatrixXd(2, 0), {one, r}); }).starts_with("GR-980"));
  EXPECT_TRUE(id_of([&] { lqr(MatrixXd{{nan}}, r, {r, r}); }).starts_with("GR-980"));
  EXPECT_TRUE(id_of([&] { lqr(MatrixXd(0, 0), r, {r, r}); }).starts_with("GR-980"));
}

TEST(Lyapunov, BothEquationsHold) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    const int n = 1 + static_cast<int>(seed);
    const MatrixXd F = random_matrix(random, n, n), half = random_matrix(random, n, n);
    const MatrixXd W = half * half.transpose();
    const MatrixXd stable = F - (F.norm() + 1.0) * MatrixXd::Identity(n, n);
    const MatrixXd P = solve_lyapunov(stable, W);
    EXPECT_LT((stable.transpose() * P + P * stable + W).norm(), 1e-13 * W.norm() * n);
    const MatrixXd inside = F * (0.9 / F.norm());
    const MatrixXd S = solve_stein(inside, W);
    EXPECT_LT((inside.transpose() * S * inside - S + W).norm(), 1e-13 * S.norm() * n);
  }
}

}  // namespace
