// Elimination along the tree, and solutions along the tree row by row, against the dense solution,
// on random trees with random ties.
#include <gtest/gtest.h>

#include <cstdio>

#include "grapple/constraint/constraint_solver.h"
#include "grapple/constraint/internal/elimination_order.h"
#include "grapple/dynamics/kinematics.h"
#include "support/counted_malloc.h"
#include "support/random_tree.h"

namespace grapple::constraint {
namespace {

using model::Model;
using model::State;
using model::Workspace;
using spatial::VecX;

struct Solved {
  Workspace w;
  dynamics::ForwardScratch<double> forward;
  ConstraintScratch<double> s;
  Solved(const Model& model, const State& state, const std::vector<Constraint>& loops,
         dynamics::Method method)
      : w(model), forward(model, method), s(model, loops, method) {
    run(model, state, loops);
  }
  Solved(const Model& model, const State& state, const std::vector<Constraint>& loops,
         RowSolution solution)
      : w(model), forward(model, dynamics::Method::kArticulated), s(model, loops, solution) {
    run(model, state, loops);
  }
  void run(const Model& model, const State& state, const std::vector<Constraint>& loops) {
    dynamics::forward_kinematics(model, state, w);
    dynamics::forward_dynamics_after_kinematics<double>(model, state, no_effort, forward, w);
    add_constraint_forces(model, loops, state, forward, s, w);
  }
  VecX no_effort = VecX::Zero(w.vdot.size());
};

double relative(const VecX& a, const VecX& b) { return (a - b).norm() / (1.0 + b.norm()); }

// Ties between any two links, world and elastic frames among them.
std::vector<Constraint> random_loops(test::RandomTree& random, const Model& model, int count) {
  std::vector<Constraint> loops;
  while (static_cast<int>(loops.size()) < count) {
    const int last = model.link_count() - 1;
    const int f = random.integer(0, last), m = random.integer(1, last);
    if (f == m) continue;
    const int type = random.integer(0, 3);
    const FramePair frames{{"", f, random.pose()}, {"", m, random.pose()}};
    const ConstraintKind kinds[] = {
        LoopClosure{frames, LoopType::kPointOnPlane}, Distance{frames, 1.3},
        LoopClosure{frames, LoopType::kPointOnLine}, LoopClosure{frames, LoopType::kPlanar}};
    loops.push_back({"l" + std::to_string(loops.size()), kinds[type]});
  }
  return loops;
}

constexpr RowSolution kAlongTheTree[] = {RowSolution::kAlongTree, RowSolution::kMassSolves};

class ArticulatedLoops : public testing::TestWithParam<RowSolution> {};
INSTANTIATE_TEST_SUITE_P(Each, ArticulatedLoops, testing::ValuesIn(kAlongTheTree),
                         [](const auto& one) {
                           return one.param == RowSolution::kAlongTree ? "eliminated" : "solved";
                         });

TEST_P(ArticulatedLoops, AgreeWithTheDenseSolution) {
  double worst_vdot = 0.0, worst_lambda = 0.0, worst_tau = 0.0, worst_a = 0.0;
  int compared = 0;
  for (unsigned seed = 0; seed < 150; ++seed) {
    SCOPED_TRACE(seed);
    test::RandomTree random(seed);
    const Model model = random.mixed_model(random.integer(2, 15));
    const std::vector<Constraint> loops = random_loops(random, model, random.integer(1, 3));
    State state(model);
    random.fill(model, state);
    for (int i = 1; i < model.link_count(); ++i) {
      if (random.integer(0, 5) != 0) continue;
      state.driven[static_cast<std::size_t>(i)] = 1;
      const model::Link& link = model.link(i);
      for (int k = 0; k < link.nv; ++k) {
        state.driven_vdot[link.v_actuated() + k] = random.uniform(-2.0, 2.0);
      }
    }
    const Solved dense(model, state, loops, dynamics::Method::kComposite);
    // Rows that depend on others, or nearly so, have no answer to compare here.
    if (dense.s.rank < dense.s.A.rows() || dense.s.smallest_pivot < 1e-4) continue;
    const Solved tree(model, state, loops, GetParam());
    EXPECT_EQ(tree.s.rank, dense.s.rank);
    worst_vdot = std::max(worst_vdot, relative(tree.w.vdot, dense.w.vdot));
    worst_lambda = std::max(worst_lambda, relative(tree.s.lambda, dense.s.lambda));
    for (int i = 1; i < model.link_count(); ++i) {
      const model::Link& link = model.link(i);
      const auto at = static_cast<std::size_t>(i);
      worst_a = std::max({worst_a, relative(tree.w.motion[at].a, dense.w.motion[at].a),
                          relative(tree.w.motion[at].alpha, dense.w.motion[at].alpha)});
      if (state.driven[at] == 0) continue;
      worst_tau = std::max(worst_tau, relative(tree.w.tau.segment(link.v_actuated(), link.nv),
                                               dense.w.tau.segment(link.v_actuated(), link.nv)));
    }
    ++compared;
  }
  std::printf("%d systems: v' %.1e, multipliers %.1e, driven efforts %.1e, links %.1e\n", compared,
              worst_vdot, worst_lambda, worst_tau, worst_a);
  EXPECT_GT(compared, 60);
  // Round-off times the condition of rows as near as a hundredth of a radian.
  EXPECT_LT(worst_vdot, 1e-9);
  EXPECT_LT(worst_lambda, 1e-9);
  EXPECT_LT(worst_tau, 1e-9);
  EXPECT_LT(worst_a, 1e-9);
}

// A doubled loop: the motion is the same, and both copies carry half.
TEST_P(ArticulatedLoops, ShareTheForceOfRowsThatDependOnEachOther) {
  test::RandomTree random(4);
  const Model model = random.mixed_model(6);
  std::vector<Constraint> loops = {Constraint{
      "one", LoopClosure{{{"", 0, random.pose()}, {"", model.link_count() - 1, random.pose()}},
                         LoopType::kSpherical}}};
  State state(model);
  random.fill(model, state);
  const Solved once(model, state, loops, GetParam());
  loops.push_back(loops.front());
  const Solved twice(model, state, loops, GetParam());
  EXPECT_LT(relative(twice.w.vdot, once.w.vdot), 1e-10);
  EXPECT_LT(relative(2.0 * twice.s.lambda.head(3), once.s.lambda), 1e-7);
  EXPECT_LT(relative(2.0 * twice.s.lambda.tail(3), once.s.lambda), 1e-7);
}

// A thousand rows between a thousand coordinates would take 32 MB of matrices that nobody reads.
TEST(EliminatedLoops, MakeNoRoomForMatrices) {
  test::RandomTree random(6);
  const Model model = random.mixed_model(8);
  const std::vector<Constraint> loops = random_loops(random, model, 3);
  const ConstraintScratch<double> tree(model, loops, dynamics::Method::kArticulated);
  EXPECT_EQ(tree.A.size() + tree.W.size() + tree.S.size() + tree.shares.size() + tree.gram.size(),
            0);
  const ConstraintScratch<double> dense(model, loops, dynamics::Method::kComposite);
  EXPECT_EQ(dense.A.rows(), row_count(loops));
  EXPECT_EQ(dense.A.cols(), model.nv());
}

TEST_P(ArticulatedLoops, DoNotAllocate) {
  test::RandomTree random(5);
  const Model model = random.mixed_model(12);
  const std::vector<Constraint> loops = random_loops(random, model, 3);
  State state(model);
  random.fill(model, state);
  Solved s(model, state, loops, GetParam());
  const long before = allocations;
  s.run(model, state, loops);
  close_constraints(model, loops, state, s.forward, s.s, s.w);
  EXPECT_EQ(allocations - before, 0);
}

// A ladder: two chains tied at every rung. Whatever its length, few ties are alive at a time.
TEST(EliminationOrder, KeepsTiesLocal) {
  model::ModelBuilder builder;
  const int rungs = 50;
  for (const char* side : {"l", "r"}) {
    for (int k = 0; k < rungs; ++k) {
      model::JointSpec joint;
      joint.name = std::string("j") + side + std::to_string(k);
      joint.child = side + std::to_string(k);
      if (k > 0) joint.parent = side + std::to_string(k - 1);
      joint.type = model::JointType::kRevolute;
      builder.add_body(joint.child, {1.0, spatial::Vec3::Zero(), spatial::Mat3::Identity()});
      builder.add_joint(joint);
    }
  }
  const Model model = builder.build();
  std::vector<std::pair<int, int>> tied;
  for (int k = 1; k <= rungs; ++k) tied.emplace_back(k, k + rungs);
  const EliminationOrder order = elimination_order(model, tied);
  EXPECT_EQ(order.links.size(), 2U * rungs);
  std::size_t most = 0;
  for (const auto& ties : order.ties) most = std::max(most, ties.size());
  EXPECT_LE(most, 2U);
}

}  // namespace
}  // namespace grapple::constraint
