// A run that was steered, again: the recorded commands act at their times. Steps depend on nothing
// else, so with the same scenario the rows come out to the bit.
#pragma once

#include <vector>

#include "grapple/record/commands.h"
#include "grapple/scenario/steered_run.h"

namespace grapple::scenario {

/// Before the run begins and is recorded: refuses commands that the scenario cannot take (GR-522,
/// GR-841, GR-952), and tunes what was tuned before the start.
void prepare_replay(const std::vector<record::Command>& commands, SteeredRun& run);

/// Steps `run` to its end. Fixed steps are kept: a command acts at the first end of a step from its
/// time on. Throws what SteeredRun::advance, tune and set throw; the run has then failed.
void replay(const std::vector<record::Command>& commands, SteeredRun& run);

}  // namespace grapple::scenario
