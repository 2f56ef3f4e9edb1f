// A smooth formula of coordinates and time that is zero: f(q_1, ..., q_n, t) = 0.
// With jets (jet.h) f' and f'' along the motion are exact; the coefficients are the derivatives by
// each coordinate, the drift that by time.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "grapple/base/formula.h"
#include "grapple/constraint/row.h"

namespace grapple::constraint {

struct FormulaConstraint {
  /// The formula's variables are the terms, one to kMostTerms (their coefficients mean nothing),
  /// then time. Throws Error GR-130 if the formula has kinks: its condition has no acceleration
  /// there.
  FormulaConstraint(std::vector<Term> variables, Formula zero);

  std::vector<Term> terms;
  Formula formula;

  std::span<const Row> rows() const { return distance_and_direction_rows(1, 0); }
  std::string row_name(std::size_t) const { return "formula"; }
  template <class T>
  void evaluate(const TreeMotion<T>& tree, RowMotions<T>& out) const;

  /// The unit is open: an angle if all coordinates are.
  bool is_angle(const model::Model& model) const;
  /// Why it cannot be evaluated here, although its coordinates move as they should; empty: it can.
  std::string undefined(const TreeMotion<double>& tree, std::string_view name) const;
};

}  // namespace grapple::constraint
