// Inverse kinematics on random poses that a seven-joint arm reaches, and on poses it does not.
#include "grapple/control/kinematics/inverse_kinematics.h"

#include <gtest/gtest.h>

#include "control/arms.h"
#include "grapple/dynamics/jacobian.h"

namespace grapple::control {
namespace {

using spatial::Vec3;

struct IkCase {
  IkCase()
      : model(test::seven_joint_arm(test::ArmBase::kGround)),
        state(model),
        workspace(model),
        joints(test::coordinates_of(model)) {
    options.lower.assign(7, -2.6);
    options.upper.assign(7, 2.6);
    options.length = 1.0;
  }
  WantedPose pose_of_state() {
    dynamics::forward_kinematics(model, state, workspace);
    const auto at = dynamics::frame_motion(hand(), workspace);
    return {{at.R_WF, at.p_WF}};
  }
  const model::Frame& hand() const { return test::frame_of(model, "hand"); }
  IkResult solve(const WantedPose& wanted) {
    return inverse_kinematics(model, state, workspace, hand(), joints, wanted, options);
  }

  model::Model model;
  model::State state;
  model::Workspace workspace;
  std::vector<JointCoordinate> joints;
  IkOptions options;
};

TEST(InverseKinematics, FindsReachablePoses) {
  int reached = 0;
  long starts = 0;
  constexpr int kSeeds = 500;
  for (int seed = 1; seed <= kSeeds; ++seed) {
    IkCase arm;
    std::mt19937_64 random(static_cast<std::uint64_t>(seed));
    test::pose_at_random(arm.model, random, arm.state);
    const WantedPose wanted = arm.pose_of_state();
    test::pose_at_random(arm.model, random, arm.state);  // from somewhere else
    const IkResult result = arm.solve(wanted);
    starts += result.starts;
    if (!result.reached) continue;
    ++reached;
    EXPECT_LT(result.position_error, 1e-10) << seed;
    EXPECT_LT(result.rotation_error, 1e-10) << seed;
    const WantedPose found = arm.pose_of_state();  // the state is moved there
    EXPECT_LT((found.X_WF.p - wanted.X_WF.p).norm(), 1e-10) << seed;
    EXPECT_LT((found.X_WF.R - wanted.X_WF.R).norm(), 1e-9) << seed;
    for (const double q : result.q) {
      EXPECT_LE(q, 2.6);
      EXPECT_GE(q, -2.6);
    }
  }
  EXPECT_GE(reached, kSeeds * 99 / 100);
  RecordProperty("starts", std::to_string(starts));
}

// The base is at (0.1, 0.2, 0.3); stretched upwards the hand is 2 m above it (with the offsets of
// 0.02 and -0.01 m per link a little farther from it).
TEST(InverseKinematics, SaysHowNearItGetsToAPoseOutOfReach) {
  IkCase arm;
  WantedPose wanted;
  wanted.X_WF.p = Vec3(0.1, 0.2, 0.3) + 5.0 * Vec3(0.6, 0.0, 0.8);
  wanted.rows = {false, false, false, true, true, true};
  arm.options.starts = 10;
  const IkResult result = arm.solve(wanted);
  EXPECT_FALSE(result.reached);
  EXPECT_EQ(result.starts, 10);
  // No point of the arm is farther from its base than the sum of its links, 6 * 0.3008 + 0.2.
  EXPECT_GT(result.position_error, 5.0 - (6.0 * std::sqrt(0.09 + 0.0004 + 0.0001) + 0.2));
  EXPECT_LT(result.position_error, 5.0 - 1.95);
}

TEST(InverseKinematics, SearchesFromEveryStartAlsoWithoutLimits) {
  IkCase arm;
  arm.options.lower.clear();
  arm.options.upper.clear();
  WantedPose wanted;
  wanted.X_WF.p = Vec3(5.0, 0.0, 0.0);
  arm.options.starts = 10;
  const IkResult result = arm.solve(wanted);
  EXPECT_FALSE(result.reached);
  EXPECT_GE(result.iterations, 10);  // a start that is no number would make no step
}

TEST(InverseKinematics, StaysWithinJointLimitsAndNamesThem) {
  IkCase arm;
  for (std::size_t j = 0; j < 7; ++j) arm.state.q[arm.joints[j].q] = 1.5;
  const WantedPose wanted = arm.pose_of_state();
  arm.options.lower.assign(7, -0.5);
  arm.options.upper.assign(7, 0.5);
  arm.options.starts = 10;
  const IkResult result = arm.solve(wanted);
  EXPECT_FALSE(result.reached);
  EXPECT_FALSE(result.at_limit.empty());
  for (const double q : result.q) EXPECT_LE(std::abs(q), 0.5);
}

TEST(InverseKinematics, StartsFromASingularPosition) {
  IkCase arm;
  arm.state.q.setZero();
  std::mt19937_64 random(5);
  model::State goal(arm.model);
  test::pose_at_random(arm.model, random, goal);
  arm.state.q = goal.q;
  const WantedPose wanted = arm.pose_of_state();
  arm.state.q.setZero();
  EXPECT_TRUE(arm.solve(wanted).reached);
}

}  // namespace
}  // namespace grapple::control
