// Analytic derivatives of inverse dynamics against dual numbers through rnea.
#include "grapple/dynamics/rnea_derivatives.h"

#include <gtest/gtest.h>

#include "grapple/dynamics/kinematics.h"
#include "grapple/dynamics/manifold.h"
#include "grapple/dynamics/rnea.h"
#include "grapple/spatial/dual.h"
#include "support/random_tree.h"

namespace grapple::dynamics {
namespace {

using model::Model;
using model::State;
using spatial::Dual;
using spatial::MatX;
using spatial::VecX;
using spatial::VecXT;

enum class By { kPosition, kRate, kAcceleration };

MatX by_dual_numbers(const Model& model, const State& state, const VecX& vdot, By what) {
  const int nv = model.nv();
  MatX J(nv, nv);
  for (int k = 0; k < nv; ++k) {
    model::StateT<Dual> moved(model);
    model::WorkspaceT<Dual> w(model);
    moved.q = state.q.cast<Dual>();
    moved.v = state.v.cast<Dual>();
    VecXT<Dual> acceleration = vdot.cast<Dual>(), delta = VecXT<Dual>::Zero(nv);
    if (what == By::kPosition) delta[k].d[0] = 1.0;
    if (what == By::kRate) moved.v[k].d[0] = 1.0;
    if (what == By::kAcceleration) acceleration[k].d[0] = 1.0;
    move_positions(model, delta, moved.q);
    rnea(model, moved, acceleration, w);
    for (int row = 0; row < nv; ++row) J(row, k) = w.tau[row].d[0];
  }
  return J;
}

void expect_equal(const Model& model, test::RandomTree& random) {
  State state(model);
  random.fill(model, state);
  const VecX vdot = random.efforts(model.nv());
  model::Workspace w(model);
  forward_kinematics(model, state, w);
  RneaDerivatives analytic(model);
  rnea_derivatives(model, state, vdot, w, analytic);
  const auto compare = [&](const MatX& found, By what) {
    const MatX expected = by_dual_numbers(model, state, vdot, what);
    const double scale = 1.0 + expected.cwiseAbs().maxCoeff();
    EXPECT_LT((found - expected).cwiseAbs().maxCoeff(), 1e-12 * scale);
  };
  compare(analytic.by_position, By::kPosition);
  compare(analytic.by_rate, By::kRate);
  compare(analytic.by_acceleration, By::kAcceleration);
}

TEST(RneaDerivatives, EqualDualNumbersOnRandomTreesOfEveryJointType) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    test::RandomTree random(seed);
    expect_equal(random.model(12), random);
  }
}

// Rigid and flexible links, elastic frames that turn with the material and with a tangent, frames
// that stand still, flexible joints.
TEST(RneaDerivatives, EqualDualNumbersOnRandomTreesWithFlexibleLinks) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    test::RandomTree random(seed);
    expect_equal(random.mixed_model(8), random);
  }
}

TEST(RneaDerivatives, EqualDualNumbersOnBeamsOfEveryMaker) {
  for (unsigned seed = 0; seed < 15; ++seed) {
    SCOPED_TRACE(seed);
    test::RandomTree random(seed);
    expect_equal(random.model_of_makers(5), random);
  }
}

TEST(RneaDerivatives, EqualDualNumbersOnBeamsThatDeployAndRails) {
  for (unsigned seed = 0; seed < 15; ++seed) {
    SCOPED_TRACE(seed);
    test::RandomTree random(seed);
    expect_equal(random.guided_model(5), random);
  }
}

}  // namespace
}  // namespace grapple::dynamics
