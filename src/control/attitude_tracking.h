// The outer loop of an orientation, in body axes: with e the turn (rotation vector) from the
// present to the wanted orientation R_WD = rotation about a fixed axis by angle(t),
//   nu = omega_d' + derivative (omega_d - omega) + proportional e.
#pragma once

#include <vector>

#include "grapple/control/arm_controller.h"

namespace grapple::control {

class AttitudeTracking {
 public:
  /// Throws Error GR-986 (an axis of length zero, an angle that is a signal).
  AttitudeTracking(const ControlledAttitude& attitude, const ParameterValues& values);

  /// attitude_angle, attitude_axis, attitude_proportional, attitude_derivative.
  static std::vector<Parameter> parameters();
  /// The turn that is left at the plant's state, rotation vector in body axes.
  spatial::Vec3 error(double t, Plant& plant) const;
  /// Of the plant's state.
  spatial::Vec3 acceleration(double t, Plant& plant) const;

 private:
  spatial::Mat3 orientation(Plant& plant) const;

  int rate_;
  Function angle_;
  spatial::Vec3 axis_;
  double proportional_, derivative_;
};

}  // namespace grapple::control
