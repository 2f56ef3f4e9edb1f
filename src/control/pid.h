// A sampled proportional-integral-derivative controller of one joint:
//   e = r - y,   e' = r' - y',   u = kp e + I + kd e',   I grows by ki e T per sample
// with r the set point and r' its rate, y and y' the position and rate that are measured. r is a
// function of time, or a signal: r' is then 0. The output is cut to +- limit. While it is cut, I
// does not grow further in that direction (conditional integration), so that it does not wind up.
#pragma once

#include <limits>
#include <memory>

#include "grapple/control/controller_type.h"

namespace grapple::control {

struct Pid {
  ControlledJoint joint;
  SampledInput set_point;
  double proportional = 0.0;  ///< effort per position
  double integral = 0.0;      ///< effort per position and second
  double derivative = 0.0;    ///< effort per rate
  double limit = std::numeric_limits<double>::infinity();
};

/// Its memory: set_point, error, integral (the part I of the effort).
std::unique_ptr<element::SampledBlock> make_pid(Pid law);

}  // namespace grapple::control
