// rnea.h compiled for the scalars of the program.
#include "grapple/dynamics/internal/rnea-inl.h"
#include "grapple/spatial/dual.h"

namespace grapple::dynamics {

#define GRAPPLE_INSTANTIATE(T)                                                               \
  template void link_accelerations(const model::Model&, const spatial::VecXT<T>&,            \
                                   model::WorkspaceT<T>&);                                   \
  template void rnea(const model::Model&, const model::StateT<T>&, const spatial::VecXT<T>&, \
                     model::WorkspaceT<T>&);                                                 \
  template void rnea_after_kinematics(const model::Model&, const model::StateT<T>&,          \
                                      const spatial::VecXT<T>&, model::WorkspaceT<T>&);
GRAPPLE_INSTANTIATE(double)
GRAPPLE_INSTANTIATE(spatial::Dual)
GRAPPLE_INSTANTIATE(long double)
#undef GRAPPLE_INSTANTIATE

}  // namespace grapple::dynamics
