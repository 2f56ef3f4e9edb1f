// Controllers with `period: continuous`: what they may have, and the coordinates of the simulated
// model that their own model is told.
#pragma once

#include "grapple/control/arm_controller.h"
#include "grapple/control/continuous/continuous_controller.h"
#include "grapple/scenario/build/internal/assembly.h"

namespace grapple::scenario {

bool acts_continuously(const Reader& controller);

/// False with GR-940 noted: a type that only exists sampled, or a key that belongs to sampling.
bool check_continuous(const Reader& controller, Diagnostics& faults);

/// For each number the plant is told: the entry of q or v of the simulated model that is of the
/// same name (or of the name in arm.measured: the motor side of a joint).
std::vector<control::ContinuousAction::Coordinate> coordinates_read(
    const control::ControlledArm& arm, const model::Model& simulated);

}  // namespace grapple::scenario
