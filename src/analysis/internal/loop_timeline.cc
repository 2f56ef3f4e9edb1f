#include "grapple/analysis/internal/loop_timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "grapple/base/error.h"

namespace grapple::analysis {

namespace {

constexpr double kMostSamples = 1e5;
// Times of a period closer than this part of the shortest block period are one moment.
constexpr double kSameMoment = 1e-9;

// The denominator of a ratio of two periods, by continued fractions; 0: there is no small one.
std::int64_t denominator_of(double ratio) {
  double rest = ratio;
  std::int64_t before = 0, now = 1;
  for (int k = 0; k < 40; ++k) {
    if (std::abs(ratio * static_cast<double>(now) - std::round(ratio * static_cast<double>(now))) <
        1e-9 * ratio * static_cast<double>(now)) {
      return now;
    }
    rest = 1.0 / (rest - std::floor(rest));
    if (!std::isfinite(rest) || rest > kMostSamples) return 0;
    const std::int64_t next = static_cast<std::int64_t>(rest) * now + before;
    if (static_cast<double>(next) > kMostSamples) return 0;
    before = now;
    now = next;
  }
  return 0;
}

// All times of one period of a block: first in 0 ... block period (0 included, but for rounding).
std::vector<double> times_of(double offset, double block_period, double whole, double same) {
  double first = std::fmod(offset, block_period);
  if (first < 0.0) first += block_period;
  if (block_period - first <= same) first = 0.0;
  if (first <= same) first = 0.0;
  const auto count = static_cast<int>(std::lround(whole / block_period));
  std::vector<double> times;
  for (int k = 0; k < count; ++k) times.push_back(first + k * block_period);
  return times;
}

}  // namespace

double shortest_period(const HybridModel& model) {
  double shortest = std::numeric_limits<double>::infinity();
  for (const LinearBlock& block : model.blocks) {
    shortest = std::min(shortest, block.schedule.period);
  }
  return shortest;
}

Timeline timeline_of(const HybridModel& model, const LoopChange& change, double grid) {
  Timeline line;
  line.period = common_period(model);
  const double same = kSameMoment * shortest_period(model);
  struct Entry {
    double time;
    int block;
    bool takes;
  };
  std::vector<Entry> entries;
  for (std::size_t b = 0; b < model.blocks.size(); ++b) {
    const auto& schedule = model.blocks[b].schedule;
    const auto block = static_cast<int>(b);
    const double delay = schedule.delay + (change.block == block ? change.delay : 0.0);
    const std::vector<double> samples =
        times_of(schedule.offset, schedule.period, line.period, same);
    for (const double time : samples) entries.push_back({time, block, true});
    for (const double time :
         times_of(schedule.offset + delay, schedule.period, line.period, same)) {
      entries.push_back({time, block, false});
    }
    // Samples before 0 whose outputs act at 0 or later: samples[0] - k period + delay >= 0.
    const double late = (samples.front() + delay) / schedule.period;
    line.pending.push_back(static_cast<int>(
        std::floor(late + kSameMoment * shortest_period(model) / schedule.period)));
  }
  if (grid > 0.0) {  // moments of the input, at which nothing else need happen
    for (const double time : times_of(0.0, grid, line.period, same)) {
      entries.push_back({time, -1, false});
    }
  }
  std::ranges::stable_sort(entries, {}, &Entry::time);
  for (const Entry& entry : entries) {
    if (line.moments.empty() || entry.time - line.moments.back() > same) {
      line.moments.push_back(entry.time);
      line.taken.emplace_back();
      line.applied.emplace_back();
    }
    if (entry.block < 0) continue;
    (entry.takes ? line.taken : line.applied).back().push_back(entry.block);
  }
  return line;
}

double common_period(const HybridModel& model) {
  if (model.blocks.empty()) {
    throw Error("GR-616", "closed loop", "there are no sampled blocks: nothing repeats");
  }
  const double first = model.blocks.front().schedule.period;
  std::int64_t multiple = 1;
  for (const LinearBlock& block : model.blocks) {
    const std::int64_t q = denominator_of(first / block.schedule.period);
    // Block periods per `first`: p / q with q wanted; H = multiple of `first` by all q.
    if (q > 0) multiple = std::lcm(multiple, q);
    double samples = 0.0;
    for (const LinearBlock& other : model.blocks) {
      samples += first * static_cast<double>(multiple) / other.schedule.period;
    }
    if (q == 0 || samples > kMostSamples) {
      throw Error(
          "GR-616", fmt::format("block '{}'", block.name),
          fmt::format("its period of {:.12g} s and that of '{}', {:.12g} s, have no common "
                      "multiple within {:.0e} samples; choose periods in a simple ratio",
                      block.schedule.period, model.blocks.front().name, first, kMostSamples));
    }
  }
  return first * static_cast<double>(multiple);
}

}  // namespace grapple::analysis
