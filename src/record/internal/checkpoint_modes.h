// The modes of a system (locks, switches, latches, what elements remember) as entries of a
// checkpoint.
#pragma once

#include "grapple/record/internal/checkpoint.h"
#include "grapple/system/system.h"

namespace grapple::record {

void put_modes(const system::Modes& modes, Checkpoint& file);
/// GR-515 if an entry is missing, GR-516 if they cannot be those of the system.
system::Modes modes_of(const Checkpoint& file, const system::System& system);

}  // namespace grapple::record
