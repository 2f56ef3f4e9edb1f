// What the rows of constraints are at a state: values, rates, accelerations, directions, and the
// wrenches of their multipliers.
#include <algorithm>
#include <type_traits>
#include <utility>

#include "grapple/constraint/constraint_solver.h"
#include "grapple/spatial/dual.h"

namespace grapple::constraint {

namespace {

using model::Link;
using spatial::Dual;
using spatial::MatXT;
using spatial::SpatialT;
using spatial::Vec3T;

// Adds what a wrench on a link (about its origin) does to every coordinate between it and the
// world.
template <class T>
void add_generalized(const model::Model& model, const model::WorkspaceT<T>& w, int link,
                     SpatialT<T> wrench, int row, MatXT<T>& A) {
  for (int i = link; i != 0; i = model.link(i).parent) {
    const Link& own = model.link(i);
    for (int k = 0; k < own.nv; ++k) {
      A(row, own.v_index + k) +=
          spatial::dot(w.S[static_cast<std::size_t>(own.v_index + k)], wrench);
    }
    const auto& axes = w.elastic_axes[static_cast<std::size_t>(i)];
    for (std::size_t k = 0; k < axes.size(); ++k) {
      A(row, own.v_modal + static_cast<int>(k)) += spatial::dot(axes[k], wrench);
    }
    wrench.ang += w.motion[static_cast<std::size_t>(i)].r.cross(wrench.lin);
  }
}

// Wrenches of a row about the origins of its two links.
template <class T>
struct Pull {
  SpatialT<T> on_M, on_F;
};
template <class T>
Pull<T> pull_of(const TreeMotion<T>& tree, Links links, const Vec3T<T>& p_M,
                const RowMotion<T>& at) {
  const auto torque = [&](int link) -> Vec3T<T> {
    const Vec3T<T>& origin = tree.workspace.motion[static_cast<std::size_t>(link)].p_WL;
    return at.torque_M + (p_M - origin).cross(at.force);
  };
  return {{torque(links.M), at.force}, {-torque(links.F), -at.force}};
}

// What one row between frames does to the coordinates.
template <class T>
void add_direction(const TreeMotion<T>& tree, Links links, const Vec3T<T>& p_M,
                   const RowMotion<T>& at, int row, ConstraintScratch<T>& s) {
  if constexpr (std::is_same_v<T, double>) {
    if (s.articulated) {
      if (!s.held.empty() && s.held[static_cast<std::size_t>(row)] == 0) return;
      const Pull<T> pull = pull_of(tree, links, p_M, at);
      s.wrenches[static_cast<std::size_t>(row)] = {links.M, links.F, pull.on_M, pull.on_F};
      return;
    }
  }
  const Pull<T> pull = pull_of(tree, links, p_M, at);
  add_generalized<T>(tree.model, tree.workspace, links.M, pull.on_M, row, s.A);
  add_generalized<T>(tree.model, tree.workspace, links.F, pull.on_F, row, s.A);
}

}  // namespace

template <class T>
void evaluate_rows(const TreeMotion<T>& tree, const std::vector<Constraint>& constraints,
                   Rows which, ConstraintScratch<T>& s) {
  s.A.setZero();
  std::fill(s.wrenches.begin(), s.wrenches.end(), RowWrench{});
  s.value.setZero();
  s.rate.setZero();
  s.acceleration.setZero();
  s.drift.setZero();
  int first = 0;
  ConstraintMotion<T> motion;
  for (const Constraint& constraint : constraints) {
    const std::span<const Row> rows = rows_of(constraint);
    const int begin = std::exchange(first, first + static_cast<int>(rows.size()));
    if (!constraint.active) continue;
    evaluate(tree, constraint, motion);
    const std::span<const Term> terms = terms_of(constraint);
    const Links links = links_of(constraint);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      if (which == Rows::kPositions && !holds_position(rows[k])) continue;
      const RowMotion<T>& at = motion.rows[k];
      const int row = begin + static_cast<int>(k);
      s.value[row] = at.value;
      s.rate[row] = at.rate;
      s.acceleration[row] = at.acceleration;
      s.drift[row] = at.drift;
      if (terms.empty()) {
        add_direction<T>(tree, links, motion.p_M, at, row, s);
      } else if (!s.articulated) {
        for (std::size_t i = 0; i < terms.size(); ++i) s.A(row, terms[i].v) += at.coefficient[i];
      }
    }
  }
}

template <class T>
SpatialT<T> constraint_wrench(const TreeMotion<T>& tree, const std::vector<Constraint>& constraints,
                              std::size_t index, const ConstraintScratch<T>& scratch) {
  const Constraint& constraint = constraints[index];
  if (!constraint.active || !between_frames(constraint)) return {};
  int row = row_count(std::span(constraints).first(index));
  Vec3T<T> force = Vec3T<T>::Zero(), torque = Vec3T<T>::Zero();
  ConstraintMotion<T> motion;
  evaluate(tree, constraint, motion);
  for (std::size_t k = 0; k < rows_of(constraint).size(); ++k, ++row) {
    force += scratch.lambda[row] * motion.rows[k].force;
    torque += scratch.lambda[row] * motion.rows[k].torque_M;
  }
  return {torque, force};
}

void constraint_values(const model::Model& model, const std::vector<Constraint>& constraints,
                       const model::State& state, const model::Workspace& workspace,
                       ConstraintScratch<double>& scratch) {
  evaluate_rows<double>({model, scratch.t, state, workspace}, constraints, Rows::kAll, scratch);
}

template SpatialT<double> constraint_wrench(const TreeMotion<double>&,
                                            const std::vector<Constraint>&, std::size_t,
                                            const ConstraintScratch<double>&);
template SpatialT<Dual> constraint_wrench(const TreeMotion<Dual>&, const std::vector<Constraint>&,
                                          std::size_t, const ConstraintScratch<Dual>&);
template void evaluate_rows(const TreeMotion<double>&, const std::vector<Constraint>&, Rows,
                            ConstraintScratch<double>&);
template void evaluate_rows(const TreeMotion<Dual>&, const std::vector<Constraint>&, Rows,
                            ConstraintScratch<Dual>&);

}  // namespace grapple::constraint
