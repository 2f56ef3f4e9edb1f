#include "grapple/app/abnormal_end.h"

#include <unistd.h>

#include <csignal>
#include <exception>
#include <new>
#include <string_view>

#include "grapple/app/commands.h"
#include "grapple/record/atomic_file.h"

namespace grapple::app {

namespace {

void say(std::string_view text) noexcept {
  // Nobody is there to be told that even this could not be written.
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
}

[[noreturn]] void end(ExitCode code) noexcept {
  record::remove_unfinished_files();
  _exit(code);
}

extern "C" void on_abort(int /*signal*/) {
  say("grapple: internal fault: the program had to stop\n");
  end(kInternalFault);
}

// Destructors of nlohmann-json allocate, and a failure there ends in std::terminate.
[[noreturn]] void on_terminate() {
  try {
    if (const std::exception_ptr fault = std::current_exception()) std::rethrow_exception(fault);
  } catch (const std::bad_alloc&) {
    say_out_of_memory();
    end(kRunFailed);
  } catch (...) {  // said below
  }
  say("grapple: internal fault: an exception that nobody catches\n");
  end(kInternalFault);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
extern "C" void on_memory_fault(int /*signal*/) {
  say("grapple: internal fault: memory was used wrongly; where a file of results was being read it "
      "may be damaged, and memory may have run out\n");
  end(kInternalFault);
}

// On a stack of its own: the other one may be what has run out.
void watch_memory_faults() {
  alignas(16) static char stack[65536];
  const stack_t own{stack, 0, sizeof stack};
  if (sigaltstack(&own, nullptr) != 0) return;
  struct sigaction action = {};
  action.sa_handler = on_memory_fault;
  action.sa_flags = SA_ONSTACK | SA_RESETHAND;
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) sigaction(signal, &action, nullptr);
}
#else
void watch_memory_faults() {}  // the sanitizer says more
#endif

}  // namespace

void watch_abnormal_ends() {
  std::set_terminate(on_terminate);
  std::signal(SIGABRT, on_abort);
  watch_memory_faults();
}

void say_out_of_memory() noexcept {
  say("GR-690"
      " grapple: there is not enough memory; a smaller model, fewer channels or longer recording "
      "intervals need less\n");
}

}  // namespace grapple::app
