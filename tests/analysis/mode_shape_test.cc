// Shares and displacements of modes that can be written down.
#include "grapple/analysis/mode_shape.h"

#include <gtest/gtest.h>

#include "grapple/force/joint_elements.h"
#include "grapple/force/transmission.h"
#include "system/support.h"

namespace grapple::analysis::testing {

using namespace system::testing;
namespace {

// Rotor d and link I against each other: d theta = -I q, so that the kinetic energies are as the
// inverse inertias.
TEST(ModeShapes, TwoInertiasShareAsTheirInverses) {
  const double rotor = 0.4, link = 0.9;
  ModelBuilder builder;
  builder.add_body("disc", lump(1.0, Vec3::Zero(), Vec3::Constant(link)));
  JointSpec spec = joint("hub", JointType::kRevolute, "world", "disc");
  spec.reflected_inertia = {rotor};
  spec.transmission = JointSpec::Transmission::kFlexible;
  builder.add_joint(spec);
  Model model = builder.build();
  auto parts = elements(force::make_transmission(model, 1, {{.stiffness = 50.0, .damping = 0.5}}));
  const system::System system = system_of(std::move(model), std::move(parts));
  const VecX x = system.initial_state();
  ModeShapes shapes(system, 0.0, view(x));
  const std::vector<Mode> modes = natural_modes(system, 0.0, view(x));
  ASSERT_EQ(modes.size(), 2u);
  const Participation rigid = shapes.participation(modes[0]);
  EXPECT_NEAR(rigid.bodies[0], link / (link + rotor), 1e-9);
  EXPECT_EQ(rigid.elements[0], 0.0);
  const Participation ringing = shapes.participation(modes[1]);
  EXPECT_NEAR(ringing.bodies[0], rotor / (link + rotor), 1e-12);
  EXPECT_NEAR(ringing.motors[0], link / (link + rotor), 1e-12);
  EXPECT_NEAR(ringing.elements[0], 1.0, 1e-12);
}

// A pendulum with a spring at its pivot: stiffness k + m g l.
TEST(ModeShapes, GravityAndSpringShareTheStiffnessOfAPendulum) {
  const double mass = 2.0, length = 0.7, g = 9.81, stiffness = 5.0;
  Model model = pendulum(mass, length, 0.1, g);
  auto parts = elements(force::make_joint_spring(model, 1, {stiffness}, {0.0}));
  const system::System system = system_of(std::move(model), std::move(parts));
  const VecX x = system.initial_state();
  const Participation shares =
      ModeShapes(system, 0.0, view(x)).participation(natural_modes(system, 0.0, view(x))[0]);
  const double weight = mass * g * length;
  EXPECT_NEAR(shares.elements[0], stiffness / (stiffness + weight), 1e-12);
  EXPECT_NEAR(shares.gravity, weight / (stiffness + weight), 1e-12);
  EXPECT_NEAR(shares.bodies[0], 1.0, 1e-14);
}

// At rest without gravity every spring and every body has its part, and nothing is missing: the
// whole stiffness is phi' K phi = w^2 phi' M phi.
TEST(ModeShapes, SharesOfTreesArePositiveAndAddUp) {
  for (const JointType type : model::kAllJointTypes) {
    test::RandomTree random(4);
    ModelBuilder builder;
    for (int b = 0; b < 3; ++b) {
      const std::string name = "b" + std::to_string(b);
      builder.add_body(name, random.mass_properties());
      JointSpec spec = joint("j" + std::to_string(b), b == 1 ? type : JointType::kUniversal,
                             b == 0 ? "world" : "b" + std::to_string(b - 1), name);
      spec.X_PF = random.pose();
      spec.X_BM = random.pose();
      spec.reflected_inertia.assign(static_cast<std::size_t>(rate_count(spec.type)), 0.3);
      builder.add_joint(spec);
    }
    Model model = builder.build();
    std::vector<std::unique_ptr<element::Element>> springs;
    for (int i = 1; i <= 3; ++i) {
      const auto n = static_cast<std::size_t>(model.link(i).nv);
      springs.push_back(force::make_joint_spring(model, i, std::vector<double>(n, 20.0 * i),
                                                 std::vector<double>(n, 0.0)));
    }
    const system::System system = system_of(std::move(model), std::move(springs));
    const VecX x = system.initial_state();
    ModeShapes shapes(system, 0.0, view(x));
    for (const Mode& mode : natural_modes(system, 0.0, view(x))) {
      const Participation shares = shapes.participation(mode);
      EXPECT_NEAR(shares.bodies.sum() + shares.motors.sum(), 1.0, 1e-12);
      EXPECT_GT(shares.motors.sum(), 0.0);
      EXPECT_GE(shares.bodies.minCoeff(), 0.0);
      EXPECT_NEAR(shares.elements.sum(), 1.0, 1e-12);
      EXPECT_GE(shares.elements.minCoeff(), 0.0);
      EXPECT_EQ(shares.gravity, 0.0);
    }
  }
}

TEST(ModeShapes, FramesMoveWithTheMode) {
  ModelBuilder builder;
  builder.add_body("arm", lump(1.0, Vec3::UnitX(), Vec3::Ones()));
  builder.add_joint(joint("pivot", JointType::kRevolute, "world", "arm"));
  builder.add_frame("tip", "arm", {Mat3::Identity(), {2.0, 0.0, 0.0}});
  Model model = builder.build();
  auto parts = elements(force::make_joint_spring(model, 1, {3.0}, {0.0}));
  const system::System system = system_of(std::move(model), std::move(parts));
  const VecX x = system.initial_state();
  const Mode mode = natural_modes(system, 0.0, view(x))[0];
  const std::vector<FrameDisplacement> frames = ModeShapes(system, 0.0, view(x)).frames(mode);
  ASSERT_EQ(frames.size(), 3u);  // world, arm, tip
  EXPECT_EQ(frames[0].rotation.norm(), 0.0);
  EXPECT_LT((frames[2].rotation - Eigen::Vector3cd(0.0, 0.0, 1.0)).norm(), 1e-12);
  EXPECT_LT((frames[2].position - Eigen::Vector3cd(0.0, 2.0, 0.0)).norm(), 1e-12);
}

}  // namespace
}  // namespace grapple::analysis::testing
