// A model with its states ready, so that only the kernel is timed, and the kernels as works.
#pragma once

#include <Eigen/Dense>
#include <memory>
#include <string>
#include <vector>

#include "grapple/model/model.h"
#include "grapple/model/state.h"
#include "timing/turns.h"
#include "trees/tree_spec.h"

namespace grapple::bench {

struct Subject {
  explicit Subject(const TreeSpec& tree);
  Subject(std::string title, model::Model made);

  std::string name;
  model::Model model;
  model::Workspace workspace;
  std::vector<model::State> states;
  std::vector<Eigen::VectorXd> efforts;
  Eigen::MatrixXd M;
};

/// Works refer to the subject; it must outlive them.
Work aba_of(Subject& subject);
Work rnea_of(Subject& subject);
Work crba_of(Subject& subject);
Work kinematics_of(Subject& subject);

/// Best nanoseconds of aba for each subject, in turns.
std::vector<double> aba_costs(const std::vector<std::unique_ptr<Subject>>& subjects);

}  // namespace grapple::bench
