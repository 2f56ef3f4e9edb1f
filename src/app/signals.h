// What SIGINT (Ctrl-C) and SIGTERM do. Most commands have nothing to lose: the program ends at
// once with exit code 130 and without half-written files. While a run records, the first signal
// asks it to end; it then has a second before the program ends anyway (what is in the partial file
// stays). A second signal ends the program at once, always.
#pragma once

#include <atomic>

namespace grapple::app {

/// From now on the signals end the program at once.
void watch_signals();

/// While it lives, the first signal only asks.
class AskFirst {
 public:
  AskFirst();
  ~AskFirst();
  AskFirst(const AskFirst&) = delete;
  AskFirst& operator=(const AskFirst&) = delete;

  /// Whether a signal has come.
  const std::atomic<bool>& asked() const;
  /// The run has heard it: no more than writing files is left, which may take its time.
  void heard() const;
};

}  // namespace grapple::app
