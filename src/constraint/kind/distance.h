// Two points a distance L apart, in a form without a root:
//   1/2 (|r|^2 / L - L) = 0,   which is |r| - L near zero,   r = p_M - p_F.
#pragma once

#include "grapple/constraint/frame_pair.h"

namespace grapple::constraint {

struct Distance {
  FramePair frames;
  double length = 1.0;  ///< L, m, above zero

  std::span<const Row> rows() const { return distance_and_direction_rows(1, 0); }
  std::string row_name(std::size_t) const { return "distance"; }
  template <class T>
  void evaluate(const FramePairMotion<T>& at, RowMotions<T>& out) const;

  /// |r| - L
  double gap(const FramePairMotion<double>& at) const { return at.r.norm() - length; }

  void close_in_place(const TreeMotion<double>& tree);
  LatchedValues latched() const { return {.length = length}; }
  void set_latched(const LatchedValues& values) { length = values.length; }
};

}  // namespace grapple::constraint
