// kinematics.h compiled for the scalars of the program.
#include "grapple/dynamics/internal/kinematics-inl.h"
#include "grapple/spatial/dual.h"

namespace grapple::dynamics {

#define GRAPPLE_INSTANTIATE(T)                                                   \
  template void forward_kinematics(const model::Model&, const model::StateT<T>&, \
                                   model::WorkspaceT<T>&);                       \
  template void joint_axis_rates(const model::Model&, const model::StateT<T>&,   \
                                 model::WorkspaceT<T>&);
GRAPPLE_INSTANTIATE(double)
GRAPPLE_INSTANTIATE(spatial::Dual)
GRAPPLE_INSTANTIATE(long double)
#undef GRAPPLE_INSTANTIATE

}  // namespace grapple::dynamics
