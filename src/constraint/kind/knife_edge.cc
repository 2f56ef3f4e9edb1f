#include "grapple/constraint/kind/knife_edge.h"

#include <array>

#include "grapple/spatial/dual.h"

namespace grapple::constraint {

using spatial::Vec3;
using spatial::Vec3T;

std::span<const Row> KnifeEdge::rows() const {
  static constexpr std::array<Row, 1> kRows{Row{Row::Level::kRate, Row::Measure::kDistance}};
  return kRows;
}

template <class T>
void KnifeEdge::evaluate(const FramePairMotion<T>& at, RowMotions<T>& out) const {
  const Direction<T> b = at.M.direction(Vec3::UnitZ());
  const Vec3T<T> w = at.r_rate - at.F.at.omega.cross(at.r);
  const Vec3T<T> w_rate =
      at.r_acceleration - at.F.alpha.cross(at.r) - at.F.at.omega.cross(at.r_rate);
  out[0] = {};
  out[0].rate = b.value.dot(w);
  out[0].acceleration = b.rate.dot(w) + b.value.dot(w_rate);
  out[0].force = b.value;
}

template void KnifeEdge::evaluate(const FramePairMotion<double>&, RowMotions<double>&) const;
template void KnifeEdge::evaluate(const FramePairMotion<spatial::Dual>&,
                                  RowMotions<spatial::Dual>&) const;

}  // namespace grapple::constraint
