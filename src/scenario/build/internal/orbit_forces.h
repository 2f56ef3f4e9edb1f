// Forces of space in `forces`: drag, sunlight, magnetic torque, thrusters.
#pragma once

#include "grapple/scenario/build/internal/assembly.h"

namespace grapple::scenario {

/// Adds the element if the force is of one of these types. GR-973: a force that needs an orbit
/// where there is none; GR-974: reflectivities above one.
bool add_orbit_force(const Reader& force, Assembly& assembly, system::SystemParts& parts);

}  // namespace grapple::scenario
