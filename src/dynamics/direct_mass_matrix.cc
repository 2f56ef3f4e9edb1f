#include "grapple/dynamics/direct_mass_matrix.h"

#include "grapple/dynamics/internal/crba-inl.h"
#include "grapple/spatial/dual.h"

namespace grapple::dynamics {

namespace {

// J of a link from its parent's, about its own origin.
template <class T>
void extend(const model::Model& model, const model::WorkspaceT<T>& workspace, int i,
            DirectScratch<T>& scratch) {
  const Link& link = model.link(i);
  const auto at = static_cast<std::size_t>(i);
  const std::vector<SpatialT<T>>& inboard = scratch.J[static_cast<std::size_t>(link.parent)];
  std::vector<SpatialT<T>>& own = scratch.J[at];
  const Vec3T<T>& r = workspace.motion[at].r;
  for (std::size_t c = 0; c < inboard.size(); ++c) {
    own[c].ang = inboard[c].ang;
    own[c].lin = inboard[c].lin + inboard[c].ang.cross(r);
  }
  std::size_t c = inboard.size();
  for (int k = 0; k < link.axis_count(); ++k) {
    own[c++] = workspace.S[static_cast<std::size_t>(link.v_index + k)];
  }
  for (const SpatialT<T>& axis : workspace.elastic_axes[at]) own[c++] = axis;
}

// J' M_b J of one body; the columns of a path stand in rising order.
template <class T>
void project(const model::Model& model, model::WorkspaceT<T>& workspace, int i,
             DirectScratch<T>& scratch, MatXT<T>& M) {
  const Link& link = model.link(i);
  const auto at = static_cast<std::size_t>(i);
  internal::Composite<T> body{workspace.inertia[at]};
  const std::vector<int>& columns = scratch.columns[at];
  const std::vector<SpatialT<T>>& J = scratch.J[at];
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const SpatialT<T> momentum = body.times(J[c]);
    for (std::size_t row = 0; row <= c; ++row) {
      M(columns[row], columns[c]) += spatial::dot(J[row], momentum);
    }
  }
  if (link.kind != Link::Kind::kFlexible) return;
  const auto& f = workspace.flexible[static_cast<std::size_t>(link.flexible)];
  const auto& coupling = f.coupling;
  for (int k = 0; k < link.modes; ++k) {
    const int column = link.v_modal + k;
    const SpatialT<T>& momentum = coupling[static_cast<std::size_t>(k)];
    for (std::size_t row = 0; row < columns.size(); ++row) {
      M(columns[row], column) += spatial::dot(J[row], momentum);
    }
    const T* E = f.modal_mass.data() + k * link.modes;
    for (int l = 0; l <= k; ++l) M(link.v_modal + l, column) += E[l];
  }
}

}  // namespace

template <class T>
DirectScratch<T>::DirectScratch(const model::Model& model)
    : columns(static_cast<std::size_t>(model.link_count())), J(columns.size()) {
  for (int i = 1; i < model.link_count(); ++i) {
    const Link& link = model.link(i);
    const auto at = static_cast<std::size_t>(i);
    columns[at] = columns[static_cast<std::size_t>(link.parent)];
    for (int k = 0; k < link.axis_count(); ++k) columns[at].push_back(link.v_index + k);
    if (link.kind == Link::Kind::kElasticFrame) {
      const auto modes = static_cast<int>(model.packed_frame(link).phi.size());
      for (int k = 0; k < modes; ++k) columns[at].push_back(link.v_modal + k);
    }
    J[at].resize(columns[at].size());
  }
}

template <class T>
void direct_mass_matrix_after_kinematics(const model::Model& model, model::WorkspaceT<T>& workspace,
                                         DirectScratch<T>& scratch, MatXT<T>& M) {
  M.setZero();
  for (int i = 1; i < model.link_count(); ++i) {
    extend(model, workspace, i, scratch);
    if (model.link(i).kind == Link::Kind::kElasticFrame) continue;
    internal::start_composite(model, i, workspace);
    project(model, workspace, i, scratch, M);
  }
  for (int j = 0; j < model.nv(); ++j) {
    M(j, j) += T(model.reflected_inertia()[j]);
    for (int k = 0; k < j; ++k) M(j, k) = M(k, j);
  }
}

#define GRAPPLE_INSTANTIATE(T)                                                                  \
  template struct DirectScratch<T>;                                                             \
  template void direct_mass_matrix_after_kinematics(const model::Model&, model::WorkspaceT<T>&, \
                                                    DirectScratch<T>&, spatial::MatXT<T>&);
GRAPPLE_INSTANTIATE(double)
GRAPPLE_INSTANTIATE(spatial::Dual)
#undef GRAPPLE_INSTANTIATE

}  // namespace grapple::dynamics
