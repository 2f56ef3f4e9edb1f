// Flexible joints: what the parts of build_joint.cc need of their drives.
#pragma once

#include <vector>

#include "grapple/scenario/build/internal/assembly.h"
#include "grapple/scenario/build/internal/coordinates.h"

namespace grapple::scenario {

/// The motor side of a joint with `flexible`: inertia and transmission of its spec. GR-361: rotor
/// or gear given twice.
void add_drive(const Reader& joint, Assembly& assembly, model::JointSpec& spec);
/// Gear ratio of a joint with a motor, which may stand under `flexible`.
std::vector<double> gear_ratio_of(const Reader& joint, const CoordinateReader& read);
/// Motors start with the joint, ahead of it by the given twist.
void set_motor_start(const Reader& joint, const model::Link& link, Diagnostics& faults,
                     system::SystemParts& parts);
void add_transmission(const Reader& joint, const CoordinateReader& read, int link,
                      system::SystemParts& parts);

}  // namespace grapple::scenario
