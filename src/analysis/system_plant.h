// A system as the model of a controller (control/plant.h).
#pragma once

#include <memory>

#include "grapple/control/plant.h"
#include "grapple/system/system.h"

namespace grapple::analysis {

/// Its signals stay as they start, its blocks do not run.
std::unique_ptr<control::Plant> make_plant(std::unique_ptr<system::System> system);

}  // namespace grapple::analysis
