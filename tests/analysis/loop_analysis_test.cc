// Modes, linear models and equilibria of closed mechanisms.
#include <gtest/gtest.h>

#include <algorithm>

#include "grapple/analysis/equilibrium.h"
#include "grapple/analysis/linearize.h"
#include "grapple/analysis/natural_modes.h"
#include "grapple/force/force_elements.h"
#include "grapple/force/joint_elements.h"
#include "system/support.h"

namespace grapple::analysis::testing {

using namespace system::testing;
namespace {

using constraint::LoopType;

int link_of(const Model& model, const char* body) {
  return model.bodies()[static_cast<std::size_t>(model.find_body(body))].link;
}

// A plate hung on two parallel bars of length l without mass to speak of: it swings without
// turning, as a point at l (in a plane), turned by `phi` from hanging.
system::SystemParts swing(double l, double plate, double bar, double phi) {
  ModelBuilder builder;
  builder.set_gravity({0, -9.81, 0});
  builder.add_body("left", lump(bar, {0, -0.5 * l, 0}, Vec3::Constant(bar * l * l / 12.0)));
  builder.add_body("plate", lump(plate, {0.5, 0, 0}, Vec3::Constant(0.3)));
  builder.add_body("right", lump(bar, {0, -0.5 * l, 0}, Vec3::Constant(bar * l * l / 12.0)));
  builder.add_joint(joint("a", JointType::kRevolute, "world", "left"));
  builder.add_joint(
      joint("b", JointType::kRevolute, "left", "plate", Mat3::Identity(), {0, -l, 0}));
  builder.add_joint(
      joint("d", JointType::kRevolute, "world", "right", Mat3::Identity(), {1, 0, 0}));
  system::SystemParts parts;
  parts.model = builder.build();
  parts.constraints = {constraint::Constraint{
      "c",
      constraint::LoopClosure{{{"", link_of(parts.model, "plate"), {Mat3::Identity(), {1, 0, 0}}},
                               {"", link_of(parts.model, "right"), {Mat3::Identity(), {0, -l, 0}}}},
                              LoopType::kRevolute}}};
  parts.q = VecX::Zero(3);
  parts.q[parts.model.link(link_of(parts.model, "left")).q_index] = phi;
  parts.q[parts.model.link(link_of(parts.model, "plate")).q_index] = -phi;
  parts.q[parts.model.link(link_of(parts.model, "right")).q_index] = phi;
  return parts;
}

// omega^2 = g (M + m) / (l (M + 2/3 m)) for two bars of mass m each.
TEST(ClosedModes, FourBarSwing) {
  const double l = 0.7, M = 4.0, m = 1.5;
  const system::System system(swing(l, M, m, 0.0));
  const VecX x = system.initial_state();
  const std::vector<Mode> modes = natural_modes(system, 0.0, view(x));
  ASSERT_EQ(modes.size(), 1U);
  const double omega = std::sqrt(9.81 * (M + m) / (l * (M + 2.0 / 3.0 * m)));
  EXPECT_NEAR(2.0 * M_PI * modes[0].frequency_hz, omega, 1e-12 * omega);
  // The bars turn together and the plate stays level.
  const auto shape = modes[0].shape;
  EXPECT_NEAR(std::abs(shape[0] + shape[1]), 0.0, 1e-12);
  EXPECT_NEAR(std::abs(shape[0] - shape[2]), 0.0, 1e-12);
}

TEST(ClosedModes, ADamperDampsThem) {
  system::SystemParts parts = swing(0.7, 4.0, 1.5, 0.0);
  const double d = 0.8, inertia = 0.7 * 0.7 * (4.0 + 1.0), stiffness = 9.81 * 5.5 * 0.7;
  parts.elements.push_back(
      force::make_joint_damper(parts.model, link_of(parts.model, "left"), {d}));
  const system::System system(std::move(parts));
  const std::vector<Mode> modes = natural_modes(system, 0.0, view(VecX(system.initial_state())));
  ASSERT_EQ(modes.size(), 1U);
  EXPECT_NEAR(modes[0].damping_ratio, d / (2.0 * std::sqrt(stiffness * inertia)), 1e-12);
}

// In a place where rows that the joints hold already differ from zero by rounding, they are still
// none: one mode, not none.
TEST(ClosedModes, RowsHeldByJointsAreNotCountedByTheirRounding) {
  for (const double phi : {0.1, 0.37, 0.61, 0.83}) {
    system::SystemParts parts = swing(0.7, 4.0, 1.5, phi);
    ModelBuilder tilted;  // the same about a generic axis
    const Mat3 R =
        spatial::rotation_matrix<double>(spatial::quaternion_exp<double>(Vec3(0.3, -0.8, 0.5)));
    tilted.set_gravity(R * Vec3(0, -9.81, 0));
    const auto bar = [&](const char* name, double mass, const Vec3& com) {
      tilted.add_body(name, lump(mass, R * com, Vec3::Constant(0.3)));
    };
    bar("left", 1.5, {0, -0.35, 0});
    bar("plate", 4.0, {0.5, 0, 0});
    bar("right", 1.5, {0, -0.35, 0});
    tilted.add_joint(joint("a", JointType::kRevolute, "world", "left", R));
    tilted.add_joint(joint("b", JointType::kRevolute, "left", "plate", R, R * Vec3(0, -0.7, 0)));
    tilted.add_joint(joint("d", JointType::kRevolute, "world", "right", R, R * Vec3(1, 0, 0)));
    parts.model = tilted.build();
    const auto frame = [&](const char* body, const Vec3& p) {
      const model::Body& b =
          parts.model.bodies()[static_cast<std::size_t>(parts.model.find_body(body))];
      return model::Frame{"", b.link, b.X_LB * Pose{R, R * p}};
    };
    parts.constraints = {constraint::Constraint{
        "c", constraint::LoopClosure{{frame("plate", {1, 0, 0}), frame("right", {0, -0.7, 0})},
                                     LoopType::kRevolute}}};
    const system::System system(std::move(parts));
    EXPECT_EQ(system.constraint_rank(), 2);
    EXPECT_EQ(linearize(system, 0.0, view(VecX(system.initial_state())), {}, {}).A.rows(), 2);
  }
}

// About a moving, displaced state: A and the true motion of neighbouring closed states agree.
TEST(ClosedLinearize, FollowsNeighbouringMotions) {
  system::SystemParts parts = swing(0.7, 4.0, 1.5, 0.4);
  parts.v = Vec3(1.3, -1.3, 1.3);
  system::System system(std::move(parts));
  const VecX x = system.initial_state();
  const LinearModel linear = linearize(system, 0.0, view(x), {0}, {});
  ASSERT_EQ(linear.A.rows(), 2);
  ASSERT_EQ(linear.B.cols(), 1);
  const int kept = linear.coordinates[0];
  const auto acceleration = [&](double dq, double dv) {
    system::SystemParts moved = swing(0.7, 4.0, 1.5, 0.4 + dq);
    moved.v = (1.3 + dv) * Vec3(1, -1, 1);
    const system::System there(std::move(moved));
    return evaluated(there, 0.0, there.initial_state()).workspace.vdot[kept];
  };
  const double sign = kept == 1 ? -1.0 : 1.0;
  const double by_q = derivative([&](double h) { return acceleration(sign * h, 0.0); }, 1e-3);
  const double by_v = derivative([&](double h) { return acceleration(0.0, sign * h); }, 1e-3);
  EXPECT_NEAR(linear.A(1, 0), by_q, 1e-9 * (1.0 + std::abs(by_q)));
  EXPECT_NEAR(linear.A(1, 1), by_v, 1e-9);
  EXPECT_NEAR(linear.A(0, 1), 1.0, 1e-15);
  EXPECT_NEAR(linear.A(0, 0), 0.0, 1e-15);
}

// Where the plate swings, damped by nothing, the equilibrium is straight down, from anywhere.
TEST(ClosedEquilibrium, HangsDown) {
  const system::System system(swing(0.7, 4.0, 1.5, 1.0));
  const EquilibriumResult found = equilibrium(system, 0.0, view(VecX(system.initial_state())));
  EXPECT_TRUE(found.converged);
  EXPECT_LT(found.x.head<3>().norm(), 1e-9);
  const system::Snapshot<double> s = evaluated(system, 0.0, found.x);
  // Half of the plate and of its bar's weight on the far bar.
  EXPECT_NEAR(std::abs(value(system, s, "loop/c/force_y")), 0.5 * 4.0 * 9.81, 1e-8);
}

// Slider-crank under gravity with a spring on the slider: the torque of the weights balances the
// spring's force times the slider's travel per angle.
TEST(ClosedEquilibrium, SliderCrankOnASpring) {
  const double r = 0.2, l = 0.5, m = 3.0, k = 2000.0, x0 = 0.6;
  ModelBuilder builder;
  builder.set_gravity({0, -9.81, 0});
  builder.add_body("crank", lump(m, {r, 0, 0}, Vec3::Constant(0.01)));
  builder.add_body("rod", lump(1e-9, {0.5 * l, 0, 0}, Vec3::Constant(1e-10)));
  builder.add_body("slider", lump(1.0, Vec3::Zero(), Vec3::Constant(0.01)));
  builder.add_joint(joint("shaft", JointType::kRevolute, "world", "crank"));
  builder.add_joint(
      joint("pin", JointType::kRevolute, "crank", "rod", Mat3::Identity(), {r, 0, 0}));
  builder.add_joint(joint("guide", JointType::kPrismatic, "world", "slider",
                          spatial::frame_with_z(Vec3::UnitX())));
  system::SystemParts parts;
  parts.model = builder.build();
  const int guide = link_of(parts.model, "slider");
  parts.constraints = {constraint::Constraint{
      "wrist",
      constraint::LoopClosure{
          {{"", link_of(parts.model, "rod"), {Mat3::Identity(), {l, 0, 0}}}, {"", guide, {}}},
          LoopType::kSpherical}}};
  const double phi = 0.9, psi = -std::asin(r * std::sin(phi) / l);
  const auto at = [&](const char* body) {
    return parts.model.link(link_of(parts.model, body)).q_index;
  };
  parts.q = VecX::Zero(3);
  parts.q[at("crank")] = phi;
  parts.q[at("rod")] = psi - phi;
  parts.q[at("slider")] = r * std::cos(phi) + l * std::cos(psi);
  parts.elements.push_back(force::make_joint_spring(parts.model, guide, {k}, {x0}));
  const int crank_q = at("crank");
  const system::System system(std::move(parts));
  const EquilibriumResult found = equilibrium(system, 0.0, view(VecX(system.initial_state())));
  ASSERT_TRUE(found.converged);
  const double a = found.x[crank_q], q = std::sqrt(l * l - std::pow(r * std::sin(a), 2));
  const double slider = r * std::cos(a) + q;
  const double travel = -r * std::sin(a) - r * r * std::sin(a) * std::cos(a) / q;
  EXPECT_NEAR(-m * 9.81 * r * std::cos(a) - k * (slider - x0) * travel, 0.0, 1e-7);
}

// A sled on a blade: positions x, y and angle are free, only two rates are.
TEST(ClosedLinearize, AKnifeEdgeHasMorePositionsThanRates) {
  ModelBuilder builder;
  builder.add_body("sled", lump(3.0, Vec3::Zero(), Vec3::Ones()));
  builder.add_joint(joint("plane", JointType::kPlanar, "world", "sled"));
  system::SystemParts parts;
  parts.model = builder.build();
  model::Frame M{"", 1, {spatial::frame_with_z(Vec3::UnitY()), Vec3::Zero()}};
  parts.constraints = {constraint::Constraint{"blade", constraint::KnifeEdge{{{"", 0, {}}, M}}}};
  parts.v = Vec3(2.0, 0.0, 0.0);
  const system::System system(std::move(parts));
  const LinearModel linear = linearize(system, 0.0, view(VecX(system.initial_state())), {}, {});
  EXPECT_EQ(linear.positions, 3);
  ASSERT_EQ(linear.A.rows(), 5);
  // y' = u angle: sliding at 2 m/s, a small turn carries the sled sideways.
  EXPECT_NEAR(linear.A(1, 2), 2.0, 1e-14);
}

}  // namespace
}  // namespace grapple::analysis::testing
