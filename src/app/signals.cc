#include "grapple/app/signals.h"

#include <sys/time.h>
#include <unistd.h>

#include <csignal>
#include <string_view>

#include "grapple/app/commands.h"
#include "grapple/record/atomic_file.h"

namespace grapple::app {

namespace {

std::atomic<bool> asked_to_end{false};
std::atomic<bool> asks_first{false};
// What a signal handler touches.
static_assert(std::atomic<bool>::is_always_lock_free);

constexpr suseconds_t kPatience = 900'000;  ///< microseconds from the first signal to the end

[[noreturn]] void end_at_once() {
  record::remove_unfinished_files();
  _exit(kInterrupted);
}

void set_alarm(suseconds_t microseconds) {
  const itimerval once{{0, 0}, {0, microseconds}};
  setitimer(ITIMER_REAL, &once, nullptr);
}

extern "C" void on_signal(int /*signal*/) {
  if (!asks_first || asked_to_end.exchange(true)) end_at_once();
  set_alarm(kPatience);
}

extern "C" void on_alarm(int /*signal*/) {
  constexpr std::string_view kWords =
      "grapple: interrupted inside a long computation; what was recorded is in the partial file\n";
  // Nobody is there to be told that even this could not be written.
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, kWords.data(), kWords.size());
  end_at_once();
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(signal, &action, nullptr);
}

}  // namespace

void watch_signals() {
  handle(SIGALRM, on_alarm);
  handle(SIGINT, on_signal);
  handle(SIGTERM, on_signal);
}

AskFirst::AskFirst() { asks_first = true; }

AskFirst::~AskFirst() {
  heard();
  asks_first = false;
}

const std::atomic<bool>& AskFirst::asked() const { return asked_to_end; }

void AskFirst::heard() const { set_alarm(0); }

}  // namespace grapple::app
