// Closed loops against trees: a mechanism does not know which of its joints were written as loops.
#include <gtest/gtest.h>

#include "grapple/constraint/constraint_solver.h"
#include "grapple/dynamics/aba.h"
#include "grapple/dynamics/energy.h"
#include "grapple/dynamics/kinematics.h"
#include "grapple/dynamics/manifold.h"
#include "support/random_tree.h"

namespace grapple::constraint {
namespace {

using model::JointType;
using model::Model;
using model::State;
using model::Workspace;
using spatial::Vec3;
using spatial::VecX;

// A chain of three bodies, the last joint of the given type; or the same chain with the third body
// afloat, closed by a loop of that type.
struct Pair {
  Model tree, cut;
  Constraint loop;
  State tree_state, cut_state;

  Pair(unsigned seed, JointType joint, LoopType type)
      : tree(make(seed, joint)),
        cut(make(seed, JointType::kFree)),
        tree_state(tree),
        cut_state(cut) {
    const model::Link& last = tree.link(3);
    // Both descriptions have the joint's frame F on link 2 and M at the origin of link 3.
    model::Frame F{"", 2, {last.R_PF, last.p_PF}}, M{"", 3, {}};
    loop = Constraint{"loop", LoopClosure{{F, M}, type}};
    test::RandomTree random(100 + seed);
    random.fill(tree, tree_state);
    const int shared = tree.link(3).q_index;
    cut_state.q.head(shared) = tree_state.q.head(shared);
    cut_state.v.head(tree.link(3).v_index) = tree_state.v.head(tree.link(3).v_index);
    // The free joint's coordinates from the pose and the relative motion of the tree's last body.
    Workspace w(tree);
    dynamics::forward_kinematics(tree, tree_state, w);
    const auto& two = w.motion[2];
    const auto& three = w.motion[3];
    const spatial::Mat3 R_WF = two.R_WL * last.R_PF;
    const Vec3 p_WF = two.p_WL + two.R_WL * last.p_PF;
    const int q = cut.link(3).q_index, v = cut.link(3).v_index;
    cut_state.q.segment<3>(q) = R_WF.transpose() * (three.p_WL - p_WF);
    const spatial::Mat3 R_FL = R_WF.transpose() * three.R_WL;
    cut_state.q.segment<4>(q + 3) = spatial::quaternion_of<double>(R_FL);
    const Vec3 carried = two.v + two.omega.cross(three.p_WL - two.p_WL);
    cut_state.v.segment<3>(v) = R_WF.transpose() * (three.v - carried);
    cut_state.v.segment<3>(v + 3) = three.R_WL.transpose() * (three.omega - two.omega);
  }

