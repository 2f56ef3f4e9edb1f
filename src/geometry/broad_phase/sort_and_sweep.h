// Which of many boxes overlap: sort-and-sweep with coherence (Muth and Eberhard 2002). The ends of
// all boxes stand in one sorted list per axis; from call to call the lists are nearly sorted, so
// that insertion puts them in order with few exchanges, and only an exchange of a beginning with an
// end can change a pair. The pairs found depend on the boxes alone, not on what was asked before.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "grapple/geometry/broad_phase/internal/pair_table.h"
#include "grapple/spatial/types.h"

namespace grapple::geometry {

/// Along the world axes; finite, low <= high.
struct Bounds {
  spatial::Vec3 low = spatial::Vec3::Zero();
  spatial::Vec3 high = spatial::Vec3::Zero();

  /// Touching counts.
  bool overlaps(const Bounds& other) const {
    return (low.array() <= other.high.array()).all() && (other.low.array() <= high.array()).all();
  }
};

class SortAndSweep {
 public:
  /// For `count` boxes and at most `most_pairs` overlaps. Allocates here and nowhere else.
  SortAndSweep(std::size_t count, std::size_t most_pairs);

  /// Brings pairs() up to date with the boxes, `count` of them. False: more than `most_pairs`
  /// overlaps, pairs() is incomplete.
  bool update(std::span<const Bounds> boxes);

  /// In no order.
  const PairTable& pairs() const { return pairs_; }

 private:
  struct End {
    double place;           // m
    std::uint32_t box_end;  // 2 box + (0 beginning, 1 end)
    bool before(const End& other) const {
      // At one place a beginning comes first: touching boxes overlap, whatever the history.
      return place < other.place || (place == other.place && (box_end & 1U) < (other.box_end & 1U));
    }
  };

  void read_places(std::span<const Bounds> boxes, int axis);
  bool start(std::span<const Bounds> boxes);
  bool insert_in_order(std::span<const Bounds> boxes, int axis);
  bool exchange(std::span<const Bounds> boxes, const End& left, const End& right);

  std::array<std::vector<End>, 3> lists_;
  std::vector<std::uint32_t> open_;  // boxes the first sweep is inside of
  PairTable pairs_;
  bool complete_ = false;  // pairs_ belongs to the order of lists_
};

}  // namespace grapple::geometry
