#include "grapple/spatial/symmetric_eigen.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

namespace grapple::spatial {
namespace {

// A row of n equal springs between walls: 2 on the diagonal, -1 beside it.
MatX springs_in_a_row(Eigen::Index n) {
  MatX K = 2.0 * MatX::Identity(n, n);
  K.diagonal(1).setConstant(-1.0);
  K.diagonal(-1).setConstant(-1.0);
  return K;
}

// Closed form: 2 - 2 cos(k pi / (n + 1)), ascending in k.
VecX eigenvalues_of_springs(Eigen::Index n) {
  VecX values(n);
  for (Eigen::Index k = 0; k < n; ++k) {
    values[k] = 2.0 - 2.0 * std::cos(static_cast<double>(k + 1) * std::numbers::pi /
                                     static_cast<double>(n + 1));
  }
  return values;
}

// A backward stable solver errs by a few n eps |K| with |K| < 4: below 1e-14 for n = 12.
constexpr double kRoundOff = 2e-14;

TEST(SymmetricEigen, GivesTheClosedFormOfARowOfSprings) {
  const MatX K = springs_in_a_row(12);
  const SymmetricEigen eigen = symmetric_eigen(K);
  EXPECT_TRUE(eigen.converged);
  EXPECT_LT((eigen.values - eigenvalues_of_springs(12)).norm(), kRoundOff);
  EXPECT_LT((symmetric_eigenvalues(K) - eigenvalues_of_springs(12)).norm(), kRoundOff);
  EXPECT_LT((K * eigen.vectors - eigen.vectors * eigen.values.asDiagonal()).norm(), kRoundOff);
}

TEST(SymmetricEigen, VectorsOfAPairAreNormalisedByTheSecondMatrix) {
  const MatX K = springs_in_a_row(12);
  VecX masses(12);
  for (Eigen::Index k = 0; k < 12; ++k) masses[k] = 1.0 + static_cast<double>(k);
  const MatX M = masses.asDiagonal();
  const SymmetricEigen eigen = symmetric_eigen(K, M);
  EXPECT_LT((eigen.vectors.transpose() * M * eigen.vectors - MatX::Identity(12, 12)).norm(),
            kRoundOff);
  EXPECT_LT((K * eigen.vectors - M * eigen.vectors * eigen.values.asDiagonal()).norm(),
            4.0 * kRoundOff);  // |M| is 12
  EXPECT_LT((symmetric_eigenvalues(K, M) - eigen.values).norm(), kRoundOff);
}

TEST(SymmetricEigen, SaysWhenNumbersAreNotFinite) {
  MatX K = springs_in_a_row(3);
  K(1, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(symmetric_eigen(K).converged);
}

}  // namespace
}  // namespace grapple::spatial
