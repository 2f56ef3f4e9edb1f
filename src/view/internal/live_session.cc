#include "grapple/view/internal/live_session.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <condition_variable>
#include <limits>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "grapple/base/error.h"
#include "grapple/base/version.h"
#include "grapple/scenario/steered_run.h"
#include "grapple/view/internal/blob.h"
#include "grapple/view/internal/command.h"
#include "grapple/view/internal/live_description.h"
#include "grapple/view/internal/live_feed.h"
#include "grapple/view/internal/live_record.h"
#include "grapple/view/internal/live_wishes.h"
#include "grapple/view/internal/run_clock.h"

namespace grapple::view {

namespace {

using nlohmann::ordered_json;
using scenario::Verdict;
using Wall = RunClock::Wall;
using Seconds = RunClock::Seconds;

/// Steps may be far shorter than what a machine can sleep: real time is kept to within this.
constexpr std::chrono::microseconds kLeastWait{1000};
/// Of a pause: rows are put into their file meanwhile.
constexpr std::chrono::milliseconds kLongestWait{200};
constexpr std::chrono::milliseconds kFrameWait{static_cast<int>(1000.0 / kFramesPerSecond)};
/// Part of a step that is taken, at least, before a command ends it.
constexpr double kLeastPart = 1e-3;

std::string base64_row(const std::vector<double>& row) {
  std::vector<float> few(row.begin(), row.end());
  return base64({reinterpret_cast<const char*>(few.data()), few.size() * sizeof(float)});
}

}  // namespace

class LiveSession::Implementation final : private scenario::Pace {
 public:
  Implementation(std::filesystem::path file, std::vector<std::string> settings, LiveRecord record)
      : run_(std::move(file), std::move(settings)),
        recorder_(std::move(record)),
        title_(run_.plan().name) {
    describe_run();
    for (const scenario::OperatorControl& control : run_.operators()) {
      (control.choices.empty() ? sticks_ : selectors_).push_back(control.name);
    }
    publish_state();
    publish_frame();
    thread_ = std::thread([this] { work(); });
  }
  ~Implementation() override { end(); }

  void end() {
    {
      const std::lock_guard lock(mutex_);
      wishes_.quit = true;
      wished_ = true;
    }
    run_.interrupt();
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
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
        for (const auto& [name, value] : command.operate) operate(name, value);
        wishes_.running = true;
        stop_at(command.value);
        break;
      case CommandKind::kPause:
        pause();
        break;
      case CommandKind::kReset:
        wishes_.reset = true;
        pause();
        break;
      case CommandKind::kSpeed:
        wishes_.speed = command.value;
        break;
      case CommandKind::kTune:
        wishes_.tune[command.name] = tuned_value(command.name, *command.value);
        break;
      case CommandKind::kOperate:
        operate(command.name, *command.value);
        break;
    }
    ++wish_count_;
    wished_ = true;
    changed_.notify_all();
  }

  LiveFeed& feed() { return feed_; }

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

  // The following four with the mutex.
  void operate(const std::string& name, double value) {
    const auto is_one_of = [&name](const std::vector<std::string>& names) {
      return std::find(names.begin(), names.end(), name) != names.end();
    };
    if (is_one_of(selectors_)) {
      wishes_.operate[name] = {value, Wall::time_point::max()};
    } else if (is_one_of(sticks_)) {
      wishes_.operate[name] = {value, Wall::now() + kOperatorPatience};
    } else {
      throw Error("GR-841", name, "the scenario has no such operator");
    }
  }
  void stop_at(std::optional<double> time) {
    wishes_.stop_at = time;
    stop_at_ = time.value_or(std::numeric_limits<double>::infinity());
  }
  void pause() {
    wishes_.running = false;
    stop_at(std::nullopt);
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
    while (await_wishes()) {
      try {
        fulfil_wishes();
        go_on();
      } catch (const std::exception& error) {  // of the model: the run ends, the session does not
        run_.fail(error);
        publish_state();
      }
      recorder_.complete(run_);
    }
    run_.stop();
    recorder_.complete(run_);
  }

