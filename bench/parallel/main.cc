// Inverse dynamics as parallel recurrences against the serial recursion, over chain lengths: where
// does it pay?
#include <fmt/core.h>

#include <string>
#include <thread>
#include <vector>

#include "grapple/dynamics/parallel_rnea.h"
#include "kernels/subject.h"
#include "trees/flexible_trees.h"

namespace grapple::bench {
namespace {

Work scans_of(Subject& s, dynamics::ParallelRnea& scans) {
  return [&s, &scans](int k) {
    const std::size_t turn = static_cast<std::size_t>(k) % s.states.size();
    scans(s.states[turn], s.efforts[turn], s.workspace);
  };
}

void print_scans(Subject subject) {
  dynamics::ParallelRnea one(subject.model, 1);
  dynamics::ParallelRnea two(subject.model, 2);
  const std::vector<double> best = best_nanoseconds(
      {rnea_of(subject), scans_of(subject, one), scans_of(subject, two)}, {.rounds = 60});
  fmt::print("| {} | {:.2f} | {:.2f} | {:.2f} | {:.2f} |\n", subject.name, 1e-3 * best[0],
             1e-3 * best[1], 1e-3 * best[2], best[0] / best[2]);
}

}  // namespace
}  // namespace grapple::bench

// Chain lengths as arguments, so that a busy machine can be measured in its quiet moments.
int main(int argc, char** argv) {
  using namespace grapple::bench;
  std::vector<int> lengths;
  for (int k = 1; k < argc; ++k) lengths.push_back(std::stoi(argv[k]));
  if (lengths.empty()) lengths = {8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096};
  fmt::print("{} processors\n", std::thread::hardware_concurrency());
  fmt::print("| chain | rnea, µs | recurrences, 1 thread | 2 threads | rnea / 2 threads |\n");
  fmt::print("|---|---|---|---|---|\n");
  for (const int n : lengths) {
    print_scans(Subject(fmt::format("{} rigid links", n), flexible_chain(n, 0)));
  }
  for (const int n : lengths) {
    print_scans(Subject(fmt::format("{} beams of 2 modes", n), flexible_chain(n, 2)));
  }
  return 0;
}
