// A nut on a screw about z of F: as a cylindrical loop, and
//   z.r = offset + pitch phi,   phi = atan2(y_F.x_M, x_F.x_M) the turn of M's x about z of F,
// modulo whole turns: one is as good as another.
#pragma once

#include "grapple/constraint/frame_pair.h"

namespace grapple::constraint {

struct Screw {
  FramePair frames;
  double pitch = 1.0;   ///< m per rad, not zero
  double offset = 0.0;  ///< m

  std::span<const Row> rows() const;
  std::string row_name(std::size_t row) const;
  template <class T>
  void evaluate(const FramePairMotion<T>& at, RowMotions<T>& out) const;

  std::span<const AxisPair> across() const;

  /// From here it is neither turned nor slid.
  void close_in_place(const TreeMotion<double>& tree);
  LatchedValues latched() const;
  void set_latched(const LatchedValues& values);
};

}  // namespace grapple::constraint
