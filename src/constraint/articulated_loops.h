// Loop forces by elimination along the tree, for systems of many loops. The form
//   1/2 d'M d + 1/2 (A d - r)'P (A d - r),      P a large weight on every row,
// is reduced link by link, as the articulated-body algorithm reduces its first term. A row ties its
// two links; eliminating one of them hands the tie on to its parent, so the cost follows how many
// loops a link is inside of, not how many there are: linear for ladders, masts and rows of
// mechanisms. The rows are made hard by refining
//   M d - A' lambda = 0,      A d = r
// with that factor; a pass divides what is left of a direction by 1 + P sigma, sigma its eigenvalue
// in S = A M^-1 A'. Rows that follow from others need no care: they share the force, lambda being
// the least in the metric of P^-1.
#pragma once

#include <memory>
#include <vector>

#include "grapple/constraint/constraint.h"

namespace grapple::constraint {

/// What one row puts on its two links per unit multiplier: wrenches about the link origins, world
/// axes.
struct RowWrench {
  int link_M = 0, link_F = 0;
  spatial::Spatial on_M, on_F;
};

/// How well rows are to be met: down to a share of what is asked, or to what is rounding in it.
struct Asked {
  double share = 0.0;
  double noise = 0.0;
};

class ArticulatedLoops {
 public:
  ArticulatedLoops(const model::Model& model, const std::vector<Constraint>& constraints);
  ~ArticulatedLoops();
  ArticulatedLoops(ArticulatedLoops&&) noexcept;
  ArticulatedLoops& operator=(ArticulatedLoops&&) noexcept;

  /// At the last forward_kinematics of `state`, whose workspace and rows must stay as they are
  /// while the factor is in use.
  void factor(const model::Model& model, const model::State& state, const model::Workspace& w,
              const std::vector<RowWrench>& rows);

  /// delta with A delta = rhs and the least kinetic energy, and its multipliers. False if the rows
  /// come too close to a singular position to be met.
  bool solve(const spatial::VecX& rhs, Asked asked, spatial::VecX& lambda, spatial::VecX& delta);

  /// A direction: rates of the rows for rates of the coordinates.
  void apply(const spatial::VecX& direction, spatial::VecX& rates);

  /// After solve: the effort delta and lambda ask of axis k of a driven joint.
  double driven_effort(int link, int k) const;

  /// Estimate of the smallest eigenvalue of S the last solve met, rows scaled by the inertia of the
  /// links they tie.
  double weakest() const;

 private:
  class Tree;
  std::unique_ptr<Tree> tree_;
};

}  // namespace grapple::constraint
