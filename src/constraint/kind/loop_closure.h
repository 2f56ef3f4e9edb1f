// A loop closed by what a joint would hold: M's origin along axes of F, M's axes across axes of F,
//   along   a.r = 0      across   a.b = 0      a fixed in F, b fixed in M, r = p_M - p_F.
#pragma once

#include <string_view>

#include "grapple/constraint/frame_pair.h"

namespace grapple::constraint {

enum class LoopType {
  kFixed,
  kRevolute,     ///< free to turn about z of F
  kPrismatic,    ///< free to slide along z of F
  kCylindrical,  ///< both
  kUniversal,    ///< x of F stays across y of M
  kSpherical,
  kPlanar,       ///< free in the plane normal to z of F
  kPointOnLine,  ///< origin of M on z of F
  kPointOnPlane  ///< origin of M in the plane normal to z of F
};
LoopType loop_type(std::string_view name);  ///< "point-on-line"; the name must be one of these

struct LoopClosure {
  FramePair frames;
  LoopType type = LoopType::kFixed;

  std::span<const Row> rows() const;
  std::string row_name(std::size_t row) const;
  template <class T>
  void evaluate(const FramePairMotion<T>& at, RowMotions<T>& out) const;

  /// The axes of F that are held, in this order, and then the pairs of axes.
  std::span<const int> along() const;
  std::span<const AxisPair> across() const;

  void close_in_place(const TreeMotion<double>& tree) { frames.close_in_place(tree); }
  LatchedValues latched() const { return frames.latched(); }
  void set_latched(const LatchedValues& values) { frames.set_latched(values); }
};

}  // namespace grapple::constraint
