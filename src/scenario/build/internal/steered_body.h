// Bodies that float, whose orientation a controller steers.
#pragma once

#include "grapple/control/arm_controller.h"
#include "grapple/control/continuous/continuous_controller.h"
#include "grapple/scenario/build/internal/assembly.h"

namespace grapple::scenario {

/// A controller of several joints: what it is given, and what it does if it acts continuously.
struct DrivenArm {
  control::ControlledArm arm;
  control::ContinuousAction action;
};

/// Torques on the body under `attitude`, for its orientation. False with a fault noted.
bool add_attitude(const Reader& reader, Assembly& assembly, DrivenArm& driven,
                  system::SystemParts& parts);

/// The body and the thrusters of a controller of the attitude. False with a fault noted.
bool add_steered_body(const Reader& reader, const CheckedScenario& checked, Assembly& assembly,
                      control::ControlledArm& arm);

}  // namespace grapple::scenario
