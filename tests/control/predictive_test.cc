// The problem of predictive control over a horizon: both forms of its solution, what the solution
// minimises, its limit of a long horizon, and what rounding leaves.
#include <gtest/gtest.h>

#include <Eigen/QR>
#include <random>

#include "grapple/control/linear/lqr.h"
#include "grapple/control/predictive/drive_sharing.h"
#include "grapple/control/predictive/horizon_problem.h"
#include "grapple/control/predictive/householder.h"
#include "support/allocations.h"

namespace grapple::control {
namespace {

using spatial::MatX;
using spatial::VecX;

/// Random numbers between -1 and 1, the same in every run.
class Numbers {
 public:
  explicit Numbers(unsigned seed) : engine_(seed) {}
  MatX matrix(int rows, int columns) {
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    MatX result(rows, columns);
    for (double& entry : result.reshaped()) entry = uniform(engine_);
    return result;
  }
  VecX vector(int size) { return matrix(size, 1).col(0); }

 private:
  std::mt19937 engine_;
};

Horizon horizon_of(Horizon::Form form, Horizon::Penalised penalised) {
  Horizon horizon;
  horizon.outputs = 2;
  horizon.inputs = 2;
  horizon.states = 4;
  horizon.length = 9;
  horizon.control_length = 5;
  horizon.weights = VecX{{3.0, 0.7}};
  horizon.penalty = VecX{{0.2, 0.5}};
  horizon.form = form;
  horizon.penalised = penalised;
  return horizon;
}

/// J by running the model, without f and G.
double cost_by_hand(const Horizon& horizon, const PredictionModel& model, VecX X, const VecX& u,
                    const VecX& wanted, VecX last) {
  double cost = 0.0;
  for (int j = 0; j < horizon.length; ++j) {
    const int i = std::min(j, horizon.control_length - 1);
    const VecX input = u.segment(i * horizon.inputs, horizon.inputs);
    if (j < horizon.control_length) {
      const bool of_change = horizon.penalised == Horizon::Penalised::kChange;
      cost += horizon.penalty.cwiseProduct(of_change ? VecX(input - last) : input).squaredNorm();
    }
    last = input;
    X = model.A * X + model.B * input + model.d;
    const VecX miss = model.C * X - wanted.segment(j * horizon.outputs, horizon.outputs);
    cost += horizon.weights.cwiseProduct(miss).squaredNorm();
  }
  return cost;
}

TEST(PredictiveHorizon, ClassicalAndRootFormGiveTheSameLaw) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    for (const auto penalised : {Horizon::Penalised::kInput, Horizon::Penalised::kChange}) {
      Numbers numbers(seed);
      const PredictionModel model{0.6 * numbers.matrix(4, 4), numbers.matrix(4, 2),
                                  numbers.matrix(2, 4), numbers.vector(4)};
      const VecX X = numbers.vector(4), wanted = numbers.vector(18), last = numbers.vector(2);
      HorizonProblem root(horizon_of(Horizon::Form::kRoot, penalised)),
          classical(horizon_of(Horizon::Form::kClassical, penalised));
      for (HorizonProblem* problem : {&root, &classical}) {
        problem->predict(model, X);
        ASSERT_TRUE(problem->solve(wanted, last)) << "seed " << seed;
      }
      // Well conditioned: rounding alone.
      EXPECT_LT((root.inputs() - classical.inputs()).norm(), 1e-12 * root.inputs().norm())
          << "seed " << seed;
      EXPECT_NEAR(root.cost(), classical.cost(), 1e-12 * root.cost());
      // The smallest cost of all: by the model itself, and no change of the inputs lowers it.
      const double smallest = cost_by_hand(root.horizon(), model, X, root.inputs(), wanted, last);
      EXPECT_NEAR(root.cost(), smallest, 1e-12 * smallest);
      for (int trial = 0; trial < 10; ++trial) {
        const VecX other = root.inputs() + 1e-3 * numbers.vector(10);
        EXPECT_GT(cost_by_hand(root.horizon(), model, X, other, wanted, last), smallest);
      }
    }
  }
}

// Without an end of the horizon it is the linear-quadratic regulator of the same weights, which the
// Riccati equation gives.
TEST(PredictiveHorizon, ALongHorizonGivesTheLinearQuadraticRegulator) {
  Numbers numbers(7);
  const PredictionModel model{0.9 * numbers.matrix(4, 4), numbers.matrix(4, 2),
                              numbers.matrix(2, 4), VecX::Zero(4)};
  Horizon horizon = horizon_of(Horizon::Form::kRoot, Horizon::Penalised::kInput);
  horizon.length = 80;
  horizon.control_length = 0;
  const MatX WC = horizon.weights.asDiagonal() * model.C;
  const RiccatiSolution regulator = dlqr(
      model.A, model.B, {WC.transpose() * WC, MatX(horizon.penalty.cwiseAbs2().asDiagonal()), {}});
  HorizonProblem problem(horizon);
  for (int trial = 0; trial < 5; ++trial) {
    const VecX X = numbers.vector(4);
    problem.predict(model, X);
    ASSERT_TRUE(problem.solve(VecX::Zero(160), VecX::Zero(2)));
    EXPECT_LT((problem.inputs().head(2) + regulator.K * X).norm(), 1e-9 * X.norm());
  }
}