  static Model make(unsigned seed, JointType last) {
    test::RandomTree random(seed);
    model::ModelBuilder builder;
    builder.set_gravity(random.vector(10.0));
    const JointType types[] = {JointType::kUniversal, JointType::kRevolute, last};
    for (int b = 0; b < 3; ++b) {
      const std::string name = "b" + std::to_string(b);
      builder.add_body(name, random.mass_properties());
      model::JointSpec joint;
      joint.name = "j" + std::to_string(b);
      joint.type = types[b];
      if (b > 0) joint.parent = "b" + std::to_string(b - 1);
      joint.child = name;
      joint.X_PF = random.pose();
      joint.X_BM = random.pose();
      builder.add_joint(joint);
    }
    return builder.build();
  }
};

struct SolvedLoops {
  Workspace workspace;
  ConstraintScratch<double> scratch;
  SolvedLoops(const Model& model, const State& state, const std::vector<Constraint>& loops)
      : workspace(model), scratch(model, loops, dynamics::Method::kComposite) {
    dynamics::ForwardScratch<double> forward(model, dynamics::Method::kComposite);
    dynamics::forward_kinematics(model, state, workspace);
    dynamics::forward_dynamics_after_kinematics<double>(model, state, VecX::Zero(model.nv()),
                                                        forward, workspace);
    add_constraint_forces(model, loops, state, forward, scratch, workspace);
  }
};

struct Case {
  JointType joint;
  LoopType loop;
};
class LoopOf : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(EveryJoint, LoopOf,
                         testing::Values(Case{JointType::kFixed, LoopType::kFixed},
                                         Case{JointType::kRevolute, LoopType::kRevolute},
                                         Case{JointType::kPrismatic, LoopType::kPrismatic},
                                         Case{JointType::kCylindrical, LoopType::kCylindrical},
                                         Case{JointType::kUniversal, LoopType::kUniversal},
                                         Case{JointType::kSpherical, LoopType::kSpherical},
                                         Case{JointType::kPlanar, LoopType::kPlanar}));

TEST_P(LoopOf, MovesTheBodiesAsTheJointDoes) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    const Pair pair(seed, GetParam().joint, GetParam().loop);
    Workspace tree(pair.tree);
    dynamics::aba(pair.tree, pair.tree_state, VecX(VecX::Zero(pair.tree.nv())), tree);
    const SolvedLoops cut(pair.cut, pair.cut_state, {pair.loop});
    // The tree's state satisfies the loop, so all rows and their rates vanish.
    EXPECT_LT(cut.scratch.value.lpNorm<Eigen::Infinity>(), 1e-12);
    EXPECT_LT(cut.scratch.rate.lpNorm<Eigen::Infinity>(), 1e-11);
    EXPECT_EQ(cut.scratch.rank, row_count(std::span(&pair.loop, 1)));
    for (std::size_t i = 1; i < 4; ++i) {
      const auto& a = tree.motion[i];
      const auto& b = cut.workspace.motion[i];
      EXPECT_LT((a.alpha - b.alpha).norm() + (a.a - b.a).norm(),
                1e-9 * (1.0 + a.alpha.norm() + a.a.norm()));
    }
  }
}

TEST_P(LoopOf, TheSameLoopTwiceChangesNothing) {
  const Pair pair(3, GetParam().joint, GetParam().loop);
  const SolvedLoops once(pair.cut, pair.cut_state, {pair.loop});
  const SolvedLoops twice(pair.cut, pair.cut_state, {pair.loop, pair.loop});
  EXPECT_EQ(twice.scratch.rank, once.scratch.rank);
  EXPECT_LT((once.workspace.vdot - twice.workspace.vdot).norm(),
            1e-9 * (1.0 + once.workspace.vdot.norm()));
  // Of least norm: each of the two carries half.
  const Eigen::Index n = once.scratch.lambda.size();
  EXPECT_LT((twice.scratch.lambda.head(n) - 0.5 * once.scratch.lambda).norm() +
                (twice.scratch.lambda.tail(n) - 0.5 * once.scratch.lambda).norm(),
            1e-9 * (1.0 + once.scratch.lambda.norm()));
}

// Rates and forces: the rows' derivatives by dual numbers of time.
TEST_P(LoopOf, RatesAndAccelerationsAreDerivativesOfTheValues) {
  const Pair pair(5, GetParam().joint, GetParam().loop);
  test::RandomTree random(9);
  State state(pair.cut);
  random.fill(pair.cut, state);  // anywhere, loop open
  Workspace w(pair.cut);
  const VecX tau = random.efforts(pair.cut.nv());
  dynamics::aba(pair.cut, state, tau, w);
  const VecX vdot = w.vdot;
  VecX q_rate(pair.cut.nq());
  dynamics::position_rates(pair.cut, state, q_rate.data());
  const double h = 1e-4;
  const auto at = [&](double t) {
    State moved = state;
    VecX delta = t * (state.v + 0.5 * t * vdot);
    moved.q = state.q;
    dynamics::move_positions(pair.cut, delta, moved.q);
    moved.v = state.v + t * vdot;
    Workspace there(pair.cut);
    dynamics::aba(pair.cut, moved, tau, there);
    ConstraintMotion<double> motion;
    evaluate<double>({pair.cut, 0.0, moved, there}, pair.loop, motion);
    return motion;
  };
  const auto ahead = at(h), behind = at(-h);
  ConstraintMotion<double> now;
  evaluate<double>({pair.cut, 0.0, state, w}, pair.loop, now);
  for (std::size_t k = 0; k < rows_of(pair.loop).size(); ++k) {
    const RowMotion<double>& m = now.rows[k];
    EXPECT_NEAR((ahead.rows[k].value - behind.rows[k].value) / (2 * h), m.rate,
                1e-5 * (1 + std::abs(m.rate)));
    EXPECT_NEAR((ahead.rows[k].rate - behind.rows[k].rate) / (2 * h), m.acceleration,
                1e-4 * (1 + std::abs(m.acceleration)));
  }
}

