// Benchmarks A01, A03 and A04 of the IFToMM library in Grapple with its default tolerance, and in
// Simbody with the loosest accuracy that meets what the library, or the best engine measured, asks
// for. Times are of stepping alone.
#include <fmt/core.h>

#include <cmath>
#include <exception>

#include "mechanism_peers/mechanisms.h"

namespace grapple::bench {
namespace {

struct Row {
  const char* name;
  Problem problem;
  int numbers;     // of the result that count
  double allowed;  // J or m
};

double error(const Solution& found, const Solution& reference, int numbers) {
  double sum = 0.0;
  for (int k = 0; k < numbers; ++k) sum += std::pow(found.result[k] - reference.result[k], 2);
  return std::sqrt(sum);
}

void compare(const Row& row) {
  Solution reference = solve_in_grapple(row.problem, "1e-12");
  if (row.problem == Problem::kPendulum) reference = Solution{};  // no drift
  const Solution ours = solve_in_grapple(row.problem, "1e-8");
  fmt::print("{:<14} {:>10.1e}   Grapple, tolerance 1e-8: error {:.1e}, {:.5f} s\n", row.name,
             row.allowed, error(ours, reference, row.numbers), ours.seconds);
  double enough = row.allowed;
  for (double accuracy = 1e-3; accuracy > 1e-11; accuracy /= 10.0) {
    const Solution theirs = solve_in_simbody(row.problem, accuracy);
    const double off = error(theirs, reference, row.numbers);
    if (!(off <= enough)) continue;
    fmt::print(
        "{:<14} {:>10}   Simbody, accuracy {:.0e}: error {:.1e}, {:.5f} s, {:.1f} times ours\n", "",
        "", accuracy, off, theirs.seconds, theirs.seconds / ours.seconds);
    // Once for what is asked, once for what we give.
    const double ours_off = error(ours, reference, row.numbers);
    if (off <= ours_off) return;
    enough = ours_off;
  }
  fmt::print("{:<25}   Simbody does not come within {:.1e} at any accuracy to 1e-11\n", "", enough);
}

}  // namespace
}  // namespace grapple::bench

int main() {
  using grapple::bench::Problem;
  try {
    fmt::print("{:<14} {:>10}\n", "problem", "allowed");
    for (const grapple::bench::Row& row : {
             grapple::bench::Row{"A01 pendulum", Problem::kPendulum, 1, 5e-5},
             {"A03 squeezer", Problem::kSqueezer, 2, 1e-6},
             {"A04 Bricard", Problem::kBricard, 3, 1e-4},
         }) {
      compare(row);
    }
  } catch (const std::exception& e) {
    fmt::print(stderr, "bench_mechanism_peers: {}\n", e.what());
    return 1;
  }
}