// A double integrator sampled often, hardly penalised: G has a condition number of some 1e6, its
// square leaves few digits. The reference is the root form in long double.
TEST(PredictiveHorizon, TheRootFormKeepsDigitsThatTheClassicalOneLoses) {
  const double T = 1e-3;
  PredictionModel model{MatX{{1.0, T}, {0.0, 1.0}}, MatX{{0.5 * T * T}, {T}}, MatX{{1.0, 0.0}},
                        VecX::Zero(2)};
  Horizon horizon;
  horizon.length = 30;
  horizon.weights = VecX{{1.0}};
  horizon.penalty = VecX{{1e-11}};
  const VecX X{{0.01, -0.2}};
  VecX wanted(30);
  for (int j = 0; j < 30; ++j) wanted[j] = 1e-3 * std::sin(0.2 * j);
  double error[2];
  using MatL = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  for (const auto form : {Horizon::Form::kRoot, Horizon::Form::kClassical}) {
    horizon.form = form;
    HorizonProblem problem(horizon);
    problem.predict(model, X);
    ASSERT_TRUE(problem.solve(wanted, VecX::Zero(1)));
    MatL matrix = MatL::Zero(60, 30), right = MatL::Zero(60, 1);
    matrix.topRows(30) = problem.G().cast<long double>();
    matrix.bottomRows(30).diagonal().setConstant(1e-11L);
    right.topRows(30) = (wanted - problem.free_response()).cast<long double>();
    const MatL exact = matrix.householderQr().solve(right);
    const auto difference = problem.inputs().cast<long double>() - exact.col(0);
    error[form == Horizon::Form::kRoot ? 0 : 1] =
        static_cast<double>(difference.norm() / exact.norm());
  }
  RecordProperty("root", std::to_string(error[0]));
  EXPECT_LT(error[0], 1e-8);
  EXPECT_GT(error[1], 100.0 * error[0]) << "root " << error[0] << ", classical " << error[1];
}

TEST(PredictiveHorizon, LeastSquaresInPlaceAreThoseOfTheLibrary) {
  Numbers numbers(11);
  for (int trial = 0; trial < 10; ++trial) {
    const MatX A = numbers.matrix(9, 5), B = numbers.matrix(9, 2);
    MatX augmented(9, 7), X(5, 2);
    augmented << A, B;
    triangularise(augmented, 5);
    back_substitute(augmented, X);
    const MatX expected = A.householderQr().solve(B);
    EXPECT_LT((X - expected).norm(), 1e-12 * expected.norm());
    EXPECT_NEAR(augmented.bottomRightCorner(4, 2).norm(), (A * expected - B).norm(), 1e-12);
    EXPECT_GT(diagonal_ratio(augmented, 5), 1e-3);
  }
}

// Of all efforts with the same effect those of the smallest norm; a preload adds what has none.
TEST(PredictiveHorizon, DrivesShareTheForceWithoutWorkingAgainstEachOther) {
  Numbers numbers(3);
  DriveSharing sharing(2, 4);
  for (int trial = 0; trial < 10; ++trial) {
    const MatX map = numbers.matrix(2, 4);
    const VecX force = numbers.vector(2), preload = numbers.vector(4);
    const VecX least = map.completeOrthogonalDecomposition().solve(force);
    VecX efforts(4);
    ASSERT_TRUE(sharing.share(map, force, VecX::Zero(4), efforts));
    EXPECT_LT((efforts - least).norm(), 1e-12 * least.norm());
    ASSERT_TRUE(sharing.share(map, force, preload, efforts));
    EXPECT_LT((map * efforts - force).norm(), 1e-12);
    // Square to what moves the robot: the rest is the projection of the preload.
    const VecX rest = efforts - least;
    EXPECT_NEAR(rest.dot(preload), rest.squaredNorm(), 1e-12);
  }
  MatX dependent = numbers.matrix(2, 4);
  dependent.row(1) = -2.0 * dependent.row(0);
  VecX efforts(4);
  EXPECT_FALSE(sharing.share(dependent, VecX::Ones(2), VecX::Zero(4), efforts));
}

TEST(PredictiveHorizon, NothingIsAllocatedAfterSetUp) {
  if (GRAPPLE_SANITIZED) GTEST_SKIP() << "the sanitizer owns malloc";
  Numbers numbers(5);
  const PredictionModel model{numbers.matrix(4, 4), numbers.matrix(4, 2), numbers.matrix(2, 4),
                              VecX::Zero(4)};
  const VecX X = numbers.vector(4), wanted = numbers.vector(18), last = numbers.vector(2);
  for (const auto form : {Horizon::Form::kRoot, Horizon::Form::kClassical}) {
    HorizonProblem problem(horizon_of(form, Horizon::Penalised::kChange));
    const long before = allocations.load();
    problem.predict(model, X);
    problem.solve(wanted, last);
    EXPECT_EQ(allocations.load() - before, 0);
  }
}

}  // namespace
}  // namespace grapple::control
