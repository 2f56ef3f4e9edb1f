// The scene of a scenario: what a viewer draws (record/scene.h), with the solids, beams and forces
// that only the file knows.
#pragma once

#include "grapple/record/scene.h"
#include "grapple/scenario/scenario.h"

namespace grapple::scenario {

/// `model`: the one built from the same scenario. Makes each beam again with stations along it, so
/// that the beams of a run stay free of what serves drawing only.
record::Scene scene_of(const CheckedScenario& scenario, const model::Model& model);

}  // namespace grapple::scenario
