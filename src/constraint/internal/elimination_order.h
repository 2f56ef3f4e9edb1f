// In which order to take links out of a tree with ties between them: a leaf next, the one with the
// fewest ties; its ties go over to its parent.
#pragma once

#include <utility>
#include <vector>

#include "grapple/model/model.h"

namespace grapple::constraint {

struct EliminationOrder {
  std::vector<int> links;  ///< first out first
  /// Per link, those it is tied to when it goes: all of them go later.
  std::vector<std::vector<int>> ties;
};

/// `tied`: pairs of links, 0 the world.
EliminationOrder elimination_order(const model::Model& model,
                                   const std::vector<std::pair<int, int>>& tied);

}  // namespace grapple::constraint
