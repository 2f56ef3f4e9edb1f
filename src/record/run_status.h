// How a run stands or ended; the same words in results.h5 and summary.json.
#pragma once

#include <string_view>

namespace grapple::record {

enum class RunStatus { kRunning, kCompleted, kStoppedByEvent, kInterrupted, kFailed };

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
  }
  return "";
}

/// The run reached an end its scenario foresees: its files get their final names.
constexpr bool is_complete(RunStatus status) {
  return status == RunStatus::kCompleted || status == RunStatus::kStoppedByEvent;
}

}  // namespace grapple::record
