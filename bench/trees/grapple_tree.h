// A neutral tree as a Grapple model, and the neutral coordinates in Grapple's: a free joint's q is
// (position, quaternion), its rates are (linear in world axes, angular in body axes).
#pragma once

#include "grapple/model/model.h"
#include "grapple/model/state.h"
#include "trees/tree_spec.h"

namespace grapple::bench {

/// Joint i of the model carries body i of the tree.
model::Model make_model(const TreeSpec& tree);

class NeutralCoordinates {
 public:
  explicit NeutralCoordinates(const TreeSpec& tree);

  void set_state(const Eigen::VectorXd& q, const Eigen::VectorXd& v, model::State& state) const;
  /// Efforts in Grapple's axes at the orientation in `q`.
  void set_efforts(const Eigen::VectorXd& q, const Eigen::VectorXd& neutral_tau,
                   Eigen::VectorXd& tau) const;
  void get_accelerations(const Eigen::VectorXd& q, const Eigen::VectorXd& vdot,
                         Eigen::VectorXd& neutral_qdd) const;

 private:
  bool is_floating_;
  Eigen::Index num_revolute_;
};

}  // namespace grapple::bench
