// Whether a checkpoint belongs to the run that is to go on from it.
#pragma once

#include <filesystem>

#include "grapple/record/internal/checkpoint.h"
#include "grapple/record/run.h"

namespace grapple::record {

/// Throws GR-520 (another scenario), GR-521 (other data files).
void check_same_scenario(const Checkpoint& file, const RunPlan& plan,
                         const std::filesystem::path& directory);

}  // namespace grapple::record
