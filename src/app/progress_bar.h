// One line of progress on a terminal: share, simulated time, step size, real-time factor, time
// left. Silent otherwise.
#pragma once

#include <chrono>

#include "grapple/record/run.h"

namespace grapple::app {

class ProgressBar {
 public:
  ProgressBar();
  /// Draws at most ten times a second.
  void show(const record::Progress& progress);
  /// Removes the line.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  bool terminal_;
  bool drawn_ = false;
  double first_t_ = -1.0;
  Clock::time_point start_ = Clock::now(), last_ = start_;
};

}  // namespace grapple::app
