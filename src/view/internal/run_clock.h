// Which time of a run is shown when: locked to a multiple of real time, as fast as possible, or
// standing still.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

namespace grapple::view {

class RunClock {
 public:
  using Wall = std::chrono::steady_clock;
  using Seconds = std::chrono::duration<double>;
  using Speed = std::optional<double>;  ///< none: as fast as possible
  enum class State { kRunning, kStanding };

  static Wall::duration wall(double seconds) {
    return std::chrono::duration_cast<Wall::duration>(Seconds(seconds));
  }

  bool runs() const { return runs_; }
  const Speed& speed() const { return speed_; }
  /// Goes on from the time shown, or stands there.
  void set(State state, const Speed& speed) {
    runs_ = state == State::kRunning;
    speed_ = speed;
    start_ = Wall::now();
    start_time_ = shown_;
  }

  double shown() const { return shown_; }
  void show(double t) { shown_ = t; }
  /// Shows what is to be shown now of a step that leads to `to`.
  void follow(double to) {
    if (!runs_) return;
    const double by_clock =
        speed_ ? start_time_ + *speed_ * Seconds(Wall::now() - start_).count() : to;
    shown_ = std::clamp(by_clock, std::min(shown_, to), to);
  }
  /// When t is to be shown; past, if as fast as possible.
  Wall::time_point due(double t) const {
    return speed_ ? start_ + wall((t - start_time_) / *speed_) : start_;
  }

  void begin_measuring() {
    rate_start_ = Wall::now();
    rate_time_ = shown_;
  }
  /// The speed reached, every half second.
  std::optional<double> measured() {
    const auto now = Wall::now();
    const double seconds = Seconds(now - rate_start_).count();
    if (seconds < 0.5) return std::nullopt;
    const double rate = (shown_ - rate_time_) / seconds;
    begin_measuring();
    return rate;
  }

 private:
  bool runs_ = false;
  Speed speed_ = 1.0;
  double shown_ = 0.0, start_time_ = 0.0, rate_time_ = 0.0;
  Wall::time_point start_, rate_start_;
};

}  // namespace grapple::view
