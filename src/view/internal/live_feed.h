// What a live run has to tell, kept for any number of watchers: the newest state, and the last
// frames. From any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "grapple/view/internal/live_session.h"

namespace grapple::view {

inline constexpr double kFramesPerSecond = 30.0;

class LiveFeed {
 public:
  using Event = LiveSession::Event;
  using Cursor = LiveSession::Cursor;

  bool is_frame_due() const;
  /// A frame that follows at once takes the place of the one before: at most kFramesPerSecond go
  /// out.
  void publish_frame(nlohmann::ordered_json frame);
  /// Nothing if it is the state before; `t` is added but is no news by itself.
  void publish_state(nlohmann::ordered_json state, double t);

  std::vector<Event> events_after(Cursor& cursor) const;
  void set_listener(std::function<void()> listener);

 private:
  using Clock = std::chrono::steady_clock;
  struct Frame {
    std::uint64_t number = 0;
    Event event;
  };

  mutable std::mutex mutex_;  ///< guards what follows
  std::function<void()> listener_;
  std::uint64_t state_number_ = 0, frame_number_ = 0;
  nlohmann::ordered_json state_;  ///< without its time
  Event state_event_;
  std::deque<Frame> frames_;
  Clock::time_point last_frame_;
};

}  // namespace grapple::view
