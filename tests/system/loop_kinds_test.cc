// Conditions of every kind in a system: closed forms, energy, momentum.
#include <gtest/gtest.h>

#include "grapple/base/formula.h"
#include "grapple/dynamics/energy.h"
#include "support.h"

namespace grapple::system::testing {
namespace {

using constraint::Curve;

model::Frame frame_on(const Model& model, const std::string& body, const Pose& X_BF) {
  const model::Body& b = model.bodies()[static_cast<std::size_t>(model.find_body(body))];
  return {"", b.link, b.X_LB * X_BF};
}

System with_loops(Model model, std::vector<constraint::Constraint> loops, VecX q = {},
                  VecX v = {}) {
  SystemParts parts;
  parts.model = std::move(model);
  parts.q = std::move(q);
  parts.v = std::move(v);
  parts.constraints = std::move(loops);
  return System(std::move(parts));
}

// What is stored changes as fast as is supplied.
double unbooked_power(const System& system, double t, const VecX& x) {
  const Snapshot<double> s = evaluated(system, t, x);
  const Snapshot<Dual> along = evaluated_along(system, t, x, rate_of(system, s));
  double power = 0.0;
  for (const Dual& stored : along.energies.stored) power += stored.d[0];
  for (const double supply : s.energies.supply) power -= supply;
  return power;
}

// Two flywheels on parallel shafts in a ratio n: torque T on the first meets I1 + n^2 I2.
TEST(Gear, ReflectsTheInertiaBySquareOfTheRatio) {
  ModelBuilder builder;
  builder.add_body("one", lump(1.0, Vec3::Zero(), {1, 1, 0.3}));
  builder.add_body("two", lump(1.0, Vec3::Zero(), {1, 1, 0.02}));
  builder.add_joint(joint("first", JointType::kRevolute, "world", "one"));
  builder.add_joint(
      joint("second", JointType::kRevolute, "world", "two", Mat3::Identity(), {1, 0, 0}));
  const double n = -4.0;
  const System system = with_loops(
      builder.build(),
      {constraint::Constraint{"gear", constraint::Gear({{0, 0, -n}, {1, 1, 1.0}}, 0.0)}});
  Snapshot<double> s(system);
  s.extra_effort[0] = 0.7;
  const VecX x = system.initial_state();
  system.evaluate<double>(0.0, view(x), s);
  EXPECT_NEAR(s.workspace.vdot[0], 0.7 / (0.3 + n * n * 0.02), 1e-14);
  EXPECT_NEAR(s.workspace.vdot[1], n * s.workspace.vdot[0], 1e-14);
  // The teeth carry what turns the second flywheel.
  EXPECT_NEAR(value(system, s, "loop/gear/multiplier"), 0.02 * s.workspace.vdot[1], 1e-14);
}

// A nut that slides without turning on a free screw: the weight drives it down the thread,
// a = -g / (1 + I / (m p^2)).
TEST(Screw, TurnsWeightIntoRotation) {
  ModelBuilder builder;
  builder.set_gravity({0, 0, -9.81});
  builder.add_body("shaft", lump(5.0, Vec3::Zero(), {1, 1, 0.004}));
  builder.add_body("nut", lump(2.0, Vec3::Zero(), {1, 1, 1}));
  builder.add_joint(joint("spin", JointType::kRevolute, "world", "shaft"));
  builder.add_joint(joint("slide", JointType::kPrismatic, "world", "nut"));
  Model model = builder.build();
  const double pitch = 0.01;
  const auto screw = constraint::Constraint{
      "screw",
      constraint::Screw{{frame_on(model, "shaft", {}), frame_on(model, "nut", {})}, pitch}};
  // Seven turns up, where the thread closes as well as at the bottom.
  const double turns = -7.0 * 2.0 * M_PI;
  System system = with_loops(std::move(model), {screw}, Eigen::Vector2d(turns, -pitch * turns),
                             VecX(VecX::Zero(2)));
  const VecX x = system.initial_state();
  EXPECT_DOUBLE_EQ(x[0], turns) << "whole turns are no error";
  const Snapshot<double> s = evaluated(system, 0.0, x);
  const double a = -9.81 / (1.0 + 0.004 / (2.0 * pitch * pitch));
  EXPECT_NEAR(s.workspace.vdot[1], a, 1e-13);
  EXPECT_NEAR(s.workspace.vdot[0], -a / pitch, 1e-11);
}

// A bead on a vertical hoop is a pendulum; on a spline through points of the hoop nearly so.
TEST(PointOnCurve, BeadOnAHoopIsAPendulum) {
  const double R = 2.0, phi = 0.6, w = 0.9;
  const auto bead = [&](Curve curve) {
    ModelBuilder builder;
    builder.set_gravity({0, -9.81, 0});
    builder.add_body("bead", lump(0.4, Vec3::Zero(), Vec3::Constant(1e-3)));
    Model model = builder.build();
    const auto loop = constraint::Constraint{
        "hoop", constraint::PointOnCurve{{kWorld, frame_on(model, "bead", {})}, std::move(curve)}};
    VecX q = model::State(model).q, v = VecX::Zero(6);
    q.head<3>() = R * Vec3(std::sin(phi), -std::cos(phi), 0);
    v.head<3>() = R * w * Vec3(std::cos(phi), std::sin(phi), 0);
    return with_loops(std::move(model), {loop}, q, v);
  };
  const auto tangential = [&](const System& system) {
    const Snapshot<double> s = evaluated(system, 0.0, system.initial_state());
    return s.workspace.vdot.head<3>().dot(Vec3(std::cos(phi), std::sin(phi), 0));
  };
  const auto normal = [&](const System& system) {
    const Snapshot<double> s = evaluated(system, 0.0, system.initial_state());
    return s.workspace.vdot.head<3>().dot(Vec3(-std::sin(phi), std::cos(phi), 0));
  };
  const System circle = bead(Curve::circle(R));
  EXPECT_NEAR(tangential(circle), -9.81 * std::sin(phi), 1e-13);
  EXPECT_NEAR(normal(circle), R * w * w, 1e-13);
  std::vector<Vec3> points;
  for (int k = 0; k < 40; ++k) {
    points.push_back(R * Vec3(std::cos(M_PI * k / 20), std::sin(M_PI * k / 20), 0));
  }
  // The spline leaves the circle by R h^4 / 384 (h = pi / 20: 3e-6 m) and its curvature by h^2
  // / 12.
  const System spline = bead(Curve::through(points, Curve::Ends::kClosed));
  EXPECT_NEAR(tangential(spline), -9.81 * std::sin(phi), 1e-3);
  EXPECT_NEAR(normal(spline), R * w * w, 5e-3);
  EXPECT_LT(std::abs(unbooked_power(spline, 0.0, spline.initial_state())), 1e-12);
}

// Two joints in a formula: a Scotch yoke b = r sin(a), driven by a torque.
TEST(FormulaLoop, ScotchYoke) {
  ModelBuilder builder;
  builder.add_body("crank", lump(1.0, Vec3::Zero(), {1, 1, 0.2}));
  builder.add_body("yoke", lump(3.0, Vec3::Zero(), {1, 1, 1}));
  builder.add_joint(joint("shaft", JointType::kRevolute, "world", "crank"));
  builder.add_joint(joint("slide", JointType::kPrismatic, "world", "yoke"));
  const double r = 0.5, a = 0.8, w = 2.0, torque = 1.3;
  System system = with_loops(
      builder.build(),
      {constraint::Constraint{
          "yoke", constraint::FormulaConstraint({{0, 0, 0.0}, {1, 1, 0.0}},
                                                Formula("b - 0.5*sin(a)", {"a", "b", "t"}))}},
      Eigen::Vector2d(a, r * std::sin(a)), Eigen::Vector2d(w, r * w * std::cos(a)));
  Snapshot<double> s(system);
  s.extra_effort[0] = torque;
  const VecX x = system.initial_state();
  system.evaluate<double>(0.0, view(x), s);
  const double c = r * std::cos(a), inertia = 0.2 + 3.0 * c * c;
  const double expected = (torque + 3.0 * c * r * std::sin(a) * w * w) / inertia;
  EXPECT_NEAR(s.workspace.vdot[0], expected, 1e-13);
}

// A frame led along a path: the force on it is m a, and its power is booked as that of a drive.
TEST(GivenMotion, PutsInWhatTheBodyGains) {
  ModelBuilder builder;
  builder.set_gravity({0, 0, -9.81});
  builder.add_body("box", lump(2.0, {0.1, 0.2, 0.0}, {0.3, 0.2, 0.4}));
  builder.add_body("arm", lump(1.0, {0.5, 0.0, 0.0}, {0.1, 0.1, 0.1}));
  builder.add_joint(
      joint("hinge", JointType::kRevolute, "box", "arm", Mat3::Identity(), {0.3, 0.0, 0.0}));
  Model model = builder.build();
  const auto f = [](const char* text) { return Function::expression(text); };
  const auto loop = constraint::Constraint{
      "led", constraint::PrescribedMotion{{kWorld, frame_on(model, "box", {})},
                                          {{f("sin(t)"), f("t^2"), f("0.1*t^3")}},
                                          {{f("0.3*sin(2*t)"), f("0.2*t"), f("-0.4*t^2")}}}};
  System system = with_loops(std::move(model), {loop});
  VecX x = system.initial_state();
  x[7] = 0.4;  // the hinge
  const double t = 0.7;
  system.project(t, view(x));
  EXPECT_LT((x.head<3>() - Vec3(std::sin(t), t * t, 0.1 * t * t * t)).norm(), 1e-12);
  EXPECT_LT((x.segment<3>(8) - Vec3(std::cos(t), 2 * t, 0.3 * t * t)).norm(), 1e-12);
  const Snapshot<double> s = evaluated(system, t, x);
  EXPECT_NEAR(s.workspace.vdot[0], -std::sin(t), 1e-12);
  EXPECT_GT(std::abs(supply(s, element::Supply::kActuators)), 1.0);
  EXPECT_LT(std::abs(unbooked_power(system, t, x)), 1e-11);
}

// Rolling and sliding on edges do no work, and the whole turned or moved does the same.
TEST(Rolling, DoesNoWorkAndDoesNotKnowTheWorldsAxes) {
  enum class Wheel { kSphere, kDisc, kBlade };
  for (const Wheel wheel : {Wheel::kSphere, Wheel::kDisc, Wheel::kBlade}) {
    test::RandomTree random(31);
    const Pose X_WF = random.pose();
    std::vector<Vec3> accelerations;
    for (const Pose& place : {Pose{}, X_WF}) {
      ModelBuilder builder;
      builder.set_gravity(place.R * Vec3(1.0, 2.0, -9.0));
      builder.add_body("wheel", lump(2.0, Vec3::Zero(), {0.1, 0.1, 0.2}));
      Model model = builder.build();
      const constraint::FramePair frames{{"", 0, place}, frame_on(model, "wheel", {})};
      constraint::Constraint loop{"floor", constraint::KnifeEdge{frames}};
      if (wheel == Wheel::kSphere) loop.kind = constraint::Rolling{frames, 0.3};
      if (wheel == Wheel::kDisc) loop.kind = constraint::Rolling{frames, 0.3, Vec3::UnitZ()};
      const Mat3 lean =
          spatial::rotation_matrix<double>(spatial::quaternion_exp<double>(Vec3(0.9, 0.4, -0.2)));
      VecX q = model::State(model).q, v(6);
      q.head<3>() = place.p + place.R * Vec3(0.2, 0.1, 0.28);
      q.segment<4>(3) = spatial::quaternion_of<double>(Mat3(place.R * lean));
      v << place.R * Vec3(0.3, -0.5, 0.1), 1.0, -2.0, 3.0;
      const System system = with_loops(std::move(model), {loop}, q, v);
      const VecX x = system.initial_state();
      EXPECT_LT(std::abs(unbooked_power(system, 0.0, x)), 1e-12);
      const Snapshot<double> s = evaluated(system, 0.0, x);
      accelerations.push_back(place.R.transpose() * s.workspace.vdot.head<3>());
      accelerations.push_back(s.workspace.vdot.tail<3>());
    }
    EXPECT_LT((accelerations[0] - accelerations[2]).norm(), 1e-11);
    EXPECT_LT((accelerations[1] - accelerations[3]).norm(), 1e-11);
  }
}

// A ball rolls down an incline with 5/7 of the free acceleration.
TEST(Rolling, BallOnAnIncline) {
  ModelBuilder builder;
  builder.set_gravity({9.81 * std::sin(0.4), 0, -9.81 * std::cos(0.4)});
  const double R = 0.2, m = 3.0;
  builder.add_body("ball", lump(m, Vec3::Zero(), Vec3::Constant(0.4 * m * R * R)));
  Model model = builder.build();
  const auto loop = constraint::Constraint{
      "floor", constraint::Rolling{{kWorld, frame_on(model, "ball", {})}, R}};
  VecX q = model::State(model).q;
  q[2] = R;
  const System system = with_loops(std::move(model), {loop}, q);
  const Snapshot<double> s = evaluated(system, 0.0, system.initial_state());
  const double a = 5.0 / 7.0 * 9.81 * std::sin(0.4);
  EXPECT_NEAR(s.workspace.vdot[0], a, 1e-13);
  EXPECT_NEAR(s.workspace.vdot[4], a / R, 1e-12);
  EXPECT_NEAR(value(system, s, "loop/floor/force_z"), m * 9.81 * std::cos(0.4), 1e-12);
  EXPECT_NEAR(value(system, s, "loop/floor/force_x"), -2.0 / 7.0 * m * 9.81 * std::sin(0.4), 1e-12);
}

}  // namespace
}  // namespace grapple::system::testing
