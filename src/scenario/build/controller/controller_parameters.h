// What the user gives a controller by the parameters of its type.
#pragma once

#include <string>
#include <vector>

#include "grapple/control/controller_type.h"
#include "grapple/scenario/build/internal/assembly.h"

namespace grapple::scenario {

/// A joint that a controller drives, for messages and units.
struct NamedJoint {
  std::string name;
  bool turns = true;
};

/// In SI, checked against what its joints are (GR-310).
control::ParameterValues read_parameters(const Reader& reader,
                                         const std::vector<control::Parameter>& parameters,
                                         const std::vector<NamedJoint>& joints, Assembly& assembly);

/// GR-934: keys of a controller of several joints that others leave without effect.
void refuse_idle_keys(const Reader& reader, Assembly& assembly);

}  // namespace grapple::scenario
