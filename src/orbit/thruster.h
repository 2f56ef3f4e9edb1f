// A thruster: a force at a frame along a direction of it, switched by a command, that uses up
// propellant. State: the propellant left, m' = -F/(I_sp g_0) while it burns. It burns while the
// command is at or above the threshold, for the minimum pulse at least once lit, and until the tank
// is empty. Whether it burns is kept in the memory and changes between steps only, where the
// command crosses the threshold, the pulse is over or the tank runs dry; so the force jumps at a
// step's end. The mass properties of the body do not change with the propellant: count in the tank
// what matters when you give the body its mass. Works without an orbit, too.
#pragma once

#include <memory>
#include <string>

#include "grapple/element/element.h"

namespace grapple::orbit {

struct Thruster {
  spatial::Vec3 direction = spatial::Vec3::UnitX();  ///< of the force on the body, unit, frame axes
  double thrust = 0.0;                               ///< N, while it burns
  element::Input command;                            ///< burns while at or above the threshold
  double threshold = 0.5;
  double minimum_pulse = 0.0;     ///< s
  double specific_impulse = 0.0;  ///< s; 0: uses up nothing
  double propellant = 0.0;        ///< kg at the start, where there is a specific impulse
};

inline constexpr double kStandardGravity = 9.80665;  ///< m/s^2, of the specific impulse

/// Outputs NAME/thrust (N), NAME/burning (1: it burns), force_x, _y, _z (N, world axes), state
/// NAME/propellant (kg). Books its power, that of the force on the motion relative to the world's
/// origin, as `actuators`.
std::unique_ptr<element::Element> make_thruster(std::string name, model::Frame frame, Thruster law);

}  // namespace grapple::orbit
