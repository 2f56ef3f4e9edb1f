// Surfaces that air and light push on: flat plates fixed on a frame, each with one outward side.
// Plates do not shade each other.
#pragma once

#include <vector>

#include "grapple/dynamics/jacobian.h"
#include "grapple/spatial/types.h"

namespace grapple::orbit {

struct Plate {
  double area = 0.0;                              ///< m^2
  spatial::Vec3 normal = spatial::Vec3::UnitX();  ///< outward, unit, axes of the frame
  spatial::Vec3 centre = spatial::Vec3::Zero();   ///< in the frame, m
};

/// A plate at a state, world axes.
template <class T>
struct PlateMotion {
  spatial::Vec3T<T> normal, centre, velocity;

  PlateMotion(const Plate& plate, const dynamics::FrameMotion<T>& frame)
      : normal(frame.R_WF * plate.normal.cast<T>()) {
    const spatial::Vec3T<T> arm = frame.R_WF * plate.centre.cast<T>();
    centre = frame.p_WF + arm;
    velocity = frame.v + frame.omega.cross(arm);
  }
};

}  // namespace grapple::orbit
