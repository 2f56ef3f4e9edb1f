// rnea, crba and aba are three independent codings of the same mechanics; so are energy, momentum
// and Jacobians.
#include <gtest/gtest.h>

#include "dynamics/relative.h"
#include "grapple/dynamics/aba.h"
#include "grapple/dynamics/crba.h"
#include "grapple/dynamics/energy.h"
#include "grapple/dynamics/jacobian.h"
#include "grapple/dynamics/kinematics.h"
#include "grapple/dynamics/manifold.h"
#include "grapple/dynamics/rnea.h"
#include "grapple/spatial/dual.h"
#include "support/random_tree.h"

namespace grapple::dynamics {
namespace {

using model::Model;
using model::State;
using model::StateT;
using model::Workspace;
using model::WorkspaceT;
using spatial::Dual;
using spatial::MatX;
using spatial::Vec3;
using spatial::VecX;
using spatial::VecXT;
using test::RandomTree;

constexpr unsigned kTrees = 200;

enum class Bodies { kRigid, kMixed, kMakers, kGuided };

Model model_of(RandomTree& random, Bodies bodies) {
  if (bodies == Bodies::kRigid) return random.model(random.integer(1, 60));
  if (bodies == Bodies::kMixed) return random.mixed_model(random.integer(1, 20));
  if (bodies == Bodies::kGuided) return random.guided_model(random.integer(1, 10));
  return random.model_of_makers(random.integer(1, 12));
}

struct Case {
  explicit Case(unsigned seed, Bodies bodies = Bodies::kRigid)
      : random(seed), model(model_of(random, bodies)), state(model), workspace(model) {
    const bool small = bodies == Bodies::kMakers || bodies == Bodies::kGuided;
    random.fill(model, state, small ? 0.003 : 0.2);
    for (std::size_t i = 1; i < workspace.wrench.size(); ++i) {
      workspace.wrench[i] = {random.vector(3.0), random.vector(3.0)};
    }
  }
  RandomTree random;
  Model model;
  State state;
  Workspace workspace;
};

class Agreement : public testing::TestWithParam<Bodies> {};
INSTANTIATE_TEST_SUITE_P(OnTreesOf, Agreement,
                         testing::Values(Bodies::kRigid, Bodies::kMixed, Bodies::kMakers,
                                         Bodies::kGuided),
                         [](const auto& one) {
                           return one.param == Bodies::kRigid    ? "rigid"
                                  : one.param == Bodies::kMixed  ? "mixed"
                                  : one.param == Bodies::kMakers ? "makers"
                                                                 : "guided";
                         });

TEST_P(Agreement, RneaCrbaAndAbaOnRandomTrees) {
  double worst_rnea = 0.0, worst_crba = 0.0;
  for (unsigned seed = 0; seed < kTrees; ++seed) {
    SCOPED_TRACE(seed);
    Case c(seed, GetParam());
    const VecX tau = c.random.efforts(c.model.nv());
    aba(c.model, c.state, tau, c.workspace);
    const VecX vdot = c.workspace.vdot;
    rnea(c.model, c.state, vdot, c.workspace);
    const double off_rnea = relative(c.workspace.tau, tau);

    rnea(c.model, c.state, VecX(VecX::Zero(c.model.nv())), c.workspace);
    const VecX bias = c.workspace.tau;
    MatX M(c.model.nv(), c.model.nv());
    crba(c.model, c.state, c.workspace, M);
    const VecX from_M = M.llt().solve(tau - bias);
    const double off_crba = relative(from_M, vdot);
    worst_rnea = std::max(worst_rnea, off_rnea);
    worst_crba = std::max(worst_crba, off_crba);
    // Round-off of chains of up to 60 bodies: condition numbers reach 1e5, with fine meshes 1e7.
    // What slides on a rail may be light beside its beam; there the condition itself counts.
    const double condition = M.llt().rcond() > 0.0 ? 1.0 / M.llt().rcond() : 1e300;
    const double round_off = GetParam() == Bodies::kMakers   ? 1e-9
                             : GetParam() == Bodies::kGuided ? std::max(1e-9, 1e-15 * condition)
                                                             : 1e-10;
    ASSERT_LT(off_rnea, round_off);
    ASSERT_LT(off_crba, round_off);
  }
  RecordProperty("worst_rnea_aba", std::to_string(worst_rnea));
  std::printf("worst relative difference: rnea-aba %.2e, crba-aba %.2e\n", worst_rnea, worst_crba);
}

TEST_P(Agreement, DrivenJointsGiveTheEffortOfInverseDynamics) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    Case c(seed, GetParam());
    VecX tau = c.random.efforts(c.model.nv());
    for (int i = 1; i < c.model.link_count(); ++i) {
      c.state.driven[static_cast<std::size_t>(i)] = c.random.integer(0, 2) == 0;
    }
    c.state.driven_vdot = c.random.efforts(c.model.nv());
    aba(c.model, c.state, tau, c.workspace);
    const VecX vdot = c.workspace.vdot, efforts = c.workspace.tau;
    rnea(c.model, c.state, vdot, c.workspace);
    for (int i = 1; i < c.model.link_count(); ++i) {
      const model::Link& link = c.model.link(i);
      const bool driven = c.state.driven[static_cast<std::size_t>(i)] != 0;
      for (int k = link.v_actuated(); k < link.v_actuated() + link.nv; ++k) {
        const double expected = driven ? efforts[k] : tau[k];
        ASSERT_NEAR(c.workspace.tau[k], expected, 1e-9 * (1.0 + std::abs(expected)));
        if (driven) {
          ASSERT_EQ(vdot[k], c.state.driven_vdot[k]);
        }
      }
      // The link side of a flexible joint is free even where its motor is led.
      for (int k = link.v_index; link.motors > 0 && k < link.v_index + link.nv; ++k) {
        ASSERT_NEAR(c.workspace.tau[k], tau[k], 1e-9 * (1.0 + std::abs(tau[k])));
      }
    }
  }
}

