// Forces of space: what `forces` has for drag, sunlight, magnetic torque and thrusters.
#pragma once

#include <vector>

#include "grapple/scenario/language/schema.h"

namespace grapple::scenario::language {

void add_orbit_forces(std::vector<Field>& fields, std::vector<Rule>& rules);

}  // namespace grapple::scenario::language
