// After set-up no recursion allocates, on rigid and flexible bodies alike. Every malloc of the
// program is counted.
#include <gtest/gtest.h>

#include "grapple/dynamics/aba.h"
#include "grapple/dynamics/crba.h"
#include "grapple/dynamics/energy.h"
#include "grapple/dynamics/forward_dynamics.h"
#include "grapple/dynamics/kinematics.h"
#include "grapple/dynamics/parallel_rnea.h"
#include "grapple/dynamics/rnea.h"
#include "support/counted_malloc.h"
#include "support/random_tree.h"

namespace grapple::dynamics {
namespace {

TEST(Allocation, NoRecursionAllocatesOnRigidAndFlexibleBodies) {
  if (GRAPPLE_SANITIZED) GTEST_SKIP() << "the sanitizer owns malloc";
  test::RandomTree random(5);
  const model::Model model = random.mixed_model(15);
  ASSERT_GT(model.flexible_bodies().size(), 3u);
  model::State state(model);
  random.fill(model, state);
  state.driven[3] = 1;
  model::Workspace workspace(model);
  spatial::MatX M(model.nv(), model.nv());
  const spatial::VecX tau = random.efforts(model.nv());
  std::vector<ForwardScratch<double>> methods;
  for (const Method method : dynamics::kAllMethods) {
    methods.emplace_back(model, method);
  }
  double sum = 0.0;
  const long before = allocations.load();
  for (int step = 0; step < 3; ++step) {
    aba(model, state, tau, workspace);
    rnea(model, state, tau, workspace);
    crba(model, state, workspace, M);
    joint_axis_rates(model, state, workspace);
    for (ForwardScratch<double>& method : methods) {
      forward_kinematics(model, state, workspace);
      forward_dynamics_after_kinematics(model, state, tau, method, workspace);
      sum += workspace.vdot[0];
    }
    sum += kinetic_energy(model, state, workspace);
  }
  EXPECT_EQ(allocations.load() - before, 0);
  EXPECT_TRUE(std::isfinite(sum));
  EXPECT_GT(before, 0) << "the counter does not count";
}

TEST(Allocation, ParallelRecurrencesAllocateNothing) {
  if (GRAPPLE_SANITIZED) GTEST_SKIP() << "the sanitizer owns malloc";
  test::RandomTree random(6);
  model::ModelBuilder builder;
  for (int b = 0; b < 9; ++b) {
    const std::string name = "b" + std::to_string(b);
    builder.add_flexible_body(name, random.flexible_body(2, 0.1));
    model::JointSpec joint;
    joint.name = joint.child = name;
    if (b > 0) joint.parent = "b" + std::to_string(b - 1);
    if (b > 0) joint.parent_frame = "b";
    builder.add_joint(joint);
  }
  const model::Model model = builder.build();
  const model::State state(model);
  model::Workspace workspace(model);
  const spatial::VecX vdot = random.efforts(model.nv());
  ParallelRnea recurrences(model, 2);
  recurrences(state, vdot, workspace);
  const long before = allocations.load();
  for (int call = 0; call < 10; ++call) recurrences(state, vdot, workspace);
  EXPECT_EQ(allocations.load() - before, 0);
}

}  // namespace
}  // namespace grapple::dynamics
