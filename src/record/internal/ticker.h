// A thread that calls a function at a fixed interval until it is destroyed. It takes no signals:
// they stay with the thread that computes.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace grapple::record {

class Ticker {
 public:
  /// `tick` is called from the ticker's own thread and must not throw.
  Ticker(std::chrono::milliseconds interval, std::function<void()> tick);
  ~Ticker();
  Ticker(const Ticker&) = delete;
  Ticker& operator=(const Ticker&) = delete;

 private:
  void run(std::chrono::milliseconds interval, const std::function<void()>& tick);

  std::mutex mutex_;
  std::condition_variable wake_;
  bool ended_ = false;
  std::thread thread_;
};

}  // namespace grapple::record
