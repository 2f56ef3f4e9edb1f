#include "grapple/view/internal/live_session.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "grapple/base/error.h"
#include "grapple/base/version.h"
#include "grapple/view/internal/blob.h"
#include "grapple/view/internal/command.h"
#include "grapple/view/internal/live_description.h"
#include "grapple/view/internal/live_run.h"

namespace grapple::view {

namespace {

using nlohmann::ordered_json;
using WallClock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr double kFramesPerSecond = 30.0;
constexpr Seconds kFrameInterval{0.98 / kFramesPerSecond};
constexpr std::size_t kKeptFrames = 90;  ///< for watchers that read slowly
constexpr std::size_t kBatchBytes = 65536;
/// A command without repetition ends: the browser may be gone with a key held down.
constexpr Seconds kOperatorPatience{0.5};
/// Steps may be far shorter than what a machine can sleep: real time is kept to within this.
constexpr std::chrono::microseconds kLeastWait{1000};

struct Frame {
  std::uint64_t number = 0;
  LiveSession::Event event;
};

struct OperatorCommand {
  double value = 0.0;
  WallClock::time_point until;
};

/// What commands ask for; the thread of the run picks it up between steps.
struct Wishes {
  bool running = false, reset = false, quit = false;
  std::optional<double> speed = 1.0;  ///< none: as fast as possible
  std::map<std::string, double> tune;
  std::map<std::string, OperatorCommand> operate;
};

std::string base64_row(const std::vector<double>& row) {
  std::vector<float> few(row.begin(), row.end());
  return base64({reinterpret_cast<const char*>(few.data()), few.size() * sizeof(float)});
}

LiveSession::Event event_of(const char* name, const std::string& data) {
  return std::make_shared<const std::string>(std::string("event: ") + name + "\ndata: " + data +
                                             "\n\n");
}

}  // namespace

class LiveSession::Implementation {
 public:
  Implementation(std::filesystem::path file, std::vector<std::string> settings)
      : run_(std::move(file), std::move(settings)), title_(run_.plan().name) {
    describe_run();
    for (const scenario::OperatorControl& control : run_.operators()) {
      operators_.push_back(control.name);
    }
    publish_state();
    publish_frame();
    thread_ = std::thread([this] { work(); });
  }

  ~Implementation() {
    {
      const std::lock_guard lock(mutex_);
      wishes_.quit = true;
      wished_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  const std::string& title() const { return title_; }

  std::string page_data(const std::string& token) const {
    ordered_json data{{"format", "grapple-view/1"},    {"mode", "live"}, {"program", version()},
                      {"runs", ordered_json::array()}, {"bytes", 0},     {"blob", ""}};
    {
      const std::lock_guard lock(mutex_);
      data["live"] = description_;
    }
    data["live"]["token"] = token;
    return data.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  }

  void command(std::string_view text) {
    const Command command = parse_command(text);
    const std::lock_guard lock(mutex_);
    switch (command.kind) {
      case CommandKind::kStart:
        wishes_.running = true;
        break;
      case CommandKind::kPause:
        wishes_.running = false;
        break;
      case CommandKind::kReset:
        wishes_.reset = true;
        wishes_.running = false;
        break;
      case CommandKind::kSpeed:
        wishes_.speed = command.value;
        break;
      case CommandKind::kTune:
        wishes_.tune[command.name] = tuned_value(command.name, *command.value);
        break;
      case CommandKind::kOperate:
        operate(command);
        break;
    }
    ++wish_count_;
    wished_ = true;
    changed_.notify_all();
  }

  std::vector<Event> events_after(Cursor& cursor) const {
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

  void set_listener(std::function<void()> listener) {
    const std::lock_guard lock(mutex_);
    listener_ = std::move(listener);
  }

 private:
  double tuned_value(const std::string& parameter, double value) const {
    const auto range = ranges_.find(parameter);
    if (range == ranges_.end()) {
      throw Error("GR-841", parameter, "the scenario marks no such parameter as tunable");
    }
    if (!(value >= range->second.first && value <= range->second.second)) {
      throw Error("GR-841", parameter, "the value is outside its slider");
    }
    return value;
  }

  void operate(const Command& command) {
    if (std::find(operators_.begin(), operators_.end(), command.name) == operators_.end()) {
      throw Error("GR-841", command.name, "the scenario has no such operator");
    }
    wishes_.operate[command.name] = {
        *command.value,
        WallClock::now() + std::chrono::duration_cast<WallClock::duration>(kOperatorPatience)};
  }

  // --- the thread of the run ---

  /// What the page needs to know of the file as it was read last.
  void describe_run() {
    ordered_json description = describe(run_);
    const std::lock_guard lock(mutex_);
    description_ = std::move(description);
    ranges_.clear();
    for (const scenario::Tunable& tunable : run_.tunables()) {
      ranges_[tunable.parameter] = {tunable.from, tunable.to};
    }
  }

  void work() {
    for (;;) {
      std::optional<double> speed;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] {
          return wishes_.quit || wishes_.reset || !wishes_.tune.empty() ||
                 (wishes_.running && !run_.ended()) || wish_count_ != seen_count_;
        });
        if (wishes_.quit) return;
        seen_count_ = wish_count_;
        speed = wishes_.speed;
      }
      try {
        fulfil_wishes();
        go_on(speed);
      } catch (const std::exception& error) {  // of the model: the run ends, the session does not
        run_.fail(error.what());
        publish_state();
      }
    }
  }

