#include "grapple/record/internal/ticker.h"

#include <csignal>
#include <utility>

namespace grapple::record {

namespace {

/// A thread that is started now leaves all signals to the others.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

}  // namespace

Ticker::Ticker(std::chrono::milliseconds interval, std::function<void()> tick) {
  const SignalsBlocked blocked;
  thread_ = std::thread([this, interval, tick = std::move(tick)] { run(interval, tick); });
}

Ticker::~Ticker() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void Ticker::run(std::chrono::milliseconds interval, const std::function<void()>& tick) {
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, interval, [this] { return ended_; })) tick();
}

}  // namespace grapple::record
