// The corrections of the cross-check methods where they can be told by hand: a point mass at polar
// angle theta that should be on the unit circle and is off by eps along the radius.
#include "grapple/constraint/cross_check.h"

#include <gtest/gtest.h>

namespace grapple::constraint {
namespace {

using spatial::MatX;
using spatial::Vec3;
using spatial::VecX;

constexpr double kDegree = 0.017453292519943295;

struct Circle {
  explicit Circle(double theta) : along(std::cos(theta), std::sin(theta)) {
    A = along.transpose();
    gap = VecX::Constant(1, eps);
  }
  // What a correction leaves along the circle, per radial gap.
  double tangential(const VecX& step) const {
    return std::abs(-along.y() * step[0] + along.x() * step[1]) / eps;
  }
  double eps = 1e-3;
  Eigen::Vector2d along;
  MatX A, M = MatX::Identity(2, 2);
  VecX gap;
};

TEST(OptimalPartition, CorrectsTheCoordinateNearestToTheGradient) {
  // At 80 deg correcting y leaves eps cot(80 deg) along the circle; x would leave 5.67 eps.
  const Circle steep(80.0 * kDegree);
  const VecX step = make_optimal_partition()->correction(steep.M, steep.A, steep.gap);
  EXPECT_EQ(step[0], 0.0);
  EXPECT_NEAR(steep.tangential(step), 1.0 / std::tan(80.0 * kDegree), 1e-12);
  EXPECT_NEAR((steep.A * step)[0], -steep.eps, 1e-15);
  const Circle flat(10.0 * kDegree);
  EXPECT_EQ(make_optimal_partition()->correction(flat.M, flat.A, flat.gap)[1], 0.0);
}

// Heavy along y: the kinetic metric turns the choice at 50 deg, where y is nearer to the gradient.
TEST(OptimalPartition, UsesTheMetricOfTheKineticEnergy) {
  Circle circle(50.0 * kDegree);
  EXPECT_EQ(make_optimal_partition()->correction(circle.M, circle.A, circle.gap)[0], 0.0);
  circle.M(1, 1) = 9.0;
  EXPECT_EQ(make_optimal_partition()->correction(circle.M, circle.A, circle.gap)[1], 0.0);
}

TEST(OrthogonalDecomposition, CorrectsAcrossTheManifoldOnly) {
  const Circle circle(35.0 * kDegree);
  const VecX step = make_orthogonal_decomposition()->correction(circle.M, circle.A, circle.gap);
  EXPECT_NEAR(circle.tangential(step), 0.0, 1e-12);
  EXPECT_NEAR((circle.A * step)[0], -circle.eps, 1e-15);
}

// The same row twice: accelerations as with one, the force shared evenly.
TEST(OrthogonalDecomposition, SharesTheForceOfDoubledRows) {
  ConstraintEquations once;
  once.M = (MatX(2, 2) << 3.0, 0.5, 0.5, 2.0).finished();
  once.A = (MatX(1, 2) << 0.6, 0.8).finished();
  once.f = Eigen::Vector2d(1.0, -2.0);
  once.b = VecX::Constant(1, 0.7);
  ConstraintEquations twice = once;
  twice.A = (MatX(2, 2) << once.A, once.A).finished();
  twice.b = VecX::Constant(2, 0.7);
  VecX vdot_once, lambda_once, vdot_twice, lambda_twice;
  const auto method = make_orthogonal_decomposition();
  EXPECT_EQ(method->solve(once, vdot_once, lambda_once), 1);
  EXPECT_EQ(method->solve(twice, vdot_twice, lambda_twice), 1);
  EXPECT_LT((vdot_once - vdot_twice).norm(), 1e-14);
  EXPECT_NEAR(lambda_twice[0], 0.5 * lambda_once[0], 1e-14);
  EXPECT_NEAR(lambda_twice[1], 0.5 * lambda_once[0], 1e-14);
  EXPECT_LT((once.M * vdot_once - once.f - once.A.transpose() * lambda_once).norm(), 1e-14);
  EXPECT_NEAR((once.A * vdot_once)[0], -0.7, 1e-14);
}

TEST(Baumgarte, PullsGapsBackCritically) {
  ConstraintEquations at;
  at.M = MatX::Identity(2, 2);
  at.A = (MatX(1, 2) << 0.6, 0.8).finished();
  at.f = VecX::Zero(2);
  at.b = VecX::Zero(1);
  at.value = VecX::Constant(1, 1e-3);
  at.rate = VecX::Constant(1, 2e-3);
  VecX vdot, lambda;
  make_baumgarte(10.0)->solve(at, vdot, lambda);
  EXPECT_NEAR((at.A * vdot)[0], -2.0 * 10.0 * 2e-3 - 100.0 * 1e-3, 1e-15);
}

}  // namespace
}  // namespace grapple::constraint
