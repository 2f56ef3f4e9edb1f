// crba.h compiled for the scalars of the program.
#include "grapple/dynamics/internal/crba-inl.h"
#include "grapple/spatial/dual.h"

namespace grapple::dynamics {

#define GRAPPLE_INSTANTIATE(T)                                                            \
  template void crba(const model::Model&, const model::StateT<T>&, model::WorkspaceT<T>&, \
                     spatial::MatXT<T>&);                                                 \
  template void crba_after_kinematics(const model::Model&, model::WorkspaceT<T>&,         \
                                      spatial::MatXT<T>&);
GRAPPLE_INSTANTIATE(double)
GRAPPLE_INSTANTIATE(spatial::Dual)
GRAPPLE_INSTANTIATE(long double)
#undef GRAPPLE_INSTANTIATE

}  // namespace grapple::dynamics
