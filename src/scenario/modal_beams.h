// The beams of a scenario that assumed modes describe, for an estimate of how well they do.
#pragma once

#include <vector>

#include "grapple/analysis/mode_estimate.h"
#include "grapple/scenario/scenario.h"

namespace grapple::scenario {

/// Beams by clamped modes. They read `checked` when asked for another model; it must outlive them.
std::vector<analysis::ModalBeam> modal_beams(const CheckedScenario& checked);

}  // namespace grapple::scenario