TEST_P(Agreement, KineticEnergyIsHalfVtMV) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    Case c(seed, GetParam());
    MatX M(c.model.nv(), c.model.nv());
    crba(c.model, c.state, c.workspace, M);
    const double expected = 0.5 * c.state.v.dot(M * c.state.v);
    EXPECT_NEAR(kinetic_energy(c.model, c.state, c.workspace), expected, 1e-11 * expected + 1e-12);
  }
}

// d(energy)/dt along the true motion equals the power of efforts and external wrenches. The
// derivative is exact: state and state rate as a dual number.
TEST_P(Agreement, EnergyChangesByThePowerOfTheForces) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(seed);
    Case c(seed, GetParam());
    const VecX tau = c.random.efforts(c.model.nv());
    aba(c.model, c.state, tau, c.workspace);
    VecX q_rate(c.model.nq());
    position_rates(c.model, c.state, q_rate.data());
    StateT<Dual> state(c.model);
    for (int k = 0; k < c.model.nq(); ++k) {
      state.q[k] = c.state.q[k];
      state.q[k].d[0] = q_rate[k];
    }
    for (int k = 0; k < c.model.nv(); ++k) {
      state.v[k] = c.state.v[k];
      state.v[k].d[0] = c.workspace.vdot[k];
    }
    WorkspaceT<Dual> workspace(c.model);
    forward_kinematics(c.model, state, workspace);
    const double rate = kinetic_energy(c.model, state, workspace).d[0] +
                        gravity_energy(c.model, state, workspace).d[0];
    double power = tau.dot(c.state.v);
    double scale = 1.0;
    for (int i = 1; i < c.model.link_count(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      const double part = c.workspace.wrench[at].ang.dot(c.workspace.motion[at].omega) +
                          c.workspace.wrench[at].lin.dot(c.workspace.motion[at].v);
      power += part;
      scale += std::abs(part);
    }
    EXPECT_NEAR(rate, power, 1e-9 * (scale + kinetic_energy(c.model, c.state, c.workspace)));
  }
}

