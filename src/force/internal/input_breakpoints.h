// Where the inputs of an element have a kink or a jump.
#pragma once

#include <vector>

#include "grapple/element/signal.h"

namespace grapple::force {

/// Of all of them together, from 0 to `t_end`.
template <class Inputs>
std::vector<double> breakpoints_of(const Inputs& inputs, double t_end) {
  std::vector<double> times;
  for (const element::Input& input : inputs) {
    const std::vector<double> own = input.breakpoints(0.0, t_end);
    times.insert(times.end(), own.begin(), own.end());
  }
  return times;
}

}  // namespace grapple::force
