// kinematics.h compiled for the scalars of the program.
#include "grapple/dynamics/internal/kinematics-inl.h"
#include "grapple/spatial/dual.h"

namespace grapple::dynamics {

#define GRAPPLE_INSTANTIATE(T)                                                                     \
  template void forward_kinematics(const model::Model&, const model::StateT<T>&,                   \
                                   model::WorkspaceT<T>&);                                         \
  template void joint_axis_rates(const model::Model&, const model::StateT<T>&,                     \
                                 model::WorkspaceT<T>&);                                           \
  template void position_rates(const model::Model&, const model::StateT<T>&, T*);                  \
  template void position_rates(const model::Model&, const spatial::VecXT<T>&,                      \
                               const spatial::VecXT<T>&, T*);                                      \
  template void move_positions(const model::Model&, const spatial::VecXT<T>&, spatial::VecXT<T>&); \
  template void normalize_quaternions(const model::Model&, T*);
GRAPPLE_INSTANTIATE(double)
GRAPPLE_INSTANTIATE(spatial::Dual)
GRAPPLE_INSTANTIATE(long double)
#undef GRAPPLE_INSTANTIATE

void tangent_of(const model::Model& model, const spatial::VecX& q, const double* q_rate,
                spatial::VecX& v) {
  for (const Link& link : model.links()) {
    const int offset = model::quaternion_offset(link.type);
    const int plain = offset < 0 ? link.nv : offset;
    for (int k = 0; k < plain; ++k) v[link.v_index + k] = q_rate[link.q_index + k];
    for (int k = 0; k < link.modes; ++k) v[link.v_modal + k] = q_rate[link.q_modal + k];
    for (int k = 0; k < link.motors; ++k) v[link.v_motor + k] = q_rate[link.q_motor + k];
    if (offset < 0) continue;
    using Quat = spatial::QuatT<double>;
    Quat back = q.segment<4>(link.q_index + offset);
    back.tail<3>() *= -1.0;
    const Quat rate = Eigen::Map<const Quat>(q_rate + link.q_index + offset);
    v.segment<3>(link.v_index + offset) = 2.0 * spatial::product<double>(back, rate).tail<3>();
  }
}

}  // namespace grapple::dynamics
