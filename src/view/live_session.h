// A live run in a thread of its own: commands in, events for any number of watchers out.
// Commands are JSON objects:
//   {"command": "start" | "pause" | "reset"}
//   {"command": "speed", "value": 2}          locked to twice real time; null: as fast as possible
//   {"command": "tune", "name": "stiffness", "value": 120}          SI
//   {"command": "operate", "name": "stick", "value": 0.5}           holds for half a second
// Events are server-sent events (text/event-stream): `state`, a JSON object, whenever something but
// the time changed; `frame`, {"n", "epoch", "t", "row"}, at most 30 a second, `row` all channels as
// base64 float32. `epoch` counts the resets.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace grapple::view {

class LiveSession {
 public:
  /// Loads the scenario and waits for "start". Throws what loading and building throws.
  LiveSession(std::filesystem::path file, std::vector<std::string> settings);
  ~LiveSession();
  LiveSession(const LiveSession&) = delete;
  LiveSession& operator=(const LiveSession&) = delete;

  /// Title for the page, and its data (docs/viewer.md); `token` goes into it.
  const std::string& title() const;
  std::string page_data(const std::string& token) const;

  /// Throws GR-840 (no command), GR-841 (no such name, or a value out of range).
  void command(std::string_view json);

  /// Where a watcher is.
  struct Cursor {
    std::uint64_t state = 0, frame = 0;
  };
  /// Events after the cursor, which moves on; waits for them at most so long, then gives "".
  std::string next_events(Cursor& cursor, std::chrono::milliseconds patience);

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace grapple::view
