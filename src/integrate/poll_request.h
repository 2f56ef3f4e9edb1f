// What a long computation attends to in between: whoever evaluates the system polls at every
// evaluation whether something is due (an interrupt, rows to be put into their file), at the price
// of one load. What is due is done there and then; to give the computation up, it throws
// Interrupted.
#pragma once

#include <atomic>
#include <functional>

namespace grapple::integrate {

/// The run was told to end in the middle of a step. No std::exception: nothing but the driver may
/// take it for a fault.
struct Interrupted {};

class PollRequest {
 public:
  explicit PollRequest(std::function<void()> attend) : attend_(std::move(attend)) {}

  /// From any thread.
  void request() { due_.store(true, std::memory_order_relaxed); }
  /// From the computing thread; may throw whatever `attend` throws.
  void poll() {
    if (due_.load(std::memory_order_relaxed) && due_.exchange(false)) attend_();
  }

 private:
  std::atomic<bool> due_{false};
  std::function<void()> attend_;
};

}  // namespace grapple::integrate
