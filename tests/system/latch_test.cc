// Loops latched and released in motion; joints locked in closed mechanisms.
#include <gtest/gtest.h>

#include <algorithm>

#include "grapple/dynamics/energy.h"
#include "support.h"

namespace grapple::system::testing {
namespace {

using constraint::Latching;
using constraint::LoopType;
using test::RandomTree;

// Two floating bodies, one with an arm, and an open loop between arm and the other.
System satellites(LoopType type, RandomTree& random) {
  ModelBuilder builder;
  for (const char* name : {"a", "arm", "b"}) builder.add_body(name, random.mass_properties());
  JointSpec hinge = joint("hinge", JointType::kRevolute, "a", "arm");
  hinge.X_PF = random.pose();
  hinge.X_BM = random.pose();
  builder.add_joint(hinge);
  SystemParts parts;
  parts.model = builder.build();
  const auto link = [&](const char* body) {
    return parts.model.bodies()[static_cast<std::size_t>(parts.model.find_body(body))].link;
  };
  constraint::Loop loop = constraint::make_loop(
      "dock", type, {"", link("arm"), random.pose()}, {"", link("b"), random.pose()},
      type == LoopType::kDistance || type == LoopType::kScrew ? 0.3 : 0.0);
  loop.active = false;
  parts.loops = {loop};
  return System(std::move(parts));
}

double largest_row(const System& system, const VecX& x) {
  const Snapshot<double> s = evaluated(system, 0.0, x);
  return std::max(s.loops.value.lpNorm<Eigen::Infinity>(), s.loops.rate.lpNorm<Eigen::Infinity>());
}

TEST(Latch, InPlaceKeepsMomentumAndBooksTheLoss) {
  double worst = 0.0;
  for (const LoopType type :
       {LoopType::kFixed, LoopType::kRevolute, LoopType::kSpherical, LoopType::kPrismatic,
        LoopType::kPointOnLine, LoopType::kDistance, LoopType::kScrew}) {
    for (unsigned seed = 0; seed < 10; ++seed) {
      SCOPED_TRACE(seed);
      RandomTree random(seed);
      System system = satellites(type, random);
      VecX x = random_state(system, random);
      const VecX before_x = x;
      const Totals before(system, x);
      EXPECT_EQ(system.loop_rank(), 0);
      const LatchResult result = system.latch(0, 0.0, view(x));
      EXPECT_EQ(result.kind, LatchResult::Kind::kTaken);
      EXPECT_EQ(system.loop_rank(), static_cast<int>(system.loops()[0].rows.size()));
      const Totals after(system, x);
      const double size = 1.0 + before.linear.norm() + before.angular.norm();
      worst = std::max({worst, (after.linear - before.linear).norm() / size,
                        (after.angular - before.angular).norm() / size});
      EXPECT_LT(after.kinetic, before.kinetic);
      const double booked = x[system.dynamic_size() + static_cast<int>(Supply::kLocking)];
      EXPECT_NEAR(booked, after.kinetic - before.kinetic, 1e-12 * (1.0 + before.kinetic));
      // It holds where it was caught, and all relative motion it forbids has stopped.
      EXPECT_LT((x - before_x).head(system.model().nq()).norm(), 1e-12);
      EXPECT_LT(largest_row(system, x), 1e-11);
      EXPECT_EQ(system.latch(0, 0.0, view(x)).kind, LatchResult::Kind::kWasClosed);

      system.release(0, 0.0, view(x));
      EXPECT_EQ(system.loop_rank(), 0);
      const Snapshot<double> free = evaluated(system, 0.0, x);
      EXPECT_EQ(free.loops.lambda.norm(), 0.0);
      EXPECT_EQ(stored(free, Stored::kKinetic), after.kinetic);
    }
  }
  EXPECT_LT(worst, 1e-12);
  std::printf("latch: worst relative change of momentum %.1e\n", worst);
}

// Two point-like masses on a line: (m1 v1 + m2 v2) / (m1 + m2).
TEST(Latch, PlasticImpactOfTwoSliders) {
  ModelBuilder builder;
  const Mat3 x_axis = spatial::frame_with_z(Vec3::UnitX());
  builder.add_body("one", lump(2.0, Vec3::Zero(), Vec3::Ones()));
  builder.add_body("two", lump(3.0, Vec3::Zero(), Vec3::Ones()));
  builder.add_joint(joint("s1", JointType::kPrismatic, "world", "one", x_axis));
  builder.add_joint(joint("s2", JointType::kPrismatic, "world", "two", x_axis));
  SystemParts parts;
  parts.model = builder.build();
  constraint::Loop loop = constraint::make_loop("hook", LoopType::kFixed, {"", 1, {}}, {"", 2, {}});
  loop.active = false;
  parts.loops = {loop};
  System system(std::move(parts));
  VecX x = state_with(system, Eigen::Vector2d(0.0, 0.5), Eigen::Vector2d(4.0, -1.0));
  system.latch(0, 0.0, view(x));
  EXPECT_NEAR(x[2], 1.0, 1e-14);
  EXPECT_NEAR(x[3], 1.0, 1e-14);
  EXPECT_NEAR(x[1] - x[0], 0.5, 1e-15);
  EXPECT_NEAR(x[system.dynamic_size() + static_cast<int>(Supply::kLocking)], -15.0, 1e-13);
  // The other five rows follow from the slides.
  EXPECT_EQ(system.loop_rank(), 1);
  EXPECT_EQ(system.dependences().size(), 5U);
}

TEST(Latch, AsGivenMissesWhatIsTooFar) {
  ModelBuilder builder;
  builder.add_body("bob", lump(2.0, Vec3::Zero(), Vec3::Ones()));
  SystemParts parts;
  parts.model = builder.build();
  constraint::Loop loop =
      constraint::make_loop("hook", LoopType::kSpherical, {"", 0, {}}, {"", 1, {}});
  loop.active = false;
  loop.latching = Latching::kAsGiven;
  loop.capture = 0.01;
  parts.loops = {loop};
  System system(std::move(parts));
  VecX x = system.initial_state();
  x[0] = 0.02;
  const VecX before = x;
  const LatchResult missed = system.latch(0, 0.0, view(x));
  EXPECT_EQ(missed.kind, LatchResult::Kind::kMissed);
  EXPECT_DOUBLE_EQ(missed.off, 0.02);
  EXPECT_EQ(x, before);
  EXPECT_EQ(system.loop_rank(), 0);
  x[0] = 0.005;
  EXPECT_EQ(system.latch(0, 0.0, view(x)).kind, LatchResult::Kind::kTaken);
  EXPECT_NEAR(x[0], 0.0, 1e-15);
}

TEST(Latch, ModesCanBeSavedAndRestored) {
  RandomTree random(5);
  System system = satellites(LoopType::kFixed, random);
  VecX x = random_state(system, random);
  const Modes open = system.modes();
  system.latch(0, 0.0, view(x));
  const Modes closed = system.modes();
  const VecX vdot = evaluated(system, 0.0, x).workspace.vdot;
  system.set_modes(open);
  EXPECT_EQ(evaluated(system, 0.0, x).loops.lambda.norm(), 0.0);
  EXPECT_EQ(system.loop_rank(), 0);
  RandomTree again(5);
  System other = satellites(LoopType::kFixed, again);
  other.set_modes(closed);
  EXPECT_EQ(other.loop_rank(), 6);
  EXPECT_EQ(evaluated(other, 0.0, x).workspace.vdot, vdot) << "to the last bit";
}

// A square of four rods, driven by nothing, one corner locked while it moves: everything stops,
// because the mechanism has one freedom.
TEST(Lock, StopsAFourBarMechanism) {
  ModelBuilder builder;
  const auto rod = [&](const char* name, const Vec3& com) {
    builder.add_body(name, lump(1.0, com, Vec3::Constant(0.1)));
  };
  rod("left", {0, 0.5, 0});
  rod("top", {0.5, 0, 0});
  rod("right", {0, 0.5, 0});
  builder.add_joint(joint("a", JointType::kRevolute, "world", "left"));
  builder.add_joint(joint("b", JointType::kRevolute, "left", "top", Mat3::Identity(), {0, 1, 0}));
  builder.add_joint(
      joint("d", JointType::kRevolute, "world", "right", Mat3::Identity(), {1, 0, 0}));
  SystemParts parts;
  parts.model = builder.build();
  const auto link = [&](const char* body) {
    return parts.model.bodies()[static_cast<std::size_t>(parts.model.find_body(body))].link;
  };
  parts.loops = {constraint::make_loop("c", LoopType::kRevolute,
                                       {"", link("top"), {Mat3::Identity(), {1, 0, 0}}},
                                       {"", link("right"), {Mat3::Identity(), {0, 1, 0}}})};
  const int right = link("right");
  parts.v = Vec3::Zero();
  parts.v[parts.model.link(link("left")).v_index] = 1.0;
  parts.v[parts.model.link(link("top")).v_index] = -1.0;
  parts.v[parts.model.link(right).v_index] = 1.0;
  System system(std::move(parts));
  EXPECT_EQ(system.loop_rank(), 2);
  VecX x = system.initial_state();
  const double kinetic = Totals(system, x).kinetic;
  EXPECT_GT(kinetic, 0.1);
  system.lock(right, 0.0, view(x));
  EXPECT_LT(x.segment<3>(3).norm(), 1e-14);
  EXPECT_NEAR(x[system.dynamic_size() + static_cast<int>(Supply::kLocking)], -kinetic, 1e-13);
  EXPECT_EQ(system.loop_rank(), 2);
  EXPECT_LT(evaluated(system, 0.0, x).workspace.vdot.norm(), 1e-13);
  system.unlock(right, 0.0, view(x));
  EXPECT_EQ(system.loop_rank(), 2);
}

}  // namespace
}  // namespace grapple::system::testing
