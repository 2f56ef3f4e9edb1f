// Every joule is accounted for: along the true motion, d(stored)/dt = sum of the booked supplies.
// The derivative is exact: x + eps x' as dual numbers through the same equations.
#include <gtest/gtest.h>

#include <set>

#include "grapple/force/force_elements.h"
#include "grapple/force/joint_elements.h"
#include "support.h"

namespace grapple::system::testing {
namespace {

using test::RandomTree;

// Exact derivatives, so only rounding is left: accelerations of random trees lose about four
// digits.
constexpr double kPowerRounding = 1e-9;

struct Balance {
  double imbalance = 0.0;  // W, relative to the powers at work
  std::set<element::Supply> supplies;
  std::set<element::Stored> stores;  // accounts of the elements that are not empty
};

Balance balance(const System& system, double t, const VecX& x) {
  const Snapshot<double> s = evaluated(system, t, x);
  const VecX rate = rate_of(system, s);
  const Snapshot<Dual> along = evaluated_along(system, t, x, rate);
  Balance b;
  double sum = 0.0, scale = 1.0;
  for (std::size_t k = 0; k < element::kStoredCount; ++k) {
    sum += along.energies.stored[k].d[0];
    scale += std::abs(along.energies.stored[k].d[0]);
    EXPECT_NEAR(along.energies.stored[k].value, s.energies.stored[k],
                1e-12 * (1.0 + std::abs(s.energies.stored[k])));
    if (k >= 2 && s.energies.stored[k] != 0.0) b.stores.insert(static_cast<element::Stored>(k));
  }
  for (std::size_t k = 0; k < element::kSupplyCount; ++k) {
    sum -= s.energies.supply[k];
    scale += std::abs(s.energies.supply[k]);
    if (s.energies.supply[k] != 0.0) b.supplies.insert(static_cast<element::Supply>(k));
    EXPECT_EQ(rate[system.dynamic_size() + static_cast<int>(k)], s.energies.supply[k]);
  }
  b.imbalance = std::abs(sum) / scale;
  return b;
}

using Maker = std::unique_ptr<element::Element> (*)(const Model&, RandomTree&);

constexpr int kJoint = 2;  // the link under test, see tree_with
int dof(const Model& model) { return model.link(kJoint).nv; }

std::unique_ptr<element::Element> spring(const Model& m, RandomTree& r) {
  return force::make_joint_spring(m, kJoint, random_values(r, dof(m), 1.0, 50.0),
                                  random_values(r, dof(m), -0.7, 0.7));
}
std::unique_ptr<element::Element> damper(const Model& m, RandomTree& r) {
  return force::make_joint_damper(m, kJoint, random_values(r, dof(m), 0.5, 5.0));
}
std::unique_ptr<element::Element> friction(const Model& m, RandomTree& r) {
  return force::make_joint_friction(
      m, kJoint,
      {random_values(r, dof(m), 0.5, 5.0), random_values(r, dof(m), 0.1, 1.0),
       random_values(r, dof(m), 0.01, 2.0)});
}
// Limits so tight that nearly every state is inside a stop.
std::unique_ptr<element::Element> stop(const Model& m, RandomTree& r) {
  return force::make_joint_stop(
      m, kJoint,
      {random_values(r, dof(m), -0.05, 0.0), random_values(r, dof(m), 0.0, 0.05),
       random_values(r, dof(m), 10.0, 100.0), random_values(r, dof(m), 0.1, 1.0)});
}
std::unique_ptr<element::Element> motor(const Model& m, RandomTree& r) {
  std::vector<element::Input> efforts(static_cast<std::size_t>(dof(m)),
                                      Function::expression("3 + sin(2*t)"));
  return force::make_joint_motor(m, kJoint, efforts, random_values(r, dof(m), 1.0, 10.0));
}

struct JointCase {
  const char* name;
  Maker make;
  std::set<element::Stored> stores;
  std::set<element::Supply> supplies;
};
void PrintTo(const JointCase& c, std::ostream* out) { *out << c.name; }

class JointElements : public ::testing::TestWithParam<JointCase> {};

TEST_P(JointElements, BalanceOnEveryJointType) {
  double worst = 0.0;
  std::set<element::Stored> stores;
  std::set<element::Supply> supplies;
  for (const JointType type : model::kAllJointTypes) {
    for (unsigned seed = 0; seed < 20; ++seed) {
      SCOPED_TRACE(std::string(joint_type_name(type)) + " seed " + std::to_string(seed));
      RandomTree random(seed);
      Model model = tree_with(type, random);
      auto element = GetParam().make(model, random);
      const System system = system_of(std::move(model), elements(std::move(element)));
      const Balance b = balance(system, 0.3, random_state(system, random));
      EXPECT_LT(b.imbalance, kPowerRounding);
      worst = std::max(worst, b.imbalance);
      stores.insert(b.stores.begin(), b.stores.end());
      supplies.insert(b.supplies.begin(), b.supplies.end());
    }
  }
  EXPECT_EQ(stores, GetParam().stores);
  EXPECT_EQ(supplies, GetParam().supplies);
  std::printf("%s: worst relative imbalance %.1e\n", GetParam().name, worst);
}

INSTANTIATE_TEST_SUITE_P(
    Each, JointElements,
    ::testing::Values(JointCase{"spring", spring, {element::Stored::kElastic}, {}},
                      JointCase{"damper", damper, {}, {element::Supply::kDamping}},
                      JointCase{"friction", friction, {}, {element::Supply::kFriction}},
                      JointCase{
                          "stop", stop, {element::Stored::kStops}, {element::Supply::kDamping}},
                      JointCase{"motor", motor, {}, {element::Supply::kActuators}}),
    [](const auto& case_) { return std::string(case_.param.name); });

std::array<element::Input, 3> some_load() {
  return {Function::expression("2*cos(t)"), Function::constant(-3.0),
          Function::expression("1 + t")};
}
std::unique_ptr<element::Element> force_world(const Model& m, RandomTree&) {
  return force::make_point_force("force/f", frame(m, "tip"), some_load(), force::Axes::kWorld);
}
std::unique_ptr<element::Element> force_frame(const Model& m, RandomTree&) {
  return force::make_point_force("force/f", frame(m, "tip"), some_load(), force::Axes::kFrame);
}
std::unique_ptr<element::Element> torque_world(const Model& m, RandomTree&) {
  return force::make_torque("torque/f", frame(m, "tip"), some_load(), force::Axes::kWorld);
}
std::unique_ptr<element::Element> torque_frame(const Model& m, RandomTree&) {
  return force::make_torque("torque/f", frame(m, "tip"), some_load(), force::Axes::kFrame);
}
std::unique_ptr<element::Element> line_element(const Model& m, RandomTree&) {
  return force::make_spring_damper("spring/s", frame(m, "tip"), frame(m, "side"),
                                   {20.0, 3.0, 0.8, Function::expression("4*sin(t)")});
}
std::unique_ptr<element::Element> line_of_no_length(const Model& m, RandomTree&) {
  return force::make_spring_damper("spring/s", frame(m, "wall"), frame(m, "side"),
                                   {20.0, 3.0, 0.0, Function::constant(2.0)});
}
std::unique_ptr<element::Element> bushing(const Model& m, RandomTree&) {
  return force::make_bushing("bushing/b", frame(m, "tip"), frame(m, "side"),
                             {{10.0, 20.0, 30.0, 4.0, 9.0, 15.0}, {1.0, 2.0, 3.0, 0.5, 0.6, 0.7}});
}
std::unique_ptr<element::Element> bushing_undamped(const Model& m, RandomTree&) {
  return force::make_bushing("bushing/b", frame(m, "side"), frame(m, "wall"),
                             {{10.0, 20.0, 30.0, 4.0, 9.0, 15.0}, {}});
}

class ForceElements : public ::testing::TestWithParam<JointCase> {};

TEST_P(ForceElements, BalanceBetweenMovingBodies) {
  double worst = 0.0;
  for (unsigned seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    RandomTree random(seed);
    const auto type = model::kAllJointTypes[seed % model::kAllJointTypes.size()];
    Model model = tree_with(type, random);
    auto element = GetParam().make(model, random);
    const System system = system_of(std::move(model), elements(std::move(element)));
    const Balance b = balance(system, 0.3, random_state(system, random));
    EXPECT_LT(b.imbalance, kPowerRounding);
    EXPECT_EQ(b.stores, GetParam().stores);
    EXPECT_EQ(b.supplies, GetParam().supplies);
    worst = std::max(worst, b.imbalance);
  }
  std::printf("%s: worst relative imbalance %.1e\n", GetParam().name, worst);
}

INSTANTIATE_TEST_SUITE_P(
    Each, ForceElements,
    ::testing::Values(
        JointCase{"force_world", force_world, {}, {element::Supply::kExternal}},
        JointCase{"force_frame", force_frame, {}, {element::Supply::kExternal}},
        JointCase{"torque_world", torque_world, {}, {element::Supply::kExternal}},
        JointCase{"torque_frame", torque_frame, {}, {element::Supply::kExternal}},
        JointCase{"line",
                  line_element,
                  {element::Stored::kElastic},
                  {element::Supply::kDamping, element::Supply::kActuators}},
        JointCase{"line_of_no_length",
                  line_of_no_length,
                  {element::Stored::kElastic},
                  {element::Supply::kDamping, element::Supply::kActuators}},
        JointCase{"bushing", bushing, {element::Stored::kElastic}, {element::Supply::kDamping}},
        JointCase{"bushing_undamped", bushing_undamped, {element::Stored::kElastic}, {}}),
    [](const auto& case_) { return std::string(case_.param.name); });

TEST(PowerBalance, OfEverythingAtOnceOnRandomTreesWithLockedAndDrivenJoints) {
  double worst = 0.0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    RandomTree random(seed);
    Model model = tree_with(JointType::kSpherical, random);
    auto all = elements(spring(model, random), damper(model, random), friction(model, random),
                        stop(model, random), motor(model, random), force_frame(model, random),
                        line_element(model, random), bushing(model, random));
    // Acceleration level: rates are states then, and the dual derivative along x' is the whole one.
    JointMotion driven{
        3, MotionLevel::kAcceleration, {Function::constant(0.7), Function::constant(-0.4)}};
    SystemParts parts{std::move(model), {}, {}, std::move(all), {driven}, {4}};
    const System system(std::move(parts));
    VecX x = random_state(system, random);
    system.project(0.3, view(x));
    const Balance b = balance(system, 0.3, x);
    EXPECT_LT(b.imbalance, kPowerRounding);
    worst = std::max(worst, b.imbalance);
  }
  std::printf("all together: worst relative imbalance %.1e\n", worst);
}

}  // namespace
}  // namespace grapple::system::testing
