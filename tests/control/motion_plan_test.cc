// Quadratic programs against their optimality conditions, plans against closed forms.
#include "grapple/control/planning/motion_plan.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <numbers>

#include "grapple/control/planning/quadratic_program.h"
#include "grapple/scenario/build/build.h"

namespace grapple::control {
namespace {

using spatial::MatX;
using spatial::Vec3;
using spatial::VecX;

// H x + g = E^T u + N_active^T w with w >= 0, and all constraints hold.
TEST(QuadraticProgram, SolutionsAreOptimal) {
  std::srand(7);
  int with_bounds = 0;
  for (int k = 0; k < 200; ++k) {
    SCOPED_TRACE(k);
    const MatX A = MatX::Random(8, 8);
    QuadraticProgram program{A.transpose() * A + 0.1 * MatX::Identity(8, 8),
                             5.0 * VecX::Random(8),
                             MatX::Random(2, 8),
                             VecX::Random(2),
                             MatX::Random(12, 8),
                             VecX::Constant(12, -0.8)};
    const ProgramSolution found = solve(program);
    ASSERT_TRUE(found.solved);
    EXPECT_LT((program.E * found.x - program.e).norm(), 1e-10);
    EXPECT_GE((program.N * found.x - program.b).minCoeff(), -1e-9);
    const auto active = static_cast<Eigen::Index>(found.active.size());
    with_bounds += active > 0 ? 1 : 0;
    MatX C(8, 2 + active);
    C.leftCols(2) = program.E.transpose();
    for (Eigen::Index i = 0; i < active; ++i) {
      C.col(2 + i) = program.N.row(found.active[static_cast<std::size_t>(i)]);
    }
    const VecX gradient = program.H * found.x + program.g;
    const VecX u = C.colPivHouseholderQr().solve(gradient);
    EXPECT_LT((C * u - gradient).norm(), 1e-8 * (1.0 + gradient.norm()));
    for (Eigen::Index i = 0; i < active; ++i) EXPECT_GE(u[2 + i], -1e-8);
  }
  EXPECT_GT(with_bounds, 150);
}

TEST(QuadraticProgram, ContradictionsAreNotSolved) {
  QuadraticProgram program{MatX::Identity(2, 2), VecX::Zero(2), MatX::Zero(0, 2),
                           VecX::Zero(0),        MatX(2, 2),    VecX(2)};
  program.N << 1.0, 0.0, -1.0, 0.0;
  program.b << 1.0, 1.0;  // x >= 1 and x <= -1
  EXPECT_FALSE(solve(program).solved);
}

PlanTask task_of(const model::Model& model, const Vec3& to) {
  PlanTask task;
  const model::Link& link = model.link(1);
  task.names = {"joint"};
  task.units = {"rad"};
  task.joints = {{link.q_index, link.v_index}};
  task.frame = model.frames()[static_cast<std::size_t>(model.find_frame("tip"))];
  task.to_W = to;
  task.duration = 4.0;
  constexpr double kNone = std::numeric_limits<double>::infinity();
  task.lower = {-kNone};
  task.upper = {kNone};
  task.rate_limit = {kNone};
  return task;
}

model::Model one_joint(model::JointType type) {
  model::ModelBuilder builder;
  builder.add_body("arm", {2.0, Vec3::Zero(), Vec3(0.3, 0.3, 0.5).asDiagonal()});
  model::JointSpec joint;
  joint.name = "joint";
  joint.type = type;
  joint.child = "arm";
  builder.add_joint(joint);
  builder.add_frame("tip", "arm", {spatial::Mat3::Identity(), {1.0, 0.0, 0.0}});
  return builder.build();
}

// The least integral of the squared acceleration over a way D in the time T from rest to rest is
// 12 D^2 / T^3, by a cubic, which quintic splines contain.
TEST(MotionPlan, OfOneJointIsTheCubic) {
  const model::Model rotor = one_joint(model::JointType::kRevolute);
  const double angle = 1.2;
  const MotionPlan turned = plan_motion(
      rotor, model::State(rotor), task_of(rotor, {std::cos(angle), std::sin(angle), 0.0}), 101);
  ASSERT_TRUE(turned.converged) << turned.obstacle;
  EXPECT_NEAR(turned.cost, 0.25 * 12.0 * angle * angle / 64.0, 1e-9);
  for (const PlanRow& row : turned.rows) {
    const double s = row.t / 4.0;
    EXPECT_NEAR(row.joints[0].value, angle * s * s * (3.0 - 2.0 * s), 1e-7) << row.t;
    EXPECT_NEAR(row.reaction.ang.z(), 0.5 * row.joints[0].acceleration, 1e-12);
  }
  const model::Model slide = one_joint(model::JointType::kPrismatic);
  const MotionPlan moved =
      plan_motion(slide, model::State(slide), task_of(slide, {1.0, 0.0, 0.6}), 11);
  ASSERT_TRUE(moved.converged) << moved.obstacle;
  EXPECT_NEAR(moved.cost, 4.0 * 12.0 * 0.36 / 64.0, 1e-9);
  EXPECT_NEAR(moved.rows.back().joints[0].value, 0.6, 1e-10);
}

// Chen's arm (1999, 6.2), R = 1, equal weights: the costs of the stages fall, and are those that
// another program finds (trust-region least squares of scipy on the same splines, the best of 24
// random first motions): 8235.8 and 7343.9. The trends of the source: tests/program/kinematics.
TEST(MotionPlan, RefinesInStagesToTheMinimumOfAnotherProgram) {
  const scenario::Simulation simulation = scenario::build(scenario::load_scenario(
      std::string(GRAPPLE_SOURCE_DIR) + "/examples/chen/plan-1.yaml", {"plan.segments=20"}));
  const model::Model& model = simulation.system->model();
  model::State start(model);
  start.q = simulation.system->initial_state().head(model.nq());
  const MotionPlan plan = plan_motion(model, start, *simulation.motion_plan, 601);
  ASSERT_TRUE(plan.converged) << plan.obstacle;
  ASSERT_EQ(plan.stages.size(), 2U);
  EXPECT_EQ(plan.stages[0].segments, 10);
  EXPECT_NEAR(plan.stages[0].cost, 8235.8, 1.0);  // its bounds are soft by 1e-9, its end by 1e-6 m
  EXPECT_NEAR(plan.stages[1].cost, 7343.9, 1.0);
  EXPECT_EQ(plan.cost, plan.stages[1].cost);
}

TEST(MotionPlan, KeepsItsBounds) {
  const model::Model slide = one_joint(model::JointType::kPrismatic);
  PlanTask task = task_of(slide, {1.0, 0.0, 0.6});
  task.rate_limit = {0.18};  // the cubic reaches 1.5 * 0.6 / 4 = 0.225
  const MotionPlan plan = plan_motion(slide, model::State(slide), task, 401);
  ASSERT_TRUE(plan.converged) << plan.obstacle;
  double fastest = 0.0;
  for (const PlanRow& row : plan.rows) fastest = std::max(fastest, row.joints[0].rate);
  EXPECT_LE(fastest, 0.18 + 1e-12);
  EXPECT_GT(fastest, 0.17);
  EXPECT_GT(plan.cost, 4.0 * 12.0 * 0.36 / 64.0);
  task.upper = {0.5};
  const MotionPlan none = plan_motion(slide, model::State(slide), task, 11);
  EXPECT_FALSE(none.converged);
  EXPECT_NE(none.obstacle.find("0.1"), std::string::npos) << none.obstacle;
}

}  // namespace
}  // namespace grapple::control