TEST_P(LoopOf, ClosesFromNearby) {
  Pair pair(7, GetParam().joint, GetParam().loop);
  test::RandomTree random(11);
  State state = pair.cut_state;
  const VecX nudge = 0.02 * random.efforts(pair.cut.nv());
  dynamics::move_positions(pair.cut, nudge, state.q);
  state.v += nudge;
  Workspace w(pair.cut);
  dynamics::ForwardScratch<double> forward(pair.cut, dynamics::Method::kComposite);
  ConstraintScratch<double> scratch(pair.cut, {pair.loop}, dynamics::Method::kComposite);
  const ClosureResult result = close_constraints(pair.cut, {pair.loop}, state, forward, scratch, w);
  EXPECT_TRUE(result.closed);
  const SolvedLoops closed(pair.cut, state, {pair.loop});
  EXPECT_LT(closed.scratch.value.lpNorm<Eigen::Infinity>(), 1e-12);
  EXPECT_LT(closed.scratch.rate.lpNorm<Eigen::Infinity>(), 1e-11);
}

// The forces of a loop do no work: the power of all is that of gravity alone.
TEST_P(LoopOf, KeepsTheEnergy) {
  const Pair pair(13, GetParam().joint, GetParam().loop);
  const SolvedLoops s(pair.cut, pair.cut_state, {pair.loop});
  const double h = 1e-5;
  const auto energy = [&](double t) {
    State moved = pair.cut_state;
    dynamics::move_positions(pair.cut, VecX(t * (moved.v + 0.5 * t * s.workspace.vdot)), moved.q);
    moved.v += t * s.workspace.vdot;
    Workspace w(pair.cut);
    dynamics::forward_kinematics(pair.cut, moved, w);
    return dynamics::kinetic_energy(pair.cut, moved, w) +
           dynamics::gravity_energy(pair.cut, moved, w);
  };
  EXPECT_NEAR((energy(h) - energy(-h)) / (2 * h), 0.0, 1e-5 * (1.0 + std::abs(energy(0.0))));
}

TEST(Distance, HoldsAPendulumOnAString) {
  model::ModelBuilder builder;
  builder.set_gravity({0.0, 0.0, -9.81});
  builder.add_body("bob", {2.0, Vec3::Zero(), 0.1 * spatial::Mat3::Identity()});
  const Model model = builder.build();
  State state(model);
  state.q.head<3>() = Vec3(1.5, 0.0, -2.0);  // 2.5 m from the origin
  state.v.head<3>() = Vec3(0.0, 3.0, 0.0);
  const Constraint loop{"string", Distance{{{"", 0, {}}, {"", 1, {}}}, 2.5}};
  const SolvedLoops s(model, state, {loop});
  // Tension by hand: m (v^2 / L + g cos), towards the origin.
  const double tension = 2.0 * (9.0 / 2.5 + 9.81 * 2.0 / 2.5);
  const spatial::Spatial wrench =
      constraint_wrench<double>({model, 0.0, state, s.workspace}, {loop}, 0, s.scratch);
  EXPECT_LT((wrench.lin + tension * Vec3(0.6, 0.0, -0.8)).norm(), 1e-12);
}

}  // namespace
}  // namespace grapple::constraint
