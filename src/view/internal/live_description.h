// What the page of a live run must know before the first row (`LiveData` of
// viewer/src/contract.ts).
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "grapple/scenario/steered_run.h"

namespace grapple::view {

nlohmann::ordered_json describe(const scenario::SteeredRun& run);

}  // namespace grapple::view
