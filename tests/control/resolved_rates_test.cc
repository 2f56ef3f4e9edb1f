// Joint rates from a twist: what is asked is done, what is left free does not disturb it.
#include "grapple/control/kinematics/resolved_rates.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "control/arms.h"
#include "grapple/control/kinematics/generalized_jacobian.h"
#include "grapple/dynamics/crba.h"
#include "grapple/dynamics/energy.h"
#include "grapple/dynamics/jacobian.h"
#include "grapple/dynamics/manifold.h"
#include "support/counted_malloc.h"

namespace grapple::control {
namespace {

using spatial::MatX;
using spatial::Vec3;
using spatial::VecX;
using test::ArmBase;

// An arm at a random position and what its kinematics say.
struct PosedArm {
  explicit PosedArm(ArmBase base)
      : model(test::seven_joint_arm(base)),
        state(model),
        workspace(model),
        joints(test::coordinates_of(model)),
        scratch(model, joints.size()) {}

  void pose(std::mt19937_64& random) {
    test::pose_at_random(model, random, state);
    dynamics::forward_kinematics(model, state, workspace);
  }
  const model::Frame& hand() const { return test::frame_of(model, "hand"); }
  MatX mass_matrix() {
    MatX M(model.nv(), model.nv());
    dynamics::crba(model, state, workspace, M);
    return M;
  }
  MatX jacobian(const char* frame) {
    MatX J(6, model.nv());
    dynamics::frame_jacobian(model, test::frame_of(model, frame), workspace, J);
    return J;
  }
  // All rates of the model with those found; the base answers where it floats.
  VecX all_rates(BaseKind base) {
    VecX v = VecX::Zero(model.nv());
    for (std::size_t j = 0; j < joints.size(); ++j) {
      v[joints[j].v] = scratch.rates[static_cast<Eigen::Index>(j)];
    }
    if (base == BaseKind::kFloating) balance_momentum(mass_matrix(), floating_base(model), v);
    return v;
  }
  VecX twist_of(const VecX& v) { return jacobian("hand") * v; }
  RateResult find(const spatial::Spatial& twist, const RateOptions& options) {
    return resolved_rates(model, state, workspace, hand(), joints, twist, options, scratch);
  }

