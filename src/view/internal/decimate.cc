#include "grapple/view/internal/decimate.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "grapple/base/assert.h"

namespace grapple::view {

namespace {

std::vector<std::size_t> all_rows(std::size_t count) {
  std::vector<std::size_t> rows(count);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return rows;
}

}  // namespace

std::vector<std::size_t> extreme_rows(std::span<const double> values, std::size_t most) {
  GRAPPLE_ASSERT(most >= 4);
  const std::size_t count = values.size();
  if (count <= most) return all_rows(count);
  const std::size_t buckets = (most - 2) / 2;
  std::vector<std::size_t> rows{0};
  for (std::size_t b = 0; b < buckets; ++b) {
    const std::size_t first = b * count / buckets, end = (b + 1) * count / buckets;
    std::size_t low = first, high = first;
    for (std::size_t row = first; row < end; ++row) {
      if (values[row] < values[low] || std::isnan(values[low])) low = row;
      if (values[row] > values[high] || std::isnan(values[high])) high = row;
    }
    rows.push_back(std::min(low, high));
    rows.push_back(std::max(low, high));
  }
  rows.push_back(count - 1);
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return rows;
}

std::vector<std::size_t> even_rows(std::span<const double> time, std::size_t most) {
  GRAPPLE_ASSERT(most >= 2);
  if (time.size() <= most) return all_rows(time.size());
  const double start = time.front();
  const double interval = (time.back() - start) / static_cast<double>(most - 1);
  std::vector<std::size_t> rows{0};
  for (std::size_t row = 1; row + 1 < time.size(); ++row) {
    if (time[row] - start >= interval * static_cast<double>(rows.size())) rows.push_back(row);
  }
  rows.push_back(time.size() - 1);
  return rows;
}

}  // namespace grapple::view
