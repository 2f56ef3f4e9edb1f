// Forward dynamics of the same rigid trees in Grapple and in other engines: do they agree, and how
// long does each take? Exit code 1 when an engine disagrees.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <vector>

#include "peers/engine.h"
#include "timing/turns.h"
#include "trees/tree_spec.h"

namespace grapple::bench {
namespace {

constexpr int kNumSamples = 16;
// Round-off grows along a chain: 100 bodies cost the engines up to 1e-11. A wrong convention or a
// missing term shows at 1e-3 and above.
constexpr double kTolerance = 1e-8;

using Engines = std::vector<std::unique_ptr<ForwardDynamicsEngine>>;

// Ours first: the others are compared with it.
Engines make_engines(const TreeSpec& tree) {
  Engines engines;
  engines.push_back(make_grapple_engine(tree));
  engines.push_back(make_simbody_engine(tree));
  engines.push_back(make_bullet_engine(tree));
  engines.push_back(make_mujoco_engine(tree));
  return engines;
}

// Largest difference of all samples, relative to the accelerations' norm; NaN counts as infinite.
double largest_difference(ForwardDynamicsEngine& reference, ForwardDynamicsEngine& engine,
                          const std::vector<Sample>& samples) {
  double largest = 0.0;
  for (const Sample& sample : samples) {
    Eigen::VectorXd expected(sample.v.size());
    Eigen::VectorXd found(sample.v.size());
    reference.accelerations(sample.q, sample.v, sample.tau, expected);
    engine.accelerations(sample.q, sample.v, sample.tau, found);
    const double relative = (found - expected).norm() / expected.norm();
    largest = std::isnan(relative) ? HUGE_VAL : std::max(largest, relative);
  }
  return largest;
}

std::vector<double> time_engines(const Engines& engines, const std::vector<Sample>& samples) {
  Eigen::VectorXd qdd(samples.front().v.size());
  std::vector<Work> contestants;
  for (const auto& engine : engines) {
    contestants.push_back([&samples, &qdd, engine = engine.get()](int repetition) {
      const Sample& sample = samples[static_cast<std::size_t>(repetition % kNumSamples)];
      engine->accelerations(sample.q, sample.v, sample.tau, qdd);
    });
  }
  return best_nanoseconds(contestants);
}

enum class Verdict { kAgree, kDisagree };

Verdict compare(const TreeSpec& tree) {
  const std::vector<Sample> samples = random_samples(tree, kNumSamples);
  const Engines engines = make_engines(tree);
  const std::vector<double> best = time_engines(engines, samples);
  fmt::print("{} (Grapple {:.0f} ns per joint)\n", tree.name, best[0] / tree.num_velocities());
  Verdict verdict = Verdict::kAgree;
  for (std::size_t i = 1; i < engines.size(); ++i) {
    const double difference = largest_difference(*engines[0], *engines[i], samples);
    const bool agrees = difference <= kTolerance;
    if (!agrees) verdict = Verdict::kDisagree;
    fmt::print("  {:8} takes {:6.2f} times as long, difference {:.1e}{}\n", engines[i]->name(),
               best[i] / best[0], difference, agrees ? "" : "  DISAGREES");
  }
  return verdict;
}

bool all_trees_agree() {
  std::vector<TreeSpec> trees;
  for (const int num_bodies : {6, 10, 50, 100}) trees.push_back(serial_chain(num_bodies));
  trees.push_back(floating_tree());
  const auto disagreements = std::count_if(trees.begin(), trees.end(), [](const TreeSpec& tree) {
    return compare(tree) == Verdict::kDisagree;
  });
  return disagreements == 0;
}

}  // namespace
}  // namespace grapple::bench

int main() {
  try {
    return grapple::bench::all_trees_agree() ? 0 : 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_peers: {}\n", error.what());
    return 1;
  }
}
