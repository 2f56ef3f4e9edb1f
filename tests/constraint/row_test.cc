// Every kind of constraint on a moving tree, wide open: rate and acceleration are the derivatives
// of what stands before them, the direction is what the rate works with, dual numbers agree.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "grapple/base/error.h"
#include "grapple/base/formula.h"
#include "grapple/constraint/constraint_solver.h"
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

// What examples are made from.
struct Arms {
  Model model = two_arms();
  FramePair frames;
  std::vector<Term> terms;  // a revolute and a prismatic joint's

  Arms() {
    test::RandomTree random(22);
    const int two = link("b2"), three = link("b3");
    frames = {{"", two, random.pose()}, {"", three, random.pose()}};
    for (const int i : {two, three}) {
      terms.push_back({model.link(i).q_index, model.link(i).v_index, 0.0});
    }
  }
  int link(const char* body) const {
    return model.bodies()[static_cast<std::size_t>(model.find_body(body))].link;
  }
};

// Every kind has examples of its own: one without does not compile.
template <class Kind>
std::vector<Kind> examples(const Arms& arms) = delete;

template <>
std::vector<LoopClosure> examples(const Arms& arms) {
  std::vector<LoopClosure> all;
  for (const LoopType type : {LoopType::kFixed, LoopType::kRevolute, LoopType::kPrismatic,
                              LoopType::kCylindrical, LoopType::kUniversal, LoopType::kSpherical,
                              LoopType::kPlanar, LoopType::kPointOnLine, LoopType::kPointOnPlane}) {
    all.push_back({arms.frames, type});
  }
  return all;
}
template <>
std::vector<Distance> examples(const Arms& arms) {
  return {{arms.frames, 0.8}};
}
template <>
std::vector<Screw> examples(const Arms& arms) {
  return {{arms.frames, 0.3}, {arms.frames, -0.2, 0.1}};
}
template <>
std::vector<Rolling> examples(const Arms& arms) {
  return {{arms.frames, 0.4}, {arms.frames, 0.4, Vec3::UnitZ()}, {arms.frames, 0.4, {0.6, 0, 0.8}}};
}
template <>
std::vector<KnifeEdge> examples(const Arms& arms) {
  return {{arms.frames}};
}
// Near the point of M, so that the nearest place on the curve is unique.
template <>
std::vector<PointOnCurve> examples(const Arms& arms) {
  const std::vector<Vec3> points = {{-9, 1, 0}, {-4, -2, 3}, {0, 0, 5}, {4, 3, 3}, {9, 1, -4}};
  return {{arms.frames, Curve::circle(20.0)},
          {arms.frames, Curve::through(points, Curve::Ends::kOpen)}};
}
template <>
std::vector<PrescribedMotion> examples(const Arms& arms) {
  const auto f = [](const char* text) { return Function::expression(text); };
  const std::array position = {f("sin(t)"), f("0.3*t^2"), f("exp(-t)")};
  const std::array rotation = {f("t"), f("0.4*t^2"), f("cos(t)")};
  return {{arms.frames, position, rotation}, {arms.frames, position}, {arms.frames, {}, rotation}};
}
template <>
std::vector<Gear> examples(const Arms& arms) {
  std::vector<Term> terms = arms.terms;
  terms[0].coefficient = 2.0;
  terms[1].coefficient = -0.7;
  return {Gear(terms, 0.1)};
}
template <>
std::vector<FormulaConstraint> examples(const Arms& arms) {
  return {FormulaConstraint(
      arms.terms,
      Formula("a^2*sin(b) - exp(-a)/(2 + b^2) + t*b + atan2(a, 2 + b) + sqrt(2 + a)^3 - asin(b/9)",
              {"a", "b", "t"}))};
}

