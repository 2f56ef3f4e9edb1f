// What the page of a live run must know before the first row (`LiveData` of
// viewer/src/contract.ts).
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "grapple/view/internal/live_run.h"

namespace grapple::view {

nlohmann::ordered_json describe(const LiveRun& run);

}  // namespace grapple::view
