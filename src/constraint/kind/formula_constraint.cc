#include "grapple/constraint/kind/formula_constraint.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "grapple/base/assert.h"
#include "grapple/base/error.h"
#include "grapple/base/jet.h"
#include "grapple/spatial/dual_functions.h"

namespace grapple::constraint {

FormulaConstraint::FormulaConstraint(std::vector<Term> variables, Formula zero)
    : terms(std::move(variables)), formula(std::move(zero)) {
  if (const std::string_view kink = formula.first_kink(); !kink.empty()) {
    throw Error("GR-130", "",
                fmt::format("'{}' has a kink or a jump; a condition knows + - * / ^ and smooth "
                            "functions only",
                            kink));
  }
  GRAPPLE_ASSERT(!terms.empty() && terms.size() <= kMostTerms);
}

template <class T>
void FormulaConstraint::evaluate(const TreeMotion<T>& tree, RowMotions<T>& out) const {
  using Motion = jets::JetOf<T>;
  std::array<Motion, kMostTerms + 1> variables;
  const std::size_t n = terms.size();
  for (std::size_t k = 0; k < n; ++k) {
    const Term& term = terms[k];
    variables[k] = {tree.state.q[term.q], tree.state.v[term.v], tree.workspace.vdot[term.v]};
  }
  variables[n] = {T(tree.t), T(1), T(0)};
  const std::span<const Motion> all(variables.data(), n + 1);
  const Motion moving = formula.evaluate(all);
  RowMotion<T>& row = out[0];
  row = {};
  row.value = moving.value;
  row.rate = moving.rate;
  row.acceleration = moving.acceleration;
  for (std::size_t k = 0; k <= n; ++k) {
    variables[k].rate = variables[k].acceleration = T(0);
  }
  for (std::size_t k = 0; k <= n; ++k) {  // one direction at a time, time last
    variables[k].rate = T(1);
    const T slope = formula.evaluate(all).rate;
    variables[k].rate = T(0);
    (k < n ? row.coefficient[k] : row.drift) = slope;
  }
}

bool FormulaConstraint::is_angle(const model::Model& model) const {
  return std::ranges::all_of(terms, [&](const Term& term) { return turns(model, term); });
}

std::string FormulaConstraint::undefined(const TreeMotion<double>& tree,
                                         std::string_view name) const {
  for (const Term& term : terms) {
    if (!std::isfinite(tree.state.q[term.q] + tree.state.v[term.v])) return "";
    if (!std::isfinite(tree.workspace.vdot[term.v])) return "";
  }
  RowMotions<double> rows_here;
  evaluate(tree, rows_here);
  const RowMotion<double>& row = rows_here[0];
  double sum = row.value + row.rate + row.acceleration + row.drift;
  for (const double slope : row.coefficient) sum += slope;
  if (std::isfinite(sum)) return "";
  std::string at;
  for (const Term& term : terms) at += fmt::format("{:.6g}, ", tree.state.q[term.q]);
  return fmt::format(
      "the formula of loop '{}' has no finite value, first or second derivative where its "
      "coordinates are {}t = {:.6g}",
      name, at, tree.t);
}

template void FormulaConstraint::evaluate(const TreeMotion<double>&, RowMotions<double>&) const;
template void FormulaConstraint::evaluate(const TreeMotion<spatial::Dual>&,
                                          RowMotions<spatial::Dual>&) const;

}  // namespace grapple::constraint
