// What a scenario offers somebody who flies it: signals set by hand, gauges, cameras.
#pragma once

#include <vector>

#include "grapple/record/scene.h"
#include "grapple/scenario/build/internal/assembly.h"

namespace grapple::scenario {

/// The operators that set a signal for others to read; those of joints are add_operators'. GR-850
/// (keys or buttons of another number than directions or choices).
void add_operator_signals(const Reader& scenario, Assembly& assembly, system::SystemParts& parts,
                          Simulation& simulation);
/// How keys and gamepad lead to a command; GR-850.
OperatorControl read_control(const Reader& reader, Diagnostics& faults);

/// GR-315 (unknown channel), GR-310 (unit), GR-852 (a limit that is not positive).
void add_instruments(const Reader& scenario, Assembly& assembly, Simulation& simulation);

/// GR-851: a place without a name of its own, whose pose is no channel.
void check_cameras(const Reader& scenario, const model::Model& model, Diagnostics& faults);
/// Of a scenario that passed the check.
std::vector<record::SceneCamera> cameras_of(const Reader& scenario, const model::Model& model);

}  // namespace grapple::scenario
