// A joint locked in motion: the impulse inside it stops it, and the rest of the world feels nothing
// from outside.
#include <gtest/gtest.h>

#include "grapple/dynamics/energy.h"
#include "grapple/force/joint_elements.h"
#include "support.h"

namespace grapple::system::testing {
namespace {

using test::RandomTree;

Model floating_pair(const Vec3& gravity, JointType type, RandomTree& random) {
  ModelBuilder builder;
  builder.set_gravity(gravity);
  builder.add_body("a", random.mass_properties());
  builder.add_body("b", random.mass_properties());
  JointSpec spec = joint("hinge", type, "a", "b");
  spec.X_PF = random.pose();
  spec.X_BM = random.pose();
  spec.pitch = 0.1;
  builder.add_joint(spec);
  return builder.build();
}

TEST(Lock, InMotionKeepsTheMomentumAndBooksTheLoss) {
  double worst = 0.0;
  for (const JointType type : model::kAllJointTypes) {
    if (type == JointType::kFixed) continue;
    for (const double g : {0.0, 9.81}) {
      for (unsigned seed = 0; seed < 10; ++seed) {
        SCOPED_TRACE(std::string(joint_type_name(type)) + " seed " + std::to_string(seed));
        RandomTree random(seed);
        System system = system_of(floating_pair({0, 0, -g}, type, random), {});
        VecX x = random_state(system, random);
        const VecX before_x = x;
        const Totals before(system, x);
        system.lock(2, 0.0, view(x));
        const Totals after(system, x);
        const double size = 1.0 + before.linear.norm() + before.angular.norm();
        worst = std::max({worst, (after.linear - before.linear).norm() / size,
                          (after.angular - before.angular).norm() / size});
        const model::Link& link = system.model().link(2);
        EXPECT_EQ(x.segment(system.model().nq() + link.v_index, link.nv).norm(), 0.0);
        EXPECT_EQ(x.head(system.model().nq()), before_x.head(system.model().nq()));
        EXPECT_LT(after.kinetic, before.kinetic);
        const double booked =
            x[system.dynamic_size() + static_cast<int>(element::Supply::kLocking)];
        EXPECT_NEAR(booked, after.kinetic - before.kinetic, 1e-12 * (1.0 + before.kinetic));

        // Locked, it moves as one body: no relative acceleration, momentum changes by gravity
        // alone.
        const Snapshot<double> s = evaluated(system, 0.0, x);
        EXPECT_EQ(s.workspace.vdot.segment(link.v_index, link.nv).norm(), 0.0);
        // Free again it goes on from rest.
        system.unlock(2, 0.0, view(x));
        const Totals released(system, x);
        EXPECT_EQ(released.kinetic, after.kinetic);
      }
    }
  }
  // Rounding of the articulated recursion.
  EXPECT_LT(worst, 1e-12);
  std::printf("lock: worst relative change of momentum %.1e\n", worst);
}

// Fly-wheels on one axle: I1 w1 + I2 w2 = (I1 + I2) w.
TEST(Lock, ClutchOfTwoDiscs) {
  ModelBuilder builder;
  builder.add_body("disc1", lump(1.0, Vec3::Zero(), {1, 1, 2.0}));
  builder.add_body("disc2", lump(1.0, Vec3::Zero(), {1, 1, 0.5}));
  builder.add_joint(joint("axle", JointType::kRevolute, "world", "disc1"));
  builder.add_joint(joint("clutch", JointType::kRevolute, "disc1", "disc2"));
  System system = system_of(builder.build(), {});
  VecX x = state_with(system, VecX::Zero(2), Eigen::Vector2d(3.0, 7.0));
  system.lock(2, 0.0, view(x));
  const double common = (2.0 * 3.0 + 0.5 * 10.0) / 2.5;
  EXPECT_NEAR(x[2], common, 1e-14);
  EXPECT_EQ(x[3], 0.0);
  const double lost = 0.5 * 2.5 * common * common - 0.5 * 2.0 * 9.0 - 0.5 * 0.5 * 100.0;
  EXPECT_NEAR(x[system.dynamic_size() + static_cast<int>(element::Supply::kLocking)], lost, 1e-13);
}

TEST(Lock, AtRestCostsNothing) {
  System system = system_of(pendulum(1.0, 1.0, 0.1, 9.81), {});
  VecX x = state_with(system, VecX::Constant(1, 0.7), VecX::Zero(1));
  system.lock(1, 0.0, view(x));
  EXPECT_EQ(x[system.dynamic_size() + static_cast<int>(element::Supply::kLocking)], 0.0);
  const Snapshot<double> s = evaluated(system, 0.0, x);
  EXPECT_EQ(s.workspace.vdot[0], 0.0);
  // The lock carries the weight.
  EXPECT_NEAR(value(system, s, "joint/pivot/drive"), 9.81 * std::sin(0.7), 1e-14);
}

TEST(Lock, OutlivesAPrescribedMotionOfTheSameJoint) {
  System system =
      system_of(slider(1.0), {}, {{1, MotionLevel::kPosition, {Function::expression("2*t")}}});
  VecX x = system.initial_state();
  system.project(1.0, view(x));
  EXPECT_DOUBLE_EQ(x[0], 2.0);
  system.lock(1, 1.0, view(x));
  EXPECT_DOUBLE_EQ(x[0], 2.0);
  system.project(3.0, view(x));
  EXPECT_DOUBLE_EQ(x[0], 2.0) << "a locked joint stays where it was locked";
  EXPECT_DOUBLE_EQ(evaluated(system, 3.0, x).state.q[0], 2.0);
}

TEST(Modes, CanBeSavedAndRestored) {
  Model model = slider(1.0);
  auto spring = force::make_joint_spring(model, 1, {10.0}, {0.0});
  System system = system_of(std::move(model), elements(std::move(spring)));
  const Modes free = system.modes();
  VecX x = state_with(system, VecX::Ones(1), VecX::Zero(1));
  system.lock(1, 0.0, view(x));
  EXPECT_EQ(evaluated(system, 0.0, x).workspace.vdot[0], 0.0);
  system.set_modes(free);
  EXPECT_EQ(evaluated(system, 0.0, x).workspace.vdot[0], -10.0);
}

}  // namespace
}  // namespace grapple::system::testing
