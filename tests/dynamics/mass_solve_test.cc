// M x = b along the tree, against the mass matrix and against the difference of two sweeps of aba.
#include "grapple/dynamics/mass_solve.h"

#include <gtest/gtest.h>

#include <cstdio>

#include "dynamics/relative.h"
#include "grapple/dynamics/aba.h"
#include "grapple/dynamics/crba.h"
#include "grapple/dynamics/forward_dynamics.h"
#include "grapple/dynamics/kinematics.h"
#include "support/random_tree.h"

namespace grapple::dynamics {
namespace {

using model::Model;
using model::State;
using model::Workspace;
using spatial::MatX;
using spatial::VecX;

void drive_some(const Model& model, test::RandomTree& random, State& state) {
  for (int i = 1; i < model.link_count(); ++i) {
    if (random.integer(0, 3) == 0) state.driven[static_cast<std::size_t>(i)] = 1;
  }
}

// Of each seed one tree with all joints free and one with some driven.
TEST(MassSolve, SolvesTheMassMatrixOfRandomTrees) {
  double worst = 0.0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    test::RandomTree random(seed);
    const Model model = random.mixed_model(random.integer(1, 15));
    if (model.nv() == 0) continue;  // fixed joints alone
    State state(model);
    random.fill(model, state);
    if (seed % 2 == 1) drive_some(model, random, state);
    Workspace w(model);
    forward_kinematics(model, state, w);
    MatX M = MatX::Zero(model.nv(), model.nv());
    crba_after_kinematics(model, w, M);
    aba_after_kinematics(model, state, VecX(VecX::Zero(model.nv())), w);
    const VecX b = random.efforts(model.nv());
    MassSolve solve(model);
    VecX x(model.nv());
    solve.solve(model, state, w, b, x);
    std::vector<int> free;
    find_free_rows(model, state, free);
    const MatX M_free = M(free, free);
    const VecX b_free = b(free), x_free = x(free);
    // Backward error: round-off of trees whose condition numbers reach 1e5.
    const double off = (M_free * x_free - b_free).norm() / (1e-12 + M_free.norm() * x_free.norm());
    worst = std::max(worst, off);
    EXPECT_LT(off, 1e-13);
    x(free).setZero();
    EXPECT_EQ(x.cwiseAbs().maxCoeff(), 0.0) << "driven coordinates stay";
  }
  std::printf("worst backward error %.1e\n", worst);
}

// Efforts are linear: b more of them change what a driven joint takes by what the solution says.
TEST(MassSolve, TellsWhatDrivenJointsTake) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(seed);
    test::RandomTree random(seed);
    const Model model = random.mixed_model(random.integer(2, 12));
    State state(model);
    random.fill(model, state);
    drive_some(model, random, state);
    const VecX tau = random.efforts(model.nv()), b = random.efforts(model.nv());
    Workspace w(model), more(model);
    forward_kinematics(model, state, w);
    forward_kinematics(model, state, more);
    aba_after_kinematics(model, state, tau, w);
    aba_after_kinematics(model, state, VecX(tau + b), more);
    MassSolve solve(model);
    VecX x = b;
    solve.solve(model, state, w, x, x);  // in place
    EXPECT_LT(relative(x, VecX(more.vdot - w.vdot)), 1e-9);
    for (int i = 1; i < model.link_count(); ++i) {
      const model::Link& link = model.link(i);
      if (state.driven[static_cast<std::size_t>(i)] == 0 || link.motors > 0) continue;
      for (int k = 0; k < link.nv; ++k) {
        const double expected = more.tau[link.v_index + k] - w.tau[link.v_index + k];
        const double size = 1.0 + std::abs(more.tau[link.v_index + k]);
        EXPECT_NEAR(solve.driven_effort(model, w, i, k), expected, 1e-9 * size) << i << " " << k;
      }
    }
  }
}

}  // namespace
}  // namespace grapple::dynamics