// Momentum changes by gravity, the external wrenches and the joints to ground; for a floating tree
// only the first two.
TEST_P(Agreement, MomentumOfAFloatingTreeChangesByExternalWrenchesOnly) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    Case c(seed, GetParam());
    // A drive on a joint to the ground would push against the ground.
    bool floats = true;
    for (int i = 1; i < c.model.link_count(); ++i) {
      const model::Link& link = c.model.link(i);
      if (link.parent != 0) continue;
      floats = floats && link.type == model::JointType::kFree &&
               c.model.reflected_inertia().segment(link.v_index, 6).isZero();
    }
    if (!floats) continue;
    VecX tau = c.random.efforts(c.model.nv());
    for (int i = 1; i < c.model.link_count(); ++i) {
      if (c.model.link(i).parent == 0) tau.segment(c.model.link(i).v_index, 6).setZero();
    }
    aba(c.model, c.state, tau, c.workspace);
    VecX q_rate(c.model.nq());
    position_rates(c.model, c.state, q_rate.data());
    const Vec3 about(0.3, -1.0, 2.0);
    const double h = 1e-5;
    const auto at_time = [&](double t) {
      State moved = c.state;
      moved.q += t * q_rate;
      moved.v += t * c.workspace.vdot;
      Workspace w(c.model);
      forward_kinematics(c.model, moved, w);
      return mass_moments(c.model, moved, w, about);
    };
    const MassMoments<double> ahead = at_time(h), behind = at_time(-h);
    const MassMoments<double> now = at_time(0.0);
    spatial::Spatial expected;
    expected.lin = now.mass * c.model.gravity();
    expected.ang = (now.first_moment - now.mass * about).cross(c.model.gravity());
    for (int i = 1; i < c.model.link_count(); ++i) {
      const auto link = static_cast<std::size_t>(i);
      const Vec3 force = c.workspace.wrench[link].lin;
      expected.lin += force;
      expected.ang +=
          c.workspace.wrench[link].ang + (c.workspace.motion[link].p_WL - about).cross(force);
    }
    const double scale = 1.0 + expected.ang.norm() + expected.lin.norm() + ahead.angular.norm();
    // Central difference: truncation h^2 and round-off eps/h leave about 1e-8.
    EXPECT_LT(((ahead.angular - behind.angular) / (2 * h) - expected.ang).norm(), 1e-6 * scale)
        << seed;
    EXPECT_LT(((ahead.linear - behind.linear) / (2 * h) - expected.lin).norm(), 1e-6 * scale)
        << seed;
  }
}

