// The tree articulated_loops.h eliminates along. N: size of a link's motion, 6, or Eigen::Dynamic
// where bodies bend (6 and their modes). Here what it consists of and how it is made; what passes
// along it is in loop_tree_transfer-inl.h, its factor in loop_tree_factor-inl.h, solutions in
// loop_tree_solve-inl.h.
#pragma once

#include <map>
#include <tuple>

#include "grapple/base/assert.h"
#include "grapple/constraint/articulated_loops.h"
#include "grapple/constraint/internal/elimination_order.h"
#include "grapple/constraint/internal/row_inertia.h"

namespace grapple::constraint::internal {

using model::Link;
using spatial::Mat3;
using spatial::MatX;
using spatial::Spatial;
using spatial::Vec3;
using spatial::VecX;

// Weight of a row over the inertia it ties: rounding loses its inverse, which refinement regains; a
// pass gains it where rows are well apart. Where they are not, the harder one is tried.
constexpr double kSoftness = 1e-7, kHard = 1e-10;

template <int N>
class LoopTree {
 public:
  LoopTree(const model::Model& model, const std::vector<Constraint>& constraints);

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
LoopTree<N>::LoopTree(const model::Model& model, const std::vector<Constraint>& constraints)
    : reflected_(model.reflected_inertia()), effective_(row_inertia(model, constraints)) {
  std::vector<std::pair<int, int>> tied;
  tied.reserve(constraints.size());
  for (const Constraint& constraint : constraints) {
    const Links links = links_of(constraint);
    tied.emplace_back(links.F, links.M);
  }
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
    n.axes = link.axis_count();
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

}  // namespace grapple::constraint::internal
