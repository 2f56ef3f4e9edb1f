// Motors with lags and limits, friction that sticks, and brakes of joints.
#pragma once

#include <string>

#include "grapple/scenario/build/internal/assembly.h"
#include "grapple/scenario/build/internal/coordinates.h"

namespace grapple::scenario {

/// Whether a `motor` is more than a torque through a gear.
bool has_dynamics(const Reader& motor);
void add_actuator(const Reader& joint, const CoordinateReader& read, int link, Assembly& assembly,
                  system::SystemParts& parts);

/// A joint's `friction` with `breakaway`. GR-968: a breakaway of zero, or below the dry friction.
void add_stiction(const Reader& joint, const std::string& name, const CoordinateReader& read,
                  int link, Assembly& assembly, system::SystemParts& parts);

/// GR-313: of a joint with a prescribed motion.
void add_brake(const Reader& joint, const std::string& name, Assembly& assembly,
               system::SystemParts& parts);

}  // namespace grapple::scenario
