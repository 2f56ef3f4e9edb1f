// How heavy what a row ties is: the inertia of its two bodies in parallel, of mass for rows that
// hold points, about their centres for rows that hold directions. A scale, not a result.
#pragma once

#include <vector>

#include "grapple/constraint/constraint.h"

namespace grapple::constraint {

/// Per row, kg or kg m^2, above zero.
spatial::VecX row_inertia(const model::Model& model, const std::vector<Constraint>& constraints);

}  // namespace grapple::constraint