template <std::size_t... kIndex>
std::vector<Constraint> examples_of(const Arms& arms, std::index_sequence<kIndex...>) {
  std::vector<Constraint> all;
  const auto add = [&]<class Kind>(const std::vector<Kind>& kinds) {
    for (const Kind& kind : kinds) all.push_back({kind.row_name(0), kind});
  };
  (add(examples<std::variant_alternative_t<kIndex, ConstraintKind>>(arms)), ...);
  return all;
}
std::vector<Constraint> every_kind(const Arms& arms) {
  return examples_of(arms, std::make_index_sequence<std::variant_size_v<ConstraintKind>>());
}

RowMotions<double> rows_at(const TreeMotion<double>& tree, const Constraint& constraint) {
  ConstraintMotion<double> motion;
  evaluate(tree, constraint, motion);
  return motion.rows;
}

struct Moving : Arms {
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
  TreeMotion<double> tree() const { return {model, t, state, w}; }
  // All rows of a constraint after a short time along this motion.
  RowMotions<double> later(double h, const Constraint& constraint) const {
    State moved = state;
    dynamics::move_positions(model, VecX(h * (state.v + 0.5 * h * vdot)), moved.q);
    moved.v = state.v + h * vdot;
    Workspace there(model);
    dynamics::forward_kinematics(model, moved, there);
    return rows_at({model, t + h, moved, there}, constraint);
  }
};

// Fourth-order central differences: truncation h^4 f5 / 30 and rounding eps / h are both near
// 1e-12.
TEST(EveryRow, RateAndAccelerationAreDerivatives) {
  const Moving m;
  const double h = 1e-3;
  for (const Constraint& constraint : every_kind(m)) {
    const auto f1 = m.later(h, constraint), b1 = m.later(-h, constraint),
               f2 = m.later(2 * h, constraint), b2 = m.later(-2 * h, constraint);
    const std::span<const Row> rows = rows_of(constraint);
    const RowMotions<double> now = rows_at(m.tree(), constraint);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      SCOPED_TRACE(row_name(constraint, k));
      const auto derivative = [&](auto part) {
        return (8 * (part(f1[k]) - part(b1[k])) - (part(f2[k]) - part(b2[k]))) / (12 * h);
      };
      const double size = 1.0 + std::abs(now[k].acceleration);
      if (holds_position(rows[k])) {
        EXPECT_NEAR(derivative([](const auto& r) { return r.value; }), now[k].rate, 1e-8 * size);
      } else {
        EXPECT_EQ(now[k].value, 0.0);
      }
      EXPECT_NEAR(derivative([](const auto& r) { return r.rate; }), now[k].acceleration,
                  1e-7 * size);
    }
  }
}

