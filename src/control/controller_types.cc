#include <algorithm>

#include "grapple/base/assert.h"
#include "grapple/control/controller_type.h"

namespace grapple::control {

ControllerType pid_type();        // pid.cc
ControllerType isolation_type();  // isolation/isolation_controller.cc

const std::vector<ControllerType>& controller_types() {
  static const std::vector<ControllerType> all{pid_type(), isolation_type()};
  return all;
}

const ControllerType& controller_type(std::string_view name) {
  const auto& all = controller_types();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const ControllerType& type) { return type.name == name; });
  GRAPPLE_ASSERT(found != all.end());
  return *found;
}

}  // namespace grapple::control
