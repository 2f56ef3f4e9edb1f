// Constraints between coordinates: gears and formulas.
#pragma once

#include <optional>

#include "grapple/base/error.h"
#include "grapple/constraint/constraint.h"
#include "grapple/scenario/language/reader.h"

namespace grapple::scenario {

/// Nothing if it is at fault: GR-310 (unit of the ratio), GR-907 (not a coordinate), GR-908 (the
/// formula).
std::optional<constraint::ConstraintKind> kind_between_coordinates(const Reader& loop,
                                                                   const model::Model& model,
                                                                   const spatial::VecX& q_start,
                                                                   Diagnostics& faults);

}  // namespace grapple::scenario
