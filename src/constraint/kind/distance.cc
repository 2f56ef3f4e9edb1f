#include "grapple/constraint/kind/distance.h"

#include "grapple/spatial/dual.h"

namespace grapple::constraint {

template <class T>
void Distance::evaluate(const FramePairMotion<T>& at, RowMotions<T>& out) const {
  const T L(length);
  out[0] = {};
  out[0].value = T(0.5) * (at.r.squaredNorm() / L - L);
  out[0].rate = at.r.dot(at.r_rate) / L;
  out[0].acceleration = (at.r.dot(at.r_acceleration) + at.r_rate.squaredNorm()) / L;
  out[0].force = at.r / L;
}

void Distance::close_in_place(const TreeMotion<double>& tree) {
  const FramePairMotion<double> at(frames, tree);
  if (const double now = at.r.norm(); now > 0.0) length = now;
}

template void Distance::evaluate(const FramePairMotion<double>&, RowMotions<double>&) const;
template void Distance::evaluate(const FramePairMotion<spatial::Dual>&,
                                 RowMotions<spatial::Dual>&) const;

}  // namespace grapple::constraint
