// What a run does before its first step, done for a check: whatever `run` refuses, `check` refuses,
// and whether its steps can resolve the contacts.
#pragma once

#include <string>

#include "grapple/scenario/build/build.h"

namespace grapple::scenario {

/// Draws the scene and evaluates the start. Throws Error GR-618 if a run could not make its first
/// step from there.
void check_first_step(const CheckedScenario& checked, const Simulation& simulation);

/// A sentence if the fixed step of the plan is longer than a contact allows, about the one that
/// asks for the shortest; empty otherwise and for methods that choose their steps.
std::string step_warning(const Simulation& simulation);

}  // namespace grapple::scenario
