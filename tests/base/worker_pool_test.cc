#include "grapple/base/worker_pool.h"

#include <gtest/gtest.h>

#include <array>

namespace grapple {
namespace {

TEST(WorkerPool, RunsEveryWorkerOnceAndMeetsInBetween) {
  for (const int threads : {1, 2, 4}) {
    WorkerPool pool(threads);
    ASSERT_EQ(pool.size(), threads);
    std::array<int, 4> written{}, sums{};
    auto job = [&](int worker) {
      const auto own = static_cast<std::size_t>(worker);
      written[own] += worker + 1;
      pool.meet();  // everybody's number is there now
      for (int k = 0; k < threads; ++k) sums[own] += written[static_cast<std::size_t>(k)];
      pool.meet();
      written[own] = 0;
    };
    const int repetitions = 100;
    for (int call = 0; call < repetitions; ++call) pool.run(job);
    for (int k = 0; k < threads; ++k) {
      EXPECT_EQ(sums[static_cast<std::size_t>(k)], repetitions * threads * (threads + 1) / 2);
    }
  }
}

TEST(WorkerPool, EndsWithoutAJob) {
  const WorkerPool pool(3);
  EXPECT_EQ(pool.size(), 3);
}

}  // namespace
}  // namespace grapple
