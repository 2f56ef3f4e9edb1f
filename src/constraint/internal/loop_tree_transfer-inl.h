// What passes along the tree of loop_tree-inl.h: wrenches towards the root, motions away from it,
// and between rows and the links they tie.
#pragma once

#include <algorithm>

#include "grapple/constraint/internal/loop_tree-inl.h"

namespace grapple::constraint::internal {

template <int N>
template <class X, class Out>
void LoopTree<N>::project(const Node& n, const X& x, Out&& out) const {
  int at = 0;
  for (int k = n.first_own(); k < n.axes; ++k, ++at) {
    const Spatial& s = w_->S[static_cast<std::size_t>(n.v_index + k)];
    out.row(at).noalias() = s.ang.transpose() * x.template topRows<3>() +
                            s.lin.transpose() * x.template middleRows<3>(3);
  }
  if (n.modes > 0) out.middleRows(at, n.modes) = x.bottomRows(n.modes);
}

// parent_wrench += T' wrench, the motion of a link being T times its parent's plus its own.
template <int N>
template <class X, class Out>
void LoopTree<N>::add_up(int link, const X& wrench, Out&& parent_wrench) const {
  const Vec3& r = w_->motion[static_cast<std::size_t>(link)].r;
  const auto& bent = w_->elastic_axes[static_cast<std::size_t>(link)];
  for (Eigen::Index c = 0; c < wrench.cols(); ++c) {
    const Vec3 ang = wrench.col(c).template head<3>(), lin = wrench.col(c).template segment<3>(3);
    parent_wrench.col(c).template head<3>() += ang + r.cross(lin);
    parent_wrench.col(c).template segment<3>(3) += lin;
    for (std::size_t k = 0; k < bent.size(); ++k) {
      parent_wrench(6 + static_cast<Eigen::Index>(k), c) +=
          bent[k].ang.dot(ang) + bent[k].lin.dot(lin);
    }
  }
}

template <int N>
void LoopTree<N>::add_own(const Node& n, const double* own, double* motion) const {
  for (int k = n.first_own(); k < n.axes; ++k, ++own) {
    const Spatial& s = w_->S[static_cast<std::size_t>(n.v_index + k)];
    Eigen::Map<Vec3>(motion, 3) += *own * s.ang;
    Eigen::Map<Vec3>(motion + 3, 3) += *own * s.lin;
  }
  for (int k = 0; k < n.modes; ++k) motion[6 + k] += own[k];
}

template <int N>
void LoopTree<N>::follow_parent(int link, const Node& n, const VecX& motion,
                                double* own_motion) const {
  std::fill(own_motion, own_motion + n.size, 0.0);
  if (n.parent == 0) return;
  const double* parent = motion.data() + node(n.parent).offset;
  const Vec3 ang = Eigen::Map<const Vec3>(parent), lin = Eigen::Map<const Vec3>(parent + 3);
  Eigen::Map<Vec3> own_ang(own_motion), own_lin(own_motion + 3);
  own_ang = ang;
  own_lin = lin + ang.cross(w_->motion[static_cast<std::size_t>(link)].r);
  const auto& bent = w_->elastic_axes[static_cast<std::size_t>(link)];
  for (std::size_t k = 0; k < bent.size(); ++k) {
    own_ang += parent[6 + k] * bent[k].ang;
    own_lin += parent[6 + k] * bent[k].lin;
  }
}

template <int N>
void LoopTree<N>::add_row_forces(const VecX& multipliers, VecX& wrench) const {
  for (std::size_t r = 0; r < rows_->size(); ++r) {
    const RowWrench& row = (*rows_)[r];
    const double force = multipliers[static_cast<Eigen::Index>(r)];
    const auto add = [&](int link, const Spatial& per_unit) {
      if (link == 0) return;
      wrench.template segment<3>(node(link).offset) += force * per_unit.ang;
      wrench.template segment<3>(node(link).offset + 3) += force * per_unit.lin;
    };
    add(row.link_M, row.on_M);
    add(row.link_F, row.on_F);
  }
}

template <int N>
double LoopTree<N>::row_rate(std::size_t r, const VecX& motion) const {
  const RowWrench& row = (*rows_)[r];
  const auto rate = [&](int link, const Spatial& per_unit) {
    if (link == 0) return 0.0;
    return per_unit.ang.dot(motion.template segment<3>(node(link).offset)) +
           per_unit.lin.dot(motion.template segment<3>(node(link).offset + 3));
  };
  return rate(row.link_M, row.on_M) + rate(row.link_F, row.on_F);
}

}  // namespace grapple::constraint::internal
