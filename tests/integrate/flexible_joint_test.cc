// Flexible joints over time: ledgers that close, momentum that stays, the period of backlash and
// the area of a hysteresis loop in closed form.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "grapple/force/joint_elements.h"
#include "grapple/force/transmission.h"
#include "grapple/integrate/simulate.h"
#include "grapple/integrate/system_problem.h"

namespace grapple::integrate::testing {
namespace {

using element::Stored;
using element::Supply;
using force::TransmissionLaw;
using model::JointSpec;
using model::Model;
using model::ModelBuilder;
using spatial::VecX;
using std::numbers::pi;
using system::System;

constexpr double kMotor = 0.7, kLink = 2.5, kStiffness = 900.0;

struct Start {
  double twist, motor_rate;
};

// A disc of inertia kLink on a flexible joint with a motor of inertia kMotor.
System two_inertias(const TransmissionLaw& law, Start start,
                    std::vector<system::JointMotion> motions = {}) {
  ModelBuilder builder;
  const spatial::MassProperties disc{1.0, spatial::Vec3::Zero(), kLink * spatial::Mat3::Identity()};
  builder.add_body("disc", disc);
  JointSpec joint;
  joint.name = "hub";
  joint.child = "disc";
  joint.reflected_inertia = {kMotor};
  joint.transmission = JointSpec::Transmission::kFlexible;
  builder.add_joint(joint);
  Model model = builder.build();
  std::vector<std::unique_ptr<element::Element>> parts;
  parts.push_back(force::make_transmission(model, 1, {law}));
  VecX q(2), v(2);
  q << 0.0, start.twist;
  v << 0.0, start.motor_rate;
  return System({std::move(model), q, v, std::move(parts), std::move(motions), {}});
}

// Largest ledger residual relative to the energy at the start, and what is left at the end.
struct Watched : Observer {
  explicit Watched(System& s) : system(s), problem(s, {}) {}
  Action step_accepted(double t, double, std::span<double> x) override {
    const system::Snapshot<double>& s = problem.evaluate(t, x);
    double residual = -system.initial_energy();
    for (const double part : s.energies.stored) residual += part;
    for (const double work : s.work) residual -= work;
    worst = std::max(worst, std::abs(residual));
    const double momentum = kMotor * s.state.v[1] + kLink * s.state.v[0];
    drift = std::max(drift, std::abs(momentum - momentum_at_start));
    return Action::kContinue;
  }
  Result run(double t_end, double tolerance) {
    auto stepper = make_stepper(problem, {.relative_tolerance = tolerance});
    const VecX x0 = system.initial_state();
    momentum_at_start = kMotor * x0[3] + kLink * x0[2];
    return simulate(problem, *stepper, {x0.data(), static_cast<std::size_t>(x0.size())},
                    {.t_end = t_end}, problem.crossings(), *this);
  }
  double work(const Result& result, Supply account) const {
    return result.x[static_cast<std::size_t>(system.dynamic_size() + static_cast<int>(account))];
  }
  System& system;
  SystemProblem problem;
  double worst = 0.0, drift = 0.0, momentum_at_start = 0.0;
};

struct LawCase {
  const char* name;
  TransmissionLaw law;
};
void PrintTo(const LawCase& c, std::ostream* out) { *out << c.name; }

class FreeMotion : public ::testing::TestWithParam<LawCase> {};

TEST_P(FreeMotion, ClosesItsLedgerAndKeepsItsMomentum) {
  System system = two_inertias(GetParam().law, {0.05, 3.0});
  Watched watched(system);
  const Result result = watched.run(2.0, 1e-11);
  ASSERT_EQ(result.status, Status::kCompleted);
  EXPECT_LT(watched.worst, 1e-9 * system.initial_energy());
  // Nothing acts from outside on motor and link together.
  EXPECT_LT(watched.drift, 1e-9 * kMotor * 3.0);
  const bool loses = GetParam().law.damping > 0.0 || GetParam().law.hysteresis.stiffness > 0.0;
  const double lost =
      watched.work(result, Supply::kDamping) + watched.work(result, Supply::kFriction);
  EXPECT_LE(lost, 0.0);
  EXPECT_EQ(lost < -0.05 * system.initial_energy(), loses) << lost;
  std::printf("%s: ledger %.1e, momentum %.1e\n", GetParam().name,
              watched.worst / system.initial_energy(), watched.drift);
}

INSTANTIATE_TEST_SUITE_P(
    Each, FreeMotion,
    ::testing::Values(
        LawCase{"linear", {.stiffness = kStiffness}},
        LawCase{"cubic", {.stiffness = kStiffness, .cubic_stiffness = 1e5}},
        LawCase{"damped", {.stiffness = kStiffness, .damping = 1.0}},
        LawCase{"backlash", {.stiffness = kStiffness, .backlash = 0.04}},
        LawCase{"damped_backlash", {.stiffness = kStiffness, .damping = 1.0, .backlash = 0.04}},
        LawCase{"hysteresis",
                {.stiffness = kStiffness, .hysteresis = {.stiffness = 300.0, .yield = 10.0}}},
        LawCase{
            "everything",
            {kStiffness, 1e4, 0.5, 0.02, {.stiffness = 300.0, .yield = 10.0, .exponent = 2.0}}}),
    [](const auto& one) { return std::string(one.param.name); });

// On a floating base the whole drive is internal: whatever the motor does, the momentum of the
// bodies stays what it was.
TEST(FlexibleJoint, KeepsTheMomentumOfAFloatingSystem) {
  ModelBuilder builder;
  builder.add_body("base", {4.0, {0.1, 0.0, 0.2}, 2.0 * spatial::Mat3::Identity()});
  builder.add_body("arm", {1.0, {0.5, 0.1, 0.0}, 0.2 * spatial::Mat3::Identity()});
  JointSpec joint;
  joint.name = "shoulder";
  joint.parent = "base";
  joint.child = "arm";
  joint.X_PF.p = {0.3, 0.2, 0.1};
  joint.reflected_inertia = {kMotor};
  joint.transmission = JointSpec::Transmission::kFlexible;
  builder.add_joint(joint);
  Model model = builder.build();
  const int link = model.joints()[static_cast<std::size_t>(model.find_joint("shoulder"))].link;
  std::vector<std::unique_ptr<element::Element>> parts;
  parts.push_back(
      force::make_transmission(model, link, {{.stiffness = kStiffness, .damping = 2.0}}));
  parts.push_back(
      force::make_joint_motor(model, link, {Function::expression("0.2*sin(5*t)")}, {100.0}));
  const spatial::VecX v = 0.3 * VecX::Ones(model.nv());
  System system({std::move(model), {}, v, std::move(parts), {}, {}});
  SystemProblem problem(system, {});
  auto stepper = make_stepper(problem, {.relative_tolerance = 1e-11});
  const VecX x0 = system.initial_state();
  const auto momentum = [&](double t, std::span<const double> x) {
    VecX all(6);
    const system::Snapshot<double>& s = problem.evaluate(t, x);
    for (int k = 0; k < 3; ++k) {
      for (const auto& [row, name] : {std::pair(k, "linear"), std::pair(3 + k, "angular")}) {
        const std::string channel = std::string("momentum/") + name + "_" + "xyz"[k];
        const auto at = static_cast<std::size_t>(system.find_channel(channel));
        all[row] = system::channel_value(system, system.channels()[at], s);
      }
    }
    return all;
  };
  const std::span<const double> start(x0.data(), static_cast<std::size_t>(x0.size()));
  const VecX before = momentum(0.0, start);
  Observer nobody;
  const Result result =
      simulate(problem, *stepper, start, {.t_end = 3.0}, problem.crossings(), nobody);
  ASSERT_EQ(result.status, Status::kCompleted);
  // Some thousand steps at 1e-11 of momenta of some N m s.
  EXPECT_LT((momentum(3.0, result.x) - before).norm(), 1e-8);
  EXPECT_GT(before.norm(), 0.1);
}

// A motor held still and a link that bounces to and fro in the play: half a swing on each flank,
// pi sqrt(I / k), and the play crossed twice at the speed of impact.
TEST(Backlash, PeriodIsTwoHalfSwingsAndTwoCrossings) {
  const double play = 0.04, speed = 2.0;
  const TransmissionLaw law{.stiffness = kStiffness, .backlash = play};
  System system = two_inertias(law, {0.0, 0.0},
                               {{1, system::MotionLevel::kPosition, {Function::constant(0.0)}}});
  const double period = 2.0 * pi * std::sqrt(kLink / kStiffness) + 2.0 * play / speed;
  SystemProblem problem(system, {{system.find_channel("joint/hub/position"), 0.0}});
  struct Passages : Observer {
    Action event(int index, double t, int, std::span<double>) override {
      if (index == 0) times.push_back(t);
      return Action::kContinue;
    }
    std::vector<double> times;
  } passages;
  auto stepper = make_stepper(problem, {.relative_tolerance = 1e-12});
  VecX x0 = system.initial_state();
  x0[2] = speed;
  x0[0] = -1e-3;  // just before the middle
  simulate(problem, *stepper, {x0.data(), static_cast<std::size_t>(x0.size())}, {.t_end = 2.2},
           problem.crossings(), passages);
  ASSERT_GE(passages.times.size(), 10u);
  for (std::size_t k = 0; k < passages.times.size(); ++k) {
    const double expected = 1e-3 / speed + 0.5 * period * static_cast<double>(k);
    EXPECT_NEAR(passages.times[k], expected, 1e-9 * expected + 1e-12) << k;
  }
}

// The motor turned to and fro by A against a link too heavy to follow. Of exponent 1 the knee is an
// exponential: from -Z the spring unwinds elastically, then z = zy (1 - exp(-s / zy)), so that
//   Z = zy (1 - exp(-(2 A - Z) / zy)),   loop = 2 kh ( zy (2 A - Z) - zy Z - Z^2 / 2 ).
TEST(Hysteresis, LoopAreaIsTheLossBookedPerCycle) {
  const double amplitude = 0.05, kh = 400.0, yield = 8.0, zy = yield / kh;
  const system::JointMotion motion{
      1, system::MotionLevel::kPosition, {Function::expression("0.05*sin(2*pi*t)")}};
  ModelBuilder builder;
  builder.add_body("mountain", {1e12, spatial::Vec3::Zero(), 1e12 * spatial::Mat3::Identity()});
  JointSpec joint;
  joint.name = "hub";
  joint.child = "mountain";
  joint.reflected_inertia = {kMotor};
  joint.transmission = JointSpec::Transmission::kFlexible;
  builder.add_joint(joint);
  Model model = builder.build();
  std::vector<std::unique_ptr<element::Element>> parts;
  parts.push_back(force::make_transmission(
      model, 1, {{.stiffness = 100.0, .hysteresis = {.stiffness = kh, .yield = yield}}}));
  System system({std::move(model), {}, {}, std::move(parts), {motion}, {}});
  SystemProblem problem(system, {});
  struct Losses : Observer {
    explicit Losses(const System& s)
        : at(static_cast<std::size_t>(s.dynamic_size() + static_cast<int>(Supply::kFriction))) {}
    void output(double, std::span<const double> x) override { friction.push_back(-x[at]); }
    std::size_t at;
    std::vector<double> friction;
  } losses(system);
  auto stepper = make_stepper(problem, {.relative_tolerance = 1e-11});
  const VecX x0 = system.initial_state();
  const Result result =
      simulate(problem, *stepper, {x0.data(), static_cast<std::size_t>(x0.size())},
               {.t_end = 6.0, .output_interval = 1.0}, problem.crossings(), losses);
  ASSERT_EQ(result.status, Status::kCompleted);
  double Z = zy;
  for (int k = 0; k < 100; ++k) Z = zy * (1.0 - std::exp(-(2.0 * amplitude - Z) / zy));
  const double loop = 2.0 * kh * (zy * (2.0 * amplitude - Z) - zy * Z - 0.5 * Z * Z);
  ASSERT_EQ(losses.friction.size(), 7u);
  // Each cycle leaves exp(-2 (2 A - Z) / zy), about 3e-4, of the distance to the steady loop.
  for (std::size_t k = 4; k < losses.friction.size(); ++k) {
    EXPECT_NEAR(losses.friction[k] - losses.friction[k - 1], loop, 1e-8 * loop) << k;
  }
}

}  // namespace
}  // namespace grapple::integrate::testing
