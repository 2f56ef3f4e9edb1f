// Elements at states where the answer is known.
#include <gtest/gtest.h>

#include <limits>
#include <numbers>

#include "grapple/force/force_elements.h"
#include "grapple/force/joint_elements.h"
#include "support.h"

namespace grapple::system::testing {
namespace {

using std::numbers::pi;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kForceRounding = 1e-13;

// Effort of one element on the slider of 2 kg at (q, v).
double slider_effort(std::unique_ptr<element::Element> (*make)(const Model&), double q, double v) {
  Model model = slider(2.0);
  auto element = make(model);
  const System system = system_of(std::move(model), elements(std::move(element)));
  const Snapshot<double> s =
      evaluated(system, 0.0, state_with(system, VecX::Constant(1, q), VecX::Constant(1, v)));
  EXPECT_NEAR(s.workspace.vdot[0] * 2.0, s.tau[0], kForceRounding * (1.0 + std::abs(s.tau[0])));
  return s.tau[0];
}

TEST(JointSpring, PullsBackToItsRest) {
  const auto make = [](const Model& m) { return force::make_joint_spring(m, 1, {100.0}, {0.5}); };
  EXPECT_DOUBLE_EQ(slider_effort(make, 0.7, 3.0), -20.0 + 0.0 * 3.0);
  EXPECT_DOUBLE_EQ(slider_effort(make, 0.5, 3.0), 0.0);
  EXPECT_DOUBLE_EQ(slider_effort(make, 0.0, 0.0), 50.0);
}

TEST(JointDamper, OpposesTheRate) {
  const auto make = [](const Model& m) { return force::make_joint_damper(m, 1, {4.0}); };
  EXPECT_DOUBLE_EQ(slider_effort(make, 1.0, 2.5), -10.0);
  EXPECT_DOUBLE_EQ(slider_effort(make, 1.0, -2.5), 10.0);
}

TEST(JointFriction, OpposesTheRateAndSaturates) {
  const auto make = [](const Model& m) {
    return force::make_joint_friction(m, 1, {{3.0}, {0.5}, {0.01}});
  };
  EXPECT_DOUBLE_EQ(slider_effort(make, 0.0, 0.0), 0.0);
  EXPECT_NEAR(slider_effort(make, 0.0, 0.01), -3.0 * std::tanh(1.0) - 0.005, kForceRounding);
  // tanh(100) is one to the last bit.
  EXPECT_DOUBLE_EQ(slider_effort(make, 0.0, 1.0), -3.5);
  EXPECT_DOUBLE_EQ(slider_effort(make, 0.0, -1.0), 3.5);
}

TEST(JointStop, ActsBeyondItsLimitsOnlyAndNeverPulls) {
  const auto make = [](const Model& m) {
    return force::make_joint_stop(m, 1, {{-1.0}, {2.0}, {1000.0}, {0.5}});
  };
  for (const double inside : {-1.0, -0.5, 0.0, 1.9, 2.0}) {
    EXPECT_EQ(slider_effort(make, inside, 7.0), 0.0);
    EXPECT_EQ(slider_effort(make, inside, -7.0), 0.0);
  }
  EXPECT_NEAR(slider_effort(make, 2.1, 0.0), -100.0, 1e-10);
  EXPECT_NEAR(slider_effort(make, 2.1, 1.0), -150.0, 1e-10);  // going in: harder
  EXPECT_NEAR(slider_effort(make, 2.1, -1.0), -50.0, 1e-10);  // coming out: softer
  EXPECT_EQ(slider_effort(make, 2.1, -3.0), 0.0);             // would pull: nothing
  EXPECT_NEAR(slider_effort(make, -1.2, 0.0), 200.0, 1e-10);
  EXPECT_NEAR(slider_effort(make, -1.2, -1.0), 300.0, 1e-10);
  EXPECT_EQ(slider_effort(make, -1.2, 3.0), 0.0);
}

TEST(JointStop, InfiniteLimitIsNone) {
  const auto make = [](const Model& m) {
    return force::make_joint_stop(m, 1, {{-kInfinity}, {kInfinity}, {1000.0}, {0.5}});
  };
  EXPECT_EQ(slider_effort(make, 1e6, 7.0), 0.0);
  EXPECT_EQ(slider_effort(make, -1e6, -7.0), 0.0);
}

TEST(JointMotor, GearMultipliesTheMotorTorque) {
  Model model = pendulum(1.0, 1.0, 0.1, 0.0);
  auto motor = force::make_joint_motor(model, 1, {Function::expression("2*t")}, {50.0});
  const System system = system_of(std::move(model), elements(std::move(motor)));
  const Snapshot<double> s =
      evaluated(system, 0.25, state_with(system, VecX::Zero(1), VecX::Constant(1, 3.0)));
  EXPECT_DOUBLE_EQ(value(system, s, "joint/pivot/motor_effort"), 25.0);
  EXPECT_DOUBLE_EQ(value(system, s, "joint/pivot/effort"), 25.0);
  EXPECT_DOUBLE_EQ(supply(s, element::Supply::kActuators), 75.0);
}

Model ball_joint(double g) {
  ModelBuilder builder;
  builder.set_gravity({0.0, 0.0, -g});
  builder.add_body("ball", lump(2.0, Vec3::Zero(), {1.0, 2.0, 2.5}));
  builder.add_joint(joint("hip", JointType::kSpherical, "world", "ball"));
  return builder.build();
}

TEST(OrientationSpring, TurnAboutOneAxisIsAnOrdinaryTorsionSpring) {
  Model model = ball_joint(0.0);
  auto spring = force::make_joint_spring(model, 1, {10.0, 20.0, 30.0}, {0.0, 0.4, 0.0});
  const System system = system_of(std::move(model), elements(std::move(spring)));
  const VecX q = spatial::quaternion_exp<double>({0.0, 1.1, 0.0});
  const Snapshot<double> s = evaluated(system, 0.0, state_with(system, q, VecX::Zero(3)));
  EXPECT_NEAR(s.tau[0], 0.0, kForceRounding);
  EXPECT_NEAR(s.tau[1], -20.0 * 0.7, kForceRounding * 20);
  EXPECT_NEAR(s.tau[2], 0.0, kForceRounding);
  EXPECT_NEAR(stored(s, element::Stored::kElastic), 0.5 * 20.0 * 0.49, kForceRounding * 10);
}

TEST(OrientationStop, LimitsTheAngleFromTheRestAndPushesBackAlongTheAxis) {
  const Vec3 axis = Vec3(1.0, 2.0, -1.0).normalized();
  for (const double angle : {0.3, 0.79, 0.81, 1.5, 3.0}) {
    Model model = ball_joint(0.0);
    const std::vector<double> none(3, -kInfinity);
    auto stop = force::make_joint_stop(
        model, 1, {none, {0.8, kInfinity, kInfinity}, {500.0, 0, 0}, {0.1, 0, 0}});
    const System system = system_of(std::move(model), elements(std::move(stop)));
    const VecX q = spatial::quaternion_exp<double>(angle * axis);
    const Snapshot<double> s =
        evaluated(system, 0.0, state_with(system, q, 0.6 * axis + axis.unitOrthogonal()));
    const double depth = std::max(0.0, angle - 0.8);
    const Vec3 expected = -500.0 * depth * (1.0 + 0.1 * 0.6) * axis;
    EXPECT_LT((s.tau - VecX(expected)).norm(), 1e-10) << angle;
    VecX kinks(system.kink_count());
    system.kink_values(s, view(kinks));
    EXPECT_NEAR(kinks.minCoeff(), 0.8 - angle, 1e-13) << "the kink is where the limit is";
    EXPECT_EQ((kinks.array() < 1.0).count(), 1) << "one limit, one kink";
  }
}

TEST(JointStop, KinksAreTheGapsToTheLimits) {
  Model model = slider(1.0);
  auto stop = force::make_joint_stop(model, 1, {{-1.0}, {2.0}, {1000.0}, {0.5}});
  const System system = system_of(std::move(model), elements(std::move(stop)));
  VecX kinks(system.kink_count());
  system.kink_values(evaluated(system, 0.0, state_with(system, VecX::Constant(1, 1.5), VecX(1))),
                     view(kinks));
  ASSERT_EQ(kinks.size(), 2);
  EXPECT_DOUBLE_EQ(kinks[0], 2.5);
  EXPECT_DOUBLE_EQ(kinks[1], 0.5);
}

// Two floating bodies, one turned and moved with respect to the other.
Model two_floating(const Vec3& gravity = Vec3::Zero()) {
  ModelBuilder builder;
  builder.set_gravity(gravity);
  builder.add_body("a", lump(2.0, Vec3::Zero(), {1.0, 1.5, 2.0}));
  builder.add_body("b", lump(3.0, Vec3::Zero(), {2.0, 2.5, 3.0}));
  builder.add_frame("on_a", "a", {Mat3::Identity(), {0.5, 0.0, 0.0}});
  return builder.build();
}
VecX poses(const Vec3& p_a, const Vec3& phi_a, const Vec3& p_b, const Vec3& phi_b) {
  VecX q(14);
  q << p_a, spatial::quaternion_exp<double>(phi_a), p_b, spatial::quaternion_exp<double>(phi_b);
  return q;
}

TEST(LineSpring, TensionPullsTheEndsTogether) {
  Model model = two_floating();
  auto spring = force::make_spring_damper("spring/s", frame(model, "a"), frame(model, "b"),
                                          {100.0, 7.0, 2.0, Function::constant(5.0)});
  const System system = system_of(std::move(model), elements(std::move(spring)));
  VecX v = VecX::Zero(12);
  v[6] = 0.5;  // b moves away along x ...
  v[7] = 9.0;  // ... and sideways, which changes no length
  const Snapshot<double> s = evaluated(
      system, 0.0, state_with(system, poses({0, 0, 0}, {0.3, 0.2, 0.1}, {3, 0, 0}, {1, 1, 1}), v));
  const double tension = 100.0 * 1.0 + 7.0 * 0.5 + 5.0;
  EXPECT_NEAR(value(system, s, "spring/s/length"), 3.0, kForceRounding);
  EXPECT_NEAR(value(system, s, "spring/s/tension"), tension, kForceRounding * 100);
  EXPECT_NEAR(s.workspace.vdot[0], tension / 2.0, kForceRounding * 100);
  EXPECT_NEAR(s.workspace.vdot[6], -tension / 3.0, kForceRounding * 100);
  EXPECT_NEAR(supply(s, element::Supply::kDamping), -7.0 * 0.25, kForceRounding * 10);
  EXPECT_NEAR(supply(s, element::Supply::kActuators), -5.0 * 0.5, kForceRounding * 10);
}

TEST(LineSpring, OfNoLengthIsSmoothWhereItsEndsMeet) {
  Model model = two_floating();
  auto spring = force::make_spring_damper("spring/s", frame(model, "a"), frame(model, "b"),
                                          {100.0, 7.0, 0.0, {}});
  const System system = system_of(std::move(model), elements(std::move(spring)));
  const auto acceleration_of_b = [&](double x) {
    VecX v = VecX::Zero(12);
    v[6] = 2.0;
    const Snapshot<double> s = evaluated(
        system, 0.0, state_with(system, poses({0, 0, 0}, {0, 0, 0}, {x, 0, 0}, {0, 0, 0}), v));
    return s.workspace.vdot[6];
  };
  // Passing through: the force before, at and after the meeting point is -k x - c v.
  for (const double x : {-0.01, -1e-9, 0.0, 1e-9, 0.01}) {
    EXPECT_NEAR(acceleration_of_b(x), (-100.0 * x - 7.0 * 2.0) / 3.0, 1e-12) << x;
  }
  const Snapshot<double> s = evaluated(
      system, 0.0,
      state_with(system, poses({1, 1, 1}, {0, 0, 0}, {1, 1, 1}, {1, 0, 0}), VecX::Zero(12)));
  EXPECT_EQ(s.workspace.vdot.norm(), 0.0);
  EXPECT_EQ(value(system, s, "spring/s/tension"), 0.0);
}

TEST(Bushing, PureTranslationAndPureRotation) {
  Model model = two_floating();
  auto bushing = force::make_bushing("bushing/m", frame(model, "a"), frame(model, "b"),
                                     {{10, 20, 30, 1, 2, 3}, {0, 0, 0, 0, 0, 0}});
  const System system = system_of(std::move(model), elements(std::move(bushing)));
  const Vec3 phi_a(0.4, -0.8, 1.3);
  const Mat3 R_a = spatial::rotation_matrix<double>(spatial::quaternion_exp<double>(phi_a));

  const Vec3 shift(0.1, -0.2, 0.3);  // in a's axes
  Snapshot<double> s =
      evaluated(system, 0.0,
                state_with(system, poses({1, 2, 3}, phi_a, Vec3(1, 2, 3) + R_a * shift, phi_a),
                           VecX::Zero(12)));
  const Vec3 force = R_a * Vec3(-1.0, 4.0, -9.0);
  EXPECT_LT((s.workspace.vdot.segment<3>(6) - force / 3.0).norm(), 1e-12);
  EXPECT_LT((s.workspace.vdot.segment<3>(0) + force / 2.0).norm(), 1e-12);
  EXPECT_LT(s.workspace.vdot.segment<3>(9).norm(), 1e-12) << "no torque on b";
  EXPECT_NEAR(stored(s, element::Stored::kElastic), 0.5 * (0.1 + 0.8 + 2.7), 1e-13);

  const spatial::Quat turned = spatial::product<double>(
      spatial::quaternion_exp<double>(phi_a), spatial::quaternion_exp<double>({0, 0, 2.5}));
  VecX q = poses({1, 2, 3}, phi_a, {1, 2, 3}, {0, 0, 0});
  q.tail<4>() = turned;
  s = evaluated(system, 0.0, state_with(system, q, VecX::Zero(12)));
  EXPECT_NEAR(value(system, s, "bushing/m/torque_z"), -3.0 * 2.5, 1e-12);
  EXPECT_NEAR(s.workspace.vdot[11], -7.5 / 3.0, 1e-12);
  EXPECT_NEAR(s.workspace.vdot[5], 7.5 / 2.0, 1e-12) << "the same axis in both bodies";
}

TEST(Bushing, AndLineSpringConserveTheMomentumOfTheirTwoBodies) {
  test::RandomTree random(7);
  for (int sample = 0; sample < 50; ++sample) {
    Model model = two_floating();
    auto bushing = force::make_bushing("bushing/m", frame(model, "on_a"), frame(model, "b"),
                                       {{10, 20, 30, 1, 2, 3}, {3, 2, 1, 1, 2, 3}});
    auto spring = force::make_spring_damper("spring/s", frame(model, "on_a"), frame(model, "b"),
                                            {10.0, 4.0, 0.3, Function::constant(1.0)});
    const System system =
        system_of(std::move(model), elements(std::move(bushing), std::move(spring)));
    const Snapshot<double> s = evaluated(system, 0.0, random_state(system, random));
    Vec3 force = Vec3::Zero(), moment = Vec3::Zero();
    for (std::size_t i = 1; i < 3; ++i) {
      force += s.workspace.wrench[i].lin;
      moment +=
          s.workspace.wrench[i].ang + s.workspace.motion[i].p_WL.cross(s.workspace.wrench[i].lin);
    }
    EXPECT_LT(force.norm(), 1e-12);
    EXPECT_LT(moment.norm(), 1e-11);
  }
}

TEST(Load, FrameAxesTurnWithTheBodyAndWorldAxesDoNot) {
  const Vec3 phi(0.0, 0.0, pi / 2.0);
  for (const force::Axes axes : {force::Axes::kWorld, force::Axes::kFrame}) {
    Model model = two_floating();
    auto force = force::make_point_force(
        "force/f", frame(model, "b"),
        {Function::constant(6.0), Function::constant(0.0), Function::constant(0.0)}, axes);
    auto torque = force::make_torque(
        "torque/t", frame(model, "a"),
        {Function::constant(3.0), Function::constant(0.0), Function::constant(0.0)}, axes);
    const System system =
        system_of(std::move(model), elements(std::move(force), std::move(torque)));
    const Snapshot<double> s = evaluated(
        system, 0.0, state_with(system, poses({0, 0, 0}, phi, {2, 0, 0}, phi), VecX::Zero(12)));
    const Vec3 push = axes == force::Axes::kWorld ? Vec3(2, 0, 0) : Vec3(0, 2, 0);
    EXPECT_LT((s.workspace.vdot.segment<3>(6) - push).norm(), 1e-14);
    // Rates of orientation are in child axes: the world x axis is the body's -y axis.
    const Vec3 spin = axes == force::Axes::kWorld ? Vec3(0, -3.0 / 1.5, 0) : Vec3(3.0 / 1.0, 0, 0);
    EXPECT_LT((s.workspace.vdot.segment<3>(3) - spin).norm(), 1e-14);
  }
}

TEST(Elements, DisabledOnesDoNothing) {
  Model model = slider(1.0);
  auto spring = force::make_joint_spring(model, 1, {100.0}, {0.0});
  System system = system_of(std::move(model), elements(std::move(spring)));
  const VecX x = state_with(system, VecX::Constant(1, 1.0), VecX::Zero(1));
  system.enable(system.find_element("joint/slide/spring"), 0);
  Snapshot<double> s = evaluated(system, 0.0, x);
  EXPECT_EQ(s.workspace.vdot[0], 0.0);
  EXPECT_EQ(value(system, s, "joint/slide/spring_effort"), 0.0);
  EXPECT_EQ(stored(s, element::Stored::kElastic), 0.0);
  system.enable(0, 1);
  s = evaluated(system, 0.0, x);
  EXPECT_EQ(s.workspace.vdot[0], -100.0);
}

// z' = 1 - z: an element of the user's own.
class Lag final : public element::ElementOf<Lag> {
 public:
  Lag() : ElementOf("lag") {}
  std::vector<element::Output> states() const override { return {{"lag/z", "1"}}; }
  void initial_state(std::span<double> z) const override { z[0] = 0.25; }
  template <class T>
  void act(element::Evaluation<T>& e) const {
    e.z_rate[0] = T(1) - e.z[0];
  }
};

TEST(Elements, StatesOfADisabledElementStandStill) {
  System system = system_of(slider(1.0), elements(std::make_unique<Lag>()));
  const VecX x = system.initial_state();
  EXPECT_EQ(x[2], 0.25);
  Snapshot<double> s = evaluated(system, 0.0, x);
  EXPECT_EQ(rate_of(system, s)[2], 0.75);
  system.enable(0, 0);
  system.evaluate<double>(0.0, view(x), s);  // the same snapshot, with the old rate in it
  EXPECT_EQ(rate_of(system, s)[2], 0.0);
}

}  // namespace
}  // namespace grapple::system::testing
