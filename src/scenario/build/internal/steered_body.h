// Bodies that float, whose orientation a controller steers.
#pragma once

#include "grapple/control/arm_controller.h"
#include "grapple/scenario/build/internal/assembly.h"

namespace grapple::scenario {

/// The first of the three angular rates of a body that floats freely; -1: it does not.
int floating_rate(const model::Model& model, const std::string& body);
/// GR-832: the body named under `key` does not float.
void refuse_attitude(const Reader& reader, const char* key, Assembly& assembly);

/// The body and the thrusters of a controller of the attitude. False with a fault noted.
bool add_steered_body(const Reader& reader, const CheckedScenario& checked, Assembly& assembly,
                      control::ControlledArm& arm);

}  // namespace grapple::scenario
