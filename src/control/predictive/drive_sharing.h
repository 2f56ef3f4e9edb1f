// Drives that are more than what they move: efforts u of the smallest norm with map u = force, and
// of a preload the part that moves nothing,
//   u = p + map^T (map map^T)^-1 (force - map p).
// Without a preload no drive works against another: u is square to the null space of the map.
#pragma once

#include "grapple/spatial/types.h"

namespace grapple::control {

class DriveSharing {
 public:
  /// outputs <= drives.
  DriveSharing(Eigen::Index outputs, Eigen::Index drives);
  /// map: outputs x drives. False: the drives cannot give every force.
  bool share(const spatial::MatX& map, const spatial::VecX& force, const spatial::VecX& preload,
             spatial::VecX& efforts);

 private:
  spatial::MatX gram_;
  spatial::VecX y_;
};

}  // namespace grapple::control
