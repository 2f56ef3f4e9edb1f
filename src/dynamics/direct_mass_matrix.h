// The mass matrix by projection, M = sum over bodies of J' M_b J: J maps the rates v to a body's
// own (angular, linear, modal), M_b is its inertia about its origin. The columns of all J together
// are the natural orthogonal complement of the joints' constraints (Angeles and Lee 1988), and the
// projection the direct method of Dmitrotchenko (2003). Dense in the joints inboard of a body.
#pragma once

#include <vector>

#include "grapple/model/state.h"

namespace grapple::dynamics {

/// Per link, the rates that move it, from the world outward, and the motion of its origin per rate.
template <class T>
struct DirectScratch {
  DirectScratch() = default;
  explicit DirectScratch(const model::Model& model);

  std::vector<std::vector<int>> columns;
  std::vector<std::vector<spatial::SpatialT<T>>> J;
};

/// M as crba's. Needs forward_kinematics; spoils workspace.inertia.
template <class T>
void direct_mass_matrix_after_kinematics(const model::Model& model, model::WorkspaceT<T>& workspace,
                                         DirectScratch<T>& scratch, spatial::MatXT<T>& M);

}  // namespace grapple::dynamics