  void go_on(std::optional<double> speed) {
    bool go = false;
    {
      const std::lock_guard lock(mutex_);
      go = wishes_.running && !run_.ended();
    }
    publish_state();
    if (!go) return;
    advance(speed);
    publish_state();
    publish_frame();
  }

  void fulfil_wishes() {
    bool reset = false;
    std::map<std::string, double> tune;
    {
      const std::lock_guard lock(mutex_);
      reset = std::exchange(wishes_.reset, false);
      tune.swap(wishes_.tune);
    }
    if (!reset && tune.empty()) return;
    message_.clear();
    try {
      for (const auto& [parameter, value] : tune) run_.tune(parameter, value);
      if (reset) go_back();
    } catch (const std::exception& error) {  // nothing has changed then
      message_ = error.what();
    }
    publish_frame();
  }

  void go_back() {
    if (run_.reset() == FileChange::kChanged) {
      describe_run();
      message_ = "The file has changed: load this page again to see it as it is now.";
    }
    ++epoch_;
  }

  void advance(std::optional<double> speed) {
    // Smooth pictures at any pace; as fast as possible still shows some hundred moments.
    const double max_step = speed ? *speed / kFramesPerSecond : run_.duration() / 300.0;
    pace_start_ = rate_start_ = WallClock::now();
    pace_time_ = rate_time_ = run_.time();
    achieved_ = 0.0;
    run_.advance(max_step, [&] { return after_step(speed); });
    if (run_.ended()) {
      const std::lock_guard lock(mutex_);
      wishes_.running = false;
    }
  }

  /// Holds for a command, waits for real time, tells the watchers.
  Verdict after_step(std::optional<double> speed) {
    const auto now = WallClock::now();
    if (now - last_frame_ >= kFrameInterval) publish_frame();
    measure_rate(now);
    const auto due = speed ? pace_start_ + std::chrono::duration_cast<WallClock::duration>(
                                               Seconds((run_.time() - pace_time_) / *speed))
                           : now;
    const bool early = due - now > kLeastWait;
    if (!early && !wished_) return Verdict::kGoOn;  // nearly every step: no lock, no wait
    std::unique_lock lock(mutex_);
    if (early) changed_.wait_until(lock, due, [&] { return must_hold(speed); });
    if (must_hold(speed)) return Verdict::kHold;
    take_operators();
    wished_ = !wishes_.operate.empty();  // a command still runs out
    return Verdict::kGoOn;
  }

