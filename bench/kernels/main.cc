// Cost of Grapple's own rigid-tree kernels, and how forward dynamics grows with the number of
// bodies.
#include <fmt/core.h>

#include <cmath>
#include <memory>
#include <vector>

#include "grapple/dynamics/aba.h"
#include "grapple/dynamics/crba.h"
#include "grapple/dynamics/rnea.h"
#include "timing/turns.h"
#include "trees/grapple_tree.h"

namespace grapple::bench {
namespace {

constexpr int kNumSamples = 16;

// A model with its states ready in Grapple's coordinates, so that only the kernel is timed.
struct Subject {
  explicit Subject(const TreeSpec& tree)
      : name(tree.name), model(make_model(tree)), workspace(model), M(model.nv(), model.nv()) {
    const NeutralCoordinates coordinates(tree);
    for (const Sample& sample : random_samples(tree, kNumSamples)) {
      states.emplace_back(model);
      coordinates.set_state(sample.q, sample.v, states.back());
      efforts.emplace_back(model.nv());
      coordinates.set_efforts(sample.q, sample.tau, efforts.back());
    }
    M.setZero();
  }

  std::string name;
  model::Model model;
  model::Workspace workspace;
  std::vector<model::State> states;
  std::vector<Eigen::VectorXd> efforts;
  Eigen::MatrixXd M;
};

std::size_t turn(int repetition) { return static_cast<std::size_t>(repetition % kNumSamples); }

Work aba_of(Subject& s) {
  return
      [&s](int k) { dynamics::aba(s.model, s.states[turn(k)], s.efforts[turn(k)], s.workspace); };
}

// Any vector serves as accelerations: the cost does not depend on the values.
Work rnea_of(Subject& s) {
  return
      [&s](int k) { dynamics::rnea(s.model, s.states[turn(k)], s.efforts[turn(k)], s.workspace); };
}

Work crba_of(Subject& s) {
  return [&s](int k) { dynamics::crba(s.model, s.states[turn(k)], s.workspace, s.M); };
}

void print_costs(const TreeSpec& tree) {
  Subject subject(tree);
  const std::vector<double> best =
      best_nanoseconds({aba_of(subject), rnea_of(subject), crba_of(subject)});
  fmt::print("{:<18} {:>10.0f} {:>10.0f} {:>10.0f} {:>14.1f}\n", subject.name, best[0], best[1],
             best[2], best[0] / subject.model.nv());
}

// Least-squares slope of log(time) over log(bodies): 1 is linear growth.
double growth_exponent(const std::vector<int>& sizes) {
  std::vector<std::unique_ptr<Subject>> subjects;
  std::vector<Work> contestants;
  for (const int size : sizes) {
    subjects.push_back(std::make_unique<Subject>(serial_chain(size)));
    contestants.push_back(aba_of(*subjects.back()));
  }
  const std::vector<double> best = best_nanoseconds(contestants);
  double x_mean = 0.0;
  double y_mean = 0.0;
  const auto count = static_cast<double>(sizes.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    x_mean += std::log(sizes[i]) / count;
    y_mean += std::log(best[i]) / count;
  }
  double xx = 0.0;
  double xy = 0.0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const double dx = std::log(sizes[i]) - x_mean;
    xx += dx * dx;
    xy += dx * (std::log(best[i]) - y_mean);
  }
  return xy / xx;
}

}  // namespace
}  // namespace grapple::bench

int main() {
  using namespace grapple::bench;
  fmt::print("best nanoseconds   {:>10} {:>10} {:>10} {:>14}\n", "aba", "rnea", "crba",
             "aba per DOF");
  for (const int num_bodies : {6, 10, 50, 100}) print_costs(serial_chain(num_bodies));
  print_costs(floating_tree());
  fmt::print("aba, chains of 16 to 256 bodies: time grows as bodies^{:.3f}\n",
             growth_exponent({16, 32, 64, 128, 256}));
  return 0;
}
