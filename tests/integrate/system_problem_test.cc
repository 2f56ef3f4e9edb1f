// A multibody system under the integrators: runs that close their energy ledger, meet closed forms,
// stop at events, and allocate nothing on the way.
#include "grapple/integrate/system_problem.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "grapple/contact/contact_group.h"
#include "grapple/flexible/beam_modes.h"
#include "grapple/force/body_elasticity.h"
#include "grapple/force/force_elements.h"
#include "grapple/force/joint_elements.h"
#include "grapple/integrate/simulate.h"
#include "grapple/spatial/rotation.h"
#include "support/allocations.h"

namespace grapple::integrate::testing {
namespace {

using element::Supply;
using model::JointSpec;
using model::JointType;
using model::Model;
using model::ModelBuilder;
using spatial::Mat3;
using spatial::Vec3;
using spatial::VecX;
using std::numbers::pi;
using system::System;
using system::SystemParts;

std::span<const double> view(const VecX& x) {
  return {x.data(), static_cast<std::size_t>(x.size())};
}

double channel(const System& system, const system::Snapshot<double>& s, const char* name) {
  const int index = system.find_channel(name);
  EXPECT_GE(index, 0) << name;
  return system::channel_value(system, system.channels()[static_cast<std::size_t>(index)], s);
}

// Seven revolute joints with axes in turn z, y, z, ... in gravity.
Model arm() {
  ModelBuilder builder;
  builder.set_gravity({0, 0, -9.81});
  for (int k = 0; k < 7; ++k) {
    const std::string name = "link" + std::to_string(k + 1);
    spatial::MassProperties mass = spatial::solid_cylinder(3.0 - 0.3 * k, 0.05, 0.3);
    mass.com_B = {0.02, 0, 0.15};
    builder.add_body(name, mass);
    JointSpec joint;
    joint.name = "joint" + std::to_string(k + 1);
    joint.child = name;
    joint.parent = k == 0 ? "world" : "link" + std::to_string(k);
    const Mat3 axes = spatial::frame_with_z(k % 2 == 0 ? Vec3::UnitZ() : Vec3::UnitY());
    joint.X_PF = {axes, {0, 0, k == 0 ? 0.0 : 0.3}};
    joint.X_BM = {axes, Vec3::Zero()};
    builder.add_joint(joint);
  }
  builder.add_frame("tip", "link7", {Mat3::Identity(), {0, 0, 0.3}});
  builder.add_frame("post", "world", {Mat3::Identity(), {0.8, 0.3, 1.2}});
  return builder.build();
}

System busy_arm() {
  Model model = arm();
  std::vector<std::unique_ptr<element::Element>> parts;
  for (int k = 1; k <= 7; ++k) {
    parts.push_back(force::make_joint_spring(model, k, {20.0}, {0.2 * k}));
    parts.push_back(force::make_joint_damper(model, k, {0.5}));
  }
  const auto frame = [&](const char* name) {
    return model.frames()[static_cast<std::size_t>(model.find_frame(name))];
  };
  parts.push_back(force::make_bushing("bushing/tip", frame("post"), frame("tip"),
                                      {{30, 40, 50, 1, 2, 3}, {1, 1, 1, 0.1, 0.1, 0.1}}));
  parts.push_back(force::make_joint_stop(model, 2, {{-0.2}, {0.6}, {500.0}, {0.2}}));
  parts.push_back(force::make_joint_motor(
      model, 4, {Function::table({0, 0.5, 1, 2}, {0, 3, -3, 0}, Interpolation::kLinear)}, {2.0}));
  return System({std::move(model), {}, VecX::Constant(7, 0.7), std::move(parts), {}, {}});
}

struct Watch : Observer {
  void output(double, std::span<const double>) override { ++outputs; }
  Action event(int index, double t, int, std::span<double>) override {
    ++events;
    if (index == 0) first_crossing = std::min(first_crossing, t);
    return Action::kContinue;
  }
  Action step_accepted(double, double, std::span<double>) override {
    if (first < 0) first = allocations.load();
    last = allocations.load();
    return Action::kContinue;
  }
  long first = -1, last = -1;
  int outputs = 0, events = 0;
  double first_crossing = 1e9;
};

class EveryMethod : public ::testing::TestWithParam<Method> {};

TEST_P(EveryMethod, RunsASevenJointArmWithoutAllocating) {
  if (GRAPPLE_SANITIZED) GTEST_SKIP() << "the sanitizer owns malloc";
  System system = busy_arm();
  SystemProblem problem(system, {{system.find_channel("frame/tip/position_z"), 1.5},
                                 {system.find_channel("bushing/tip/force_x"), 2.0}});
  auto stepper = make_stepper(problem, {.method = GetParam()});
  Watch watch;
  const VecX x0 = system.initial_state();
  const Result result =
      simulate(problem, *stepper, view(x0),
               {.t_end = 2.0, .output_interval = 0.01, .breakpoints = system.breakpoints(2.0)},
               problem.crossings(), watch);
  ASSERT_EQ(result.status, Status::kCompleted) << result.failure.cause;
  EXPECT_GT(watch.events, 2) << "events must happen for the test to mean something";
  EXPECT_GE(watch.outputs, 201);
  EXPECT_EQ(watch.last - watch.first, 0);
}

// Balls that fall on each other and on a floor, near each other and apart again.
System falling_balls() {
  constexpr int kCount = 27;
  ModelBuilder builder;
  builder.set_gravity({0, 0, -9.81});
  for (int k = 0; k < kCount; ++k) {
    builder.add_body("ball" + std::to_string(k), {1.0, Vec3::Zero(), 0.004 * Mat3::Identity()});
  }
  builder.add_frame("floor", "world", {});
  Model model = builder.build();
  const geometry::Sphere ball{0.1};
  const auto pair = [&](const geometry::Shape& other) {
    const auto query = geometry::touch_sites(ball, other).queries.front();
    return contact::GroupPair{
        geometry::PairOrder::kAsGiven,
        {{query,
          contact::make_normal_law({1e5, 1.5, contact::DampingRule::kExact, {0.5, 0.0}, 1e-2})}},
        contact::make_friction_law(
            contact::BristleFriction{0.3, 0.3, 1e3, 5.0, 0.0, 0.05, 0.1, 0.0})};
  };
  contact::ContactGroup group;
  group.name = "group/balls";
  VecX q = model::State(model).q;
  for (int k = 0; k < kCount; ++k) {
    const std::string name = "ball" + std::to_string(k);
    const auto frame = static_cast<std::size_t>(model.find_frame(name));
    group.members.push_back({name, model.frames()[frame], 0, 0.1});
    const int at = model.link(model.frames()[frame].link).q_index;
    q.segment<3>(at) =
        Vec3(0.21 * (k % 3) + 0.01 * (k % 7), 0.22 * (k / 3 % 3), 0.15 + 0.23 * (k / 9));
  }
  const auto on_floor = pair(geometry::HalfSpace{});
  const auto floor = static_cast<std::size_t>(model.find_frame("floor"));
  group.walls.push_back(
      {model.frames()[floor], 1, {on_floor.sites[0].query, on_floor.sites[0].query}});
  group.types = 2;
  group.pairs = {pair(ball), on_floor, {}, {}};
  group.most_near = 8 * kCount;
  std::vector<std::unique_ptr<element::Element>> parts;
  parts.push_back(contact::make_contact_group(std::move(group)));
  return System({std::move(model), q, {}, std::move(parts), {}, {}});
}

class ExplicitMethod : public ::testing::TestWithParam<Method> {};

TEST_P(ExplicitMethod, LetsPairsComeAndGoWithoutAllocating) {
  if (GRAPPLE_SANITIZED) GTEST_SKIP() << "the sanitizer owns malloc";
  System system = falling_balls();
  SystemProblem problem(system, {});
  auto stepper =
      make_stepper(problem, {.method = GetParam(), .relative_tolerance = 1e-5, .step = 2e-4});
  Watch watch;
  const VecX x0 = system.initial_state();
  const Result result =
      simulate(problem, *stepper, view(x0), {.t_end = 0.4}, problem.crossings(), watch);
  ASSERT_EQ(result.status, Status::kCompleted) << result.failure.cause;
  const auto contacts = static_cast<std::size_t>(system.find_channel("group/balls/contacts"));
  EXPECT_GT(system::channel_value(system, system.channels()[contacts],
                                  problem.evaluate(result.t, result.x)),
            5.0);
  EXPECT_EQ(watch.last - watch.first, 0);
}

INSTANTIATE_TEST_SUITE_P(All, ExplicitMethod,
                         ::testing::Values(Method::kRungeKutta4, Method::kSemiImplicitEuler,
                                           Method::kVelocityVerlet, Method::kDormandPrince));

// Three beams of two modes, joint by joint, let go in gravity.
System flexible_arm(dynamics::Method method) {
  ModelBuilder builder;
  builder.set_gravity({0, 0, -9.81});
  for (int k = 0; k < 3; ++k) {
    const std::string name = "beam" + std::to_string(k + 1);
    flexible::ModalBeamSpec beam;
    beam.name = name;
    beam.beam = flexible::uniform_beam(0.5, flexible::isotropic(70e9, 0.33, 2700.0),
                                       flexible::RoundBar{0.01});
    beam.bending_y = beam.bending_z = 1;
    builder.add_flexible_body(name, flexible::make_modal_beam(beam));
    JointSpec joint;
    joint.name = "joint" + std::to_string(k + 1);
    joint.child = name;
    joint.parent = k == 0 ? "world" : "beam" + std::to_string(k);
    if (k > 0) joint.parent_frame = "tip";
    joint.X_PF.R = joint.X_BM.R = spatial::frame_with_z(k % 2 == 0 ? Vec3::UnitY() : Vec3::UnitZ());
    builder.add_joint(joint);
  }
  SystemParts parts;
  parts.model = builder.build();
  for (int i = 1; i < parts.model.link_count(); ++i) {
    if (parts.model.link(i).kind != model::Link::Kind::kFlexible) continue;
    parts.elements.push_back(force::make_body_elasticity(parts.model, i));
  }
  parts.method = method;
  return System(std::move(parts));
}

TEST_P(EveryMethod, RunsAnArmOfBeamsWithoutAllocating) {
  if (GRAPPLE_SANITIZED) GTEST_SKIP() << "the sanitizer owns malloc";
  for (const auto by : dynamics::kAllMethods) {
    System system = flexible_arm(by);
    SystemProblem problem(system, {{system.find_channel("body/beam3/position_z"), -0.1}});
    auto stepper = make_stepper(problem, {.method = GetParam(), .step = 1e-4});
    Watch watch;
    const VecX x0 = system.initial_state();
    const Result result =
        simulate(problem, *stepper, view(x0), {.t_end = 0.2, .output_interval = 0.01},
                 problem.crossings(), watch);
    ASSERT_EQ(result.status, Status::kCompleted) << result.failure.cause;
    EXPECT_GE(watch.events, 1);
    EXPECT_EQ(watch.last - watch.first, 0) << dynamics::method_name(by);
  }
}

INSTANTIATE_TEST_SUITE_P(All, EveryMethod,
                         ::testing::Values(Method::kRungeKutta4, Method::kSemiImplicitEuler,
                                           Method::kVelocityVerlet, Method::kDormandPrince,
                                           Method::kDormandPrince8, Method::kAdams, Method::kBdf,
                                           Method::kGeneralizedAlpha));

TEST(SystemRun, LedgerOfTheBusyArmCloses) {
  for (const Method method : {Method::kDormandPrince, Method::kBdf, Method::kAdams}) {
    System system = busy_arm();
    SystemProblem problem(system, {});
    auto stepper = make_stepper(problem, {.method = method, .relative_tolerance = 1e-9});
    Watch watch;
    const VecX x0 = system.initial_state();
    const Result result = simulate(problem, *stepper, view(x0),
                                   {.t_end = 2.0, .breakpoints = system.breakpoints(2.0)},
                                   problem.crossings(), watch);
    ASSERT_EQ(result.status, Status::kCompleted);
    const auto& s = problem.evaluate(2.0, result.x);
    const double turned_over = std::abs(channel(system, s, "work/damping")) +
                               std::abs(channel(system, s, "work/actuators"));
    EXPECT_GT(turned_over, 1.0);
    // A thousand times the tolerance: local errors of some hundred steps, and quadratures that
    // ride along.
    const double residual = std::abs(channel(system, s, "energy/residual"));
    EXPECT_LT(residual, 1e-6 * turned_over) << method_name(method);
    std::printf("%s: residual %.1e J of %.1f J, %lld steps\n",
                std::string(method_name(method)).c_str(), residual, turned_over,
                static_cast<long long>(result.statistics.steps));
  }
}

// A ball on a slide falls on a stop without damping: it rebounds with its own speed.
TEST(SystemRun, StopWithoutDampingReturnsTheSpeed) {
  ModelBuilder builder;
  builder.set_gravity({0, 0, -9.81});
  builder.add_body("ball", spatial::solid_sphere(2.0, 0.1));
  JointSpec joint;
  joint.name = "slide";
  joint.type = JointType::kPrismatic;
  joint.child = "ball";
  builder.add_joint(joint);
  Model model = builder.build();
  std::vector<std::unique_ptr<element::Element>> parts;
  parts.push_back(force::make_joint_stop(model, 1, {{0.0}, {1e9}, {1e6}, {0.0}}));
  System system({std::move(model), VecX::Constant(1, 1.0), {}, std::move(parts), {}, {}});
  SystemProblem problem(system,
                        {{system.find_channel("joint/slide/rate"), 0.0, Crossing::kFalling}});
  auto stepper = make_stepper(problem, {.relative_tolerance = 1e-10});
  // The top of the first rebound: stop the run there.
  struct AtTheTop : Observer {
    Action event(int index, double, int, std::span<double>) override {
      return index == 0 ? Action::kStop : Action::kContinue;
    }
  } observer;
  const VecX x0 = system.initial_state();
  const Result result =
      simulate(problem, *stepper, view(x0), {.t_end = 3.0}, problem.crossings(), observer);
  ASSERT_EQ(result.status, Status::kStopped);
  EXPECT_NEAR(result.x[0], 1.0, 1e-7);
  // Two flights of sqrt(2 h / g) and nearly half a period of the stop: pi sqrt(m / k), a little
  // more for the weight.
  const double flight = std::sqrt(2.0 / 9.81), w = std::sqrt(1e6 / 2.0), v = std::sqrt(2 * 9.81);
  const double contact = 2.0 / w * (pi / 2 + std::atan(9.81 / (w * v)));
  EXPECT_NEAR(result.t, 2 * flight + contact, 1e-8);
}

// Torque-free body: momentum in world axes stands still while it tumbles about its middle axis.
TEST(SystemRun, TumblingBodyKeepsItsMomentumAndUnitQuaternion) {
  ModelBuilder builder;
  builder.add_body("tumbler", spatial::solid_box(12.0, {1.0, 2.0, 3.0}));
  SystemParts parts{builder.build(), {}, VecX::Zero(6), {}, {}, {}};
  parts.v << 0.3, -0.2, 0.1, 0.001, 2.0, 0.001;
  System system(std::move(parts));
  SystemProblem problem(system, {});
  auto stepper = make_stepper(problem, {.relative_tolerance = 1e-10});
  Observer observer;
  const VecX x0 = system.initial_state();
  SystemProblem at_start(system, {});
  const auto& before = at_start.evaluate(0.0, view(x0));
  const Result result = simulate(problem, *stepper, view(x0), {.t_end = 30.0}, {}, observer);
  const auto& after = problem.evaluate(30.0, result.x);
  for (const char* name : {"momentum/linear_x", "momentum/angular_x", "momentum/angular_y",
                           "momentum/angular_z", "energy/kinetic"}) {
    // Tolerance 1e-10 over some thousand steps.
    EXPECT_NEAR(channel(system, after, name), channel(system, before, name), 1e-6) << name;
  }
  EXPECT_NEAR(after.state.q.segment<4>(3).norm(), 1.0, 1e-14);
}

// Locked in flight by an observer, then released: the ledger closes over both jumps.
TEST(SystemRun, LockingDuringARunIsBooked) {
  Model model = arm();
  System system({std::move(model), VecX::Constant(7, 0.3), VecX::Constant(7, 1.0), {}, {}, {}});
  SystemProblem problem(system, {});
  struct Locker : Observer {
    explicit Locker(System& s) : system(s) {}
    Action breakpoint(double t, std::span<double> x) override {
      if (t < 0.3) {
        system.lock(3, t, x);
      } else {
        system.unlock(3, t, x);
      }
      return Action::kRestart;
    }
    System& system;
  } locker(system);
  auto stepper = make_stepper(problem, {.relative_tolerance = 1e-10});
  const VecX x0 = system.initial_state();
  const Result result =
      simulate(problem, *stepper, view(x0), {.t_end = 0.6, .breakpoints = {0.2, 0.4}}, {}, locker);
  ASSERT_EQ(result.status, Status::kCompleted);
  const auto& s = problem.evaluate(0.6, result.x);
  EXPECT_LT(channel(system, s, "work/locking"), -1e-3);
  EXPECT_GT(std::abs(channel(system, s, "joint/joint3/rate")), 1e-3);
  EXPECT_LT(std::abs(channel(system, s, "energy/residual")), 1e-7);
}

}  // namespace
}  // namespace grapple::integrate::testing