TEST_P(Agreement, JacobianEqualsDualDerivativeOfTheFramePose) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Case c(seed, GetParam());
    const model::Frame& tip = c.model.frames().back();
    forward_kinematics(c.model, c.state, c.workspace);
    joint_axis_rates(c.model, c.state, c.workspace);
    MatX J(6, c.model.nv()), J_dot(6, c.model.nv());
    frame_jacobian(c.model, tip, c.workspace, J);
    frame_jacobian_rate(c.model, tip, c.workspace, J_dot);
    const Eigen::Matrix<double, 6, 1> V = J * c.state.v;
    const FrameMotion<double> motion = frame_motion(tip, c.workspace);
    EXPECT_LT((V.head<3>() - motion.omega).norm() + (V.tail<3>() - motion.v).norm(),
              1e-10 * (1.0 + V.norm()));

    // Directions: each tangent vector alone (J), eight at a time.
    for (int first = 0; first < c.model.nv(); first += Dual::kWidth) {
      const int count = std::min(Dual::kWidth, c.model.nv() - first);
      StateT<Dual> state(c.model);
      for (int k = 0; k < c.model.nq(); ++k) state.q[k] = c.state.q[k];
      VecXT<Dual> delta = VecXT<Dual>::Zero(c.model.nv());
      for (int k = 0; k < count; ++k) delta[first + k] = Dual::seed(0.0, k);
      move_positions(c.model, delta, state.q);
      WorkspaceT<Dual> workspace(c.model);
      forward_kinematics(c.model, state, workspace);
      const FrameMotion<Dual> moved = frame_motion(tip, workspace);
      for (int k = 0; k < count; ++k) {
        spatial::Mat3 R, R_d;
        Vec3 p_d;
        for (int row = 0; row < 3; ++row) {
          p_d[row] = moved.p_WF[row].d[static_cast<std::size_t>(k)];
          for (int col = 0; col < 3; ++col) {
            R(row, col) = moved.R_WF(row, col).value;
            R_d(row, col) = moved.R_WF(row, col).d[static_cast<std::size_t>(k)];
          }
        }
        const spatial::Mat3 W = R_d * R.transpose();
        const Vec3 turn(W(2, 1), W(0, 2), W(1, 0));
        EXPECT_LT((J.col(first + k).head<3>() - turn).norm(), 1e-9);
        EXPECT_LT((J.col(first + k).tail<3>() - p_d).norm(), 1e-9 * (1.0 + p_d.norm()));
      }
    }

    // The rate: derivative of J along q', by a central difference in long steps of exact J.
    VecX q_rate(c.model.nq());
    position_rates(c.model, c.state, q_rate.data());
    const double h = 1e-5;
    const auto jacobian_at = [&](double t) {
      State moved = c.state;
      moved.q += t * q_rate;
      Workspace w(c.model);
      forward_kinematics(c.model, moved, w);
      MatX result(6, c.model.nv());
      frame_jacobian(c.model, tip, w, result);
      return result;
    };
    const MatX difference = (jacobian_at(h) - jacobian_at(-h)) / (2 * h);
    EXPECT_LT((difference - J_dot).norm(), 1e-7 * (1.0 + J_dot.norm()));

    // And exactly: acceleration = J v' + J' v.
    aba(c.model, c.state, c.random.efforts(c.model.nv()), c.workspace);
    const spatial::Spatial a = frame_acceleration(c.model, tip, c.workspace);
    const Eigen::Matrix<double, 6, 1> expected = J * c.workspace.vdot + J_dot * c.state.v;
    EXPECT_LT((expected.head<3>() - a.ang).norm() + (expected.tail<3>() - a.lin).norm(),
              1e-9 * (1.0 + expected.norm()));
  }
}

TEST(Invariance, TurningAndMovingTheWholeSystemChangesNoJointAcceleration) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    RandomTree random(seed);
    const spatial::Pose X = random.pose();
    const Vec3 gravity(0.0, 0.0, -9.81);
    const auto build = [&](const spatial::Pose& X_W) {
      RandomTree same(1000 + seed);
      model::ModelBuilder builder;
      builder.set_gravity(X_W.R * gravity);
      for (int b = 0; b < 6; ++b) {
        builder.add_body("b" + std::to_string(b), same.mass_properties());
        model::JointSpec joint;
        joint.name = "j" + std::to_string(b);
        joint.type = model::kAllJointTypes[static_cast<std::size_t>(same.integer(1, 7))];
        joint.child = "b" + std::to_string(b);
        joint.X_PF = same.pose();
        joint.X_BM = same.pose();
        if (b == 0) joint.X_PF = X_W * joint.X_PF;
        if (b > 0) joint.parent = "b" + std::to_string(b - 1);
        builder.add_joint(joint);
      }
      return builder.build();
    };
    const Model here = build({}), there = build(X);
    State state(here);
    random.fill(here, state);
    const VecX tau = random.efforts(here.nv());
    Workspace w_here(here), w_there(there);
    aba(here, state, tau, w_here);
    aba(there, state, tau, w_there);
    EXPECT_LT(relative(w_here.vdot, w_there.vdot), 1e-11);
  }
}

}  // namespace
}  // namespace grapple::dynamics
