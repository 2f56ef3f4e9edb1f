// Coordinates in a fixed ratio: sum of coefficient * coordinate = offset.
#pragma once

#include <string>
#include <vector>

#include "grapple/constraint/row.h"

namespace grapple::constraint {

struct Gear {
  /// One term to kMostTerms.
  Gear(std::vector<Term> coupled, double constant);

  std::vector<Term> terms;
  double offset = 0.0;

  std::span<const Row> rows() const { return distance_and_direction_rows(1, 0); }
  std::string row_name(std::size_t) const { return "ratio"; }
  template <class T>
  void evaluate(const TreeMotion<T>& tree, RowMotions<T>& out) const;

  /// Its unit is that of its last coordinate.
  bool is_angle(const model::Model& model) const { return turns(model, terms.back()); }

  void close_in_place(const TreeMotion<double>& tree);
  LatchedValues latched() const { return {.offset = offset}; }
  void set_latched(const LatchedValues& values) { offset = values.offset; }
};

}  // namespace grapple::constraint
