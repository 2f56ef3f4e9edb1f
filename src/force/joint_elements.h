// Springs, dampers, friction, stops and motors inside a joint. Coefficients come per degree of
// freedom. Orientations (spherical and free joints) use the rotation vector phi = log(q) with phi'
// = B(phi) omega, so that a spring's torque -B' K phi is the exact derivative of its energy 1/2
// phi' K phi.
#pragma once

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "grapple/element/element.h"
#include "grapple/model/model.h"

namespace grapple::force {

/// effort = -stiffness (q - rest)
std::unique_ptr<element::Element> make_joint_spring(const model::Model& model, int link,
                                                    std::vector<double> stiffness,
                                                    const std::vector<double>& rest);
/// The same with rests that move. What moves them does work, booked under actuators; rests of
/// orientations must be constant.
std::unique_ptr<element::Element> make_moving_joint_spring(const model::Model& model, int link,
                                                           std::vector<double> stiffness,
                                                           std::vector<element::Input> rest);

/// effort = -coefficient v
std::unique_ptr<element::Element> make_joint_damper(const model::Model& model, int link,
                                                    std::vector<double> coefficient);

/// Coulomb friction regularised over a transition rate, plus viscous friction:
///   effort = -dry tanh(v / transition_rate) - viscous v
/// It creeps below the transition rate instead of sticking.
struct JointFriction {
  std::vector<double> dry, viscous, transition_rate;
};
std::unique_ptr<element::Element> make_joint_friction(const model::Model& model, int link,
                                                      JointFriction law);

/// Compliant stop after Hunt and Crossley: for a penetration d > 0 of the stop
///   effort = stiffness d (1 + damping d'), never pulling.
/// On orientations the coordinate is the rotation angle |phi|; only the `upper`, stiffness and
/// damping of the first of their three degrees of freedom act, for limits below half a turn.
struct JointStop {
  std::vector<double> lower, upper;  ///< infinite = none
  std::vector<double> stiffness;     ///< N/m or N m/rad
  std::vector<double> damping;       ///< s/m or s/rad
};
std::unique_ptr<element::Element> make_joint_stop(const model::Model& model, int link,
                                                  JointStop law);

/// effort = gear_ratio * motor torque, on the joint or on the motor side of a flexible one
std::unique_ptr<element::Element> make_joint_motor(const model::Model& model, int link,
                                                   std::vector<element::Input> motor_effort,
                                                   std::vector<double> gear_ratio);

/// effort as a controller asks for, on a joint with one degree of freedom or on the motor side of a
/// flexible one.
std::unique_ptr<element::Element> make_controlled_motor(const model::Model& model, int link,
                                                        const std::string& controller,
                                                        element::Input effort);
/// The same on any rate of the model: a torque on a body that floats, along one of its axes.
std::unique_ptr<element::Element> make_controlled_effort(const std::string& controller, int rate,
                                                         element::Input effort);

}  // namespace grapple::force
