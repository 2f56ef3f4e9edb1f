// Loops closed from afar, and what stands in the way.
#include "grapple/constraint/assemble.h"

#include <gtest/gtest.h>

#include <cmath>

#include "grapple/dynamics/kinematics.h"
#include "grapple/spatial/rotation.h"

namespace grapple::constraint {
namespace {

using model::JointType;
using model::Model;
using model::State;
using spatial::Vec3;

// Links of unit length on revolute joints about z, hanging on each other.
Model chain(int links, double length = 1.0) {
  model::ModelBuilder builder;
  for (int k = 0; k < links; ++k) {
    const std::string name = "b" + std::to_string(k);
    builder.add_body(name, {1.0, {0.5 * length, 0, 0}, 0.1 * spatial::Mat3::Identity()});
    model::JointSpec joint;
    joint.name = "j" + std::to_string(k);
    joint.type = JointType::kRevolute;
    if (k > 0) {
      joint.parent = "b" + std::to_string(k - 1);
      joint.X_PF.p = {length, 0, 0};
    }
    joint.child = name;
    builder.add_joint(joint);
  }
  return builder.build();
}

Constraint tip_to(const Model& model, const Vec3& target) {
  const int last = model.link_count() - 1;
  return Constraint{"tip", LoopClosure{{{"", 0, {spatial::Mat3::Identity(), target}},
                                        {"", last, {spatial::Mat3::Identity(), {1, 0, 0}}}},
                                       LoopType::kSpherical}};
}

TEST(Assemble, ClosesAFourBarThatStartsFarOpen) {
  const Model model = chain(3);
  State state(model);
  state.q << 2.5, 0.4, 0.3;  // the tip more than three metres from where it belongs
  const Constraint loop = tip_to(model, {1.5, 0, 0});
  const AssemblyResult result = assemble(model, {loop}, state);
  EXPECT_TRUE(result.closed);
  EXPECT_GT(result.before.norm(), 3.0);
  EXPECT_LT(result.after.lpNorm<Eigen::Infinity>(), 1e-11);
  EXPECT_TRUE(result.flipped.empty());
}

TEST(Assemble, ReportsALockUpWhenTheTargetIsOutOfReach) {
  const Model model = chain(3);
  State state(model);
  state.q << 0.3, 0.4, -0.5;
  const AssemblyResult result = assemble(model, {tip_to(model, {4.0, 0, 0})}, state);
  EXPECT_FALSE(result.closed);
  ASSERT_FALSE(result.singular.empty());
  EXPECT_EQ(result.singular.back().kind, SingularPlace::Kind::kLockUp);
  EXPECT_LT(result.share, 1.0);
  // It comes as near as three links reach: stretched out along the way it was led.
  EXPECT_GT(result.after.norm(), 0.99);
}

// Two links without mobility led to the other side of the reach: Fraczek's small target, the tip
// driven outward turns back at full stretch.
TEST(Assemble, FollowsACurveAroundItsTurn) {
  const Model model = chain(2);
  State state(model);
  state.q << 1.0, -2.0;  // tip on x, elbow up
  const AssemblyResult result = assemble(model, {tip_to(model, {2.2, 0, 0})}, state);
  EXPECT_FALSE(result.closed);
  ASSERT_FALSE(result.singular.empty());
  EXPECT_EQ(result.singular.front().kind, SingularPlace::Kind::kLockUp);
  // Full stretch, 2 m, on the way from 2 cos 1 to 2.2 m; seen within one step.
  const double start = 2.0 * std::cos(1.0);
  EXPECT_NEAR(result.share, (2.0 - start) / (2.2 - start), 0.02);
}

// The tip led through the base pivot, where the links may also turn as one: Fraczek's bifurcation.
TEST(Assemble, NamesABifurcationItPasses) {
  const Model model = chain(2);
  State state(model);
  state.q << std::acos(0.25), -2.0 * std::acos(0.25);  // tip at 0.5 m on x
  const AssemblyResult result = assemble(model, {tip_to(model, {-0.5, 0, 0})}, state);
  EXPECT_TRUE(result.closed);
  ASSERT_EQ(result.singular.size(), 1U);
  EXPECT_EQ(result.singular[0].kind, SingularPlace::Kind::kBifurcation);
  EXPECT_NEAR(result.singular[0].share, 0.5, 0.3);  // noted within a step or two of the place
}

TEST(Assemble, LeavesDrivenJointsAlone) {
  const Model model = chain(4);
  State state(model);
  state.q << 0.7, 0.4, 0.3, 0.2;
  state.driven[1] = 1;
  const AssemblyResult result = assemble(model, {tip_to(model, {1.0, 1.0, 0})}, state);
  EXPECT_TRUE(result.closed);
  EXPECT_EQ(state.q[0], 0.7);
}

TEST(Assemble, WhatIsNotANumberIsNotAssembled) {
  const Model model = chain(2);
  State state(model);
  const auto led = Constraint{
      "led", PrescribedMotion{
                 {{"", 0, {}}, {"", 2, {}}},
                 {{Function::expression("1/t"), Function::constant(0.0), Function::constant(0.0)}},
                 {}}};
  const AssemblyResult result = assemble(model, {led}, state);
  EXPECT_FALSE(result.closed);
  EXPECT_EQ(state.q, State(model).q);
}

TEST(Assemble, AClosedLoopStaysAsItIs) {
  const Model model = chain(2);
  State state(model);
  state.q << 0.5, -1.0;
  const spatial::VecX q = state.q;
  const AssemblyResult result =
      assemble(model, {tip_to(model, {2.0 * std::cos(0.5), 0, 0})}, state);
  EXPECT_TRUE(result.closed);
  EXPECT_EQ(result.steps, 0);
  EXPECT_EQ(state.q, q);
}

}  // namespace
}  // namespace grapple::constraint
