// Every kind of row on a moving tree, loops wide open: rate and acceleration are the derivatives of
// what stands before them, the direction is what the rate works with, dual numbers agree.
#include <gtest/gtest.h>

#include <cmath>

#include "grapple/base/error.h"
#include "grapple/base/formula.h"
#include "grapple/constraint/loop_solver.h"
#include "grapple/dynamics/aba.h"
#include "grapple/dynamics/kinematics.h"
#include "grapple/dynamics/manifold.h"
#include "grapple/spatial/dual.h"
#include "support/random_tree.h"

namespace grapple::constraint {
namespace {

using model::JointType;
using model::Model;
using model::State;
using model::Workspace;
using spatial::Dual;
using spatial::Vec3;
using spatial::VecX;

// Two arms on the world, so that both ends of a loop move.
Model two_arms() {
  test::RandomTree random(21);
  model::ModelBuilder builder;
  builder.set_gravity(random.vector(10.0));
  const JointType types[] = {JointType::kUniversal, JointType::kFree, JointType::kRevolute,
                             JointType::kPrismatic};
  const char* const parents[] = {"world", "world", "b0", "b1"};
  for (int b = 0; b < 4; ++b) {
    const std::string name = "b" + std::to_string(b);
    builder.add_body(name, random.mass_properties());
    model::JointSpec joint;
    joint.name = "j" + std::to_string(b);
    joint.type = types[b];
    joint.parent = parents[b];
    joint.child = name;
    joint.X_PF = random.pose();
    joint.X_BM = random.pose();
    builder.add_joint(joint);
  }
  return builder.build();
}

std::vector<Loop> every_kind(const Model& model) {
  test::RandomTree random(22);
  const auto link = [&](const char* body) {
    return model.bodies()[static_cast<std::size_t>(model.find_body(body))].link;
  };
  const model::Frame F{"", link("b2"), random.pose()}, M{"", link("b3"), random.pose()};
  const auto f = [](const char* text) { return Function::expression(text); };
  std::vector<Loop> loops = {make_loop("fixed", LoopType::kFixed, F, M),
                             make_loop("distance", LoopType::kDistance, F, M, 0.8),
                             make_loop("screw", LoopType::kScrew, F, M, 0.3),
                             make_loop("sphere", LoopType::kRollingSphere, F, M, 0.4),
                             make_loop("disc", LoopType::kRollingDisc, F, M, 0.4),
                             make_loop("knife", LoopType::kKnifeEdge, F, M)};
  loops.push_back(make_given_motion(
      "led", F, M,
      {{f("sin(t)"), f("0.3*t^2"), f("exp(-t)")}, {f("t"), f("0.4*t^2"), f("cos(t)")}}));
  // Near the point of M, so that the nearest place on the curve is unique.
  loops.push_back(make_point_on_curve("circle", F, M, Curve::circle(20.0)));
  loops.push_back(make_point_on_curve(
      "spline", F, M,
      Curve::through({{-9, 1, 0}, {-4, -2, 3}, {0, 0, 5}, {4, 3, 3}, {9, 1, -4}},
                     Curve::Ends::kOpen)));
  const model::Link& two = model.link(link("b2"));
  const model::Link& three = model.link(link("b3"));
  loops.push_back(make_gear(
      "gear", {{two.q_index, two.v_index, 2.0}, {three.q_index, three.v_index, -0.7}}, 0.1));
  loops.push_back(make_formula_loop(
      "formula", {{two.q_index, two.v_index, 0.0}, {three.q_index, three.v_index, 0.0}},
      Formula("a^2*sin(b) - exp(-a)/(2 + b^2) + t*b + atan2(a, 2 + b) + sqrt(2 + a)^3 - asin(b/9)",
              {"a", "b", "t"})));
  return loops;
}

struct Moving {
  Model model = two_arms();
  State state{model};
  Workspace w{model};
  VecX tau, vdot;
  double t = 0.4;

