// flexible_inertia.h compiled for the scalars of the program.
#include "grapple/dynamics/internal/flexible_inertia-inl.h"
#include "grapple/spatial/dual.h"

namespace grapple::dynamics {

#define GRAPPLE_INSTANTIATE(T)                                                                 \
  template void flexible_inertia(const flexible::PackedBody&, const T*,                        \
                                 model::FlexibleScratch<T>&);                                  \
  template void flexible_bias(const flexible::PackedBody&, const T*, const spatial::Vec3T<T>&, \
                              model::FlexibleScratch<T>&);
GRAPPLE_INSTANTIATE(double)
GRAPPLE_INSTANTIATE(spatial::Dual)
GRAPPLE_INSTANTIATE(long double)
#undef GRAPPLE_INSTANTIATE

}  // namespace grapple::dynamics
