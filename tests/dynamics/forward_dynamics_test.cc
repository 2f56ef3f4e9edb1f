// Four methods of forward dynamics, one result: accelerations of joints, modes and links, and the
// efforts of driven joints.
#include "grapple/dynamics/forward_dynamics.h"

#include <gtest/gtest.h>

#include "dynamics/relative.h"
#include "grapple/dynamics/crba.h"
#include "grapple/dynamics/kinematics.h"
#include "grapple/spatial/dual.h"
#include "support/random_tree.h"

namespace grapple::dynamics {
namespace {

using model::Model;
using model::State;
using model::Workspace;
using spatial::MatX;
using spatial::VecX;

// Round-off of trees of up to 20 bodies whose mass matrices have condition numbers up to 1e5.
constexpr double kRoundOff = 1e-9;
// The multipliers are of the size of the joint forces, so that a body's small acceleration is a
// difference of large numbers.
constexpr double kDecoupledRoundOff = 1e-10;

struct Result {
  VecX vdot, accelerations, driven_efforts;

  Result(Method method, const Model& model, const State& state, const VecX& tau,
         Workspace workspace) {
    ForwardScratch<double> scratch(model, method);
    forward_kinematics(model, state, workspace);
    forward_dynamics_after_kinematics(model, state, tau, scratch, workspace);
    vdot = workspace.vdot;
    accelerations.resize(6 * model.link_count());
    driven_efforts = VecX::Zero(model.nv());
    for (int i = 0; i < model.link_count(); ++i) {
      const auto& motion = workspace.motion[static_cast<std::size_t>(i)];
      accelerations.segment<6>(6 * i) << motion.alpha, motion.a;
      if (state.driven[static_cast<std::size_t>(i)] == 0) continue;
      const model::Link& link = model.link(i);
      const int at = link.v_actuated();
      driven_efforts.segment(at, link.nv) = workspace.tau.segment(at, link.nv);
    }
  }
};

enum class Joints { kFree, kSomeDriven, kSomeLocked };

void drive(Joints joints, const Model& model, test::RandomTree& random, State& state) {
  if (joints == Joints::kFree) return;
  for (int i = 1; i < model.link_count(); ++i) {
    if (random.integer(0, 2) != 0) continue;
    const model::Link& link = model.link(i);
    state.driven[static_cast<std::size_t>(i)] = 1;
    for (int k = link.v_actuated(); k < link.v_actuated() + link.nv; ++k) {
      state.driven_vdot[k] = joints == Joints::kSomeDriven ? random.uniform(-3.0, 3.0) : 0.0;
      if (joints == Joints::kSomeLocked) state.v[k] = 0.0;
    }
  }
}

class Methods : public testing::TestWithParam<Joints> {};
INSTANTIATE_TEST_SUITE_P(WithJoints, Methods,
                         testing::Values(Joints::kFree, Joints::kSomeDriven, Joints::kSomeLocked),
                         [](const auto& one) {
                           return one.param == Joints::kFree         ? "free"
                                  : one.param == Joints::kSomeDriven ? "driven"
                                                                     : "locked";
                         });

TEST_P(Methods, AgreeOnRandomTreesOfRigidAndFlexibleBodies) {
  double worst = 0.0;
  for (unsigned seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    test::RandomTree random(seed);
    const Model model = random.mixed_model(random.integer(1, 20));
    State state(model);
    Workspace workspace(model);
    random.fill(model, state);
    drive(GetParam(), model, random, state);
    for (std::size_t i = 1; i < workspace.wrench.size(); ++i) {
      workspace.wrench[i] = {random.vector(3.0), random.vector(3.0)};
    }
    const VecX tau = random.efforts(model.nv());
    const Result expected(Method::kArticulated, model, state, tau, workspace);
    for (const Method method : {Method::kComposite, Method::kDirect, Method::kDecoupled}) {
      const Result found(method, model, state, tau, workspace);
      const double difference = std::max({relative(found.vdot, expected.vdot),
                                          relative(found.accelerations, expected.accelerations),
                                          relative(found.driven_efforts, expected.driven_efforts)});
      ASSERT_LT(difference, method == Method::kDecoupled ? kDecoupledRoundOff : kRoundOff)
          << method_name(method);
      worst = std::max(worst, difference);
    }
  }
  std::printf("worst relative difference %.2e\n", worst);
}

// Joints of a carrier couple with each other: a star, whose every joint has a rotor.
TEST(Decoupled, AgreesOnAStarOfRotors) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    test::RandomTree random(seed);
    model::ModelBuilder builder;
    builder.set_gravity(random.vector(10.0));
    for (int b = 0; b < 9; ++b) {
      const std::string name = "b" + std::to_string(b);
      builder.add_body(name, random.mass_properties());
      model::JointSpec joint{.name = "j" + std::to_string(b), .type = random.joint_type()};
      if (b > 0) joint.parent = b < 6 ? "b0" : "b3";
      joint.child = name;
      joint.X_PF = random.pose();
      joint.X_BM = random.pose();
      joint.pitch = 0.2;
      for (int k = 0; k < rate_count(joint.type); ++k) {
        joint.reflected_inertia.push_back(random.integer(0, 1) * random.uniform(0.1, 2.0));
      }
      builder.add_joint(joint);
    }
    const Model model = builder.build();
    State state(model);
    random.fill(model, state);
    drive(Joints::kSomeDriven, model, random, state);
    const VecX tau = random.efforts(model.nv());
    const Result expected(Method::kArticulated, model, state, tau, Workspace(model));
    const Result found(Method::kDecoupled, model, state, tau, Workspace(model));
    EXPECT_LT(relative(found.vdot, expected.vdot), kDecoupledRoundOff);
    EXPECT_LT(relative(found.driven_efforts, expected.driven_efforts), kDecoupledRoundOff);
  }
}

