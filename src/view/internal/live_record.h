// The records of a live run: one from each start to the next reset, each in a directory of its own.
#pragma once

#include <filesystem>

#include "grapple/scenario/steered_run.h"
#include "grapple/view/internal/live_session.h"

namespace grapple::view {

class LiveRecorder {
 public:
  explicit LiveRecorder(LiveRecord wanted) : wanted_(std::move(wanted)) {}

  /// Begins a record of a run that is about to take its first step, in `directory` or the next
  /// number behind its name (record::unused_directory): results are never overwritten. Does nothing
  /// if none is wanted or it has begun. Throws as record::run.
  void begin(scenario::SteeredRun& run);
  /// Completes what belongs to a record that has ended, and tells it; does nothing else.
  void complete(const scenario::SteeredRun& run);
  /// Where it is; empty: nothing is being recorded.
  const std::filesystem::path& directory() const { return directory_; }

 private:
  LiveRecord wanted_;
  std::filesystem::path directory_;
};

}  // namespace grapple::view
