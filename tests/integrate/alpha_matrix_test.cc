// The condensed solution equals that of the whole matrix, for blocks with rates and states.
#include "grapple/integrate/internal/alpha_matrix.h"

#include <gtest/gtest.h>

#include <random>

#include "grapple/integrate/dense_block.h"

namespace grapple::integrate::testing {
namespace {

using spatial::MatX;
using spatial::VecX;

/// A dense block with numbers that are given beforehand.
class GivenBlock final : public DenseBlock {
 public:
  GivenBlock(const BlockUnknowns& unknowns, const MatX& given) : DenseBlock(unknowns) { J = given; }
  void assemble(const MotionPoint&, const TangentWeights&, RowTangent&) override {}
};

class CondensedMatrix : public ::testing::TestWithParam<unsigned> {
 protected:
  CondensedMatrix() : random(GetParam()) {}
  MatX matrix(int rows, int columns) {
    std::uniform_real_distribution<double> number(-1.0, 1.0);
    return MatX::NullaryExpr(rows, columns, [&] { return number(random); });
  }
  MatX regular(int n) { return matrix(n, n) + 3.0 * MatX::Identity(n, n); }

  std::mt19937 random;
};
INSTANTIATE_TEST_SUITE_P(Seeds, CondensedMatrix, ::testing::Range(1U, 21U));

// Unknowns [v: 3 of one, 4 of the other | z: 2 of one, 1 of the other], four rows: one of the first
// block alone, one of the second, one of both, and one that is not held.
TEST_P(CondensedMatrix, SolvesAsTheWhole) {
  const SecondOrderSizes n{.positions = 7, .rates = 7, .states = 3, .rows = 4};
  const BlockUnknowns one{.first_rate = 0, .rates = 3, .first_state = 0, .states = 2},
      other{.first_rate = 3, .rates = 4, .first_state = 2, .states = 1};
  const std::vector<int> at_one{0, 1, 2, 7, 8}, at_other{3, 4, 5, 6, 9};
  GivenBlock first(one, regular(5)), second(other, regular(5));
  RowTangent rows(n);
  rows.A.leftCols(7) = matrix(4, 7);
  rows.A.row(0).segment(3, 4).setZero();
  rows.A.row(1).segment(0, 3).setZero();
  rows.rates = 0.3 * rows.A + 0.05 * matrix(4, 10);
  const HeldRows held{1, 1, 1, 0};
  constexpr double kRateWeight = 0.3;

  MatX whole = MatX::Zero(14, 14);
  whole(at_one, at_one) = first.J;
  whole(at_other, at_other) = second.J;
  whole.block(0, 10, 10, 3) = -rows.A.topRows(3).transpose();
  whole.block(10, 0, 3, 10) = rows.rates.topRows(3) / kRateWeight;
  whole(13, 13) = 1.0;
  const VecX right = matrix(14, 1);

  const std::vector<TangentBlock*> blocks{&first, &second};
  CondensedFactors condensed(blocks, n);
  ASSERT_TRUE(condensed.factor(rows, held, kRateWeight));
  VecX found = VecX::Zero(14);
  condensed.solve(right, found);
  // Round-off times the condition of random matrices of this size, below 1e3.
  EXPECT_LT((whole * found - right).norm(), 1e-12 * (1.0 + found.norm()));
  EXPECT_EQ(found[13], right[13]);
}

TEST(CondensedMatrix, SaysWhereABlockOrTheRowsAreSingular) {
  const SecondOrderSizes n{.positions = 2, .rates = 2, .rows = 1};
  RowTangent rows(n);
  rows.A << 1.0, 0.0;
  rows.rates = rows.A;
  GivenBlock first({.first_rate = 0, .rates = 1}, MatX::Identity(1, 1));
  GivenBlock second({.first_rate = 1, .rates = 1}, MatX::Identity(1, 1));
  const std::vector<TangentBlock*> blocks{&first, &second};
  CondensedFactors condensed(blocks, n);
  EXPECT_TRUE(condensed.factor(rows, {1}, 1.0));
  second.J(0, 0) = 0.0;
  EXPECT_FALSE(condensed.factor(rows, {1}, 1.0));
  second.J(0, 0) = 1.0;
  rows.A.setZero();
  EXPECT_FALSE(condensed.factor(rows, {1}, 1.0));
  EXPECT_TRUE(condensed.factor(rows, {0}, 1.0));
}

}  // namespace
}  // namespace grapple::integrate::testing
