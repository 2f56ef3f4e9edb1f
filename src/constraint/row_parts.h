// Independent rows of very many constraints (more than a dense factor of all serves for): the rows
// fall into parts that share no coordinate, and each part is chosen from by itself, by pivots in
// the metric of the coordinates.
#pragma once

#include <cstdint>
#include <vector>

#include "grapple/constraint/constraint.h"

namespace grapple::constraint {

/// Per row, whether it is among the independent ones at this state, which must be on the manifold.
/// Empty if a part has more rows than `most`.
std::vector<std::uint8_t> choose_rows_by_parts(const TreeMotion<double>& tree,
                                               const std::vector<Constraint>& constraints,
                                               std::size_t most);

}  // namespace grapple::constraint