// Beams that deploy, their lengths free, driven or locked. A rail alone has no inertia: left out.
TEST_P(Methods, AgreeOnBeamsThatDeploy) {
  int used = 0;
  for (unsigned seed = 0; seed < 150; ++seed) {
    SCOPED_TRACE(seed);
    test::RandomTree random(seed);
    const Model model = random.guided_model(random.integer(1, 6));
    if (body_without_own_inertia(model) >= 0) continue;
    ++used;
    State state(model);
    Workspace workspace(model);
    random.fill(model, state, 0.003);
    drive(GetParam(), model, random, state);
    for (std::size_t i = 1; i < workspace.wrench.size(); ++i) {
      workspace.wrench[i] = {random.vector(3.0), random.vector(3.0)};
    }
    const VecX tau = random.efforts(model.nv());
    const Result expected(Method::kArticulated, model, state, tau, workspace);
    const Result found(Method::kDecoupled, model, state, tau, workspace);
    EXPECT_LT(relative(found.vdot, expected.vdot), kRoundOff);
    EXPECT_LT(relative(found.accelerations, expected.accelerations), kRoundOff);
    EXPECT_LT(relative(found.driven_efforts, expected.driven_efforts), kRoundOff);
  }
  EXPECT_GT(used, 30);
}

TEST(Decoupled, NeedsBodiesWithInertiaOfTheirOwn) {
  model::ModelBuilder builder;
  builder.add_body("solid", spatial::solid_sphere(1.0, 0.1));
  builder.add_body("rod", spatial::slender_rod(1.0, 0.5));
  builder.add_joint({.name = "a", .child = "solid"});
  model::JointSpec elbow{.name = "b", .parent = "solid"};
  elbow.child = "rod";
  builder.add_joint(elbow);
  const Model model = builder.build();
  EXPECT_EQ(model.body_of_link(body_without_own_inertia(model)).name, "rod");
  test::RandomTree random(2);
  EXPECT_EQ(body_without_own_inertia(random.mixed_model(12)), -1);
}

TEST(DirectMassMatrix, IsTheCompositeOne) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    test::RandomTree random(seed);
    const Model model = seed % 2 == 0 ? random.mixed_model(random.integer(1, 20))
                                      : random.model(random.integer(1, 30));
    State state(model);
    Workspace workspace(model);
    random.fill(model, state);
    MatX composite(model.nv(), model.nv()), direct(model.nv(), model.nv());
    crba(model, state, workspace, composite);
    DirectScratch<double> scratch(model);
    direct_mass_matrix_after_kinematics(model, workspace, scratch, direct);
    EXPECT_LT((direct - composite).norm(), 1e-12 * composite.norm()) << seed;
  }
}

// Derivatives by dual numbers go through the other methods, too.
TEST(MethodsOnDuals, GiveTheSameDerivatives) {
  test::RandomTree random(3);
  const Model model = random.mixed_model(8);
  model::StateT<spatial::Dual> state(model);
  random.fill(model, state);
  for (int k = 0; k < std::min(model.nv(), spatial::Dual::kWidth); ++k) {
    state.v[k].d[static_cast<std::size_t>(k)] = 1.0;
  }
  const spatial::VecXT<spatial::Dual> tau = random.efforts(model.nv()).cast<spatial::Dual>();
  const auto solve = [&](Method method) {
    model::WorkspaceT<spatial::Dual> workspace(model);
    ForwardScratch<spatial::Dual> scratch(model, method);
    forward_kinematics(model, state, workspace);
    forward_dynamics_after_kinematics(model, state, tau, scratch, workspace);
    return workspace.vdot;
  };
  const auto expected = solve(Method::kArticulated);
  for (const Method method : {Method::kComposite, Method::kDirect, Method::kDecoupled}) {
    const auto found = solve(method);
    for (int row = 0; row < model.nv(); ++row) {
      for (std::size_t k = 0; k < spatial::Dual::kWidth; ++k) {
        EXPECT_NEAR(found[row].d[k], expected[row].d[k],
                    kRoundOff * (1.0 + std::abs(expected[row].d[k])));
      }
    }
  }
}

TEST(Choose, SaysWhy) {
  test::RandomTree random(1);
  const Choice choice = choose(random.model(5));
  EXPECT_EQ(choice.method, Method::kArticulated);
  EXPECT_NE(choice.reason.find("fastest"), std::string::npos);
}

}  // namespace
}  // namespace grapple::dynamics
