// Where systems come to rest, against statics by hand.
#include "grapple/analysis/equilibrium.h"

#include <gtest/gtest.h>

#include <numbers>

#include "grapple/force/force_elements.h"
#include "grapple/force/joint_elements.h"
#include "system/support.h"

namespace grapple::analysis::testing {

using namespace system::testing;
namespace {

using std::numbers::pi;

// At an equilibrium nothing accelerates.
void expect_rest(const system::System& system, const EquilibriumResult& result) {
  const system::Snapshot<double> s = evaluated(system, 0.0, result.x);
  EXPECT_LT(s.workspace.vdot.lpNorm<Eigen::Infinity>(), 1e-9);
  EXPECT_EQ(s.state.v.norm(), 0.0);
}

TEST(Equilibrium, HangingPendulumFromABadGuess) {
  const system::System system = system_of(pendulum(2.0, 0.7, 0.3, 9.81), {});
  for (const double guess : {-1.5, -0.1, 0.0, 0.8, 1.5}) {
    const VecX x = state_with(system, VecX::Constant(1, guess), VecX::Constant(1, 7.0));
    const EquilibriumResult result = equilibrium(system, 0.0, view(x));
    EXPECT_TRUE(result.converged) << guess;
    EXPECT_NEAR(result.x[0], 0.0, 1e-12) << guess;
    expect_rest(system, result);
  }
}

// Every half turn is an equilibrium; Newton's method takes the one its slope points to, stable or
// not.
TEST(Equilibrium, PendulumBeyondTheHorizontalFindsTheUprightOne) {
  const system::System system = system_of(pendulum(2.0, 0.7, 0.3, 9.81), {});
  const VecX x = state_with(system, VecX::Constant(1, 2.6), VecX::Zero(1));
  const EquilibriumResult result = equilibrium(system, 0.0, view(x));
  EXPECT_TRUE(result.converged);
  EXPECT_NEAR(result.x[0], pi, 1e-12);
}

TEST(Equilibrium, BlockOnASpringSags) {
  for (const double mass : {1e-3, 3.0, 1e6}) {
    Model model = slider(mass, 9.81);
    auto spring = force::make_joint_spring(model, 1, {250.0 * mass}, {0.1});
    const system::System system = system_of(std::move(model), elements(std::move(spring)));
    EquilibriumResult result = equilibrium(system, 0.0, view(system.initial_state()));
    EXPECT_TRUE(result.converged);
    EXPECT_NEAR(result.x[0], 0.1 + 9.81 / 250.0, 1e-14);
    // Asked again at the answer it stays, whatever the size of the balanced forces.
    result = equilibrium(system, 0.0, view(VecX(result.x)));
    EXPECT_TRUE(result.converged) << mass;
    EXPECT_NEAR(result.x[0], 0.1 + 9.81 / 250.0, 1e-14);
  }
}

TEST(Equilibrium, SphericalPendulumHangsAndKeepsItsHeading) {
  ModelBuilder builder;
  builder.set_gravity({0, 0, -9.81});
  builder.add_body("bob", lump(2.0, {0, 0, -0.6}, {0.5, 0.5, 0.2}));
  builder.add_joint(joint("ball", JointType::kSpherical, "world", "bob"));
  const system::System system = system_of(builder.build(), {});
  const VecX q = spatial::quaternion_exp<double>({0.9, -0.7, 0.4});
  const EquilibriumResult result =
      equilibrium(system, 0.0, view(state_with(system, q, VecX::Zero(3))));
  EXPECT_TRUE(result.converged);
  const Mat3 R = spatial::rotation_matrix<double>(result.x.head<4>());
  EXPECT_NEAR(R(2, 2), 1.0, 1e-14);
  EXPECT_NEAR(result.x.head<4>().norm(), 1.0, 1e-14);
  EXPECT_GT(result.x[0], 0.5) << "the free turn about the vertical is not used to wander";
  expect_rest(system, result);
}

TEST(Equilibrium, BodyOnABushing) {
  ModelBuilder builder;
  builder.set_gravity({0, 0, -9.81});
  builder.add_body("box", lump(4.0, {0.1, 0, 0}, {1, 2, 2.5}));
  Model model = builder.build();
  auto bushing = force::make_bushing("bushing/m", model.frames()[0], model.frames()[1],
                                     {{1e4, 2e4, 3e4, 500, 40, 900}, {1, 1, 1, 1, 1, 1}});
  const system::System system = system_of(std::move(model), elements(std::move(bushing)));
  VecX guess = system.initial_state();
  guess.head<3>() << 0.5, -1.0, 0.7;
  guess.segment<4>(3) = spatial::quaternion_exp<double>({0.5, 1.0, -0.4});
  const EquilibriumResult result = equilibrium(system, 0.0, view(guess));
  ASSERT_TRUE(result.converged);
  expect_rest(system, result);
  EXPECT_NEAR(result.x[2], -4.0 * 9.81 / 3e4, 1e-13);
  EXPECT_NEAR(result.x[0], 0.0, 1e-13);
  // Turned by theta about y until 40 theta = m g 0.1 cos(theta).
  const Vec3 phi = spatial::rotation_vector<double>(result.x.segment<4>(3));
  EXPECT_NEAR(40.0 * phi.y(), 4.0 * 9.81 * 0.1 * std::cos(phi.y()), 1e-11);
  EXPECT_NEAR(phi.x(), 0.0, 1e-13);
  EXPECT_NEAR(phi.z(), 0.0, 1e-13);
}

// Two blocks joined by a spring slide freely together: the shortest way to rest leaves the middle
// where it is.
TEST(Equilibrium, NeutralDirectionIsLeftAlone) {
  ModelBuilder builder;
  for (const char* name : {"a", "b"}) {
    builder.add_body(name, lump(2.0, Vec3::Zero(), Vec3::Ones()));
    builder.add_joint(joint(std::string("slide_") + name, JointType::kPrismatic, "world", name,
                            spatial::frame_with_z(Vec3::UnitX())));
  }
  Model model = builder.build();
  auto spring = force::make_spring_damper("spring/s", model.frames()[1], model.frames()[2],
                                          {40.0, 1.0, 1.0, {}});
  const system::System system = system_of(std::move(model), elements(std::move(spring)));
  const VecX x = state_with(system, Eigen::Vector2d(2.0, 5.0), VecX::Zero(2));
  const EquilibriumResult result = equilibrium(system, 0.0, view(x));
  ASSERT_TRUE(result.converged);
  EXPECT_NEAR(result.x[0], 3.0, 1e-12);
  EXPECT_NEAR(result.x[1], 4.0, 1e-12);
}

TEST(Equilibrium, FallingBodyHasNoneAndSaysSo) {
  ModelBuilder builder;
  builder.set_gravity({0, 0, -9.81});
  builder.add_body("rock", lump(3.0, {0.1, 0.2, 0.3}, {1, 2, 2.5}));
  const system::System system = system_of(builder.build(), {});
  const EquilibriumResult result = equilibrium(system, 0.0, view(system.initial_state()));
  EXPECT_FALSE(result.converged);
  EXPECT_TRUE(result.x.allFinite());
  EXPECT_NEAR(result.residual, 3.0 * 9.81, 1e-12);
}

// A motor stronger than gravity can ever be: the search ends, finite and honest.
TEST(Equilibrium, MotorStrongerThanGravityHasNone) {
  Model model = pendulum(2.0, 0.7, 0.3, 9.81);
  auto motor = force::make_joint_motor(model, 1, {Function::constant(20.0)}, {1.0});
  const system::System system = system_of(std::move(model), elements(std::move(motor)));
  const EquilibriumResult result = equilibrium(system, 0.0, view(system.initial_state()));
  EXPECT_FALSE(result.converged);
  EXPECT_TRUE(result.x.allFinite());
  EXPECT_GT(result.residual, 20.0 - 2.0 * 0.7 * 9.81 - 1e-9);
}

TEST(Equilibrium, HoldsLockedJoints) {
  ModelBuilder builder;
  builder.set_gravity({0, -9.81, 0});
  builder.add_body("upper", lump(1.0, {0, -0.4, 0}, Vec3::Constant(0.1)));
  builder.add_body("lower", lump(1.0, {0, -0.4, 0}, Vec3::Constant(0.1)));
  builder.add_joint(joint("shoulder", JointType::kRevolute, "world", "upper"));
  builder.add_joint(
      joint("elbow", JointType::kRevolute, "upper", "lower", Mat3::Identity(), {0, -0.8, 0}));
  system::SystemParts parts{builder.build(), Eigen::Vector2d(0.3, pi / 2), {}, {}, {}, {2}};
  const system::System system(std::move(parts));
  const EquilibriumResult result = equilibrium(system, 0.0, view(system.initial_state()));
  ASSERT_TRUE(result.converged);
  EXPECT_EQ(result.x[1], pi / 2);
  // Moments about the shoulder: 1 (0.4 s) + 1 (0.8 s + 0.4 sin(q + pi/2)) = 0, tan q = -1/3.
  EXPECT_NEAR(result.x[0], std::atan(-1.0 / 3.0), 1e-13);
}

// A governor: the arm on a shaft driven at W hangs outward at cos(theta) = g / (W^2 l), also while
// the shaft speeds up, because the arm swings in the plane that the shaft carries.
TEST(Equilibrium, RelativeToADrivenJoint) {
  const double g = 9.81, l = 0.5, W = 6.0, shaft_acceleration = 3.0;
  ModelBuilder builder;
  builder.set_gravity({0, 0, -g});
  builder.add_body("shaft", lump(1.0, Vec3::Zero(), Vec3::Ones()));
  builder.add_body("arm", lump(2.0, {0, 0, -l}, Vec3::Zero()));
  builder.add_joint(joint("spin", JointType::kRevolute, "world", "shaft"));
  builder.add_joint(joint("swing", JointType::kRevolute, "shaft", "arm",
                          spatial::frame_with_z(Vec3(0.3, 1.0, 0.0))));
  const std::string text = "6*t + 1.5*t^2";
  const system::System system =
      system_of(builder.build(), {},
                {{1,
                  system::MotionLevel::kPosition,
                  {Function::expression_with_derivatives(text, "6 + 3*t", "3")}}});
  const VecX x = state_with(system, Eigen::Vector2d(0.0, 0.9), VecX::Zero(2));
  const EquilibriumResult result = equilibrium(system, 0.0, view(x));
  ASSERT_TRUE(result.converged) << result.residual;
  EXPECT_NEAR(std::cos(result.x[1]), g / (W * W * l), 1e-10);
  const system::Snapshot<double> s = evaluated(system, 0.0, result.x);
  EXPECT_NEAR(s.workspace.vdot[0], shaft_acceleration, 1e-12);
  EXPECT_NEAR(s.workspace.vdot[1], 0.0, 1e-10);
}

}  // namespace
}  // namespace grapple::analysis::testing
