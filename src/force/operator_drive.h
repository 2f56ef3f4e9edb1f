// A joint driven by somebody at the controls. The command u, -1 to 1, is a signal: constant within
// a step, set between steps by whoever runs the system; nobody there: u = 0.
//   without gain:  effort = E u
//   with gain:     effort = E tanh( gain (rate u - v) / E ),  a rate command with limited effort
// On a flexible joint it acts on the motor side, as motors do: v is the motor's rate and both are
// counted behind the gear.
#pragma once

#include <memory>
#include <string>

#include "grapple/element/element.h"
#include "grapple/model/model.h"

namespace grapple::force {

struct OperatorLaw {
  double effort = 0.0;  ///< E > 0, largest effort, N or N m
  double rate = 0.0;    ///< at full command, rad/s or m/s
  double gain = 0.0;    ///< effort per rate; 0: the command is an effort
};

/// The signal of an operator's command: "operator/NAME/command", -1 to 1.
element::Signal operator_command(const std::string& name);

/// The joint of `link` has one degree of freedom. Its work goes to the actuators. Channel
/// operator/NAME/effort.
std::unique_ptr<element::Element> make_operator_drive(const model::Model& model, int link,
                                                      const std::string& name,
                                                      element::Input command,
                                                      const OperatorLaw& law);

}  // namespace grapple::force