  bool must_hold(std::optional<double> speed) const {
    return wishes_.quit || wishes_.reset || !wishes_.running || !wishes_.tune.empty() ||
           wishes_.speed != speed;
  }

  void take_operators() {
    const auto now = WallClock::now();
    for (auto it = wishes_.operate.begin(); it != wishes_.operate.end();) {
      const bool over = now > it->second.until;
      run_.operate(it->first, over ? 0.0 : it->second.value);
      it = over ? wishes_.operate.erase(it) : std::next(it);
    }
  }

  void measure_rate(WallClock::time_point now) {
    const double wall = Seconds(now - rate_start_).count();
    if (wall < 0.5) return;
    achieved_ = (run_.time() - rate_time_) / wall;
    rate_start_ = now;
    rate_time_ = run_.time();
    publish_state();
  }

  /// A frame that follows at once takes the place of the one before: at most 30 a second go out.
  void publish_frame() {
    const auto now = WallClock::now();
    ordered_json frame{{"epoch", epoch_}, {"t", run_.time()}, {"row", base64_row(run_.row())}};
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

  void publish_state() {
    ordered_json state{{"epoch", epoch_},
                       {"duration", run_.duration()},
                       {"achieved", achieved_},
                       {"cause", run_.cause()},
                       {"message", message_}};
    state["tunables"] = ordered_json::object();
    for (const scenario::Tunable& tunable : run_.tunables()) {
      state["tunables"][tunable.parameter] = tunable.value;
    }
    state["events"] = ordered_json::array();
    for (const record::EventRecord& event : run_.events()) {
      state["events"].push_back(
          {{"time", event.time}, {"name", event.name}, {"direction", event.direction}});
    }
    const std::lock_guard lock(mutex_);
    state["status"] = run_.ended()      ? std::string(record::status_text(run_.status()))
                      : wishes_.running ? "running"
                                        : "paused";
    state["speed"] = wishes_.speed ? ordered_json(*wishes_.speed) : ordered_json();
    if (state == state_) return;  // a command that changed nothing
    state_ = state;
    state["t"] = run_.time();
    state_event_ =
        event_of("state", state.dump(-1, ' ', false, ordered_json::error_handler_t::replace));
    ++state_number_;
    if (listener_) listener_();
  }

  // Belong to the thread of the run (and to the constructor before it).
  LiveRun run_;
  std::uint64_t epoch_ = 0;
  std::string message_;
  double achieved_ = 0.0;
  WallClock::time_point last_frame_, pace_start_, rate_start_;
  double pace_time_ = 0.0, rate_time_ = 0.0;

  // Never change.
  std::string title_;
  std::vector<std::string> operators_;

  std::atomic<bool> wished_{false};  ///< something for the thread of the run to look at
  mutable std::mutex mutex_;         ///< guards what follows
  std::condition_variable changed_;
  std::function<void()> listener_;
  ordered_json description_;
  std::map<std::string, std::pair<double, double>> ranges_;
  Wishes wishes_;
  std::uint64_t wish_count_ = 0, seen_count_ = 0;
  std::uint64_t state_number_ = 0, frame_number_ = 0;
  ordered_json state_;  ///< without its time
  Event state_event_;
  std::deque<Frame> frames_;
  std::thread thread_;
};

LiveSession::LiveSession(std::filesystem::path file, std::vector<std::string> settings)
    : implementation_(std::make_unique<Implementation>(std::move(file), std::move(settings))) {}
LiveSession::~LiveSession() = default;

const std::string& LiveSession::title() const { return implementation_->title(); }
std::string LiveSession::page_data(const std::string& token) const {
  return implementation_->page_data(token);
}
void LiveSession::command(std::string_view json) { implementation_->command(json); }
std::vector<LiveSession::Event> LiveSession::events_after(Cursor& cursor) const {
  return implementation_->events_after(cursor);
}
void LiveSession::set_listener(std::function<void()> listener) {
  implementation_->set_listener(std::move(listener));
}

}  // namespace grapple::view
