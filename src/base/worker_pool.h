// A fixed number of threads that do one job together. The caller is worker 0; the others sleep
// between jobs. A job is the same function on every worker, and the workers may wait for each other
// inside it. Starting a job allocates nothing.
#pragma once

#include <atomic>
#include <thread>
#include <vector>

namespace grapple {

class WorkerPool {
 public:
  /// One thread: the caller alone.
  explicit WorkerPool(int threads);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  int size() const { return size_; }

  /// job(worker) on every worker; returns when all are done. The job must not throw.
  template <class Job>
  void run(Job& job) {
    call_ = [](void* context, int worker) { (*static_cast<Job*>(context))(worker); };
    context_ = &job;
    meet();
    job(0);
    meet();
  }

  /// Inside a job: waits until every worker has come here, awake at first (to be woken takes longer
  /// than many a job), then asleep.
  void meet();

 private:
  void wait_for_jobs(int worker);

  const int size_;
  void (*call_)(void*, int) = nullptr;
  void* context_ = nullptr;
  bool stopping_ = false;
  std::atomic<int> arrived_{0};
  std::atomic<int> meetings_{0};
  std::vector<std::thread> threads_;
};

}  // namespace grapple
