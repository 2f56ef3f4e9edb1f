// Boxes in a tree of boxes, halved at the middle of the longest side: what reaches a given box, or
// may be nearer than a given distance, is found without looking at all of them. Built once; looking
// allocates nothing.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "grapple/spatial/types.h"

namespace grapple::geometry {

struct AxisBox {
  spatial::Vec3 low = spatial::Vec3::Constant(1e300), high = spatial::Vec3::Constant(-1e300);

  void hold(const spatial::Vec3& p) {
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
  }
  void hold(const AxisBox& other) {
    low = low.cwiseMin(other.low);
    high = high.cwiseMax(other.high);
  }
  bool meets(const AxisBox& other) const {
    return (low.array() <= other.high.array()).all() && (other.low.array() <= high.array()).all();
  }
  /// Squared distance of the boxes.
  double square_to(const AxisBox& other) const {
    const spatial::Vec3 none = spatial::Vec3::Zero();
    return (low - other.high).cwiseMax(other.low - high).cwiseMax(none).squaredNorm();
  }
};

class BoxTree {
 public:
  BoxTree() = default;
  explicit BoxTree(const std::vector<AxisBox>& boxes);

  const AxisBox& whole() const { return nodes_.front().box; }

  /// Calls visit(number) for every box that meets `box`.
  template <class Visit>
  void for_each_meeting(const AxisBox& box, const Visit& visit) const {
    std::array<std::uint32_t, kDepth> open;
    std::size_t count = 0;
    open[count++] = 0;
    while (count > 0) {
      const Node& node = nodes_[open[--count]];
      if (!node.box.meets(box)) continue;
      if (node.is_leaf()) {
        visit(node.leaf);
      } else {
        open[count++] = node.child;
        open[count++] = node.child + 1;
      }
    }
  }

  /// Calls visit(number) for boxes that may be nearer to `box` than least(), the nearer ones first.
  template <class Least, class Visit>
  void for_each_nearer(const AxisBox& box, const Least& least, const Visit& visit) const {
    std::array<std::uint32_t, kDepth> open;
    std::size_t count = 0;
    open[count++] = 0;
    while (count > 0) {
      const Node& node = nodes_[open[--count]];
      const double limit = least();
      if (!(node.box.square_to(box) < limit * limit)) continue;
      if (node.is_leaf()) {
        visit(node.leaf);
        continue;
      }
      const bool first_nearer =
          nodes_[node.child].box.square_to(box) < nodes_[node.child + 1].box.square_to(box);
      open[count++] = first_nearer ? node.child + 1 : node.child;
      open[count++] = first_nearer ? node.child : node.child + 1;
    }
  }

 private:
  static constexpr std::size_t kDepth = 128;  // twice the depth: halves differ by one at most
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  struct Node {
    AxisBox box;
    std::uint32_t child = kNone;  // the first of two neighbours
    std::uint32_t leaf = kNone;   // number of a box
    bool is_leaf() const { return leaf != kNone; }
  };

  void build(std::size_t node, const std::vector<AxisBox>& boxes,
             std::vector<std::uint32_t>& numbers, std::size_t from, std::size_t to);

  std::vector<Node> nodes_;
};

}  // namespace grapple::geometry
