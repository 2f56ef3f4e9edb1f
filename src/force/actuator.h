// Drives of joints as they are: a motor whose torque lags behind its command and has limits, and
// friction that sticks.
#pragma once

#include <limits>
#include <memory>
#include <vector>

#include "grapple/element/element.h"
#include "grapple/model/model.h"

namespace grapple::force {

/// Of one degree of freedom, before the gear. With the command u cut to +-limit,
///   time_constant torque' = u - torque,   |torque'| <= rate_limit
/// (without a time constant the torque is u), and at the motor's speed w the torque that drives is
/// at most limit (1 - |w| / no_load_speed), never below 0; the torque that brakes at most limit.
/// effort on the joint = gear_ratio torque. The torque starts at 0 where it has a time constant.
struct ActuatorLaw {
  element::Input command;
  double gear_ratio = 1.0;
  double time_constant = 0.0;                                      ///< s
  double rate_limit = std::numeric_limits<double>::infinity();     ///< needs a time constant
  double limit = std::numeric_limits<double>::infinity();          ///< stall torque
  double no_load_speed = std::numeric_limits<double>::infinity();  ///< needs a limit
};

/// On the joint or the motor side of a flexible one. Kinks: where a limit begins or ends.
std::unique_ptr<element::Element> make_actuator(const model::Model& model, int link,
                                                std::vector<ActuatorLaw> laws);

/// Friction with true stiction: bristles that bend elastically up to the friction level and are
/// then dragged along, in the elasto-plastic form of Dupont, Hayward, Armstrong and Altpeter
/// (2002). With the deflection z, level g(v) = dry + (breakaway - dry) exp(-(v / stribeck_rate)^2)
/// and r = stiffness |z| / g:
///   z' = v (1 - a(r) r) where z v > 0, else v;   a = 0 up to r = 0.95, then smoothly to 1 at r = 1
///   effort = -stiffness z - damping v max(0, 1 - a r) - viscous v,
/// the damping no more than takes the bristles' part to g.
/// Below 95 % of the breakaway effort it is a spring: no load history moves it. It stores
/// 1/2 stiffness z^2; what it loses, never negative, is booked as friction.
struct StictionLaw {
  double dry = 0.0;            ///< N m or N, positive
  double breakaway = 0.0;      ///< >= dry
  double stiffness = 0.0;      ///< of the bristles, positive
  double damping = 0.0;        ///< of the bristles
  double viscous = 0.0;        ///< of the sliding
  double stribeck_rate = 1.0;  ///< rad/s or m/s, positive
};

enum class FrictionSide { kJoint, kMotor };

/// One law per degree of freedom; `side`: of a flexible joint.
std::unique_ptr<element::Element> make_stiction(const model::Model& model, int link,
                                                std::vector<StictionLaw> laws, FrictionSide side);

}  // namespace grapple::force
