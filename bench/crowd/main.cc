// Cost of a step of N balls that settle in a box, by a contact group: nearly linear in N?
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <ctime>

#include "crowd/heap.h"

namespace grapple::bench {
namespace {

// Steps that the heap needs to fall together, and those that are timed.
constexpr int kSettling = 2000, kTimed = 500;

void print_cost(int side) {
  Heap heap(side);
  heap.advance(kSettling);
  double best = HUGE_VAL;
  for (int turn = 0; turn < 5; ++turn) {
    const std::clock_t start = std::clock();  // of this program alone: the machine may be busy
    heap.advance(kTimed / 5);
    const double took = 1e6 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    best = std::min(best, took / (kTimed / 5));
  }
  const int count = side * side * side;
  fmt::print("| {} | {} | {} | {:.0f} | {:.0f} |\n", count, heap.contacts(), heap.near(), best,
             1e3 * best / count);
}

}  // namespace
}  // namespace grapple::bench

int main() {
  fmt::print("| balls | contacts | near pairs | us per step | ns per step and ball |\n");
  fmt::print("|---|---|---|---|---|\n");
  for (const int side : {5, 6, 8, 10, 13, 16}) grapple::bench::print_cost(side);
}
