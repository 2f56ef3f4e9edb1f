// `--set path=value`: puts a value into the tree before parameters are replaced. A path goes down
// by keys and, in lists, by an item's `name` or `[index]`: `simulate.duration=10 s`,
// `joints.shoulder.angle=30 deg`, `joints[0].angle=0.1`, `parameters.length=2 m`. Keys a file
// leaves out may be set; the schema check then judges them. A parameter must exist.
//   GR-116 not of the form path=value   GR-117 the path leads nowhere
#pragma once

#include <string>

#include "grapple/scenario/text/node.h"

namespace grapple::scenario {

/// Throws Error. The new value's mark reads "--set path".
void apply_override(Node& root, const std::string& assignment);

}  // namespace grapple::scenario
