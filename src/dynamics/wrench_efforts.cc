#include "grapple/dynamics/wrench_efforts.h"

#include "grapple/spatial/dual.h"

namespace grapple::dynamics {

using model::Link;
using spatial::SpatialT;

template <class T>
void wrench_efforts(const model::Model& model, model::WorkspaceT<T>& w) {
  w.tau.setZero();
  for (int i = 1; i < model.link_count(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    w.inertia[at].p_ang = w.wrench[at].ang;
    w.inertia[at].p_lin = w.wrench[at].lin;
  }
  for (int i = model.link_count() - 1; i > 0; --i) {
    const Link& link = model.link(i);
    const auto at = static_cast<std::size_t>(i);
    const auto& own = w.inertia[at];
    for (int k = link.v_index; k < link.v_index + link.axis_count(); ++k) {
      const SpatialT<T>& axis = w.S[static_cast<std::size_t>(k)];
      w.tau[k] += axis.ang.dot(own.p_ang) + axis.lin.dot(own.p_lin);
    }
    for (std::size_t k = 0; k < w.elastic_axes[at].size(); ++k) {
      const SpatialT<T>& axis = w.elastic_axes[at][k];
      w.tau[link.v_modal + static_cast<int>(k)] +=
          axis.ang.dot(own.p_ang) + axis.lin.dot(own.p_lin);
    }
    if (link.parent == 0) continue;
    auto& parent = w.inertia[static_cast<std::size_t>(link.parent)];
    parent.p_ang += own.p_ang + w.motion[at].r.cross(own.p_lin);
    parent.p_lin += own.p_lin;
  }
}

template void wrench_efforts(const model::Model&, model::Workspace&);
template void wrench_efforts(const model::Model&, model::WorkspaceT<spatial::Dual>&);

}  // namespace grapple::dynamics
