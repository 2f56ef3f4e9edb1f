// Which numbers of q and of v belong together, how they move, and whose they are: a list of blocks
// in the order of v (and of q), made once with the model. Whoever treats all coordinates of a
// model goes through it with a switch over the kinds; a new kind (the coordinates of a
// finite-element body, which belong to no link) then shows every place that has to know it, since
// the compiler asks for all cases.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace grapple::model {

struct Link;
class Model;

enum class CoordinateKind : std::uint8_t {
  kPlain,       ///< of a joint, a vector: q' = v; also a guided coordinate of a flexible body
  kQuaternion,  ///< orientation of a joint: unit quaternion in q, angular velocity in child axes in
                ///< v
  kModal,       ///< of a flexible body, elastic: q' = v
  kMotor        ///< motor side of a flexible joint: q' = v
};

struct CoordinateBlock {
  CoordinateKind kind = CoordinateKind::kPlain;
  int q = 0, v = 0;  ///< of the first one
  int count = 0;     ///< rates
  int link = 0;      ///< whose joint, modes or motors they are; the elastic frame of a guided one
  /// Number of the first among all of that joint, or of those modes (with the guided coordinates
  /// before them) or motors.
  int first = 0;

  int positions() const { return kind == CoordinateKind::kQuaternion ? 4 : count; }
  /// Of the joint itself, not of modes or motors.
  bool is_of_joint() const {
    return kind == CoordinateKind::kPlain || kind == CoordinateKind::kQuaternion;
  }
  /// The number of a rate among all of its joint, or of its modes or motors.
  int number_of(int rate) const { return first + rate - v; }
};

class CoordinateMap {
 public:
  CoordinateMap() = default;
  /// Links with their indices of q and v set: per link its joint and its modes, then all motors.
  explicit CoordinateMap(const std::vector<Link>& links);

  auto begin() const { return blocks_.begin(); }
  auto end() const { return blocks_.end(); }

  const CoordinateBlock& of_rate(int v) const { return at(block_of_rate_, v); }
  const CoordinateBlock& of_position(int q) const { return at(block_of_position_, q); }
  /// Those of its joint, of its guided coordinates, of its modes; motors stand apart.
  std::span<const CoordinateBlock> of_link(int link) const {
    const auto i = static_cast<std::size_t>(link);
    return std::span(blocks_).subspan(first_of_link_[i], first_of_link_[i + 1] - first_of_link_[i]);
  }

 private:
  const CoordinateBlock& at(const std::vector<int>& blocks, int index) const {
    return blocks_[static_cast<std::size_t>(blocks[static_cast<std::size_t>(index)])];
  }
  void add(const CoordinateBlock& block);

  std::vector<CoordinateBlock> blocks_;
  std::vector<int> block_of_rate_, block_of_position_;
  std::vector<std::size_t> first_of_link_;  ///< and one behind the last
};

/// What a rate is measured in: rad/s, m/s, or 1/s of a modal coordinate.
enum class RateUnit : std::uint8_t { kAngular, kLinear, kModal };
RateUnit unit_of_rate(const Model& model, int v);

}  // namespace grapple::model
