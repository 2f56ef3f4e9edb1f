// M's origin on a curve c(s) fixed in F. With s the nearest place, e = r - c(s), e.c' = 0:
//   n_i.e = 0,   n_1 = k x c',   n_2 = c' x (k x c')
// k a fixed direction the curve never runs along, so that the normals need no root.
#pragma once

#include "grapple/constraint/curve.h"
#include "grapple/constraint/frame_pair.h"

namespace grapple::constraint {

struct PointOnCurve {
  FramePair frames;
  Curve curve;  ///< in F's axes, from F's origin

  std::span<const Row> rows() const { return distance_and_direction_rows(2, 0); }
  std::string row_name(std::size_t row) const;
  template <class T>
  void evaluate(const FramePairMotion<T>& at, RowMotions<T>& out) const;
};

}  // namespace grapple::constraint
