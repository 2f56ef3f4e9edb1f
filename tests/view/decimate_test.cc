#include "grapple/view/internal/decimate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace grapple::view {
namespace {

std::vector<double> noise(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> values(count);
  for (double& value : values) value = normal(random);
  return values;
}

TEST(ExtremeRows, KeepTheLargestAndSmallestOfEveryBucket) {
  const unsigned seed = 7;
  const std::vector<double> values = noise(10'000, seed);
  const std::vector<std::size_t> rows = extreme_rows(values, 402);  // 200 buckets of 50 rows
  ASSERT_LE(rows.size(), 402u);
  for (std::size_t bucket = 0; bucket < 200; ++bucket) {
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(50 * bucket);
    const auto [low, high] = std::minmax_element(first, first + 50);
    for (const auto& extreme : {low, high}) {
      const auto row = static_cast<std::size_t>(extreme - values.begin());
      EXPECT_TRUE(std::binary_search(rows.begin(), rows.end(), row)) << "seed " << seed;
    }
  }
}

TEST(ExtremeRows, KeepOnePeakAmongAMillionRows) {
  std::vector<double> values(1'000'000, 0.0);
  values[654'321] = 1e-9;
  const std::vector<std::size_t> rows = extreme_rows(values, 100);
  EXPECT_TRUE(std::binary_search(rows.begin(), rows.end(), std::size_t{654'321}));
}

TEST(ExtremeRows, AreAscendingAndKeepBothEnds) {
  const std::vector<std::size_t> rows = extreme_rows(noise(5'000, 3), 101);
  EXPECT_EQ(rows.front(), 0u);
  EXPECT_EQ(rows.back(), 4'999u);
  EXPECT_TRUE(std::adjacent_find(rows.begin(), rows.end(), std::greater_equal<>()) == rows.end());
}

TEST(ExtremeRows, AreAllRowsOfAShortRun) {
  EXPECT_EQ(extreme_rows(noise(7, 1), 8), (std::vector<std::size_t>{0, 1, 2, 3, 4, 5, 6}));
}

TEST(ExtremeRows, PassOverWhatIsNoNumber) {
  std::vector<double> values(100, std::numeric_limits<double>::quiet_NaN());
  values[30] = -1.0;
  values[31] = 2.0;
  const std::vector<std::size_t> rows = extreme_rows(values, 6);  // two buckets
  EXPECT_EQ(rows, (std::vector<std::size_t>{0, 30, 31, 99}));
}

TEST(EvenRows, SpreadOverTimeHoweverTheRowsCrowd) {
  std::vector<double> time;
  for (int k = 0; k < 1000; ++k) time.push_back(1e-6 * k);  // a burst of short steps
  for (int k = 1; k <= 1000; ++k) time.push_back(0.01 * k);
  const std::vector<std::size_t> rows = even_rows(time, 101);
  ASSERT_LE(rows.size(), 102u);
  // Interval 0.1 s, a row every 0.01 s after the burst: no gap beyond 0.11 s.
  for (std::size_t k = 1; k < rows.size(); ++k) {
    EXPECT_LT(time[rows[k]] - time[rows[k - 1]], 0.1101);
  }
}

}  // namespace
}  // namespace grapple::view
