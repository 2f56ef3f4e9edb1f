// Whether a constraint holds at all: while none does, nothing asks for the factors of closed loops.
#pragma once

#include <algorithm>
#include <vector>

#include "grapple/constraint/constraint.h"

namespace grapple::system {

inline bool any_active(const std::vector<constraint::Constraint>& constraints) {
  return std::any_of(constraints.begin(), constraints.end(),
                     [](const constraint::Constraint& one) { return one.active; });
}

}  // namespace grapple::system
