// The model a controller computes with (control/plant.h), made from the scenario itself.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "grapple/control/plant.h"
#include "grapple/scenario/scenario.h"

namespace grapple::scenario {

enum class ControlModel { kSame, kRigid };

/// The scenario without contacts, controllers and what belongs to a run. kRigid: beams and
/// transmissions rigid, with the same masses (GR-987: a flexible body from a file has no rigid
/// form). `settings` are applied last, as after --set.
std::unique_ptr<control::Plant> control_model(const CheckedScenario& checked, ControlModel kind,
                                              const std::vector<std::string>& settings);

}  // namespace grapple::scenario
