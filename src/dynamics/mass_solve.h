// x = M(q)^-1 b in O(N), with the factors an articulated-body sweep has left in the workspace: the
// recursion of aba.h without velocities and known accelerations. Inward, with p the wrench that
// waits on a link and U, D of that sweep,
//   u = b - S'p,   p_parent += shift(p + U D^-1 u);     outward   x = D^-1 (u - U'a),  a += S x.
// Coordinates that follow a known motion have x = 0; what they take to stay is told.
#pragma once

#include <vector>

#include "grapple/model/state.h"

namespace grapple::dynamics {

/// Allocates nothing after construction.
class MassSolve {
 public:
  explicit MassSolve(const model::Model& model);

  /// b, x: size nv; they may be the same. The workspace must be that of an aba_after_kinematics of
  /// this state, untouched since.
  void solve(const model::Model& model, const model::State& state,
             const model::Workspace& workspace, Eigen::Ref<const spatial::VecX> b,
             Eigen::Ref<spatial::VecX> x);

  /// After solve: the effort with which a driven joint keeps coordinate v_index + axis as it is.
  double driven_effort(const model::Model& model, const model::Workspace& workspace, int link,
                       int axis) const;

 private:
  struct Pass;

  std::vector<spatial::Spatial> p_, a_;  ///< per link: wrench and acceleration, as in aba.h
  std::vector<std::vector<double>> y_;   ///< per flexible body, per mode: L^-1 of its bias
  spatial::VecX u_;
};

}  // namespace grapple::dynamics
