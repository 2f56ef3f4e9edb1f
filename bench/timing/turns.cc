#include "timing/turns.h"

#include <algorithm>
#include <chrono>
#include <limits>

namespace grapple::bench {
namespace {

double nanoseconds_per_repetition(const Work& work, int repetitions) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < repetitions; ++i) work(i);
  const std::chrono::duration<double, std::nano> elapsed = std::chrono::steady_clock::now() - start;
  return elapsed.count() / repetitions;
}

}  // namespace

std::vector<double> best_nanoseconds(const std::vector<Work>& contestants,
                                     const TurnOptions& options) {
  constexpr int kWarmUp = 32;
  std::vector<int> repetitions;
  for (const Work& work : contestants) {
    nanoseconds_per_repetition(work, kWarmUp);
    const double once = nanoseconds_per_repetition(work, kWarmUp);
    repetitions.push_back(std::max(kWarmUp, static_cast<int>(options.turn_nanoseconds / once)));
  }
  std::vector<double> best(contestants.size(), std::numeric_limits<double>::infinity());
  for (int round = 0; round < options.rounds; ++round) {
    for (std::size_t i = 0; i < contestants.size(); ++i) {
      best[i] = std::min(best[i], nanoseconds_per_repetition(contestants[i], repetitions[i]));
    }
  }
  return best;
}

}  // namespace grapple::bench
