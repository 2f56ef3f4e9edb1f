// A live run in a thread of its own: commands in (command.h), events for any number of watchers
// out. Events are server-sent events (text/event-stream): `state`, a JSON object, whenever
// something but the time changed; `frame`, {"n", "epoch", "t", "row"}, at most 30 a second, `row`
// all channels as base64 float32. `epoch` counts the resets. Frames between two steps are
// interpolated: what is shown, and when, does not change the run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace grapple::view {

/// Whether a table is written beside the results.
enum class Table { kNone, kCsv };

/// How a live run is recorded.
struct LiveRecord {
  std::filesystem::path directory = {};  ///< empty: not at all
  double checkpoint_every = 0.0;         ///< s, as record::RunOptions
  Table table = Table::kNone;
  /// Is told, in the thread of the run, where a record begins and how it ended.
  std::function<void(const std::string&)> tell = {};
};

class LiveSession {
 public:
  /// Loads the scenario and waits for "start", where a record begins if one is wanted; another one
  /// begins after each reset. Throws what loading and building throws.
  LiveSession(std::filesystem::path file, std::vector<std::string> settings,
              LiveRecord record = {});
  /// As end().
  ~LiveSession();
  LiveSession(const LiveSession&) = delete;
  LiveSession& operator=(const LiveSession&) = delete;

  /// Title for the page, and its data (docs/viewer.md); `token` goes into it.
  const std::string& title() const;
  std::string page_data(const std::string& token) const;

  /// Takes hold between two steps. Throws GR-840 (no command), GR-841 (no such name, or a value out
  /// of range).
  void command(std::string_view json);

  /// Where a watcher is.
  struct Cursor {
    std::uint64_t state = 0, frame = 0;
  };
  /// One event as it is sent, shared by all watchers.
  using Event = std::shared_ptr<const std::string>;
  /// Events after the cursor, which moves on: the newest state, then frames in their order, few at
  /// a time if there are many. Empty if there is nothing new. Does not wait.
  std::vector<Event> events_after(Cursor& cursor) const;
  /// Is told, in the thread of the run, whenever there is something new; must not wait. Null:
  /// nobody.
  void set_listener(std::function<void()> listener);
  /// Ends the run where it is, and its record; commands have no effect any more. Waits for it, also
  /// for a long step of a run that is not recorded.
  void end();

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace grapple::view
