// Pseudolinks (King 1988, 4.7, after Nemir): the straight line from a joint to a point further out
// on the arm, in place of the bent link. The angle of joint i's pseudolink is measured about the
// joint's axis from the body that carries it or, where that body bends and has a pseudolink of its
// own, from that line. To first order in the deflections delta the angles are q + F delta.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grapple/control/plant.h"

namespace grapple::control {

/// For each commanded rate the frame where its pseudolink ends, or kNone: the joint keeps its own
/// angle.
class Pseudolinks {
 public:
  static constexpr std::string_view kNone = "none";
  /// Throws Error GR-988 (no such frame, with the nearest), GR-989 (a joint that does not turn, or
  /// a frame on its axis).
  Pseudolinks(Plant& plant, std::vector<int> joints, const std::vector<std::string>& ends);

  /// F, joints x columns, at the plant's evaluated state, where nothing should bend. columns:
  /// rates.
  void coupling(Plant& plant, const std::vector<int>& columns, spatial::MatX& F);

 private:
  void chord_turning(const Plant& plant, std::size_t joint, const spatial::Vec3& axis,
                     spatial::VecX& row);

  struct Line {
    int rate = 0;
    int reference = -1;   ///< joint whose line it is measured from; -1: the carrying body
    model::Frame origin;  ///< of the joint, on its child
    model::Frame carrier;
    std::optional<model::Frame> end;
  };
  std::vector<Line> lines_;
  spatial::MatX J_end_, J_origin_, turning_;
  spatial::VecX row_;
};

}  // namespace grapple::control