  model::Model model;
  model::State state;
  model::Workspace workspace;
  std::vector<JointCoordinate> joints;
  RateScratch scratch;
};

VecX as_vector(const spatial::Spatial& twist) {
  VecX v(6);
  v << twist.ang, twist.lin;
  return v;
}

const spatial::Spatial kTwist{{0.3, -0.2, 0.5}, {0.1, 0.4, -0.3}};

TEST(ThinSvd, AgreesWithTheLibrary) {
  std::srand(3);
  for (const int columns : {1, 3, 6}) {
    const MatX A = MatX::Random(9, columns);
    ThinSvd svd(12);
    svd.compute(A, 9, columns);
    const Eigen::JacobiSVD<MatX> expected(A);
    EXPECT_EQ(svd.rank(), columns);
    MatX back = MatX::Zero(9, columns);
    for (int k = 0; k < columns; ++k) {
      EXPECT_NEAR(svd.value(k), expected.singularValues()[k], 1e-14);
      back += svd.value(k) * svd.left(k) * svd.right(k).transpose();
    }
    EXPECT_LT((back - A).norm(), 1e-14);
  }
}

TEST(ThinSvd, CountsDependentColumnsOnce) {
  MatX A = MatX::Random(8, 6);
  A.col(5) = A.col(1) - 2.0 * A.col(3);
  ThinSvd svd(8);
  svd.compute(A, 8, 6);
  EXPECT_EQ(svd.rank(), 5);
  A.setZero();
  svd.compute(A, 8, 6);
  EXPECT_EQ(svd.rank(), 0);
}

TEST(ResolvedRates, ReproduceTheTwistAwayFromSingularPositions) {
  std::mt19937_64 random(11);
  for (const ArmBase base : {ArmBase::kGround, ArmBase::kFloating}) {
    PosedArm arm(base);
    for (const InverseKind inverse :
         {InverseKind::kPseudo, InverseKind::kInertiaWeighted, InverseKind::kWeighted}) {
      RateOptions options;
      options.inverse = inverse;
      options.weights = {1.0, 2.0, 5.0, 1.0, 0.5, 3.0, 1.0};
      if (base == ArmBase::kFloating) options.base = BaseKind::kFloating;
      int counted = 0;
      for (int k = 0; k < 60; ++k) {
        arm.pose(random);
        const RateResult result = arm.find(kTwist, options);
        if (result.smallest < 0.05) continue;
        ++counted;
        const VecX found = arm.twist_of(arm.all_rates(options.base));
        EXPECT_LT((found - as_vector(kTwist)).norm(), 1e-12) << result.smallest;
      }
      EXPECT_GT(counted, 15);
    }
  }
}

// The stretched arm cannot move its hand further out. Damped rates stay below |V| / (2 lambda) in
// sum, since sigma/(sigma^2 + lambda^2) <= 1/(2 lambda); undamped ones grow without bound near it.
TEST(ResolvedRates, StayBoundedThroughASingularPosition) {
  PosedArm arm(ArmBase::kGround);
  RateOptions damped;
  damped.damping = 0.1;
  damped.threshold = 0.02;
  double largest = 0.0, undamped = 0.0, largest_damping = 0.0;
  for (int k = -200; k <= 200; ++k) {  // through the stretched position
    arm.state.q.setZero();
    for (const int j : {1, 3, 5})
      arm.state.q[arm.joints[static_cast<std::size_t>(j)].q] = 0.002 * k;
    dynamics::forward_kinematics(arm.model, arm.state, arm.workspace);
    const RateResult result = arm.find(kTwist, damped);
    ASSERT_TRUE(arm.scratch.rates.allFinite());
    largest = std::max(largest, arm.scratch.rates.norm());
    largest_damping = std::max(largest_damping, result.damping);
    arm.find(kTwist, {});
    undamped = std::max(undamped, arm.scratch.rates.norm());
  }
  const double size = as_vector(kTwist).norm();
  EXPECT_GT(largest_damping, 0.09);
  // 6 directions, each at most 1/(2 lambda); lambda is smaller farther out, hence the factor.
  EXPECT_LT(largest, 3.0 * size / (2.0 * 0.1));
  EXPECT_GT(undamped, 10.0 * largest);
}

RateOptions with_all_tasks(const PosedArm& arm) {
  RateOptions options;
  options.posture = {{0.5, 0.4, 0.3, 0.2, 0.1, 0.0, -0.1}, 2.0};
  options.limits = {std::vector<double>(7, -3.0), std::vector<double>(7, 2.0), 1.5};
  options.obstacle = {test::frame_of(arm.model, "elbow"), {0.4, 0.1, 0.9}, 0.1, 5.0, 3.0};
  return options;
}

TEST(ResolvedRates, LowerTasksDoNotDisturbTheTask) {
  std::mt19937_64 random(12);
  for (const ArmBase base : {ArmBase::kGround, ArmBase::kFloating}) {
    PosedArm arm(base);
    RateOptions options = with_all_tasks(arm);
    for (const InverseKind inverse : {InverseKind::kPseudo, InverseKind::kInertiaWeighted}) {
      options.inverse = inverse;
      if (base == ArmBase::kFloating) {
        options.base = BaseKind::kFloating;
        options.reaction = ReactionTask::kMoment;
      }
      int counted = 0;
      double largest_wish = 0.0;
      for (int k = 0; k < 60; ++k) {
        arm.pose(random);
        RateOptions bare;
        bare.inverse = inverse;
        bare.base = options.base;
        if (arm.find(kTwist, bare).smallest < 0.05) continue;
        const VecX alone = arm.scratch.rates;
        ++counted;
        arm.find(kTwist, options);
        largest_wish = std::max(largest_wish, (arm.scratch.rates - alone).norm());
        const VecX found = arm.twist_of(arm.all_rates(options.base));
        EXPECT_LT((found - as_vector(kTwist)).norm(), 1e-12);
      }
      EXPECT_GT(counted, 15);
      EXPECT_GT(largest_wish, 0.1);  // the tasks do act
    }
  }
}

// min 1/2 v^T M v with J v = V: the saddle-point equations, solved as they stand.
TEST(ResolvedRates, InertiaWeightedInverseHasTheLeastKineticEnergy) {
  std::mt19937_64 random(13);
  for (const ArmBase base : {ArmBase::kGround, ArmBase::kFloating}) {
    PosedArm arm(base);
    RateOptions options;
    options.inverse = InverseKind::kInertiaWeighted;
    if (base == ArmBase::kFloating) options.base = BaseKind::kFloating;
    for (int k = 0; k < 30; ++k) {
      arm.pose(random);
      if (arm.find(kTwist, options).smallest < 0.05) continue;
      const VecX v = arm.all_rates(options.base);
      const MatX M = arm.mass_matrix(), J = arm.jacobian("hand");
      // With a floating base the momentum is held at zero as well: rows M_b v = 0.
      const int extra = base == ArmBase::kFloating ? 6 : 0, n = arm.model.nv();
      MatX C(6 + extra, n);
      C.topRows(6) = J;
      if (extra > 0) C.bottomRows(6) = M.middleRows(floating_base(arm.model), 6);
      MatX K = MatX::Zero(n + 6 + extra, n + 6 + extra);
      K.topLeftCorner(n, n) = M;
      K.topRightCorner(n, C.rows()) = C.transpose();
      K.bottomLeftCorner(C.rows(), n) = C;
      VecX right = VecX::Zero(K.rows());
      right.segment(n, 6) = as_vector(kTwist);
      const VecX expected = K.fullPivLu().solve(right).head(n);
      EXPECT_LT((v - expected).norm(), 1e-10 * expected.norm());
      arm.find(kTwist, RateOptions{.base = options.base});
      const VecX plain = arm.all_rates(options.base);
      EXPECT_LE(v.dot(M * v), plain.dot(M * plain) * (1.0 + 1e-12));
    }
  }
}

TEST(ResolvedRates, AFailedJointStandsStillAndTheOthersDoTheTask) {
  std::mt19937_64 random(14);
  PosedArm arm(ArmBase::kGround);
  for (const InverseKind inverse : {InverseKind::kPseudo, InverseKind::kInertiaWeighted}) {
    RateOptions options = with_all_tasks(arm);
    options.inverse = inverse;
    options.failed = {0, 0, 1, 0, 0, 0, 0};
    int counted = 0;
    for (int k = 0; k < 60; ++k) {
      arm.pose(random);
      if (arm.find(kTwist, options).smallest < 0.05) continue;
      ++counted;
      EXPECT_EQ(arm.scratch.rates[2], 0.0);
      const VecX found = arm.twist_of(arm.all_rates(BaseKind::kHeld));
      EXPECT_LT((found - as_vector(kTwist)).norm(), 1e-12);
    }
    EXPECT_GT(counted, 10);
  }
}

// Position alone leaves four freedoms, the moment on the base takes three of them.
TEST(ResolvedRates, ReactionOnTheBaseVanishesWhereThereIsFreedom) {
  std::mt19937_64 random(15);
  PosedArm arm(ArmBase::kFloating);
  RateOptions options;
  options.rows = {false, false, false, true, true, true};
  options.base = BaseKind::kFloating;
  options.reaction = ReactionTask::kMoment;
  int counted = 0;
  for (int k = 0; k < 60; ++k) {
    arm.pose(random);
    if (arm.find(kTwist, options).smallest < 0.05) continue;
    if (arm.scratch.lower_svd.value(2) < 0.05) continue;  // no freedom left for it here
    ++counted;
    const VecX v = arm.all_rates(BaseKind::kFloating);
    EXPECT_LT((arm.twist_of(v).tail(3) - kTwist.lin).norm(), 1e-12);
    VecX joints_only = v;
    const int at = floating_base(arm.model);
    joints_only.segment<6>(at).setZero();
    const VecX momentum = arm.mass_matrix().middleRows(at, 6) * joints_only;
    EXPECT_LT(momentum.tail(3).norm(), 1e-11);  // rates reach some 20 rad/s here
  }
  EXPECT_GT(counted, 10);
}

// A floating arm whose joints get these rates: the hand goes along the wanted line while the base
// drifts, and the momentum stays zero. Classical fourth-order steps on the manifold of positions.
TEST(ResolvedRates, OfAFloatingArmMoveTheHandAsAsked) {
  PosedArm arm(ArmBase::kFloating);
  RateOptions options;
  options.base = BaseKind::kFloating;
  const double start[] = {0.2, 0.9, 0.3, 1.4, -0.3, 1.2, 0.4};
  for (std::size_t j = 0; j < 7; ++j) arm.state.q[arm.joints[j].q] = start[j];
  dynamics::forward_kinematics(arm.model, arm.state, arm.workspace);
  const spatial::Spatial twist{{0.0, 0.0, 0.0}, {0.1, -0.05, 0.08}};
  const auto hand = [&] { return dynamics::frame_motion(arm.hand(), arm.workspace); };
  const auto first = hand();
  const Vec3 base_first = arm.state.q.head<3>();
  double nearest = 1.0;  // to a singular position
  const auto rates_at = [&](const VecX& q) {
    arm.state.q = q;
    dynamics::forward_kinematics(arm.model, arm.state, arm.workspace);
    nearest = std::min(nearest, arm.find(twist, options).smallest);
    return arm.all_rates(BaseKind::kFloating);
  };
  constexpr int kSteps = 200;
  const double h = 1.0 / kSteps;
  for (int k = 0; k < kSteps; ++k) {
    const VecX q = arm.state.q;
    const auto q_rate = [&](const VecX& at) {
      VecX rate(arm.model.nq());
      const VecX v = rates_at(at);
      dynamics::position_rates(arm.model, at, v, rate.data());
      return rate;
    };
    const VecX k1 = q_rate(q), k2 = q_rate(q + 0.5 * h * k1), k3 = q_rate(q + 0.5 * h * k2);
    const VecX k4 = q_rate(q + h * k3);
    VecX next = q + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
    dynamics::normalize_quaternions(arm.model, next.data());
    arm.state.v = rates_at(next);
    dynamics::forward_kinematics(arm.model, arm.state, arm.workspace);
    const auto moments = dynamics::mass_moments(arm.model, arm.state, arm.workspace, Vec3::Zero());
    EXPECT_LT(moments.linear.norm(), 1e-12);
    EXPECT_LT(moments.angular.norm(), 1e-12);
  }
  EXPECT_GT(nearest, 0.02);
  // Fourth order with h = 1/200: some 1e-10.
  EXPECT_LT((hand().p_WF - first.p_WF - twist.lin).norm(), 1e-8);
  EXPECT_LT((hand().R_WF - first.R_WF).norm(), 1e-8);
  EXPECT_GT((arm.state.q.head<3>() - base_first).norm(), 1e-3);  // the base does float
}

TEST(ResolvedRates, AllocateNothing) {
  if (GRAPPLE_SANITIZED) GTEST_SKIP() << "the sanitizer owns malloc";
  std::mt19937_64 random(16);
  PosedArm arm(ArmBase::kFloating);
  RateOptions options = with_all_tasks(arm);
  options.inverse = InverseKind::kInertiaWeighted;
  options.base = BaseKind::kFloating;
  options.reaction = ReactionTask::kMoment;
  options.damping = 0.1, options.threshold = 0.01;
  arm.pose(random);
  const model::Frame& hand = arm.hand();
  const long before = allocations.load();
  for (int k = 0; k < 10; ++k) {
    resolved_rates(arm.model, arm.state, arm.workspace, hand, arm.joints, kTwist, options,
                   arm.scratch);
  }
  EXPECT_EQ(allocations.load(), before);
}

}  // namespace
}  // namespace grapple::control
