// Forces between frames and on frames.
#pragma once

#include <array>
#include <memory>
#include <string>

#include "grapple/element/element.h"
#include "grapple/model/model.h"

namespace grapple::force {

/// Axes in which the components of a load are given.
enum class Axes { kWorld, kFrame };

/// A force (N) acting at the frame's origin.
std::unique_ptr<element::Element> make_point_force(std::string name, model::Frame frame,
                                                   std::array<element::Input, 3> force, Axes axes);
/// A torque (N m) on the frame's body.
std::unique_ptr<element::Element> make_torque(std::string name, model::Frame frame,
                                              std::array<element::Input, 3> torque, Axes axes);

/// Between the origins of two frames, along their line: tension = stiffness (L - free_length) +
/// damping L' + preload. With free_length = 0 the frames may coincide; the damper then acts on
/// their relative velocity.
struct SpringDamper {
  double stiffness = 0.0;    ///< N/m
  double damping = 0.0;      ///< N s/m
  double free_length = 0.0;  ///< m
  element::Input preload;    ///< N, an actuator in the line
};
std::unique_ptr<element::Element> make_spring_damper(std::string name, model::Frame a,
                                                     model::Frame b, SpringDamper law);

/// Six-component bushing. With p, R the pose of b in a and phi the rotation vector of R:
///   force on b in a's axes = -K_t p - C_t p',   torque = -B'(phi) (K_r phi + C_r phi'), phi' = B
///   omega.
/// Exactly conservative without damping, for rotations below half a turn.
struct Bushing {
  std::array<double, 6> stiffness{};  ///< three N/m, three N m/rad
  std::array<double, 6> damping{};    ///< three N s/m, three N m s/rad
};
std::unique_ptr<element::Element> make_bushing(std::string name, model::Frame a, model::Frame b,
                                               Bushing law);

}  // namespace grapple::force
