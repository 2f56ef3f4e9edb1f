// King's recurrences by several workers give what rnea gives, on chains of any joints, rigid and
// flexible; branched trees are refused.
#include "grapple/dynamics/parallel_rnea.h"

#include <gtest/gtest.h>

#include "grapple/base/error.h"
#include "grapple/dynamics/rnea.h"
#include "support/random_tree.h"

namespace grapple::dynamics {
namespace {

using model::Model;
using model::State;
using model::Workspace;
using spatial::VecX;

double relative_to_serial(const VecX& a, const VecX& b) {
  return (a - b).norm() / (1.0 + b.norm());
}

Model random_chain(test::RandomTree& random, int bodies) {
  model::ModelBuilder builder;
  builder.set_gravity(random.vector(10.0));
  bool parent_bends = false;
  for (int b = 0; b < bodies; ++b) {
    const std::string name = "b" + std::to_string(b);
    model::JointSpec joint;
    joint.name = "j" + std::to_string(b);
    joint.type = random.joint_type();
    if (b > 0) joint.parent = "b" + std::to_string(b - 1);
    if (parent_bends && random.integer(0, 3) > 0) joint.parent_frame = "a";
    joint.child = name;
    joint.X_PF = random.pose();
    joint.X_BM = random.pose();
    joint.pitch = 0.2;
    joint.reflected_inertia.assign(static_cast<std::size_t>(rate_count(joint.type)), 0.3);
    builder.add_joint(joint);
    parent_bends = random.integer(0, 1) == 1;
    if (parent_bends) {
      builder.add_flexible_body(name, random.flexible_body(random.integer(1, 4), 0.1));
    } else {
      builder.add_body(name, random.mass_properties());
    }
  }
  return builder.build();
}

class Workers : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(OneToFive, Workers, testing::Values(1, 2, 3, 5));

TEST_P(Workers, AgreeWithTheSerialRecursion) {
  double worst = 0.0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    test::RandomTree random(seed);
    const Model model =
        random_chain(random, random.integer(1, 40));  // fewer links than workers, too
    State state(model);
    Workspace serial(model);
    random.fill(model, state);
    for (std::size_t i = 1; i < serial.wrench.size(); ++i) {
      serial.wrench[i] = {random.vector(3.0), random.vector(3.0)};
    }
    Workspace parallel = serial;
    const VecX vdot = random.efforts(model.nv());
    rnea(model, state, vdot, serial);
    ParallelRnea scans(model, GetParam());
    for (int call = 0; call < 2; ++call) scans(state, vdot, parallel);
    worst = std::max(worst, relative_to_serial(parallel.tau, serial.tau));
    // Round-off of 40 bodies whose accelerations grow towards the tip.
    ASSERT_LT(worst, 1e-9);
  }
  std::printf("worst relative_to_serial difference %.2e\n", worst);
}

TEST(ParallelRnea, RefusesABranchedTree) {
  test::RandomTree random(2);
  model::ModelBuilder builder;
  for (const char* name : {"trunk", "left", "right"}) {
    builder.add_body(name, random.mass_properties());
    model::JointSpec joint;
    joint.name = joint.child = name;
    if (joint.name != "trunk") joint.parent = "trunk";
    builder.add_joint(joint);
  }
  const Model model = builder.build();
  try {
    ParallelRnea scans(model, 2);
    FAIL() << "a branch was taken for a chain";
  } catch (const Error& error) {
    EXPECT_EQ(error.diagnostics().front().id, "GR-350");
    EXPECT_EQ(error.diagnostics().front().where, "body 'right'");
  }
}

}  // namespace
}  // namespace grapple::dynamics
