#include "kernels/subject.h"

#include <utility>

#include "grapple/dynamics/aba.h"
#include "grapple/dynamics/crba.h"
#include "grapple/dynamics/kinematics.h"
#include "grapple/dynamics/rnea.h"
#include "trees/flexible_trees.h"
#include "trees/grapple_tree.h"

namespace grapple::bench {
namespace {

constexpr int kNumSamples = 16;

std::size_t turn(int repetition) { return static_cast<std::size_t>(repetition % kNumSamples); }

}  // namespace

Subject::Subject(const TreeSpec& tree)
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

Subject::Subject(std::string title, model::Model made)
    : name(std::move(title)),
      model(std::move(made)),
      workspace(model),
      M(Eigen::MatrixXd::Zero(model.nv(), model.nv())) {
  for (ModelSample& sample : random_samples(model, kNumSamples)) {
    states.push_back(std::move(sample.state));
    efforts.push_back(std::move(sample.tau));
  }
}

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

Work kinematics_of(Subject& s) {
  return [&s](int k) { dynamics::forward_kinematics(s.model, s.states[turn(k)], s.workspace); };
}

std::vector<double> aba_costs(const std::vector<std::unique_ptr<Subject>>& subjects) {
  std::vector<Work> contestants;
  contestants.reserve(subjects.size());
  for (const auto& subject : subjects) contestants.push_back(aba_of(*subject));
  return best_nanoseconds(contestants);
}

}  // namespace grapple::bench
