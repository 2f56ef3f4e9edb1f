// What a record of a scenario holds beside its rows.
#pragma once

#include "grapple/scenario/build/build.h"
#include "grapple/scenario/scenario.h"

namespace grapple::scenario {

/// Puts into simulation.plan what a viewer draws, and warnings known before the run.
void complete_for_record(const CheckedScenario& checked, Simulation& simulation);

}  // namespace grapple::scenario
