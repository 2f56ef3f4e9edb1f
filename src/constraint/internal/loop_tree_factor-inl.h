// The factor of loop_tree-inl.h: inertias and weighted rows, eliminated link by link; what a link
// leaves behind goes to its parent and to the links it is tied to.
#pragma once

#include <algorithm>

#include "grapple/constraint/internal/loop_tree_transfer-inl.h"
#include "grapple/dynamics/cholesky.h"
#include "grapple/spatial/sym3.h"

namespace grapple::constraint::internal {

using Vec6 = Eigen::Matrix<double, 6, 1>;

inline Vec6 stack(const Spatial& s) { return (Vec6() << s.ang, s.lin).finished(); }

template <int N>
void LoopTree<N>::set_inertia(const model::Model& model, int i) {
  Node& n = node(i);
  const Link& link = model.link(i);
  n.inertia.setZero();
  if (link.kind == Link::Kind::kElasticFrame) return;
  const Mat3& R = w_->motion[static_cast<std::size_t>(i)].R_WL;
  spatial::Sym3 J = link.inertia_L;
  Vec3 first = link.first_moment_L;
  double mass = link.mass;
  if (link.kind == Link::Kind::kFlexible) {
    const model::FlexibleScratch<double>& f = w_->flexible[static_cast<std::size_t>(link.flexible)];
    mass = model.packed_body(link).mass;
    first = f.c;
    J = f.J;
    for (int k = 0; k < n.modes; ++k) {
      const auto at = static_cast<std::size_t>(k);
      n.inertia.template block<3, 1>(0, 6 + k) = R * f.N[at];
      n.inertia.template block<3, 1>(3, 6 + k) = R * f.P[at];
      for (int l = 0; l < n.modes; ++l) {
        n.inertia(6 + k, 6 + l) =
            f.modal_mass[static_cast<std::size_t>(std::min(k, l) * n.modes + std::max(k, l))];
      }
    }
    n.inertia.bottomLeftCorner(n.modes, 6) = n.inertia.topRightCorner(6, n.modes).transpose();
  }
  const Vec3 h = R * first;
  n.inertia.template topLeftCorner<3, 3>() = spatial::rotated<double>(R, J).matrix();
  Mat3 cross;
  cross << 0.0, -h.z(), h.y(), h.z(), 0.0, -h.x(), -h.y(), h.x(), 0.0;
  n.inertia.template block<3, 3>(0, 3) = cross;
  n.inertia.template block<3, 3>(3, 0) = cross.transpose();
  n.inertia.template block<3, 3>(3, 3) = mass * Mat3::Identity();
}

template <int N>
void LoopTree<N>::add_rows() {
  for (std::size_t r = 0; r < rows_->size(); ++r) {
    const RowWrench& row = (*rows_)[r];
    const double weight = effective_[static_cast<Eigen::Index>(r)] / softness_;
    const Vec6 M = stack(row.on_M), F = stack(row.on_F);
    if (row.link_M != 0)
      node(row.link_M).H.template topLeftCorner<6, 6>() += weight * M * M.transpose();
    if (row.link_F != 0)
      node(row.link_F).H.template topLeftCorner<6, 6>() += weight * F * F.transpose();
    if (row.link_M == 0 || row.link_F == 0) continue;
    if (row.link_M == row.link_F) {
      node(row.link_M).H.template topLeftCorner<6, 6>() +=
          weight * (M * F.transpose() + F * M.transpose());
      continue;
    }
    const auto add = [weight](Node& first, int other, const Vec6& own, const Vec6& far) {
      for (Tie& tie : first.ties) {
        if (tie.other != other) continue;
        tie.H.template topLeftCorner<6, 6>() += weight * own * far.transpose();
        return true;
      }
      return false;
    };
    if (!add(node(row.link_M), row.link_F, M, F)) add(node(row.link_F), row.link_M, F, M);
  }
}
// G <- L^-1 G, the first d rows.
template <int N>
void LoopTree<N>::divide(const Node& n, int d, Wide& G) const {
  for (int k = 0; k < d; ++k) {
    for (int l = 0; l < k; ++l) G.row(k) -= n.L(k, l) * G.row(l);
    G.row(k) /= n.L(k, k);
  }
}

template <int N>
void LoopTree<N>::eliminate(Node& n) {
  const int d = n.own();
  if (d == 0) return;
  const auto take = [d](auto& from, const Wide& left, const Wide& right) {
    for (int k = 0; k < d; ++k) from.noalias() -= left.row(k).transpose() * right.row(k);
  };
  project(n, n.H, n.G);                                             // S'H
  project(n, n.G.topRows(d).transpose(), n.L.topLeftCorner(d, d));  // S'H S
  for (int k = n.first_own(), at = 0; k < n.axes; ++k, ++at) {
    n.L(at, at) += reflected_[n.v_index + k];
  }
  dynamics::factor_in_place(n.L, d);
  divide(n, d, n.G);
  take(n.H, n.G, n.G);
  for (Tie& tie : n.ties) {
    project(n, tie.H, tie.G);
    divide(n, d, tie.G);
    take(tie.H, n.G, tie.G);
    take(node(tie.other).H, tie.G, tie.G);
  }
  for (const Meeting& meeting : n.meetings) {
    const Wide &one = n.ties[meeting.one].G, &two = n.ties[meeting.two].G;
    if (meeting.heir_is_ones) {
      take(meeting.heir->H, one, two);
    } else {
      take(meeting.heir->H, two, one);
    }
  }
}

template <int N>
void LoopTree<N>::inherit(int link, Node& n) {
  if (n.parent == 0) return;
  Node& parent = node(n.parent);
  n.up.setZero();
  add_up(link, n.H, n.up);
  n.up_up.setZero();
  add_up(link, n.up.transpose(), n.up_up);
  for (Tie& tie : n.ties) {
    tie.up.setZero();
    add_up(link, tie.H, tie.up);
    if (tie.heir == nullptr) {
      n.up_up += tie.up + tie.up.transpose();
    } else if (tie.heir_is_parents) {
      tie.heir->H += tie.up;
    } else {
      tie.heir->H += tie.up.transpose();
    }
  }
  parent.H += n.up_up;
}

template <int N>
void LoopTree<N>::factor(const model::Model& model, const model::State& state,
                         const model::Workspace& w, const std::vector<RowWrench>& rows) {
  w_ = &w;
  rows_ = &rows;
  for (int i = 1; i < model.link_count(); ++i) {
    Node& n = node(i);
    n.joint_is_free = state.driven[static_cast<std::size_t>(i)] == 0 || model.link(i).motors > 0;
    set_inertia(model, i);
  }
  reduce(kSoftness);
}

template <int N>
void LoopTree<N>::reduce(double softness) {
  softness_ = softness;
  for (const int i : order_) {
    Node& n = node(i);
    n.H = n.inertia;
    for (Tie& tie : n.ties) tie.H.setZero();
  }
  add_rows();
  for (const int i : order_) {
    eliminate(node(i));
    inherit(i, node(i));
  }
}

}  // namespace grapple::constraint::internal