  Moving() {
    test::RandomTree random(23);
    random.fill(model, state);
    tau = random.efforts(model.nv());
    dynamics::aba(model, state, tau, w);
    vdot = w.vdot;
  }
  // All rows of a loop after a short time along this motion.
  std::vector<RowMotion<double>> later(double h, const Loop& loop) const {
    State moved = state;
    dynamics::move_positions(model, VecX(h * (state.v + 0.5 * h * vdot)), moved.q);
    moved.v = state.v + h * vdot;
    Workspace there(model);
    dynamics::forward_kinematics(model, moved, there);
    std::vector<RowMotion<double>> rows;
    for (const Row& row : loop.rows) {
      rows.push_back(row_motion<double>({model, t + h, moved, there}, loop, row));
    }
    return rows;
  }
};

// Fourth-order central differences: truncation h^4 f5 / 30 and rounding eps / h are both near
// 1e-12.
TEST(EveryRow, RateAndAccelerationAreDerivatives) {
  const Moving m;
  const double h = 1e-3;
  for (const Loop& loop : every_kind(m.model)) {
    SCOPED_TRACE(loop.name);
    const auto f1 = m.later(h, loop), b1 = m.later(-h, loop), f2 = m.later(2 * h, loop),
               b2 = m.later(-2 * h, loop);
    for (std::size_t k = 0; k < loop.rows.size(); ++k) {
      SCOPED_TRACE(row_name(loop.rows[k]));
      const auto derivative = [&](auto part) {
        return (8 * (part(f1[k]) - part(b1[k])) - (part(f2[k]) - part(b2[k]))) / (12 * h);
      };
      const RowMotion<double> at =
          row_motion<double>({m.model, m.t, m.state, m.w}, loop, loop.rows[k]);
      const double size = 1.0 + std::abs(at.acceleration);
      if (holds_position(loop.rows[k])) {
        EXPECT_NEAR(derivative([](const auto& r) { return r.value; }), at.rate, 1e-8 * size);
      }
      EXPECT_NEAR(derivative([](const auto& r) { return r.rate; }), at.acceleration, 1e-7 * size);
    }
  }
}

// rate = A v + drift: the force of a row works with its rate, whatever kind it is.
TEST(EveryRow, DirectionIsWhatTheRateWorksWith) {
  const Moving m;
  for (const Loop& loop : every_kind(m.model)) {
    SCOPED_TRACE(loop.name);
    LoopScratch<double> scratch(m.model, {loop}, dynamics::Method::kComposite);
    scratch.t = m.t;
    loop_values(m.model, {loop}, m.state, m.w, scratch);
    const VecX through = scratch.A * m.state.v + scratch.drift;
    EXPECT_LT((through - scratch.rate).norm(), 1e-12 * (1.0 + scratch.rate.norm()));
  }
}

// Derivatives by the rates: of the rate they are A, of the acceleration twice those along the
// motion; by dual numbers against differences (the acceleration is quadratic in the rates: central
// differences are exact).
TEST(EveryRow, DualNumbersAgreeWithDifferences) {
  const Moving m;
  const double h = 1e-2;
  for (const Loop& loop : every_kind(m.model)) {
    SCOPED_TRACE(loop.name);
    for (int column = 0; column < m.model.nv(); ++column) {
      model::StateT<Dual> state(m.model);
      state.q = m.state.q.cast<Dual>();
      state.v = m.state.v.cast<Dual>();
      state.v[column].d[0] = 1.0;
      model::WorkspaceT<Dual> w(m.model);
      dynamics::aba<Dual>(m.model, state, m.tau.cast<Dual>(), w);
      const auto at = [&](double step) {
        State moved = m.state;
        moved.v[column] += step;
        Workspace there(m.model);
        dynamics::aba(m.model, moved, m.tau, there);
        std::vector<double> accelerations;
        for (const Row& row : loop.rows) {
          accelerations.push_back(
              row_motion<double>({m.model, m.t, moved, there}, loop, row).acceleration);
        }
        return accelerations;
      };
      const auto ahead = at(h), behind = at(-h);
      for (std::size_t k = 0; k < loop.rows.size(); ++k) {
        const RowMotion<Dual> row = row_motion<Dual>({m.model, m.t, state, w}, loop, loop.rows[k]);
        EXPECT_NEAR(row.acceleration.d[0], (ahead[k] - behind[k]) / (2 * h),
                    1e-9 * (1.0 + std::abs(row.acceleration.value)));
      }
    }
  }
}

TEST(Spline, PassesThroughItsPointsAndIsSmoothWhereItCloses) {
  const std::vector<Vec3> points = {{1, 0, 0}, {0, 1, 0.2}, {-1, 0, 0}, {0, -1, 0.2}};
  const Curve curve = Curve::through(points, Curve::Ends::kClosed);
  double s = 0.0;
  for (std::size_t k = 0; k < points.size(); ++k) {
    EXPECT_LT((curve.at(s).c - points[k]).norm(), 1e-14);
    s += (points[(k + 1) % points.size()] - points[k]).norm();
  }
  const auto end = curve.at(s - 1e-9), begin = curve.at(1e-9);
  EXPECT_LT((end.c1 - begin.c1).norm(), 1e-8);
  EXPECT_LT((end.c2 - begin.c2).norm(), 1e-8);
  EXPECT_LT((curve.at(s + 0.3).c - curve.at(0.3).c).norm(), 1e-14);
  const double found = curve.nearest<double>(curve.at(2.1).c + 0.1 * Vec3::UnitZ());
  const auto at = curve.at(found);
  EXPECT_LT(std::abs((curve.at(2.1).c + 0.1 * Vec3::UnitZ() - at.c).dot(at.c1)), 1e-13);
}

TEST(FormulaLoop, RefusesWhatHasKinks) {
  const auto loop = [](const char* text) {
    return make_formula_loop("f", {{0, 0, 0.0}}, Formula(text, {"a", "t"}));
  };
  EXPECT_NO_THROW(loop("a - sqrt(2)*sin(t)"));
  for (const char* text : {"abs(a)", "a > 1 ? a : 2", "min(a, t)", "a && t", "smooth(a, 0, 1)"}) {
    try {
      loop(text);
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.id(), "GR-130") << text;
      EXPECT_NE(std::string(error.what()).find("smooth functions only"), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace grapple::constraint
