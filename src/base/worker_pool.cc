#include "grapple/base/worker_pool.h"

#include "grapple/base/assert.h"

namespace grapple {

WorkerPool::WorkerPool(int threads) : size_(threads) {
  GRAPPLE_ASSERT(threads >= 1);
  threads_.reserve(static_cast<std::size_t>(threads) - 1);
  for (int worker = 1; worker < threads; ++worker) {
    threads_.emplace_back([this, worker] { wait_for_jobs(worker); });
  }
}

WorkerPool::~WorkerPool() {
  stopping_ = true;
  meet();
  for (std::thread& thread : threads_) thread.join();
}

void WorkerPool::meet() {
  if (size_ == 1) return;
  const int meeting = meetings_.load(std::memory_order_acquire);
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == size_) {
    arrived_.store(0, std::memory_order_relaxed);
    meetings_.store(meeting + 1, std::memory_order_release);
    meetings_.notify_all();
    return;
  }
  // Some microseconds of looking, some tenths of a millisecond of letting others run.
  constexpr int kLooks = 1 << 12, kYields = 512;
  for (int look = 0; look < kLooks + kYields; ++look) {
    if (meetings_.load(std::memory_order_acquire) != meeting) return;
    if (look >= kLooks) std::this_thread::yield();
  }
  meetings_.wait(meeting, std::memory_order_acquire);
}

// A meeting orders the caller's writes of the job before the workers' reads.
void WorkerPool::wait_for_jobs(int worker) {
  for (;;) {
    meet();
    if (stopping_) return;
    call_(context_, worker);
    meet();
  }
}

}  // namespace grapple
