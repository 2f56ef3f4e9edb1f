#include "grapple/geometry/solid/internal/box_tree.h"

#include <algorithm>
#include <numeric>

#include "grapple/base/assert.h"

namespace grapple::geometry {

BoxTree::BoxTree(const std::vector<AxisBox>& boxes) {
  GRAPPLE_ASSERT(!boxes.empty());
  std::vector<std::uint32_t> numbers(boxes.size());
  std::iota(numbers.begin(), numbers.end(), 0U);
  nodes_.reserve(2 * boxes.size());
  nodes_.emplace_back();
  build(0, boxes, numbers, 0, boxes.size());
}

void BoxTree::build(std::size_t node, const std::vector<AxisBox>& boxes,
                    std::vector<std::uint32_t>& numbers, std::size_t from, std::size_t to) {
  AxisBox around;
  for (std::size_t k = from; k < to; ++k) around.hold(boxes[numbers[k]]);
  nodes_[node].box = around;
  if (to - from == 1) {
    nodes_[node].leaf = numbers[from];
    return;
  }
  int longest = 0;
  (around.high - around.low).maxCoeff(&longest);
  const auto at = [&](std::size_t k) { return numbers.begin() + static_cast<std::ptrdiff_t>(k); };
  const std::size_t middle = (from + to) / 2;
  std::nth_element(at(from), at(middle), at(to), [&](std::uint32_t x, std::uint32_t y) {
    return boxes[x].low[longest] + boxes[x].high[longest] <
           boxes[y].low[longest] + boxes[y].high[longest];
  });
  const auto child = static_cast<std::uint32_t>(nodes_.size());
  nodes_[node].child = child;
  nodes_.resize(nodes_.size() + 2);
  build(child, boxes, numbers, from, middle);
  build(child + 1, boxes, numbers, middle, to);
}

}  // namespace grapple::geometry
