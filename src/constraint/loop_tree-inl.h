// The tree articulated_loops.h eliminates along. N: size of a link's motion, 6, or Eigen::Dynamic
// where bodies bend (6 and their modes). Internal to the room.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "grapple/base/assert.h"
#include "grapple/constraint/articulated_loops.h"
#include "grapple/constraint/elimination_order.h"
#include "grapple/constraint/row_inertia.h"
#include "grapple/dynamics/cholesky.h"
#include "grapple/spatial/sym3.h"

namespace grapple::constraint::internal {

using model::Link;
using spatial::Mat3;
using spatial::MatX;
using spatial::Spatial;
using spatial::Vec3;
using spatial::VecX;
using Vec6 = Eigen::Matrix<double, 6, 1>;

// Weight of a row over the inertia it ties: rounding loses its inverse, which refinement regains; a
// pass gains it where rows are well apart. Where they are not, the harder one is tried.
constexpr double kSoftness = 1e-7, kHard = 1e-10, kSlow = 0.1;
constexpr int kMostPasses = 40;
constexpr double kGood = 1e-9, kStalled = 0.95, kRounding = 2e-15;

inline Vec6 stack(const Spatial& s) { return (Vec6() << s.ang, s.lin).finished(); }

template <int N>
class LoopTree {
 public:
  LoopTree(const model::Model& model, const std::vector<Loop>& loops);

  void factor(const model::Model& model, const model::State& state, const model::Workspace& w,
              const std::vector<RowWrench>& rows);
  bool solve(const VecX& rhs, Asked asked, VecX& lambda, VecX& delta);
  void apply(const VecX& direction, VecX& rates);
  double driven_effort(int link, int k) const;
  double weakest() const { return weakest_; }

 private:
  static constexpr int kMostAxes = N == 6 ? 6 : Eigen::Dynamic;
  using Square = Eigen::Matrix<double, N, N>;
  using Wide = Eigen::Matrix<double, Eigen::Dynamic, N, Eigen::ColMajor, kMostAxes, N>;

  // A block between a link, first to go, and one that goes later.
  struct Tie {
    int other = 0;
    Square H;             // link x other
    Wide G;               // L^-1 S'H
    Square up;            // parent x other: what the parent inherits
    Tie* heir = nullptr;  // between parent and other, either way round; none if they are the same
    bool heir_is_parents = false;
  };

  struct Meeting {  // two ties of a link that goes: their far ends are tied from then on
    std::size_t one = 0, two = 0;
    Tie* heir = nullptr;
    bool heir_is_ones = false;
  };

  struct Node {
    int parent = 0, size = 6;
    int v_index = 0, axes = 0, modes = 0;
    bool joint_is_free = true;
    Eigen::Index offset = 0;  // of its motion (turning, moving, modes) among those of all nodes
    std::vector<Tie> ties;
    std::vector<Meeting> meetings;
    Square inertia, H, up, up_up;
    Wide G;
    MatX L;

    int first_own() const { return joint_is_free ? 0 : axes; }  // of S'x that is free
    int own() const { return modes + (joint_is_free ? axes : 0); }
    int first_coordinate() const { return v_index + first_own(); }
  };

  Node& node(int link) { return nodes_[static_cast<std::size_t>(link)]; }
  const Node& node(int link) const { return nodes_[static_cast<std::size_t>(link)]; }
  void make_nodes(const model::Model& model);
  void make_ties(const EliminationOrder& order);
  void set_inertia(const model::Model& model, int link);
  void reduce(double softness);
  void add_rows();
  void divide(const Node& n, int d, Wide& G) const;
  void eliminate(Node& n);
  void inherit(int link, Node& n);
  // S'X over the axes and modes of a node, the axes as the last kinematics found them.
  template <class X, class Out>
  void project(const Node& n, const X& x, Out&& out) const;
  void add_own(const Node& n, const double* own, double* motion) const;
  template <class X, class Out>
  void add_up(int link, const X& wrench, Out&& parent_wrench) const;
  void follow_parent(int link, const Node& n, const VecX& motion, double* own_motion) const;
  void add_row_forces(const VecX& multipliers, VecX& wrench) const;
  double row_rate(std::size_t row, const VecX& motion) const;
  void correct();
  void find_residual(const VecX& rhs, const VecX& lambda, const VecX& delta);
  double scaled_norm(const VecX& rows) const;