// rate = A v + drift: the force of a row works with its rate, whatever kind it is.
TEST(EveryRow, DirectionIsWhatTheRateWorksWith) {
  const Moving m;
  for (const Constraint& constraint : every_kind(m)) {
    SCOPED_TRACE(constraint.name);
    ConstraintScratch<double> scratch(m.model, {constraint}, dynamics::Method::kComposite);
    scratch.t = m.t;
    constraint_values(m.model, {constraint}, m.state, m.w, scratch);
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
  for (int column = 0; column < m.model.nv(); ++column) {
    model::StateT<Dual> state(m.model);
    state.q = m.state.q.cast<Dual>();
    state.v = m.state.v.cast<Dual>();
    state.v[column].d[0] = 1.0;
    model::WorkspaceT<Dual> w(m.model);
    dynamics::aba<Dual>(m.model, state, m.tau.cast<Dual>(), w);
    const auto at = [&](double step, const Constraint& constraint) {
      State moved = m.state;
      moved.v[column] += step;
      Workspace there(m.model);
      dynamics::aba(m.model, moved, m.tau, there);
      return rows_at({m.model, m.t, moved, there}, constraint);
    };
    for (const Constraint& constraint : every_kind(m)) {
      SCOPED_TRACE(constraint.name);
      const auto ahead = at(h, constraint), behind = at(-h, constraint);
      ConstraintMotion<Dual> now;
      evaluate<Dual>({m.model, m.t, state, w}, constraint, now);
      for (std::size_t k = 0; k < rows_of(constraint).size(); ++k) {
        const Dual& found = now.rows[k].acceleration;
        EXPECT_NEAR(found.d[0], (ahead[k].acceleration - behind[k].acceleration) / (2 * h),
                    1e-9 * (1.0 + std::abs(found.value)));
      }
    }
  }
}

// Rows left over from another constraint must not show.
TEST(EveryRow, IsTheSameWhateverStoodThereBefore) {
  const Moving m;
  for (const Constraint& constraint : every_kind(m)) {
    SCOPED_TRACE(constraint.name);
    const RowMotions<double> clean = rows_at(m.tree(), constraint);
    ConstraintMotion<double> used;
    for (RowMotion<double>& row : used.rows) {
      row.value = row.rate = row.acceleration = row.drift = 1e3;
      row.force = row.torque_M = Vec3::Constant(1e3);
      row.coefficient.fill(1e3);
    }
    evaluate(m.tree(), constraint, used);
    for (std::size_t k = 0; k < rows_of(constraint).size(); ++k) {
      const RowMotion<double>&a = clean[k], &b = used.rows[k];
      EXPECT_EQ(a.value, b.value);
      EXPECT_EQ(a.rate, b.rate);
      EXPECT_EQ(a.acceleration, b.acceleration);
      EXPECT_EQ(a.drift, b.drift);
      EXPECT_EQ(a.force, b.force);
      EXPECT_EQ(a.torque_M, b.torque_M);
      EXPECT_EQ(a.coefficient, b.coefficient);
    }
  }
}

TEST(EveryRow, HasANameOfItsOwn) {
  for (const Constraint& constraint : every_kind(Arms())) {
    std::set<std::string> names;
    for (std::size_t k = 0; k < rows_of(constraint).size(); ++k) {
      EXPECT_TRUE(names.insert(row_name(constraint, k)).second) << row_name(constraint, k);
    }
    EXPECT_FALSE(names.contains(""));
  }
}

// Closed in place, all rows that hold positions are met; the numbers of a checkpoint bring the same
// constraint back, to the bit. Kinds that always close as given know no such numbers.
TEST(EveryKind, ClosesInPlaceAndComesBackFromItsNumbers) {
  const Moving m;
  int closing = 0;
  for (const Constraint& given : every_kind(m)) {
    SCOPED_TRACE(given.name);
    const RowMotions<double> open = rows_at(m.tree(), given);
    Constraint latched = given;
    close_in_place(m.tree(), latched);
    Constraint restored = given;
    const auto numbers = closure_of(latched);
    set_closure(numbers, restored);
    EXPECT_EQ(closure_of(restored), numbers);
    const RowMotions<double> closed = rows_at(m.tree(), latched),
                             back = rows_at(m.tree(), restored);
    if (can_close_in_place(given)) ++closing;
    for (std::size_t k = 0; k < rows_of(given).size(); ++k) {
      EXPECT_EQ(closed[k].value, back[k].value);
      EXPECT_EQ(closed[k].rate, back[k].rate);
      if (!can_close_in_place(given)) {
        EXPECT_EQ(closed[k].value, open[k].value);
      } else if (holds_position(rows_of(given)[k])) {
        EXPECT_NEAR(closed[k].value, 0.0, 1e-14 * (1.0 + std::abs(open[k].value)));
      }
    }
    if (can_close_in_place(given)) continue;
    std::array<double, kClosureSize> foreign{};
    foreign.fill(0.37);
    set_closure(foreign, restored);
    EXPECT_EQ(rows_at(m.tree(), restored)[0].rate, open[0].rate);
    EXPECT_EQ(closure_of(restored), closure_of(Constraint{"", KnifeEdge{}}));
  }
  EXPECT_EQ(closing, 9 + 1 + 2 + 1);  // loop closures, distance, screws, gear
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

TEST(FormulaConstraint, RefusesWhatHasKinks) {
  const auto loop = [](const char* text) {
    return FormulaConstraint({{0, 0, 0.0}}, Formula(text, {"a", "t"}));
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
