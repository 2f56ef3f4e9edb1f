// How a run stands or ended; the same words in results.h5 and summary.json.
#pragma once

#include <string_view>

namespace grapple::record {

enum class RunStatus { kRunning, kCompleted, kStoppedByEvent, kInterrupted, kFailed, kSuspect };

constexpr std::string_view status_text(RunStatus status) {
  switch (status) {
    case RunStatus::kRunning:
      return "running";
    case RunStatus::kCompleted:
      return "completed";
    case RunStatus::kStoppedByEvent:
      return "stopped by event";
    case RunStatus::kInterrupted:
      return "interrupted";
    case RunStatus::kFailed:
      return "failed";
    case RunStatus::kSuspect:
      return "suspect";
  }
  return "";
}

/// The run reached an end its scenario foresees: its files get their final names. A suspect one
/// did, but something on the way may have made it wrong.
constexpr bool is_complete(RunStatus status) {
  return status == RunStatus::kCompleted || status == RunStatus::kStoppedByEvent ||
         status == RunStatus::kSuspect;
}

}  // namespace grapple::record