  std::vector<Node> nodes_;
  std::vector<int> order_;
  const model::Workspace* w_ = nullptr;
  const std::vector<RowWrench>* rows_ = nullptr;
  VecX reflected_;        // inertia of drives, per coordinate
  VecX effective_;        // inertia a row ties, kg or kg m^2
  VecX motion_, change_;  // per node: solution and its last correction
  VecX wrench_, total_;   // per node: what acts in a correction; M d - A' lambda of the solution
  VecX half_, d_own_;     // per coordinate: after the inward sweep; correction
  VecX r_own_, r_rows_;   // residuals
  VecX pull_;             // multipliers of a correction
  double weakest_ = 1.0;
  double softness_ = kSoftness;
};

template <int N>
LoopTree<N>::LoopTree(const model::Model& model, const std::vector<Loop>& loops)
    : reflected_(model.reflected_inertia()), effective_(row_inertia(model, loops)) {
  std::vector<std::pair<int, int>> tied;
  for (const Loop& loop : loops) tied.emplace_back(loop.F.link, loop.M.link);
  const EliminationOrder order = elimination_order(model, tied);
  order_ = order.links;
  make_nodes(model);
  make_ties(order);
  r_rows_ = pull_ = effective_;
  half_ = d_own_ = r_own_ = VecX::Zero(model.nv());
}

template <int N>
void LoopTree<N>::make_nodes(const model::Model& model) {
  nodes_.resize(static_cast<std::size_t>(model.link_count()));
  Eigen::Index total = 0;
  for (int i = 0; i < model.link_count(); ++i) {
    const Link& link = model.link(i);
    Node& n = node(i);
    n.parent = link.parent;
    n.axes = link.nv;
    n.v_index = link.v_index;
    n.modes = link.kind == Link::Kind::kFlexible ? link.modes : 0;
    n.size = 6 + n.modes;
    n.offset = total;
    total += n.size;
    n.inertia = n.H = Square::Zero(n.size, n.size);
    n.G = Wide::Zero(n.axes + n.modes, n.size);
    n.L = MatX::Zero(n.axes + n.modes, n.axes + n.modes);
    n.up = Square::Zero(node(n.parent).size, n.size);
    n.up_up = Square::Zero(node(n.parent).size, node(n.parent).size);
  }
  motion_ = change_ = wrench_ = total_ = VecX::Zero(total);
}

template <int N>
void LoopTree<N>::make_ties(const EliminationOrder& order) {
  std::map<std::pair<int, int>, Tie*> between;  // by the first to go
  for (const int i : order.links) {
    Node& n = node(i);
    n.ties.resize(order.ties[static_cast<std::size_t>(i)].size());
    for (std::size_t t = 0; t < n.ties.size(); ++t) {
      Tie& tie = n.ties[t];
      tie.other = order.ties[static_cast<std::size_t>(i)][t];
      tie.H = Square::Zero(n.size, node(tie.other).size);
      tie.G = Wide::Zero(n.axes + n.modes, node(tie.other).size);
      tie.up = Square::Zero(node(n.parent).size, node(tie.other).size);
      between[{i, tie.other}] = &tie;
    }
  }
  const auto find = [&between](int a, int b) -> std::pair<Tie*, bool> {
    if (const auto it = between.find({a, b}); it != between.end()) return {it->second, true};
    const auto it = between.find({b, a});
    GRAPPLE_ASSERT(it != between.end());
    return {it->second, false};
  };
  for (const int i : order.links) {
    Node& n = node(i);
    for (std::size_t t = 0; t < n.ties.size(); ++t) {
      Tie& tie = n.ties[t];
      if (n.parent != 0 && tie.other != n.parent) {
        std::tie(tie.heir, tie.heir_is_parents) = find(n.parent, tie.other);
      }
      for (std::size_t u = 0; u < t; ++u) {
        const auto [heir, ones] = find(tie.other, n.ties[u].other);
        n.meetings.push_back({t, u, heir, ones});
      }
    }
  }
}

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
  project(n, n.H, n.G);                         // S'H
  project(n, n.G.topRows(d).transpose(), n.L);  // S'H S
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

// Solves with the factor for the residuals; the answer in change_ and d_own_.
template <int N>
void LoopTree<N>::correct() {
  wrench_.setZero();
  add_row_forces(pull_, wrench_);
  for (const int i : order_) {
    const Node& n = node(i);
    auto own_wrench = wrench_.template segment<N>(n.offset, n.size);
    if (const int d = n.own(); d > 0) {
      auto g = half_.segment(n.first_coordinate(), d);
      project(n, own_wrench, g);
      g += r_own_.segment(n.first_coordinate(), d);
      for (int k = 0; k < d; ++k) {
        for (int l = 0; l < k; ++l) g[k] -= n.L(k, l) * g[l];
        g[k] /= n.L(k, k);
        own_wrench -= g[k] * n.G.row(k).transpose();
        for (const Tie& tie : n.ties) {
          wrench_.template segment<N>(node(tie.other).offset, tie.G.cols()) -=
              g[k] * tie.G.row(k).transpose();
        }
      }
    }
    if (n.parent == 0) continue;
    add_up(i, own_wrench, wrench_.template segment<N>(node(n.parent).offset, node(n.parent).size));
  }
  for (auto i = order_.rbegin(); i != order_.rend(); ++i) {
    const Node& n = node(*i);
    double* motion = change_.data() + n.offset;
    follow_parent(*i, n, change_, motion);
    const int d = n.own();
    if (d == 0) continue;
    auto x = d_own_.segment(n.first_coordinate(), d);
    x = half_.segment(n.first_coordinate(), d);
    for (int k = d - 1; k >= 0; --k) {
      x[k] -= n.G.row(k).dot(change_.template segment<N>(n.offset, n.size));
      for (const Tie& tie : n.ties) {
        x[k] -= tie.G.row(k).dot(change_.template segment<N>(node(tie.other).offset, tie.G.cols()));
      }
      for (int l = k + 1; l < d; ++l) x[k] -= n.L(l, k) * x[l];
      x[k] /= n.L(k, k);
    }
    add_own(n, x.data(), motion);
  }
}

// r_rows_ = rhs - A delta; total_ = wrench through every joint; r_own_ = A'lambda - M delta.
template <int N>
void LoopTree<N>::find_residual(const VecX& rhs, const VecX& lambda, const VecX& delta) {
  for (std::size_t r = 0; r < rows_->size(); ++r) {
    const auto at = static_cast<Eigen::Index>(r);
    r_rows_[at] = rhs[at] - row_rate(r, motion_);
  }
  total_.setZero();
  pull_ = -lambda;
  add_row_forces(pull_, total_);
  for (const int i : order_) {
    const Node& n = node(i);
    auto own = total_.template segment<N>(n.offset, n.size);
    own.noalias() += n.inertia.lazyProduct(motion_.template segment<N>(n.offset, n.size));
    if (const int d = n.own(); d > 0) {
      auto r = r_own_.segment(n.first_coordinate(), d);
      project(n, own, r);
      r = -r;
      for (int k = n.first_own(); k < n.axes; ++k) {
        r_own_[n.v_index + k] -= reflected_[n.v_index + k] * delta[n.v_index + k];
      }
    }
    if (n.parent == 0) continue;
    add_up(i, own, total_.template segment<N>(node(n.parent).offset, node(n.parent).size));
  }
}

template <int N>
double LoopTree<N>::scaled_norm(const VecX& rows) const {
  double largest = 0.0;
  for (Eigen::Index r = 0; r < rows.size(); ++r) {
    largest = std::max(largest, rows[r] * rows[r] * effective_[r]);
  }
  return std::sqrt(largest);
}

template <int N>
bool LoopTree<N>::solve(const VecX& rhs, Asked asked, VecX& lambda, VecX& delta) {
  lambda.setZero();
  delta.setZero();
  motion_.setZero();
  total_.setZero();
  r_own_.setZero();
  r_rows_ = rhs;
  weakest_ = 1.0;
  const double whole = scaled_norm(rhs);
  const double heaviest = std::sqrt(effective_.maxCoeff());
  double rounding = asked.noise * heaviest;
  double left = whole;
  for (int pass = 0; pass < kMostPasses && left > asked.share * whole; ++pass) {
    pull_ = r_rows_.cwiseProduct(effective_) / softness_;
    correct();
    delta += d_own_;
    motion_ += change_;
    for (std::size_t r = 0; r < rows_->size(); ++r) {
      const auto at = static_cast<Eigen::Index>(r);
      lambda[at] += (r_rows_[at] - row_rate(r, change_)) * effective_[at] / softness_;
    }
    find_residual(rhs, lambda, delta);
    const double before = left;
    left = scaled_norm(r_rows_);
    if (!std::isfinite(left)) return false;
    // A row is a small difference of motions that may be large.
    rounding = std::max(rounding, kRounding * motion_.lpNorm<Eigen::Infinity>() * heaviest);
    if (left <= rounding) break;
    const double share = std::min(left / before, 1.0);
    if (pass > 0) weakest_ = std::min(weakest_, softness_ * (1.0 - share) / share);
    if (pass > 0 && share > kSlow && softness_ == kSoftness) {
      reduce(kHard);
    } else if (pass > 0 && share > kStalled) {
      break;
    }
  }
  return left <= std::max(std::max(kGood, asked.share) * whole, rounding);
}

template <int N>
void LoopTree<N>::apply(const VecX& direction, VecX& rates) {
  for (auto i = order_.rbegin(); i != order_.rend(); ++i) {
    const Node& n = node(*i);
    double* motion = change_.data() + n.offset;
    follow_parent(*i, n, change_, motion);
    add_own(n, direction.data() + n.first_coordinate(), motion);
  }
  for (std::size_t r = 0; r < rows_->size(); ++r) {
    rates[static_cast<Eigen::Index>(r)] = row_rate(r, change_);
  }
}

template <int N>
double LoopTree<N>::driven_effort(int link, int k) const {
  const Node& n = node(link);
  const Spatial& s = w_->S[static_cast<std::size_t>(n.v_index + k)];
  return s.ang.dot(total_.template segment<3>(n.offset)) +
         s.lin.dot(total_.template segment<3>(n.offset + 3));
}

}  // namespace grapple::constraint::internal
