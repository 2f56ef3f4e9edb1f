#include "grapple/geometry/broad_phase/sort_and_sweep.h"

#include <algorithm>

#include "grapple/base/assert.h"

namespace grapple::geometry {

SortAndSweep::SortAndSweep(std::size_t count, std::size_t most_pairs) : pairs_(most_pairs) {
  for (auto& list : lists_) {
    for (std::uint32_t k = 0; k < 2 * count; ++k) list.push_back({0.0, k});
  }
  open_.reserve(count);
}

bool SortAndSweep::update(std::span<const Bounds> boxes) {
  GRAPPLE_ASSERT(2 * boxes.size() == lists_[0].size());
  const bool known = complete_;
  complete_ = known ? true : start(boxes);
  for (int axis = 0; known && axis < 3; ++axis) {
    read_places(boxes, axis);
    complete_ = insert_in_order(boxes, axis) && complete_;
  }
  return complete_;
}

void SortAndSweep::read_places(std::span<const Bounds> boxes, int axis) {
  for (End& end : lists_[static_cast<std::size_t>(axis)]) {
    const Bounds& box = boxes[end.box_end / 2];
    end.place = (end.box_end & 1U) != 0U ? box.high[axis] : box.low[axis];
  }
}

// Without a past: sorts every list, and sweeps along the first.
bool SortAndSweep::start(std::span<const Bounds> boxes) {
  for (int axis = 0; axis < 3; ++axis) {
    read_places(boxes, axis);
    auto& list = lists_[static_cast<std::size_t>(axis)];
    std::sort(list.begin(), list.end(), [](const End& a, const End& b) { return a.before(b); });
  }
  pairs_.clear();
  open_.clear();
  for (const End& end : lists_[0]) {
    const std::uint32_t box = end.box_end / 2;
    if ((end.box_end & 1U) != 0U) {
      open_.erase(std::find(open_.begin(), open_.end(), box));
      continue;
    }
    for (const std::uint32_t other : open_) {
      if (boxes[box].overlaps(boxes[other]) && !pairs_.insert(box, other)) return false;
    }
    open_.push_back(box);
  }
  return true;
}

bool SortAndSweep::insert_in_order(std::span<const Bounds> boxes, int axis) {
  std::vector<End>& list = lists_[static_cast<std::size_t>(axis)];
  bool complete = true;
  for (std::size_t p = 1; p < list.size(); ++p) {
    const End moving = list[p];
    std::size_t q = p;
    for (; q > 0 && moving.before(list[q - 1]); --q) {
      complete = exchange(boxes, list[q - 1], moving) && complete;
      list[q] = list[q - 1];
    }
    list[q] = moving;
  }
  return complete;
}

// `right` passes `left`. All places are this call's, so that the boxes themselves decide.
bool SortAndSweep::exchange(std::span<const Bounds> boxes, const End& left, const End& right) {
  const bool left_ends = (left.box_end & 1U) != 0U, right_ends = (right.box_end & 1U) != 0U;
  if (left_ends == right_ends) return true;
  const std::uint32_t i = left.box_end / 2, j = right.box_end / 2;
  if (right_ends) {
    pairs_.erase(i, j);
    return true;
  }
  return !boxes[i].overlaps(boxes[j]) || pairs_.insert(i, j);
}

}  // namespace grapple::geometry
