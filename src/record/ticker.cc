#include "grapple/record/ticker.h"

#include <csignal>
#include <utility>

namespace grapple::record {

Ticker::Ticker(std::chrono::milliseconds interval, std::function<void()> tick) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this, interval, tick = std::move(tick)] { run(interval, tick); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
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
