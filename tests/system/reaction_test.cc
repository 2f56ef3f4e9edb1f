// Joint reactions against free bodies, closed forms, and the same joint written as a loop.
#include <gtest/gtest.h>

#include "grapple/dynamics/kinematics.h"
#include "grapple/force/joint_elements.h"
#include "support.h"

namespace grapple::system::testing {
namespace {

using constraint::LoopType;
using test::RandomTree;

System with_reactions(Model model, std::vector<constraint::Constraint> loops = {}) {
  SystemParts parts;
  parts.model = std::move(model);
  for (const model::Joint& joint : parts.model.joints()) parts.reactions.push_back(joint.link);
  parts.constraints = std::move(loops);
  return System(std::move(parts));
}

// Tension m (g cos + l w^2) along the rod; across it m (g sin + l w') with w' from the pendulum.
TEST(Reaction, PendulumTension) {
  const double m = 2.0, l = 0.8, I = 0.1, g = 9.81, phi = 0.7, w = 1.3;
  System system = with_reactions(pendulum(m, l, I, g));
  const VecX x = state_with(system, VecX::Constant(1, phi), VecX::Constant(1, w));
  const Snapshot<double> s = evaluated(system, 0.0, x);
  const Vec3 force = vector_of(system, s, "joint/pivot/reaction_force");
  const Vec3 rod(std::sin(phi), -std::cos(phi), 0), across(std::cos(phi), std::sin(phi), 0);
  const double w_rate = -m * g * l * std::sin(phi) / (I + m * l * l);
  EXPECT_NEAR(force.dot(rod), -m * (g * std::cos(phi) + l * w * w), 1e-13);
  EXPECT_NEAR(force.dot(across), m * (g * std::sin(phi) + l * w_rate), 1e-13);
  EXPECT_LT(vector_of(system, s, "joint/pivot/reaction_torque").norm(), 1e-13);
}

TEST(Reaction, AskingTwiceOrInBetweenChangesNothing) {
  System system = with_reactions(pendulum(2.0, 0.8, 0.1, 9.81));
  const VecX x = state_with(system, VecX::Constant(1, 0.3), VecX::Constant(1, 1.0));
  const Snapshot<double> s = evaluated(system, 0.0, x);
  const double drive = value(system, s, "joint/pivot/effort");
  const double a = value(system, s, "body/bob/acceleration_x");
  const Vec3 first = vector_of(system, s, "joint/pivot/reaction_force");
  EXPECT_EQ(vector_of(system, s, "joint/pivot/reaction_force"), first);
  EXPECT_EQ(value(system, s, "joint/pivot/effort"), drive);
  EXPECT_EQ(value(system, s, "body/bob/acceleration_x"), a);
}

// A three-body chain whose last joint is a joint, or a loop on a floating body: both carry the
// same.
TEST(Reaction, OfAJointIsThatOfTheLoopInItsPlace) {
  for (const auto& [type, loop_type] : {std::pair{JointType::kRevolute, LoopType::kRevolute},
                                        std::pair{JointType::kSpherical, LoopType::kSpherical},
                                        std::pair{JointType::kPrismatic, LoopType::kPrismatic}}) {
    RandomTree random(41);
    const Vec3 gravity = random.vector(10.0);
    const auto make = [&](JointType last) {
      RandomTree parts(42);
      ModelBuilder builder;
      builder.set_gravity(gravity);
      for (int b = 0; b < 3; ++b) {
        builder.add_body("b" + std::to_string(b), parts.mass_properties());
        JointSpec spec =
            joint("j" + std::to_string(b), b == 2 ? last : JointType::kUniversal,
                  b == 0 ? "world" : "b" + std::to_string(b - 1), "b" + std::to_string(b));
        spec.X_PF = parts.pose();
        spec.X_BM = parts.pose();
        builder.add_joint(spec);
      }
      return builder.build();
    };
    const System tree = with_reactions(make(type));
    const model::Link& last = tree.model().link(3);
    // In its zero position the joint's frames coincide, and at rest all bodies may start to move.
    const constraint::Constraint loop{
        "last", constraint::LoopClosure{{{"", 2, {last.R_PF, last.p_PF}}, {"", 3, {}}}, loop_type}};
    const System cut = with_reactions(make(JointType::kFree), {loop});
    const Snapshot<double> a = evaluated(tree, 0.0, tree.initial_state()),
                           b = evaluated(cut, 0.0, cut.initial_state());
    const double size = vector_of(tree, a, "joint/j0/reaction_force").norm();
    EXPECT_GT(size, 1.0);
    for (const char* part : {"force", "torque"}) {
      const std::string reaction = std::string("/reaction_") + part;
      EXPECT_LT((vector_of(tree, a, "joint/j2" + reaction) -
                 vector_of(cut, b, std::string("loop/last/") + part))
                    .norm(),
                1e-10 * size);
      for (const char* other : {"joint/j0", "joint/j1"}) {
        EXPECT_LT(
            (vector_of(tree, a, other + reaction) - vector_of(cut, b, other + reaction)).norm(),
            1e-10 * size);
      }
      // The free joint in the loop's place carries nothing.
      EXPECT_LT(vector_of(cut, b, "joint/j2" + reaction).norm(), 1e-10 * size);
    }
  }
}

// A crank driven at constant speed pushes a slider by a rod without mass to speak of: along the
// slide the rod's end pushes with m a, a from the closed form of the slider's place.
TEST(Reaction, SliderCrankAgainstTheFreeBody) {
  const double r = 0.15, l = 0.3, m = 2.0, w = 10.0, phi = 0.8;
  ModelBuilder builder;
  builder.add_body("crank", lump(0.5, {0.5 * r, 0, 0}, Vec3::Constant(1e-3)));
  builder.add_body("rod", lump(1e-9, {0.5 * l, 0, 0}, Vec3::Constant(1e-12)));
  builder.add_body("slider", lump(m, Vec3::Zero(), Vec3::Constant(1e-3)));
  builder.add_joint(joint("shaft", JointType::kRevolute, "world", "crank"));
  builder.add_joint(
      joint("pin", JointType::kRevolute, "crank", "rod", Mat3::Identity(), {r, 0, 0}));
  JointSpec guide = joint("guide", JointType::kPrismatic, "world", "slider",
                          spatial::frame_with_z(Vec3::UnitX()));
  builder.add_joint(guide);
  SystemParts parts;
  parts.model = builder.build();
  const double psi = -std::asin(r * std::sin(phi) / l);
  const auto of = [&](const char* name) {
    return parts.model.link(
        parts.model.joints()[static_cast<std::size_t>(parts.model.find_joint(name))].link);
  };
  parts.q = VecX::Zero(3);
  parts.q[of("shaft").q_index] = phi;
  parts.q[of("pin").q_index] = psi - phi;
  parts.q[of("guide").q_index] = r * std::cos(phi) + l * std::cos(psi);
  const auto link = [&](const char* body) {
    return parts.model.bodies()[static_cast<std::size_t>(parts.model.find_body(body))].link;
  };
  parts.constraints = {constraint::Constraint{
      "wrist", constraint::LoopClosure{
                   {{"", link("rod"), {Mat3::Identity(), {l, 0, 0}}}, {"", link("slider"), {}}},
                   LoopType::kSpherical}}};
  parts.motions = {{link("crank"), MotionLevel::kRate, {Function::constant(w)}}};
  for (const model::Joint& one : parts.model.joints()) parts.reactions.push_back(one.link);
  const System system(std::move(parts));
  const Snapshot<double> s = evaluated(system, 0.0, system.initial_state());
  // x'' of r cos + sqrt(l^2 - r^2 sin^2) at constant w.
  const double q = std::sqrt(l * l - std::pow(r * std::sin(phi), 2));
  const double a = -r * w * w *
                   (std::cos(phi) + r * std::cos(2 * phi) / q +
                    std::pow(r, 3) * std::pow(std::sin(2 * phi), 2) / (4.0 * std::pow(q, 3)));
  EXPECT_NEAR(value(system, s, "body/slider/acceleration_x"), a, 1e-9 * std::abs(a));
  // The rod is a two-force member: its force on the slider lies along it, m a along the slide, and
  // the guide (axes: z along x) takes the rest.
  const double across = m * a * std::tan(psi);
  const Vec3 guide_force = vector_of(system, s, "joint/guide/reaction_force");
  const Mat3 axes = spatial::frame_with_z(Vec3::UnitX());
  EXPECT_NEAR((axes * guide_force).y(), -across, 1e-6 * std::abs(m * a));
  EXPECT_NEAR((axes * guide_force).x(), 0.0, 1e-6 * std::abs(m * a));
  const Vec3 pin = vector_of(system, s, "joint/pin/reaction_force");  // crank's axes, on the rod
  EXPECT_NEAR(pin.x() * std::cos(phi) - pin.y() * std::sin(phi), m * a, 1e-6 * std::abs(m * a));
}

}  // namespace
}  // namespace grapple::system::testing
