#include "grapple/system/motion.h"

#include "grapple/spatial/dual.h"
#include "grapple/spatial/rotation.h"

namespace grapple::system {

using model::Link;
using spatial::Vec3;

template <class T>
void JointMotion::apply(const model::Model& model, const element::Moment& at,
                        model::StateT<T>& state) const {
  const Link& joint = model.link(link);
  state.driven[static_cast<std::size_t>(link)] = 1;
  const int offset = level == MotionLevel::kPosition ? quaternion_offset(joint.type) : -1;
  const int plain = offset < 0 ? joint.nv : offset;
  for (int k = 0; k < plain; ++k) {
    const Jet jet = functions[static_cast<std::size_t>(k)].jet(at);
    switch (level) {
      case MotionLevel::kPosition:
        state.q[joint.q_actuated() + k] = T(jet.value);
        state.v[joint.v_actuated() + k] = T(jet.rate);
        state.driven_vdot[joint.v_actuated() + k] = T(jet.acceleration);
        break;
      case MotionLevel::kRate:
        state.v[joint.v_actuated() + k] = T(jet.value);
        state.driven_vdot[joint.v_actuated() + k] = T(jet.rate);
        break;
      case MotionLevel::kAcceleration:
        state.driven_vdot[joint.v_actuated() + k] = T(jet.value);
        break;
    }
  }
  if (offset < 0) return;
  Vec3 phi, phi_rate, phi_acceleration;
  for (int k = 0; k < 3; ++k) {
    const Jet jet = functions[static_cast<std::size_t>(offset + k)].jet(at);
    phi[k] = jet.value;
    phi_rate[k] = jet.rate;
    phi_acceleration[k] = jet.acceleration;
  }
  state.q.template segment<4>(joint.q_index + offset) =
      spatial::quaternion_exp<double>(phi).template cast<T>();
  state.v.template segment<3>(joint.v_index + offset) =
      spatial::body_rate<double>(phi, phi_rate).template cast<T>();
  state.driven_vdot.template segment<3>(joint.v_index + offset) =
      spatial::body_acceleration<double>(phi, phi_rate, phi_acceleration).template cast<T>();
}

template void JointMotion::apply(const model::Model&, const element::Moment&, model::State&) const;
template void JointMotion::apply(const model::Model&, const element::Moment&,
                                 model::StateT<spatial::Dual>&) const;

}  // namespace grapple::system
