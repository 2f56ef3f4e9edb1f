// What the page of a live run must know before the first row (`LiveData` of
// viewer/src/contract.ts).
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "grapple/scenario/steered_run.h"

namespace grapple::view {

nlohmann::ordered_json describe(const scenario::SteeredRun& run);
/// What the run has come to, in the order of the terms described before.
nlohmann::ordered_json score_in_frame(const record::Score& score);
/// Time to time: how long it is, how it ended, tunables and events.
nlohmann::ordered_json progress_of(const scenario::SteeredRun& run);

}  // namespace grapple::view
