#include "grapple/dynamics/decoupled.h"

#include "grapple/dynamics/internal/decoupled-inl.h"
#include "grapple/spatial/dual.h"

namespace grapple::dynamics {

int body_without_own_inertia(const model::Model& model) {
  // A pivot this small beside its diagonal is round-off of zero.
  constexpr double kRoundOff = 1e-12;
  const model::State state(model);
  model::Workspace workspace(model);
  DecoupledScratch<double> scratch(model);
  const spatial::VecX no_effort = spatial::VecX::Zero(model.nv());
  forward_kinematics(model, state, workspace);
  internal::Decoupled<double> decoupled{model, state, no_effort, scratch, workspace};
  for (int i = 1; i < model.link_count(); ++i) {
    const Link& link = model.link(i);
    if (link.kind == Link::Kind::kElasticFrame) continue;
    decoupled.assemble_body(i);
    spatial::MatX& L = decoupled.body(i).L;
    const spatial::VecX before = L.diagonal();
    factor_in_place(L, 6 + link.modes);
    for (int k = 0; k < 6 + link.modes; ++k) {
      if (!(L(k, k) * L(k, k) > kRoundOff * before[k])) return i;
    }
  }
  return -1;
}

#define GRAPPLE_INSTANTIATE(T)                                                             \
  template struct DecoupledScratch<T>;                                                     \
  template void decoupled_after_kinematics(const model::Model&, const model::StateT<T>&,   \
                                           const spatial::VecXT<T>&, DecoupledScratch<T>&, \
                                           model::WorkspaceT<T>&);
GRAPPLE_INSTANTIATE(double)
GRAPPLE_INSTANTIATE(spatial::Dual)
#undef GRAPPLE_INSTANTIATE

}  // namespace grapple::dynamics
