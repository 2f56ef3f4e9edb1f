// Forward dynamics of the same rigid trees in Grapple and in other engines: do they agree, and how
// long does each take? Exit code 1 when an engine disagrees.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "peers/engine.h"
#include "timing/turns.h"
#include "trees/tree_spec.h"

namespace grapple::bench {
namespace {

constexpr int kNumSamples = 16;

using Engines = std::vector<std::unique_ptr<ForwardDynamicsEngine>>;

Engines make_engines(const TreeSpec& tree) {
  Engines engines;
  engines.push_back(make_simbody_engine(tree));
  engines.push_back(make_bullet_engine(tree));
  engines.push_back(make_mujoco_engine(tree));
  return engines;
}

// Largest difference of all samples, relative to the accelerations' norm.
double largest_difference(ForwardDynamicsEngine& reference, ForwardDynamicsEngine& engine,
                          const std::vector<Sample>& samples) {
  double largest = 0.0;
  for (const Sample& sample : samples) {
    Eigen::VectorXd expected(sample.v.size());
    Eigen::VectorXd found(sample.v.size());
    reference.accelerations(sample.q, sample.v, sample.tau, expected);
    engine.accelerations(sample.q, sample.v, sample.tau, found);
    largest = std::max(largest, (found - expected).norm() / expected.norm());
  }
  return largest;
}

void compare(const TreeSpec& tree) {
  const std::vector<Sample> samples = random_samples(tree, kNumSamples);
  const Engines engines = make_engines(tree);
  Eigen::VectorXd qdd(tree.num_velocities());
  std::vector<Work> contestants;
  for (const auto& engine : engines) {
    contestants.push_back([&samples, &qdd, engine = engine.get()](int repetition) {
      const Sample& sample = samples[static_cast<std::size_t>(repetition % kNumSamples)];
      engine->accelerations(sample.q, sample.v, sample.tau, qdd);
    });
  }
  const std::vector<double> best = best_nanoseconds(contestants);
  for (std::size_t i = 0; i < engines.size(); ++i) {
    fmt::print("{:18} {:10} difference {:8.1e}  {:8.1f} ns per joint\n", tree.name,
               engines[i]->name(), largest_difference(*engines[0], *engines[i], samples),
               best[i] / tree.num_velocities());
  }
}

}  // namespace
}  // namespace grapple::bench

int main() {
  using namespace grapple::bench;
  for (const int num_bodies : {6, 10, 50, 100}) compare(serial_chain(num_bodies));
  compare(floating_tree());
  return 0;
}
