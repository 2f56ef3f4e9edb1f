// A blade or a skate: M's origin does not move along b = z of M, seen from F,
//   b.(velocity of M's origin against F) = 0        rates only
#pragma once

#include "grapple/constraint/frame_pair.h"

namespace grapple::constraint {

struct KnifeEdge {
  FramePair frames;

  std::span<const Row> rows() const;
  std::string row_name(std::size_t) const { return "blade"; }
  template <class T>
  void evaluate(const FramePairMotion<T>& at, RowMotions<T>& out) const;
};

}  // namespace grapple::constraint
