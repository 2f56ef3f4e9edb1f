#include "grapple/view/internal/live_feed.h"

namespace grapple::view {

using nlohmann::ordered_json;

namespace {

constexpr std::chrono::duration<double> kFrameInterval{0.98 / kFramesPerSecond};
constexpr std::size_t kKeptFrames = 90;  ///< for watchers that read slowly
constexpr std::size_t kBatchBytes = 65536;

LiveFeed::Event event_of(const char* name, const std::string& data) {
  return std::make_shared<const std::string>(std::string("event: ") + name + "\ndata: " + data +
                                             "\n\n");
}

}  // namespace

bool LiveFeed::is_frame_due() const {
  const std::lock_guard lock(mutex_);
  return Clock::now() - last_frame_ >= kFrameInterval;
}

void LiveFeed::publish_frame(ordered_json frame) {
  const auto now = Clock::now();
  const std::lock_guard lock(mutex_);
  frame["n"] = ++frame_number_;
  if (!frames_.empty() && now - last_frame_ < kFrameInterval) {
    frames_.pop_back();
  } else {
    last_frame_ = now;
  }
  frames_.push_back({frame_number_, event_of("frame", frame.dump())});
  if (frames_.size() > kKeptFrames) frames_.pop_front();
  if (listener_) listener_();
}

void LiveFeed::publish_state(ordered_json state, double t) {
  const std::lock_guard lock(mutex_);
  if (state == state_) return;  // a command that changed nothing
  state_ = state;
  state["t"] = t;
  state_event_ =
      event_of("state", state.dump(-1, ' ', false, ordered_json::error_handler_t::replace));
  ++state_number_;
  if (listener_) listener_();
}

std::vector<LiveFeed::Event> LiveFeed::events_after(Cursor& cursor) const {
  const std::lock_guard lock(mutex_);
  std::vector<Event> events;
  if (state_number_ > cursor.state) {
    events.push_back(state_event_);
    cursor.state = state_number_;
  }
  std::size_t bytes = 0;
  for (const Frame& frame : frames_) {
    if (frame.number <= cursor.frame) continue;
    if (bytes > kBatchBytes) break;
    bytes += frame.event->size();
    events.push_back(frame.event);
    cursor.frame = frame.number;
  }
  return events;
}

void LiveFeed::set_listener(std::function<void()> listener) {
  const std::lock_guard lock(mutex_);
  listener_ = std::move(listener);
}

}  // namespace grapple::view
