// What a solid of revolution has between given planes, in slices across its axis (round_volume.h):
// volume moments, and the vector area of its own surface there.
#pragma once

#include "grapple/geometry/solid/internal/face_planes.h"
#include "grapple/geometry/solid/internal/round_solid.h"

namespace grapple::geometry {

/// All in the frame of the solid.
template <class T>
struct RoundShare {
  VolumeMoments<T> moments;
  spatial::Vec3T<T> area = spatial::Vec3T<T>::Zero();
  bool has_area = false;  ///< more than rounding leaves
  double error = 0.0;     ///< bound on that of the volume
};

template <class T>
RoundShare<T> round_share(const RoundSolid& solid, const SeenPlanes<T>& planes);

}  // namespace grapple::geometry
