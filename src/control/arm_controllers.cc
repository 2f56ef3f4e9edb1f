#include <algorithm>

#include "grapple/control/arm_controller.h"

namespace grapple::control {

ArmControllerType attitude_type();              // attitude/attitude_controller.cc
ArmControllerType computed_torque_type();       // computed_torque.cc
ArmControllerType gravity_compensation_type();  // gravity_compensation.cc
ArmControllerType impedance_type();             // impedance.cc
ArmControllerType lqr_type();                   // optimal/lqr_controller.cc
ArmControllerType predictive_type();            // predictive/predictive_controller.cc
ArmControllerType resolved_rate_type();         // resolved_rate/resolved_rate_controller.cc
ArmControllerType pseudolink_type();            // pseudolink_controller.cc
ArmControllerType vibration_damping_type();     // vibration_damping.cc

const std::vector<ArmControllerType>& arm_controller_types() {
  static const std::vector<ArmControllerType> all{
      computed_torque_type(),     lqr_type(),       attitude_type(),   pseudolink_type(),
      vibration_damping_type(),   impedance_type(), predictive_type(), resolved_rate_type(),
      gravity_compensation_type()};
  return all;
}

const ArmControllerType* find_arm_controller_type(std::string_view name) {
  const auto& all = arm_controller_types();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const ArmControllerType& type) { return type.name == name; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace grapple::control
