// Three methods of forward dynamics, one result: accelerations of joints, modes and links, and the
// efforts of driven joints.
#include "grapple/dynamics/forward_dynamics.h"

#include <gtest/gtest.h>

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

double relative(const VecX& a, const VecX& b) {
  return (a - b).norm() / std::max(1.0, std::max(a.norm(), b.norm()));
}

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

class ThreeMethods : public testing::TestWithParam<Joints> {};
INSTANTIATE_TEST_SUITE_P(WithJoints, ThreeMethods,
                         testing::Values(Joints::kFree, Joints::kSomeDriven, Joints::kSomeLocked),
                         [](const auto& one) {
                           return one.param == Joints::kFree         ? "free"
                                  : one.param == Joints::kSomeDriven ? "driven"
                                                                     : "locked";
                         });

TEST_P(ThreeMethods, AgreeOnRandomTreesOfRigidAndFlexibleBodies) {
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
    for (const Method method : {Method::kComposite, Method::kDirect}) {
      const Result found(method, model, state, tau, workspace);
      worst = std::max({worst, relative(found.vdot, expected.vdot),
                        relative(found.accelerations, expected.accelerations),
                        relative(found.driven_efforts, expected.driven_efforts)});
      ASSERT_LT(worst, kRoundOff) << method_name(method);
    }
  }
  std::printf("worst relative difference %.2e\n", worst);
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

// Derivatives by dual numbers go through the dense methods, too.
TEST(ThreeMethodsOnDuals, GiveTheSameDerivatives) {
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
  for (const Method method : {Method::kComposite, Method::kDirect}) {
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
