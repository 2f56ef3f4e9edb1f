// aba.h compiled for the scalars of the program.
#include "grapple/dynamics/internal/aba-inl.h"
#include "grapple/spatial/dual.h"

namespace grapple::dynamics {

int link_without_inertia(const model::Model& model, const model::Workspace& workspace) {
  const auto lost = [](double value) { return !std::isfinite(value); };
  for (int i = model.link_count() - 1; i > 0; --i) {
    const Link& link = model.link(i);
    if (link.kind == Link::Kind::kFlexible) {
      const auto& f = workspace.flexible[static_cast<std::size_t>(link.flexible)];
      const auto m = static_cast<std::size_t>(link.modes);
      for (std::size_t k = 0; k < m; ++k) {
        if (lost(f.E[k * m + k])) return i;
      }
    }
    for (int k = 0; k < link.axis_count(); ++k) {
      const auto row = static_cast<std::size_t>(link.v_index + k);
      if (lost(workspace.D[row * 6 + static_cast<std::size_t>(k)])) return i;
    }
  }
  return -1;
}

#define GRAPPLE_INSTANTIATE(T)                                                              \
  template void aba(const model::Model&, const model::StateT<T>&, const spatial::VecXT<T>&, \
                    model::WorkspaceT<T>&);                                                 \
  template void aba_after_kinematics(const model::Model&, const model::StateT<T>&,          \
                                     const spatial::VecXT<T>&, model::WorkspaceT<T>&);
GRAPPLE_INSTANTIATE(double)
GRAPPLE_INSTANTIATE(spatial::Dual)
GRAPPLE_INSTANTIATE(long double)
#undef GRAPPLE_INSTANTIATE

}  // namespace grapple::dynamics
