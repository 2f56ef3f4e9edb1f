// A set of pairs (i < j) of fixed capacity: open addressing, no allocation after construction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace grapple::geometry {

class PairTable {
 public:
  struct Pair {
    std::uint32_t low, high;
    bool operator==(const Pair&) const = default;
    auto operator<=>(const Pair&) const = default;  // NOLINT: no null pointer here
  };

  explicit PairTable(std::size_t most) : most_(most) {
    std::size_t places = 16;
    while (places < 2 * most) places *= 2;
    places_.assign(places, kEmpty);
  }

  std::size_t size() const { return size_; }
  void clear() {
    places_.assign(places_.size(), kEmpty);
    size_ = 0;
  }
  bool contains(std::uint32_t i, std::uint32_t j) const {
    return places_[find(key(i, j))] != kEmpty;
  }
  /// False: the table is full.
  bool insert(std::uint32_t i, std::uint32_t j) {
    const std::size_t at = find(key(i, j));
    if (places_[at] != kEmpty) return true;
    if (size_ == most_) return false;
    places_[at] = key(i, j);
    ++size_;
    return true;
  }
  void erase(std::uint32_t i, std::uint32_t j) {
    std::size_t hole = find(key(i, j));
    if (places_[hole] == kEmpty) return;
    --size_;
    // Those behind move up, so that no search stops at the hole.
    for (std::size_t at = next(hole); places_[at] != kEmpty; at = next(at)) {
      const std::size_t home = home_of(places_[at]);
      const bool stays = hole < at ? hole < home && home <= at : hole < home || home <= at;
      if (stays) continue;
      places_[hole] = places_[at];
      hole = at;
    }
    places_[hole] = kEmpty;
  }
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const std::uint64_t k : places_) {
      if (k == kEmpty) continue;
      visit(Pair{static_cast<std::uint32_t>(k >> 32U), static_cast<std::uint32_t>(k)});
    }
  }

 private:
  static constexpr std::uint64_t kEmpty = 0;  // no pair: i < j

  static std::uint64_t key(std::uint32_t i, std::uint32_t j) {
    const std::uint64_t low = i < j ? i : j, high = i < j ? j : i;
    return low << 32U | high;
  }
  std::size_t home_of(std::uint64_t k) const {
    k *= 0x9E3779B97F4A7C15ULL;  // Fibonacci hashing
    return static_cast<std::size_t>((k ^ (k >> 32U)) & (places_.size() - 1));
  }
  std::size_t next(std::size_t at) const { return (at + 1) & (places_.size() - 1); }
  std::size_t find(std::uint64_t k) const {
    std::size_t at = home_of(k);
    while (places_[at] != kEmpty && places_[at] != k) at = next(at);
    return at;
  }

  std::vector<std::uint64_t> places_;
  std::size_t most_, size_ = 0;
};

}  // namespace grapple::geometry
