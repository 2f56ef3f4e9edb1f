// What a step of generalized-alpha costs with a sparse block of n unknowns beside the tree, and
// with the same unknowns as one dense block.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "grapple/integrate/stepper.h"
#include "integrate/pendulum_on_chain.h"
#include "timing/growth.h"

namespace grapple::bench {
namespace {

using integrate::testing::Blocks;
using integrate::testing::PendulumOnChain;

/// Microseconds per step, the best of some runs.
double cost_of_step(int masses, Blocks blocks) {
  constexpr int kSteps = 200, kRuns = 5;
  integrate::IntegratorOptions options{.method = integrate::Method::kGeneralizedAlpha,
                                       .step = 0.01};
  options.alpha.steps = integrate::StepControl::kFixed;
  double best = 1e300;
  for (int run = 0; run < kRuns; ++run) {
    PendulumOnChain problem(
        {}, {.masses = masses, .mass = 1.0 / masses, .stiffness = 20.0 * masses}, blocks);
    const auto stepper = integrate::make_stepper(problem, options);
    stepper->start(0.0, problem.state(0.5, 0.0));
    const auto begin = std::chrono::steady_clock::now();
    for (int step = 0; step < kSteps; ++step) {
      if (!stepper->step(1e9)) return 0.0;
    }
    const std::chrono::duration<double, std::micro> taken =
        std::chrono::steady_clock::now() - begin;
    best = std::min(best, taken.count() / kSteps);
  }
  return best;
}

void compare() {
  const std::vector<int> sizes{250, 500, 1000, 2000, 4000};
  std::vector<double> sparse;
  fmt::print(
      "| unknowns of the chain | sparse block, us per step | one dense block |\n|---|---|---|\n");
  for (const int n : sizes) {
    sparse.push_back(cost_of_step(n, Blocks::kTreeAndChain));
    const double dense = n <= 1000 ? cost_of_step(n, Blocks::kOneDense) : 0.0;
    fmt::print("| {} | {:.0f} | {} |\n", n, sparse.back(),
               dense > 0.0 ? fmt::format("{:.0f}", dense) : "");
  }
  fmt::print("growth: n^{:.2f}\n", growth_exponent(sizes, sparse));
}

}  // namespace
}  // namespace grapple::bench

int main() { grapple::bench::compare(); }
