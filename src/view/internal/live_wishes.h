// What commands ask of a live run; the thread of the run picks it up between steps. Guarded by the
// mutex of the session.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>

#include "grapple/view/internal/run_clock.h"

namespace grapple::view {

/// A command without repetition ends: the browser may be gone with a key held down.
inline constexpr std::chrono::milliseconds kOperatorPatience{500};

struct OperatorCommand {
  using Wall = RunClock::Wall;
  double value = 0.0;
  Wall::time_point until;  ///< the largest time: it stays

  bool stays() const { return until == Wall::time_point::max(); }
};

struct Wishes {
  bool running = false, reset = false, quit = false;
  std::optional<double> speed = 1.0;  ///< none: as fast as possible
  /// Simulated time at which it pauses by itself; none: at its end.
  std::optional<double> stop_at;
  std::map<std::string, double> tune;
  std::map<std::string, OperatorCommand> operate;

  /// Whether something waits that only a stop between two steps lets happen.
  bool must_stop() const { return quit || reset || !tune.empty(); }
  /// Nothing runs out in a run that pauses by itself: what it is told must not depend on how long
  /// it takes.
  bool has_run_out(const OperatorCommand& command) const {
    return !stop_at && RunClock::Wall::now() > command.until;
  }
  double value_now(const OperatorCommand& command) const {
    return has_run_out(command) ? 0.0 : command.value;
  }
};

}  // namespace grapple::view
