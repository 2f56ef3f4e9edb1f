// `parameters:` and `${...}`. `${length}` is replaced by the parameter's text, unit included;
// `${2*pi*radius}` is a formula (base/formula.h) on SI values and yields a bare SI number.
// Parameters may use other parameters in any order.
//   GR-110 unknown parameter   GR-111 parameters depend on each other in a circle
//   GR-112 '${' without '}' or nothing inside   GR-113 a formula is not finite or uses a parameter
//   that is no number   GR-114 bad name or value of a parameter   GR-115 the text grows too long
#pragma once

#include "grapple/base/error.h"
#include "grapple/scenario/text/node.h"

namespace grapple::scenario {

/// Replaces every `${...}` in the scalars of `root`; all findings go to `faults`.
void substitute_parameters(Node& root, Diagnostics& faults);

}  // namespace grapple::scenario
