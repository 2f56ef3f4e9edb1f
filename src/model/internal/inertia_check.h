// Whether a joint's motions meet inertia.
#pragma once

#include <vector>

#include "grapple/model/joint.h"
#include "grapple/spatial/mass_properties.h"

namespace grapple::model {

/// True if some motion of the joint moves the composite (in joint axes, outboard bodies frozen)
/// without inertia. The composite is the most inertia the recursion can meet there.
bool moves_without_inertia(JointType type, const spatial::MassProperties& composite_L, double pitch,
                           const std::vector<double>& reflected);

}  // namespace grapple::model
