// Loops latched and released in motion; joints locked in closed mechanisms.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <numbers>

#include "grapple/dynamics/energy.h"
#include "support.h"

namespace grapple::system::testing {
namespace {

using constraint::Latching;
using constraint::LoopType;
using test::RandomTree;

constexpr double kFar = std::numeric_limits<double>::infinity();
constexpr constraint::CaptureLimits kAnything{kFar, kFar, kFar, kFar};

// A kind of constraint between two frames still to be given.
using KindBetween = std::function<constraint::ConstraintKind(const constraint::FramePair&)>;
KindBetween closure(LoopType type) {
  return [type](const constraint::FramePair& frames) {
    return constraint::LoopClosure{frames, type};
  };
}
KindBetween distance(double length) {
  return [length](const constraint::FramePair& frames) {
    return constraint::Distance{frames, length};
  };
}
KindBetween screw(double pitch) {
  return [pitch](const constraint::FramePair& frames) { return constraint::Screw{frames, pitch}; };
}

// Two floating bodies, one with an arm, and an open constraint between arm and the other.
System satellites(const KindBetween& kind, RandomTree& random) {
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
  constraint::Constraint loop{
      "dock", kind({{"", link("arm"), random.pose()}, {"", link("b"), random.pose()}})};
  loop.active = false;
  loop.capture = kAnything;
  parts.constraints = {loop};
  return System(std::move(parts));
}

double largest_row(const System& system, const VecX& x) {
  const Snapshot<double> s = evaluated(system, 0.0, x);
  return std::max(s.constraints.value.lpNorm<Eigen::Infinity>(),
                  s.constraints.rate.lpNorm<Eigen::Infinity>());
}

TEST(Latch, InPlaceKeepsMomentumAndBooksTheLoss) {
  double worst = 0.0;
  for (const KindBetween& kind : {closure(LoopType::kFixed), closure(LoopType::kRevolute),
                                  closure(LoopType::kSpherical), closure(LoopType::kPrismatic),
                                  closure(LoopType::kPointOnLine), distance(0.3), screw(0.3)}) {
    for (unsigned seed = 0; seed < 10; ++seed) {
      SCOPED_TRACE(seed);
      RandomTree random(seed);
      System system = satellites(kind, random);
      VecX x = random_state(system, random);
      const VecX before_x = x;
      const Totals before(system, x);
      EXPECT_EQ(system.constraint_rank(), 0);
      const LatchResult result = system.latch(0, 0.0, view(x));
      EXPECT_EQ(result.kind, LatchResult::Kind::kTaken);
      EXPECT_EQ(system.constraint_rank(), constraint::row_count(system.constraints()));
      const Totals after(system, x);
      const double size = 1.0 + before.linear.norm() + before.angular.norm();
      worst = std::max({worst, (after.linear - before.linear).norm() / size,
                        (after.angular - before.angular).norm() / size});
      EXPECT_LT(after.kinetic, before.kinetic);
      const double booked = x[system.dynamic_size() + static_cast<int>(element::Supply::kLocking)];
      EXPECT_NEAR(booked, after.kinetic - before.kinetic, 1e-12 * (1.0 + before.kinetic));
      // It holds where it was caught, and all relative motion it forbids has stopped.
      EXPECT_LT((x - before_x).head(system.model().nq()).norm(), 1e-12);
      EXPECT_LT(largest_row(system, x), 1e-11);
      EXPECT_EQ(system.latch(0, 0.0, view(x)).kind, LatchResult::Kind::kWasClosed);

      system.release(0, 0.0, view(x));
      EXPECT_EQ(system.constraint_rank(), 0);
      const Snapshot<double> free = evaluated(system, 0.0, x);
      EXPECT_EQ(free.constraints.lambda.norm(), 0.0);
      EXPECT_EQ(stored(free, element::Stored::kKinetic), after.kinetic);
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
  constraint::Constraint loop{
      "hook", constraint::LoopClosure{{{"", 1, {}}, {"", 2, {}}}, LoopType::kFixed}};
  loop.active = false;
  loop.capture = {.distance = 0.6, .angle = 0.1, .speed = 6.0, .angular_speed = 0.1};
  parts.constraints = {loop};
  System system(std::move(parts));
  VecX x = state_with(system, Eigen::Vector2d(0.0, 0.5), Eigen::Vector2d(4.0, -1.0));
  system.latch(0, 0.0, view(x));
  EXPECT_NEAR(x[2], 1.0, 1e-14);
  EXPECT_NEAR(x[3], 1.0, 1e-14);
  EXPECT_NEAR(x[1] - x[0], 0.5, 1e-15);
  EXPECT_NEAR(x[system.dynamic_size() + static_cast<int>(element::Supply::kLocking)], -15.0, 1e-13);
  // The other five rows follow from the slides.
  EXPECT_EQ(system.constraint_rank(), 1);
  EXPECT_EQ(system.dependences().size(), 5U);
}

TEST(Latch, AsGivenMissesWhatIsTooFar) {
  ModelBuilder builder;
  builder.add_body("bob", lump(2.0, Vec3::Zero(), Vec3::Ones()));
  SystemParts parts;
  parts.model = builder.build();
  constraint::Constraint loop{
      "hook", constraint::LoopClosure{{{"", 0, {}}, {"", 1, {}}}, LoopType::kSpherical}};
  loop.active = false;
  loop.latching = Latching::kAsGiven;
  loop.capture.distance = 0.01;
  parts.constraints = {loop};
  System system(std::move(parts));
  VecX x = system.initial_state();
  x[0] = 0.02;
  const VecX before = x;
  const LatchResult missed = system.latch(0, 0.0, view(x));
  EXPECT_EQ(missed.kind, LatchResult::Kind::kMissed);
  EXPECT_DOUBLE_EQ(missed.seen.distance, 0.02);
  EXPECT_EQ(x, before);
  EXPECT_EQ(system.constraint_rank(), 0);
  x[0] = 0.005;
  EXPECT_EQ(system.latch(0, 0.0, view(x)).kind, LatchResult::Kind::kTaken);
  EXPECT_NEAR(x[0], 0.0, 1e-15);
}

// A free body against the world, one of the four quantities beyond its limit by one part in a
// thousand at a time, or within it by as much; both ways of closing.
struct Offence {
  const char* name;
  constraint::CaptureLimits at;
};

System port(const KindBetween& kind, Latching latching) {
  ModelBuilder builder;
  builder.add_body("ship", lump(2.0, {0.1, 0.0, 0.0}, {1.0, 2.0, 2.5}));
  SystemParts parts;
  parts.model = builder.build();
  constraint::Constraint loop{"dock", kind({{"", 0, {}}, {"", 1, {}}})};
  loop.active = false;
  loop.latching = latching;
  loop.capture = {.distance = 0.05, .angle = 0.2, .speed = 0.3, .angular_speed = 0.4};
  parts.constraints = {loop};
  return System(std::move(parts));
}

// Off by these amounts, all in the direction (2, 3, 6) / 7, which no axis is along.
VecX off_by(const System& system, const constraint::CaptureLimits& off) {
  const Vec3 n = Vec3(2.0, 3.0, 6.0) / 7.0;
  VecX x = system.initial_state();
  x.head<3>() = off.distance * n;
  x.segment<4>(3) = spatial::quaternion_exp<double>(off.angle * n);
  // Rates are those of the body's origin, in its own axes; the loop's place is there.
  x.segment<3>(7) = off.speed * n;
  x.segment<3>(10) = off.angular_speed * n;
  return x;
}

TEST(Latch, TakesNothingBeyondItsLimitsInEitherMode) {
  const Offence offences[] = {{"distance", {0.05, 0.0, 0.0, 0.0}},
                              {"angle", {0.0, 0.2, 0.0, 0.0}},
                              {"speed", {0.0, 0.0, 0.3, 0.0}},
                              {"angular speed", {0.0, 0.0, 0.0, 0.4}}};
  for (const Latching latching : {Latching::kInPlace, Latching::kAsGiven}) {
    for (const Offence& offence : offences) {
      SCOPED_TRACE(offence.name);
      for (const double factor : {0.999, 1.001}) {
        System system = port(closure(LoopType::kFixed), latching);
        const auto& at = offence.at;
        VecX x = off_by(system, {factor * at.distance, factor * at.angle, factor * at.speed,
                                 factor * at.angular_speed});
        const VecX before = x;
        const LatchResult result = system.latch(0, 0.0, view(x));
        EXPECT_NEAR(result.seen.distance, factor * at.distance, 1e-15);
        EXPECT_NEAR(result.seen.angle, factor * at.angle, 1e-14);
        EXPECT_NEAR(result.seen.speed, factor * at.speed, 1e-15);
        EXPECT_NEAR(result.seen.angular_speed, factor * at.angular_speed, 1e-15);
        if (factor > 1.0) {
          EXPECT_EQ(result.kind, LatchResult::Kind::kMissed);
          EXPECT_EQ(x, before);
          EXPECT_EQ(system.constraint_rank(), 0);
        } else {
          EXPECT_EQ(result.kind, LatchResult::Kind::kTaken);
          EXPECT_EQ(system.constraint_rank(), 6);
        }
      }
    }
  }
}

// What a loop leaves free does not count.
TEST(Latch, MeasuresOnlyWhatTheLoopHolds) {
  const Vec3 n = Vec3(2.0, 3.0, 6.0) / 7.0;
  const double across = std::hypot(n.x(), n.y());  // z of the loop is free to turn or slide about
  const constraint::CaptureLimits off{0.01, 0.02, 0.03, 0.04};
  const auto seen = [&](const KindBetween& kind) {
    System system = port(kind, Latching::kAsGiven);
    VecX x = off_by(system, off);
    return system.latch(0, 0.0, view(x)).seen;
  };
  EXPECT_EQ(seen(closure(LoopType::kSpherical)).angle, 0.0);
  EXPECT_EQ(seen(closure(LoopType::kSpherical)).angular_speed, 0.0);
  EXPECT_NEAR(seen(closure(LoopType::kPointOnPlane)).distance, 0.01 * n.z(), 1e-15);
  EXPECT_NEAR(seen(closure(LoopType::kPointOnLine)).speed, 0.03 * across, 1e-15);
  // Angle between the z axes: cos = 1 - (1 - cos 0.02) across^2.
  const double tilt = std::acos(1.0 - (1.0 - std::cos(0.02)) * across * across);
  EXPECT_NEAR(seen(closure(LoopType::kRevolute)).angle, tilt, 1e-12);
  // The root of 1e-4 left of 0.49: rounding of 0.49 over twice the root.
  EXPECT_NEAR(seen(distance(0.7)).distance, 0.69, 1e-14);
  EXPECT_NEAR(seen(closure(LoopType::kPrismatic)).distance, 0.01 * across, 1e-15);
}

// a.b = 0 holds with the axis either way round; a latch takes only the one that is meant.
TEST(Latch, MissesAnAxisThatIsOpposed) {
  for (const LoopType type : {LoopType::kRevolute, LoopType::kPlanar, LoopType::kFixed}) {
    System system = port(closure(type), Latching::kAsGiven);
    VecX x = system.initial_state();
    x.segment<4>(3) << 0.0, 1.0, 0.0, 0.0;  // half a turn about x
    const LatchResult result = system.latch(0, 0.0, view(x));
    EXPECT_EQ(result.kind, LatchResult::Kind::kMissed);
    EXPECT_NEAR(result.seen.angle, std::numbers::pi, 1e-14);
  }
}

// After a latch in place the limits are still measured from what the loop was given as.
TEST(Latch, TakenAgainIsMeasuredFromTheGivenPlace) {
  System system = port(closure(LoopType::kFixed), Latching::kInPlace);
  VecX x = off_by(system, {0.04, 0.0, 0.0, 0.0});
  EXPECT_EQ(system.latch(0, 0.0, view(x)).kind, LatchResult::Kind::kTaken);
  system.release(0, 0.0, view(x));
  x = off_by(system, {0.08, 0.0, 0.0, 0.0});
  const LatchResult again = system.latch(0, 0.0, view(x));
  EXPECT_EQ(again.kind, LatchResult::Kind::kMissed);
  EXPECT_NEAR(again.seen.distance, 0.08, 1e-15);
}

// A gear in place is a clutch: any angle, limited rates.
TEST(Latch, AClutchTakesHoldAtAnyAngleButNotAtAnySpeed) {
  ModelBuilder builder;
  for (const char* name : {"one", "two"}) {
    builder.add_body(name, lump(1.0, Vec3::Zero(), Vec3::Ones()));
    builder.add_joint(joint(std::string("shaft-") + name, JointType::kRevolute, "world", name));
  }
  SystemParts parts;
  parts.model = builder.build();
  constraint::Constraint gear{"clutch", constraint::Gear({{0, 0, -1.0}, {1, 1, 1.0}}, 0.0)};
  gear.active = false;
  gear.capture.angular_speed = 3.0;
  parts.constraints = {gear};
  System system(std::move(parts));
  VecX x = state_with(system, Eigen::Vector2d(0.0, 40.0), Eigen::Vector2d(0.0, 3.1));
  const LatchResult fast = system.latch(0, 0.0, view(x));
  EXPECT_EQ(fast.kind, LatchResult::Kind::kMissed);
  EXPECT_NEAR(fast.seen.angular_speed, 3.1, 1e-15);
  x = state_with(system, Eigen::Vector2d(0.0, 40.0), Eigen::Vector2d(0.0, 2.9));
  EXPECT_EQ(system.latch(0, 0.0, view(x)).kind, LatchResult::Kind::kTaken);
  EXPECT_NEAR(x[2], 1.45, 1e-14);
  EXPECT_NEAR(x[3], 1.45, 1e-14);
}

TEST(Latch, ModesCanBeSavedAndRestored) {
  RandomTree random(5);
  System system = satellites(closure(LoopType::kFixed), random);
  VecX x = random_state(system, random);
  const Modes open = system.modes();
  const auto as_built = constraint::closure_of(system.constraints()[0]);
  system.latch(0, 0.0, view(x));
  const Modes closed = system.modes();
  EXPECT_NE(constraint::closure_of(system.constraints()[0]), as_built);
  const VecX vdot = evaluated(system, 0.0, x).workspace.vdot;
  system.set_modes(open);
  EXPECT_EQ(constraint::closure_of(system.constraints()[0]), as_built);
  EXPECT_EQ(evaluated(system, 0.0, x).constraints.lambda.norm(), 0.0);
  EXPECT_EQ(system.constraint_rank(), 0);
  RandomTree again(5);
  System other = satellites(closure(LoopType::kFixed), again);
  other.set_modes(closed);
  EXPECT_EQ(other.constraint_rank(), 6);
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
  parts.constraints = {constraint::Constraint{
      "c", constraint::LoopClosure{{{"", link("top"), {Mat3::Identity(), {1, 0, 0}}},
                                    {"", link("right"), {Mat3::Identity(), {0, 1, 0}}}},
                                   LoopType::kRevolute}}};
  const int right = link("right");
  parts.v = Vec3::Zero();
  parts.v[parts.model.link(link("left")).v_index] = 1.0;
  parts.v[parts.model.link(link("top")).v_index] = -1.0;
  parts.v[parts.model.link(right).v_index] = 1.0;
  System system(std::move(parts));
  EXPECT_EQ(system.constraint_rank(), 2);
  VecX x = system.initial_state();
  const double kinetic = Totals(system, x).kinetic;
  EXPECT_GT(kinetic, 0.1);
  system.lock(right, 0.0, view(x));
  EXPECT_LT(x.segment<3>(3).norm(), 1e-14);
  EXPECT_NEAR(x[system.dynamic_size() + static_cast<int>(element::Supply::kLocking)], -kinetic,
              1e-13);
  EXPECT_EQ(system.constraint_rank(), 2);
  EXPECT_LT(evaluated(system, 0.0, x).workspace.vdot.norm(), 1e-13);
  system.unlock(right, 0.0, view(x));
  EXPECT_EQ(system.constraint_rank(), 2);
}

}  // namespace
}  // namespace grapple::system::testing
