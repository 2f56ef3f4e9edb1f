// Joint reactions: what each joint, with everything that acts in it (drive, lock, spring, stop),
// puts on the link it carries, about the link's origin (the joint's frame on the child), in world
// axes. By the inward half of Newton-Euler at the accelerations found, constraint forces among the
// loads.
#pragma once

#include "grapple/system/system.h"

namespace grapple::system {

/// Multipliers of least norm in snapshot.constraints, found when a channel first asks.
template <class T>
void find_shared_constraint_forces(const System& system, const Snapshot<T>& snapshot);

/// Fills snapshot.reactions once per evaluation; does nothing if no reactions are asked for.
template <class T>
void find_reactions(const System& system, const Snapshot<T>& snapshot);

}  // namespace grapple::system
