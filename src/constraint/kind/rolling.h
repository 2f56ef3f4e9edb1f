// A thin disc of axle b fixed in M (or, b = 0, a sphere) of radius R about M's origin that rolls on
// the plane of normal n = z of F. It touches at c = -R (n - s b) / rho from M's origin, s = n.b,
// rho = sqrt(1 - s^2):
//   support   n.r = R rho
//   slip      a.(velocity of M against F at c) = 0,   a = x, y of F       rates only
// A disc that lies flat (rho = 0) has no lowest point.
#pragma once

#include "grapple/constraint/frame_pair.h"

namespace grapple::constraint {

struct Rolling {
  FramePair frames;
  double radius = 1.0;                           ///< m
  spatial::Vec3 axle_M = spatial::Vec3::Zero();  ///< unit vector; zero: a sphere

  std::span<const Row> rows() const;
  std::string row_name(std::size_t row) const;
  template <class T>
  void evaluate(const FramePairMotion<T>& at, RowMotions<T>& out) const;
};

}  // namespace grapple::constraint
