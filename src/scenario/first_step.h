// What a run does before its first step, done for a check: whatever `run` refuses, `check` refuses.
#pragma once

#include "grapple/scenario/build/build.h"

namespace grapple::scenario {

/// Draws the scene and evaluates the start. Throws Error GR-618 if a run could not make its first
/// step from there.
void check_first_step(const CheckedScenario& checked, const Simulation& simulation);

}  // namespace grapple::scenario