  /// False: the session ends.
  bool await_wishes() {
    const auto start = Wall::now();
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, kLongestWait, [&] {
      return wishes_.must_stop() || (wishes_.running && !run_.ended()) ||
             wish_count_ != seen_count_;
    })) {
      run_.attend();
    }
    run_.note_rest(Seconds(Wall::now() - start).count());
    seen_count_ = wish_count_;
    return !wishes_.quit;
  }

  void go_on() {
    bool go = false;
    {
      const std::lock_guard lock(mutex_);
      go = wishes_.running && !run_.ended();
    }
    publish_state();
    if (!go) return;
    recorder_.begin(run_);
    take_operators();
    clock_.show(run_.time());
    {
      const std::lock_guard lock(mutex_);
      take_pace();
    }
    clock_.begin_measuring();
    achieved_ = 0.0;
    run_.advance(*this);
    clock_.show(run_.time());
    if (run_.ended()) {
      const std::lock_guard lock(mutex_);
      pause();
    }
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
    const scenario::FileChange change = run_.reset();
    recorder_.complete(run_);
    if (change == scenario::FileChange::kChanged) {
      describe_run();
      message_ = "The file has changed: load this page again to see it as it is now.";
    }
    {
      const std::lock_guard lock(mutex_);
      wishes_.operate.clear();
    }
    held_.clear();
    clock_.show(0.0);
    ++epoch_;
  }

  // --- while it steps ---

  /// Waits in the middle of a step until what it leads to is due; shows frames meanwhile. A command
  /// that changes the run ends the step where the run is shown. Pauses and speeds do not.
  double hold(double from, double whole) override {
    const double stop = std::max(stop_at_.load(), from + kLeastPart * (whole - from));
    const double to = std::min(stop, whole);
    if (!clock_.speed() && !wished_) return to;
    const auto start = Wall::now();
    double until = to;
    for (;;) {
      clock_.follow(to);
      std::unique_lock lock(mutex_);
      if (must_act()) {
        until = std::max(clock_.shown(), from + kLeastPart * (to - from));
        break;
      }
      if (has_other_pace()) {
        take_pace();
        clock_.begin_measuring();
        lock.unlock();
        publish_state();
        publish_frame();
        continue;
      }
      if (clock_.runs() && clock_.due(to) - Wall::now() <= kLeastWait) break;
      const auto look = Wall::now() + (clock_.runs() ? kFrameWait : kLongestWait);
      changed_.wait_until(lock, clock_.runs() ? std::min(look, clock_.due(to)) : look,
                          [&] { return must_act() || has_other_pace(); });
      lock.unlock();
      run_.attend();
      if (!clock_.runs()) continue;
      clock_.follow(to);
      show_progress();
    }
    run_.note_rest(Seconds(Wall::now() - start).count());
    return until;
  }

  /// Holds for a command, waits for real time, tells the watchers.
  Verdict after_step() override {
    clock_.show(run_.time());
    show_progress();
    if (has_come_to_stop()) return Verdict::kHold;
    const auto now = Wall::now(), due = clock_.due(clock_.shown());
    const bool early = due - now > kLeastWait;
    if (!early && !wished_) return Verdict::kGoOn;  // nearly every step: no wait
    {
      std::unique_lock lock(mutex_);
      if (early) changed_.wait_until(lock, due, [&] { return must_leave(); });
      if (must_leave()) return Verdict::kHold;
    }
    run_.note_rest(Seconds(Wall::now() - now).count());
    take_operators();
    return Verdict::kGoOn;
  }

  bool has_come_to_stop() {
    constexpr double kRoundOff = 1e-9;  // of times that are sums of fixed steps
    if (run_.time() < stop_at_ - kRoundOff) return false;
    const std::lock_guard lock(mutex_);
    pause();
    return true;
  }

  void show_progress() {
    if (feed_.is_frame_due()) publish_frame();
    if (const std::optional<double> rate = clock_.measured()) {
      achieved_ = *rate;
      publish_state();
    }
  }

  // The following with the mutex.
  bool has_other_pace() const {
    return wishes_.running != clock_.runs() || wishes_.speed != clock_.speed();
  }
  void take_pace() {
    clock_.set(wishes_.running ? RunClock::State::kRunning : RunClock::State::kStanding,
               wishes_.speed);
  }
  bool must_leave() const { return wishes_.must_stop() || has_other_pace(); }
  /// Whether something waits that changes the run.
  bool must_act() const {
    return wishes_.must_stop() ||
           std::any_of(wishes_.operate.begin(), wishes_.operate.end(), [&](const auto& wish) {
             const auto held = held_.find(wish.first);
             return wishes_.value_now(wish.second) != (held == held_.end() ? 0.0 : held->second);
           });
  }

  void take_operators() {
    std::map<std::string, double> values;
    {
      const std::lock_guard lock(mutex_);
      for (auto it = wishes_.operate.begin(); it != wishes_.operate.end();) {
        values[it->first] = wishes_.value_now(it->second);
        const bool is_done = it->second.stays() || wishes_.has_run_out(it->second);
        it = is_done ? wishes_.operate.erase(it) : std::next(it);
      }
      wished_ = !wishes_.operate.empty() || must_leave();  // a command still runs out
    }
    for (const auto& [name, value] : values) {
      run_.operate(name, value);
      held_[name] = value;
    }
  }

  // --- what the watchers see ---

  void publish_frame() {
    ordered_json frame{
        {"epoch", epoch_}, {"t", clock_.shown()}, {"row", base64_row(run_.row(clock_.shown()))}};
    if (const auto score = run_.score()) frame["score"] = score_in_frame(*score);
    feed_.publish_frame(std::move(frame));
  }

  void publish_state() {
    ordered_json state = progress_of(run_);
    state.update({{"epoch", epoch_},
                  {"achieved", achieved_},
                  {"message", message_},
                  {"recording", recorder_.directory().string()}});
    {
      const std::lock_guard lock(mutex_);
      state["status"] = run_.ended()      ? std::string(record::status_text(run_.status()))
                        : wishes_.running ? "running"
                                          : "paused";
      state["speed"] = wishes_.speed ? ordered_json(*wishes_.speed) : ordered_json();
    }
    feed_.publish_state(std::move(state), clock_.shown());
  }

  // Belong to the thread of the run (and to the constructor before it).
  scenario::SteeredRun run_;
  LiveRecorder recorder_;
  RunClock clock_;
  std::uint64_t epoch_ = 0;
  std::string message_;
  double achieved_ = 0.0;
  std::map<std::string, double> held_;  ///< commands of operators as they act

  // Never change.
  std::string title_;
  std::vector<std::string> sticks_, selectors_;  ///< operators that let go, and that stay

  LiveFeed feed_;
  std::atomic<bool> wished_{false};  ///< something for the thread of the run to look at
  /// As the wish; infinite: none.
  std::atomic<double> stop_at_{std::numeric_limits<double>::infinity()};
  mutable std::mutex mutex_;  ///< guards what follows
  std::condition_variable changed_;
  ordered_json description_;
  std::map<std::string, std::pair<double, double>> ranges_;
  Wishes wishes_;
  std::uint64_t wish_count_ = 0, seen_count_ = 0;
  std::thread thread_;
};

LiveSession::LiveSession(std::filesystem::path file, std::vector<std::string> settings,
                         LiveRecord record)
    : implementation_(std::make_unique<Implementation>(std::move(file), std::move(settings),
                                                       std::move(record))) {}
LiveSession::~LiveSession() = default;

const std::string& LiveSession::title() const { return implementation_->title(); }
std::string LiveSession::page_data(const std::string& token) const {
  return implementation_->page_data(token);
}
void LiveSession::command(std::string_view json) { implementation_->command(json); }
std::vector<LiveSession::Event> LiveSession::events_after(Cursor& cursor) const {
  return implementation_->feed().events_after(cursor);
}
void LiveSession::set_listener(std::function<void()> listener) {
  implementation_->feed().set_listener(std::move(listener));
}
void LiveSession::end() { implementation_->end(); }

}  // namespace grapple::view
